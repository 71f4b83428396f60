import MediaAssetKit

extension AssetInfo {
  /// What `info` prints for people.
  var text: String {
    var lines = [name.printable]
    func line(_ title: String, _ value: String) {
      lines.append("  \(title.padded(to: 11))\(value.printable)")
    }
    line("container", fileType.map { "\(container) (\($0))" } ?? container)
    if let size { line("size", "\(size) bytes") }
    line("duration", "\(duration.spoken), \(quality.rawValue)")
    // Common items say the native ones again.
    let native = metadata.filter { $0.keySpace != .common }
    for item in native.isEmpty ? metadata : native {
      line("metadata", "\(item.identifier.rawValue): \(item.shownValue)")
    }
    for chapter in chapters {
      line("chapter", "\(chapter.timeRange.start.spoken): \(chapter.title ?? "")")
    }
    for range in dateRanges { line("date range", range.spoken) }
    for variant in variants { line("variant", variant.spoken) }
    for (name, group) in selection {
      guard let group else { continue }
      let names = group.options.map { $0 == group.defaultOption ? "\($0.displayName) (default)" : $0.displayName }
      line(name, names.list)
    }
    for track in tracks {
      lines.append("")
      lines.append("  track \(track.id): \(track.kind)")
      lines += track.facts.map { "    \($0.0.padded(to: 12))\($0.1.printable)" }
    }
    return lines.joined(separator: "\n") + "\n"
  }
}

extension DateRangeMetadataGroup {
  /// When it is, on the timeline where that is known, and what it is called.
  fileprivate var spoken: String {
    let moments = [startDate, endDate].map { $0.map { MetadataDate($0).description } ?? "" }.joined(separator: "/")
    let time = timeRange.map { "\($0.start.spoken): " } ?? ""
    return time + [moments, classifyingLabel, uniqueID].compactMap(\.self).list
  }
}

extension AssetVariant {
  fileprivate var spoken: String {
    let video = videoAttributes
    let parts = [
      peakBitRate.map { "\(JSON.decimal($0)) bits a second at most" },
      averageBitRate.map { "\(JSON.decimal($0)) on average" }, video?.presentationSize.map { "\($0)" },
      video?.nominalFrameRate.map { "\(JSON.decimal($0)) pictures a second" },
    ]
    return (parts.compactMap(\.self) + (video?.codecs ?? []) + (audioAttributes?.codecs ?? [])).list
  }
}

extension TrackInfo {
  fileprivate var kind: String {
    switch mediaType {
    case .video: "video"
    case .audio: "sound"
    case .subtitle: "subtitles"
    case .closedCaption: "closed captions"
    case .text: "text"
    case .timecode: "timecode"
    case .metadata: "metadata"
    case let type: type.rawValue
    }
  }

  fileprivate var facts: [(String, String)] {
    var facts: [(String, String)] = []
    let names = [format?.codec, format?.fourCharacterCode, format?.codecString].compactMap(\.self)
    let states = [isEnabled ? nil : "disabled", isDecodable ? nil : "not decodable"]
    facts.append(
      ("codec", ((names.isEmpty ? ["unknown"] : names) + states.compactMap(\.self)).list))
    if let language = extendedLanguage ?? language { facts.append(("language", language)) }
    facts.append(("time", "\(timeRange.start.spoken), lasts \(timeRange.duration.spoken)"))
    let amounts = [
      sampleCount.map { "\($0) samples" }, bitRate.map { "\($0) bits a second" },
      program.map { "programme \($0)" },
    ].compactMap(\.self)
    if !amounts.isEmpty { facts.append(("stored", amounts.list)) }
    if let video = format?.video { facts += pictureFacts(video) }
    if let audio = format?.audio {
      let parts = [
        "\(audio.sampleRate) Hz", audio.channels == 1 ? "1 channel" : "\(audio.channels) channels",
        audio.layout, audio.sampleFormat,
      ]
      facts.append(("sound", parts.compactMap(\.self).list))
    }
    if let timecode {
      let rate = timecode.frameDuration.reciprocalFraction.map { "\($0) frames a second" }
      facts.append(
        (
          "timecode",
          [timecode.start, rate, timecode.isDropFrame ? "drop frame" : nil].compactMap(\.self).list
        ))
    }
    return facts
  }

  private func pictureFacts(_ video: VideoFormat) -> [(String, String)] {
    var size = ["\(video.encodedSize)"]
    if video.cleanSize != video.encodedSize { size.append("clean \(video.cleanSize)") }
    if video.sampleAspectRatio.horizontal != video.sampleAspectRatio.vertical {
      size.append("pixels \(video.sampleAspectRatio.fraction)")
    }
    let shown = transform.applied(to: video.naturalSize)
    if shown != video.encodedSize { size.append("shown \(shown)") }
    switch rotation {
    case 0: break
    case let degrees?: size.append("turned by \(degrees)° clockwise")
    case nil: size.append("matrix \(transform.numbers)")
    }
    var facts = [("size", size.list)]
    var rate: [String] = []
    if let fraction = frameDuration.reciprocalFraction {
      rate.append("\(fraction) (\(JSON.decimal((1000 / frameDuration.seconds).rounded() / 1000)))")
    }
    if minFrameDuration.isNumeric, minFrameDuration != frameDuration {
      rate.append("shortest frame \(minFrameDuration.fraction ?? "") s")
    }
    if !rate.isEmpty { facts.append(("frame rate", rate.list)) }
    let colour = video.colour
    let tags = [colour.primaries, colour.transfer, colour.matrix].compactMap(\.self)
    let pixels = [
      video.pixelFormat, video.bitDepth.map { "\($0) bits" }, video.fieldOrder?.rawValue,
      video.hasAlpha ? "alpha" : nil, tags.isEmpty ? nil : tags.joined(separator: "/"),
      colour.range.map { "\($0.rawValue) range" },
    ]
    facts.append(("pixels", pixels.compactMap(\.self).list))
    if let hdr = video.hdr {
      let light = [
        hdr.maxContentLight.map { "MaxCLL \($0)" },
        hdr.maxFrameAverageLight.map { "MaxFALL \($0)" },
        hdr.masteringDisplay?.maximumLuminance.map { "mastered at \(JSON.decimal($0)) cd/m²" },
      ]
      facts.append(("HDR", ([hdr.kind.rawValue] + light.compactMap(\.self)).list))
    }
    return facts
  }
}

extension MediaTime {
  /// `00:00:04.004 (1001/250 s)`.
  fileprivate var spoken: String { fraction.map { "\(clock) (\($0) s)" } ?? "unknown" }
}

extension PictureTransform {
  fileprivate var numbers: String { [a, b, c, d, tx, ty].map(JSON.decimal).joined(separator: " ") }
}

extension [String] {
  fileprivate var list: String { joined(separator: ", ") }
}
