import ISOMedia
import LibAV

extension String {
  /// A container without any times: nothing but the pictures' bytes.
  var isElementaryStream: Bool {
    ["h264", "hevc", "m4v", "mpegvideo", "vc1", "h261", "h263", "cavsvideo", "dirac", "obu", "av1"]
      .contains(self)
  }
}

extension ContainerTrack {
  /// Where the times of pictures come from that may be stored in another order than they are shown in.
  func timing(in container: String) -> TrackOpener.Timing {
    switch container {
    case "mpegts", "mpegps", "asf", "wtv": .partlyStored
    case "avi": .decodeOrder
    // A codec tag stands for Matroska's compatibility with AVI, whose blocks are numbered like its chunks.
    case "matroska": stream?.codecTag == 0 ? .stored : .decodeOrder
    default: container.isElementaryStream ? .decodeOrder : .stored
    }
  }

  /// Whether every packet is a whole picture: H.264 may store fields by themselves.
  var hasWholePictures: Bool {
    guard let stream else { return false }
    switch stream.codecName {
    case "h264": return ParameterSets(stream)?.isFrameOnly == true
    // Two fields of MPEG-2 are one packet of libav's; HEVC's fields are pictures of their own.
    default: return true
    }
  }

  /// Whether every packet gives a picture, so that a missing one is damage.
  var givesEveryPicture: Bool {
    switch stream?.codecName {
    case "h264": hasWholePictures
    case "hevc", "mpeg1video", "mpeg2video": true
    default: false
    }
  }

  /// Pictures that no other picture needs may be dropped without a trace where every packet is one whole picture.
  var maySkipNonReference: Bool {
    guard let stream else { return false }
    switch stream.codecName {
    case "h264": return hasWholePictures
    case "hevc":
      // A picture that its own layer does not need may be needed by a higher temporal layer.
      return Self.hasOneTemporalLayer(hevc: stream.extradata)
    case "mpeg2video", "mpeg1video", "mpeg4": return true
    default: return false
    }
  }

  /// How many pictures that are shown behind a picture may be stored before it.
  var reorderLimit: Int {
    guard let stream else { return 16 }
    switch stream.codecName {
    case "h264":
      let frames = ParameterSets.avc(stream.extradata)?.reorderFrameCount.map { Int($0) } ?? 16
      return min(16, frames) * (hasWholePictures ? 1 : 2)
    case "hevc":
      let set = Self.parameterSet(hevc: stream.extradata).flatMap {
        HEVCSequenceParameters(nalUnit: stream.extradata, in: $0)
      }
      return set.map { min(16, Int($0.reorderPictureCount)) } ?? 16
    case "mpeg1video", "mpeg2video", "mpeg4", "vc1", "wmv3": return 1
    default: return 16
    }
  }

  /// Where HEVC's sequence parameters lie in a stream's codec data.
  private static func parameterSet(hevc bytes: [UInt8]) -> Range<Int>? {
    HEVCConfiguration(bytes)?.nalUnits.first { $0.type == 33 }?.range
      ?? CodecStrings.nal(in: bytes) { $0 >> 1 & 0x3F == 33 }
  }

  /// sps_max_sub_layers_minus1 lies behind the NAL unit's header and four bits (H.265 7.3.2.2.1).
  private static func hasOneTemporalLayer(hevc bytes: [UInt8]) -> Bool {
    guard let set = parameterSet(hevc: bytes), set.count > 2 else { return false }
    return bytes[set.lowerBound + 2] >> 1 & 7 == 0
  }

  /// How many pictures the decoder must hold back at least, where the stream does not say it itself.
  func reorderDelay(_ index: VideoIndex?) -> Int {
    guard let stream, stream.codecName == "h264" else { return 0 }
    if ParameterSets.avc(stream.extradata)?.reorderFrameCount != nil { return 0 }
    return min(16, max(stream.reorderDelay, index?.reorderDelay ?? 0))
  }

  /// Files of more samples are read without an index, so that memory stays bounded.
  private static var maximumIndexedSamples: Int { 2_000_000 }

  func videoIndex(movie: MovieHeader, containsFragments: Bool) -> VideoIndex? {
    guard mediaType == .video, let iso, !containsFragments, iso.samples.sampleCount > 0,
      let table = try? movie.sampleTable(of: iso, maximumSamples: Self.maximumIndexedSamples)
    else { return nil }
    var times: [Int64] = []
    var isSync: [Bool] = []
    var decodeTimes: [Int64] = []
    times.reserveCapacity(table.count)
    isSync.reserveCapacity(table.count)
    decodeTimes.reserveCapacity(table.count)
    var lowestOffset: Int64 = 0
    var last: (time: Int64, duration: Int64) = (.min, 0)
    // Empty samples are no packets: the picture before them stays on show.
    for sample in table where sample.size > 0 {
      let time = sample.presentationTime
      times.append(time)
      isSync.append(sample.isSync)
      decodeTimes.append(sample.decodeTime)
      lowestOffset = min(lowestOffset, Int64(sample.compositionOffset))
      if time >= last.time { last = (time, Int64(sample.duration)) }
    }
    // libav's own index is earlier by the largest negative composition offset.
    return VideoIndex(
      times: times, isSync: isSync, seekTimes: decodeTimes.map { $0 + lowestOffset },
      lastDuration: last.duration)
  }
}
