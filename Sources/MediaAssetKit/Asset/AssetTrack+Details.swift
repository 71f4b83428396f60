import ISOMedia
import LibAV

/// What is known of a track beyond its container's header.
struct TrackDetails: Sendable {
  var descriptions: [FormatDescription]
}

extension AssetTrack {
  func details() async throws -> TrackDetails {
    let cell: LoadCell<TrackDetails> = asset.properties.cell("\(track.id).details")
    return try await cell.value { [self] in try await readDetails() }
  }

  private func readDetails() async throws -> TrackDetails {
    let movie = try await asset.header().movie
    var description = FormatDescription(
      mediaType: mediaType, codec: track.codec,
      fourCharacterCode: track.fourCharacterCode,
      codecString: track.codecString, parameterSets: track.stream?.extradata ?? [])
    if mediaType == .audio { description.audio = audioFormat(in: movie?.bytes ?? []) }
    if mediaType == .video { description.video = try await videoFormat() }
    // A second kind of sample shares what libav knows; its own four characters and string are the file's.
    let others = (track.iso?.sampleDescriptions.dropFirst() ?? []).map { entry in
      var other = description
      other.fourCharacterCode = entry.format.description
      other.codecString = movie.map { entry.codecString(in: $0.bytes) }
      return other
    }
    return TrackDetails(descriptions: [description] + others)
  }

  private func audioFormat(in movie: [UInt8]) -> AudioFormat? {
    let entry = track.iso?.sampleDescriptions.first?.audio
    guard let stream = track.stream, stream.sampleRate > 0 || stream.channels > 0 else {
      return entry.map {
        AudioFormat(
          sampleRate: Int(saturating: $0.sampleRate), channels: Int(clamping: $0.channelCount))
      }
    }
    var format = AudioFormat(
      sampleRate: stream.sampleRate, channels: stream.channels,
      layout: stream.layout(of: track.iso?.sampleDescriptions.first, in: movie),
      sampleFormat: Formats.sampleFormat(of: stream, codec: track.codec))
    let isLossless = ["flac", "alac", "wavpack", "tta", "ape"].contains(track.codec ?? "")
    if track.codec?.hasPrefix("pcm_") == true || isLossless {
      let depth = stream.bitsPerRawSample > 0 ? stream.bitsPerRawSample : stream.bitsPerCodedSample
      if depth > 0 { format.bitDepth = depth }
      // FFmpeg's lossless decoders give 16 bits, or 32 for anything wider; ALAC's gives planes.
      if stream.format < 0, isLossless {
        let isPlanar = track.codec == "alac" || format.sampleFormat?.hasSuffix("p") == true
        format.sampleFormat = (depth > 16 ? "s32" : "s16") + (isPlanar ? "p" : "")
      }
    }
    return format
  }

  private func videoFormat() async throws -> VideoFormat? {
    guard let geometry = geometry() else { return nil }
    var format = VideoFormat(
      encodedSize: geometry.encodedSize, cleanAperture: geometry.cleanRect,
      naturalSize: geometry.naturalSize,
      sampleAspectRatio: geometry.pixelAspectRatio)
    guard let stream = track.stream else { return format }
    // The first `colr` counts (ISO/IEC 14496-12, 12.1.5), before what the bitstream says; libav takes the last.
    var colour =
      track.iso?.sampleDescriptions.first?.video?.color.map { ColourDescription($0) }
      ?? stream.colour
    var mastering = stream.masteringDisplay
    var light = stream.contentLight
    var pixelFormat: PixelFormatID? =
      stream.format >= 0 ? PixelFormatID(rawValue: stream.format) : nil
    format.fieldOrder = stream.fieldOrder.map { VideoFormat.FieldOrder($0) }
    if let sets = ParameterSets(stream) {
      colour = colour.filled(from: sets.colour)
      if pixelFormat == nil, let name = sets.pixelFormat { pixelFormat = .named(name) }
      format.bitDepth = sets.bitDepth
      if format.fieldOrder == nil, sets.isFrameOnly == true { format.fieldOrder = .progressive }
    }
    let isHDR = colour.transfer == "smpte2084"
    let mustLook =
      pixelFormat == nil || pixelFormat == PixelFormatID.none
      || (isHDR && (mastering == nil || light == nil))
      || (format.fieldOrder == nil
        && ["mpeg2video", "h264", "prores", "dvvideo"].contains(stream.codecName ?? ""))
    if mustLook, track.isDecodable, let picture = try await firstPicture() {
      pixelFormat = pixelFormat.flatMap { $0 == PixelFormatID.none ? nil : $0 } ?? picture.format
      // VP8's decoder states what the format is defined as, which no stream says.
      if stream.codecName != "vp8" { colour = colour.filled(from: picture.colour) }
      mastering = mastering ?? picture.masteringDisplay
      light = light ?? picture.contentLight
      format.fieldOrder =
        format.fieldOrder
        ?? (picture.isInterlaced
          ? picture.isTopFieldFirst ? .topFirst : .bottomFirst : .progressive)
    }
    if colour.isFullRange == nil, pixelFormat?.impliesFullRange == true {
      colour.isFullRange = true
    }
    format.pixelFormat = pixelFormat?.name
    format.bitDepth = format.bitDepth ?? pixelFormat?.bitDepth
    format.colour = ColourProperties(colour)
    format.hasAlpha = track.hasAlpha || pixelFormat?.hasAlpha == true
    format.hdr = Self.hdr(stream, transfer: colour.transfer, mastering: mastering, light: light)
    return format
  }

