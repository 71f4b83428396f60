import ISOMedia
import LibAV

extension AssetTrack {
  /// What a session needs to decode this track; the index is built once and shared.
  func opener() async throws -> TrackOpener {
    let cell: LoadCell<TrackOpener> = asset.properties.cell("\(track.id).opener")
    return try await cell.value { [self] in
      let opened = try await asset.opened()
      let header = try await asset.header()
      guard let stream = track.stream, track.isDecodable else {
        let codec = track.codec ?? track.fourCharacterCode ?? "unknown"
        throw MediaError(
          .decoderNotFound, operation: "decode", subject: subject,
          reason: "this FFmpeg has no decoder for \(codec)",
          remedy: "Install an FFmpeg that has one, or use another track")
      }
      if header.movie?.track(withID: UInt32(bitPattern: track.id))?.sampleDescriptions.contains(
        where: \.isProtected) == true
      {
        throw MediaError(
          .contentIsProtected, operation: "decode", subject: subject,
          reason: "its samples are encrypted")
      }
      let tick = stream.tick
      let second = max(1, Rational.floor(.one, in: tick))
      let hasTimes = !track.hasTimesByOutputOrder(container: header.container)
      return TrackOpener(
        reader: header.reader(over: opened.reader), options: header.demuxerOptions,
        streamIndex: stream.index,
        needsStreamInfo: header.needsStreamInfo, isRemote: opened.isRemote, subject: subject,
        index: header.movie.flatMap {
          track.videoIndex(movie: $0, containsFragments: header.containsFragments)
        },
        hasTimes: hasTimes, trustsDecodeTimes: !["matroska", "webm"].contains(header.container),
        maySkipNonReference: hasTimes && track.maySkipNonReference, decoderName: track.decoderName,
        maximumPixels: asset.options.policy.maximumPixels, secondTicks: second,
        startTime: stream.startTime ?? 0, keyTimes: [])
    }
  }
}

extension ContainerTrack {
  /// AVI and elementary streams number pictures in decode order; only the decoder's output tells when they are shown.
  func hasTimesByOutputOrder(container: String) -> Bool {
    ["avi", "h264", "hevc", "m4v", "mpegvideo", "vc1"].contains(container)
      && ["h264", "hevc", "mpeg4", "mpeg2video", "mpeg1video", "vc1", "wmv3"].contains(
        stream?.codecName ?? "")
  }

  /// Pictures that no other picture needs may be dropped without a trace where every packet is one whole picture.
  var maySkipNonReference: Bool {
    guard let stream else { return false }
    switch stream.codecName {
    case "h264", "hevc": return ParameterSets(stream)?.isFrameOnly == true
    case "mpeg2video", "mpeg1video", "mpeg4": return true
    default: return false
    }
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
    for sample in table {
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
