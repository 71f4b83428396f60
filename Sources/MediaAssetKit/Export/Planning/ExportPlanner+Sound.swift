import LibAV

/// What becomes of sound.
extension ExportPlanner {
  func sound(_ fact: ExportFacts.Track, _ start: ExportPlan.Track) -> ExportPlan.Track {
    var track = start
    let reason = reasonAgainstCopying(fact)
    let isCut = facts.isCutAtStart || facts.isCutAtEnd
    let isCoarse = isCut && !container.isMovie && !cutsCopies(of: fact.codec)
    // What the codec needs to begin is heard there, whoever encodes it: encoding would gain nothing.
    let gainsNothing =
      fact.codec == "aac" && ["matroska", "mpegts", "adts", "flv"].contains(container.muxer) && !prefersOpus
    let copies: Bool
    switch preset.audio {
    case .none:
      track.reason = "the preset keeps no sound"
      track.isDropIntended = true
      return track
    case .copy: copies = !(options.cut == .exact && isCoarse)
    case .copyOrEncode: copies = reason == nil && (!isCoarse || gainsNothing)
    case .match(let settings): copies = reason == nil && (!isCoarse || gainsNothing) && matches(fact, settings)
    case .encode: copies = false
    }
    if copies {
      if let reason {
        track.reason = reason
        return track
      }
      track.copy(
        preset.audio.mustEncode
          ? "it is coded as the preset asks" : "the file type holds \(fact.codec ?? "it") as stored")
      track.isCutExact = !isCoarse
      if isCoarse { track.notes.append("it is cut between whole packets: the file type can't say less") }
      return track
    }
    guard fact.isDecodable else {
      track.reason = "this FFmpeg has no decoder for \(fact.codec ?? "it")"
      return track
    }
    var settings = soundSettings(for: fact)
    if prefersOpus, isCoarse, !preset.audio.mustEncode, settings.codec == "aac" {
      settings = AudioSettings(codec: "opus", bitRate: 160_000)
    }
    settings.codec = UsualCodecs.resolve(settings.codec, container.type, depth: fact.audio?.bitDepth)
    if let reason = container.reasonAgainst(codec: settings.codec, mediaType: .audio) {
      track.reason = reason
      return track
    }
    guard let encoder = EncoderChoice.encoder(codec: settings.codec, named: settings.encoder) else {
      track.reason = "this FFmpeg has no encoder for \(settings.encoder ?? settings.codec)"
      return track
    }
    fit(&settings, to: fact, encoder)
    track.action = .encode
    track.codec = settings.codec
    track.audio = settings
    track.reason =
      preset.audio.mustEncode
      ? "the preset encodes sound"
      : reason ?? "the cut is to be exact, and the file type cuts copies between packets"
    return track
  }

  /// Matroska says of Opus where it begins and ends, and players listen; of AAC it doesn't.
  private var prefersOpus: Bool {
    options.cut != .automatic && container.muxer == "matroska"
      && EncoderChoice.encoder(codec: "opus", named: nil) != nil
  }

  /// Whether the file type says how much of its first and last packet of sound is not to be heard, and players listen.
  private func cutsCopies(of codec: String?) -> Bool {
    ["matroska", "webm"].contains(container.muxer) && codec == "opus"
  }

  private func soundSettings(for fact: ExportFacts.Track) -> AudioSettings {
    let usual = UsualCodecs(container.type)
    switch preset.audio {
    case .encode(let settings), .match(let settings): return settings
    case .copyOrEncode(let settings):
      if container.reasonAgainst(codec: settings.codec, mediaType: .audio) == nil, usual.sound == "aac" {
        return settings
      }
      return AudioSettings(codec: usual.sound, bitRate: usual.soundRate)
    case .none, .copy: return AudioSettings(codec: usual.sound, bitRate: usual.soundRate)
    }
  }

  /// Fewer channels where the encoder does not take so many; a rate that its channels and samples allow.
  private func fit(_ settings: inout AudioSettings, to fact: ExportFacts.Track, _ encoder: String) {
    guard let format = fact.audio else { return }
    if settings.channels == nil, settings.layout == nil, format.channels > 2,
      !Formats.encoder(encoder, takesLayout: format.layout, channels: format.channels),
      !Formats.encoder(
        encoder, takesLayout: Formats.usualLayout(ofEncoder: encoder, channels: format.channels),
        channels: format.channels)
    {
      settings.channels = 2
    }
    guard let rate = settings.bitRate, ["aac", "opus"].contains(settings.codec) else { return }
    let channels = settings.channels ?? format.channels
    let sampleRate = settings.sampleRate ?? format.sampleRate
    // 6144 bits a frame of 1024 samples and a channel is AAC's limit; half of that is more than anybody hears.
    let most = settings.codec == "aac" ? max(16_000, channels * sampleRate * 3) : 256_000 * max(1, channels)
    settings.bitRate = min(channels > 2 ? rate * channels / 2 : channels == 1 ? rate / 2 : rate, most)
  }

  private func matches(_ fact: ExportFacts.Track, _ settings: AudioSettings) -> Bool {
    guard let format = fact.audio, let codec = fact.codec else { return false }
    let wanted = UsualCodecs.resolve(settings.codec, container.type, depth: format.bitDepth)
    guard codec == wanted, settings.layout.map({ $0 == format.layout }) ?? true else { return false }
    if let rate = settings.sampleRate, rate != format.sampleRate { return false }
    if let channels = settings.channels, channels != format.channels { return false }
    // Another encoder's word for the same rate is a few percent off.
    if let limit = settings.bitRate, let rate = fact.bitRate, rate > Int64(limit) * 5 / 4 { return false }
    return true
  }
}
