import LibAV

extension Writer.Input {
  func reasonAgainst(_ container: WritableContainer, subject: String, needsHint: Bool = true) -> MediaError? {
    func refuse(_ code: MediaError.Code, _ reason: String, _ remedy: String = "") -> MediaError {
      MediaError(code, operation: "write", subject: subject, reason: reason, remedy: remedy)
    }
    let properties = properties
    if let code = properties.languageCode, code.utf8.count != 3 || !code.utf8.allSatisfy({ (97...122).contains($0) }) {
      return refuse(.invalidArgument, "\(code) is no language code of ISO 639-2/T")
    }
    if let tag = properties.extendedLanguageTag,
      tag.isEmpty || !tag.utf8.allSatisfy({ $0 == 45 || (48...57).contains($0) || (65...90).contains($0 & 0xDF) })
    {
      return refuse(.invalidArgument, "\(tag) is no language tag of BCP 47")
    }
    if properties.mediaTimeScale < 0 { return refuse(.invalidArgument, "a media time scale can't be negative") }
    if mediaType == .audio, properties.mediaTimeScale > 0 {
      return refuse(.invalidArgument, "sound counts samples; its media time scale can't be set")
    }
    let chunk = properties.preferredMediaChunkDuration
    if chunk.isValid, !chunk.isNumeric || chunk <= .zero {
      return refuse(.invalidArgument, "chunks can't last \(chunk)", "Give a positive time, or none")
    }
    if properties.performsMultiPassEncodingIfSupported, properties.expectsMediaDataInRealTime {
      return refuse(.invalidArgument, "what comes in real time can't come in several passes")
    }
    func reasonAgainst(codec: String, encoder: String?) -> MediaError? {
      guard Formats.isCodec(codec) else { return refuse(.invalidArgument, "there is no codec named \(codec)") }
      guard EncoderChoice.encoder(codec: codec, named: encoder) != nil else {
        return refuse(
          .encoderNotFound, "this FFmpeg has no encoder for \(encoder ?? codec)", "Install an FFmpeg that has one")
      }
      guard let encoder, Formats.codec(ofEncoder: encoder) != codec else { return nil }
      return refuse(.invalidArgument, "\(encoder) does not encode \(codec)")
    }
    if container.isPictures, !properties.transform.isIdentity {
      return refuse(.operationNotSupported, "pictures in files of their own have no turn", "Turn them before")
    }
    switch settings {
    case .video(let video)?:
      if mediaType != .video {
        return refuse(.invalidArgument, "settings for pictures don't suit media of the kind \(mediaType)")
      }
      if let reason = reasonAgainst(codec: video.codec, encoder: video.encoder) { return reason }
      if let size = video.size, !(1...16_384).contains(size.width) || !(1...16_384).contains(size.height) {
        return refuse(.invalidArgument, "a size of \(size) is out of range")
      }
      if video.averageBitRate != nil, video.quality != nil || video.constantRateFactor != nil {
        return refuse(.invalidArgument, "a bit rate and a quality exclude each other")
      }
      if video.quality != nil, video.constantRateFactor != nil {
        return refuse(.invalidArgument, "a quality and a rate factor exclude each other")
      }
      if let rate = video.averageBitRate, rate <= 0 {
        return refuse(.invalidArgument, "a bit rate has to be above 0")
      }
      if let interval = video.maximumKeyFrameInterval, interval < 1 {
        return refuse(.invalidArgument, "an interval between sync samples has to be at least 1")
      }
      if video.cleanAperture != nil, !container.isMovie {
        return refuse(.operationNotSupported, "\(container.type) has no clean aperture")
      }
    case .audio(let audio)?:
      if mediaType != .audio {
        return refuse(.invalidArgument, "settings for sound don't suit media of the kind \(mediaType)")
      }
      if let reason = reasonAgainst(codec: audio.codec, encoder: audio.encoder) { return reason }
      if let rate = audio.sampleRate, !(1...768_000).contains(rate) {
        return refuse(.invalidArgument, "\(rate) samples a second are out of range")
      }
      if let channels = audio.channels, !(1...64).contains(channels) {
        return refuse(.invalidArgument, "\(channels) channels are out of range")
      }
      if audio.bitRate != nil, audio.quality != nil {
        return refuse(.invalidArgument, "a bit rate and a quality exclude each other")
      }
      if let depth = audio.bitDepth, ![16, 24, 32].contains(depth) {
        return refuse(.invalidArgument, "\(depth) bits of a sample are out of range")
      }
    case nil:
      if needsHint, sourceFormatHint == nil {
        return refuse(
          .invalidArgument, "stored samples need to be described",
          "Give a source format hint, or make the input with passthrough(of:)")
      }
      if let hint = sourceFormatHint {
        if hint.mediaType != mediaType {
          return refuse(.invalidArgument, "the source format hint is of the kind \(hint.mediaType), not \(mediaType)")
        }
        if let size = hint.video?.encodedSize, size.width <= 0 || size.height <= 0 {
          return refuse(.invalidArgument, "the source format hint has no size")
        }
      }
    }
    if mediaType == .metadata, let reason = reasonAgainstMetadata(container) {
      return refuse(.operationNotSupported, reason, "Write a QuickTime file, and keys in key spaces of four characters")
    }
    if boxedMetadata != nil { return nil }
    if let reason = container.reasonAgainst(codec: codec, mediaType: mediaType) {
      return refuse(.operationNotSupported, reason, "Use another type of file or another codec")
    }
    return nil
  }

  private func reasonAgainstMetadata(_ container: WritableContainer) -> String? {
    if let hint = sourceFormatHint, !hint.metadataKeys.isEmpty, boxedMetadata == nil {
      return "a key space of the timed metadata has no name of four characters"
    }
    if sourceFormatHint?.fourCharacterCode == "mebx", boxedMetadata == nil {
      return "the samples' meaning is not told, or in several ways"
    }
    guard boxedMetadata != nil else { return nil }
    guard ["mov", "mp4"].contains(container.muxer), container.mediaTypes.contains(.metadata) else {
      return "\(container.type) holds no timed metadata"
    }
    return nil
  }

  var codec: String? {
    switch settings {
    case .video(let settings)?: settings.codec
    case .audio(let settings)?: settings.codec
    case nil: parameters?.codecName ?? sourceFormatHint?.codec
    }
  }
}