  /// The first picture that can be decoded; nil when there is none.
  private func firstPicture() async throws -> Frame? {
    do {
      let session = VideoSession(opener: try await opener(), threads: 1)
      return try await session.withFirstPicture { picture, _ in picture.frame }
    } catch is MediaError { return nil }
  }

  private static func hdr(
    _ stream: StreamInfo, transfer: String?, mastering: LibAV.MasteringDisplay?,
    light: LibAV.ContentLight?
  ) -> HDRProperties? {
    let kind: HDRProperties.Kind
    if stream.dolbyVisionProfile != nil {
      kind = .dolbyVision
    } else if transfer == "smpte2084" {
      kind = .hdr10
    } else if transfer == "arib-std-b67" {
      kind = .hlg
    } else {
      return nil
    }
    return HDRProperties(
      kind: kind,
      masteringDisplay: mastering.map {
        MasteringDisplayColour(
          primaries: $0.primaries, whitePoint: $0.whitePoint, minimumLuminance: $0.minimumLuminance,
          maximumLuminance: $0.maximumLuminance)
      }, maxContentLight: light?.maximumContent, maxFrameAverageLight: light?.maximumFrameAverage)
  }

  /// Characteristics from the media itself and the container's dispositions.
  func inferredCharacteristics() async throws -> [MediaCharacteristic] {
    var found: [MediaCharacteristic] = []
    switch mediaType {
    case .video: found += [.visual, .frameBased]
    case .audio: found.append(.audible)
    case .subtitle, .closedCaption: found += [.visual, .legible]
    default: break
    }
    let disposition = track.stream?.disposition ?? []
    found.append(disposition.contains(.comment) ? .isAuxiliaryContent : .isMainProgramContent)
    if disposition.contains(.original) { found.append(.isOriginalContent) }
    if disposition.contains(.dub) { found += [.dubbedTranslation, .languageTranslation] }
    if disposition.contains(.forced) || hasOnlyForcedSamples { found.append(.containsOnlyForcedSubtitles) }
    if disposition.contains(.hearingImpaired) || disposition.contains(.captions) {
      found += [.transcribesSpokenDialogForAccessibility, .describesMusicAndSoundForAccessibility]
    }
    if disposition.contains(.visualImpaired) || disposition.contains(.descriptions) {
      found.append(.describesVideoForAccessibility)
    }
    if mediaType == .video, let video = try await details().descriptions.first?.video {
      if ["bt2020", "smpte431", "smpte432"].contains(video.colour.primaries ?? "") {
        found.append(.usesWideGamutColorSpace)
      }
      if video.hdr != nil { found.append(.containsHDRVideo) }
      if video.hasAlpha { found.append(.containsAlphaChannel) }
      if track.spatial.hasTwoCodedViews { found.append(.containsStereoMultiviewVideo) }
      if track.spatial.hasStereoLayout { found.append(.carriesVideoStereoMetadata) }
      if track.spatial.hasFieldOfView { found.append(.indicatesHorizontalFieldOfView) }
      if track.spatial.isProjected { found.append(.indicatesNonRectilinearProjection) }
    }
    return found
  }
}

extension ContainerTrack {
  /// WebM carries alpha beside the picture; its header says so (`alpha_mode`).
  var hasAlpha: Bool {
    stream?.metadata.first { $0.key.lowercased() == "alpha_mode" }?.value == "1"
  }

  /// The decoder that keeps the alpha: FFmpeg's own VP8 and VP9 decoders drop it.
  var decoderName: String? {
    // Matroska states the alpha of every codec so; only these two keep it apart from the picture.
    guard hasAlpha, let codec = stream?.codecName, ["vp8", "vp9"].contains(codec) else {
      return nil
    }
    let name = codec == "vp8" ? "libvpx" : "libvpx-vp9"
    return Formats.hasDecoder(named: name) ? name : nil
  }
}

extension VideoFormat.FieldOrder {
  init(_ order: StreamInfo.FieldOrder) {
    self =
      switch order {
      case .progressive: .progressive;
      case .topFirst: .topFirst;
      case .bottomFirst: .bottomFirst
      }
  }
}

extension ColourProperties {
  init(_ colour: ColourDescription) {
    self.init(
      primaries: colour.primaries, transfer: colour.transfer, matrix: colour.matrix,
      range: colour.isFullRange.map { $0 ? .full : .limited })
  }
}

extension Int {
  /// The nearest Int; 0 for NaN.
  init(saturating value: Double) { self.init(truncatingIfNeeded: Int64(saturating: value)) }
}
