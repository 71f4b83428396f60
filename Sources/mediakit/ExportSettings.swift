import MediaAssetKit

/// The values of `--video` and `--audio`: `copy`, `none`, or `key=value` pairs joined by commas.
enum ExportSettings {
  static func apply(video text: String, to preset: inout ExportPreset, _ type: FileType) throws {
    switch text {
    case "copy": preset.video = .copy
    case "none": preset.video = .none
    default:
      let pairs = try pairs(text, option: "--video")
      let base = preset.video.settings.flatMap { preset.name == "Automatic" ? nil : $0 }
      var settings =
        base ?? ExportPreset.usual(for: type).video.settings ?? ExportPreset.highQuality(codec: "h264")
      // The codec first: the others change what it brings.
      if let codec = pairs.last(where: { $0.key == "codec" })?.value, codec != settings.codec {
        let size = settings.size
        settings = ExportPreset.highQuality(codec: try word(codec, "codec"))
        settings.size = size
      }
      for (key, value) in pairs where key != "codec" { try set(key, value, &settings, &preset) }
      preset.video = .encode(settings)
    }
  }

  static func apply(audio text: String, to preset: inout ExportPreset, _ type: FileType) throws {
    switch text {
    case "copy": preset.audio = .copy
    case "none": preset.audio = .none
    default:
      let pairs = try pairs(text, option: "--audio")
      let base = preset.audio.settings.flatMap { preset.name == "Automatic" ? nil : $0 }
      var settings = base ?? ExportPreset.usual(for: type).audio.settings ?? AudioSettings(codec: "aac")
      if let codec = pairs.last(where: { $0.key == "codec" })?.value, codec != settings.codec {
        settings = AudioSettings(codec: try word(codec, "codec"))
      }
      for (key, value) in pairs where key != "codec" { try set(key, value, &settings) }
      preset.audio = .encode(settings)
    }
  }

  /// A whole number with k, M or G behind it; nil for anything else.
  static func number(_ text: String) -> Int? {
    var digits = text[...]
    var factor = 1
    switch text.last {
    case "k", "K": factor = 1000
    case "m", "M": factor = 1_000_000
    case "g", "G": factor = 1_000_000_000
    default: break
    }
    if factor > 1 { digits = digits.dropLast() }
    guard let value = TimeText.parse(String(digits)), value > .zero, digits.utf8.allSatisfy({ $0 != 58 && $0 != 47 })
    else {
      return nil
    }
    let product = value.seconds * Double(factor)
    return product < 9e15 ? Int(product) : nil
  }

  // MARK: Pairs

  private static func pairs(_ text: String, option: String) throws -> [(key: String, value: String)] {
    try text.split(separator: ",", omittingEmptySubsequences: false).map { pair in
      guard let equals = pair.firstIndex(of: "="), equals != pair.startIndex else {
        throw UsageError("\(option): \(String(pair).quoted) is no key=value")
      }
      return (String(pair[..<equals]), String(pair[pair.index(after: equals)...]))
    }
  }

  private static func set(
    _ key: String, _ value: String, _ settings: inout VideoSettings, _ preset: inout ExportPreset
  ) throws {
    switch key {
    case "encoder": settings.encoder = try word(value, key)
    case "crf":
      settings.constantRateFactor = try parsed(key, value) { text in
        TimeText.parse(text).map(\.seconds).flatMap { (0...63).contains($0) ? $0 : nil }
      }
      settings.averageBitRate = nil
    case "bit-rate":
      settings.averageBitRate = try parsed(key, value, number)
      settings.constantRateFactor = nil
      settings.quality = nil
    case "encoder-preset": settings.encoderOptions["preset"] = try word(value, key)
    case "profile": settings.profile = try word(value, key)
    case "level": settings.level = try word(value, key)
    case "gop": settings.maximumKeyFrameInterval = try integer(key, value, 1...100_000)
    case "b-frames":
      settings.maximumBFrames = try integer(key, value, 0...16)
      settings.allowsFrameReordering = settings.maximumBFrames != 0
    case "size":
      settings.size = try parsed(key, value) { text in
        let sides = text.split(separator: "x", omittingEmptySubsequences: false).map { Int($0) }
        guard sides.count == 2, let width = sides[0], let height = sides[1],
          (1...16_384).contains(width), (1...16_384).contains(height)
        else { return nil }
        return PixelSize(width: width, height: height)
      }
    case "fps":
      preset.frameDuration = try parsed(key, value) { text in
        guard let rate = TimeText.parse(text), rate > .zero, rate < MediaTime(value: 1001, timescale: 1) else {
          return nil
        }
        return Int32(exactly: rate.value).map { MediaTime(value: Int64(rate.timescale), timescale: $0) }
      }
    case "pixel-format": settings.pixelFormat = try word(value, key)
    case "deinterlace": preset.deinterlacing = try parsed(key, value, Deinterlacing.init(rawValue:))
    default: throw UsageError("--video: \(key.quoted) is no setting of pictures")
    }
  }

  private static func set(_ key: String, _ value: String, _ settings: inout AudioSettings) throws {
    switch key {
    case "encoder": settings.encoder = try word(value, key)
    case "bit-rate": settings.bitRate = try parsed(key, value, number)
    case "rate": settings.sampleRate = try integer(key, value, 1...768_000)
    case "channels": settings.channels = try integer(key, value, 1...64)
    case "layout": settings.layout = try word(value, key)
    default: throw UsageError("--audio: \(key.quoted) is no setting of sound")
    }
  }

  private static func parsed<Value>(_ key: String, _ text: String, _ parse: (String) -> Value?) throws -> Value {
    guard let value = parse(text) else { throw UsageError("\(key): \(text.quoted) is out of range or no value of it") }
    return value
  }

  private static func integer(_ key: String, _ text: String, _ range: ClosedRange<Int>) throws -> Int {
    try parsed(key, text) { text in
      guard text.utf8.allSatisfy({ (48...57).contains($0) }), let number = Int(text) else { return nil }
      return range.contains(number) ? number : nil
    }
  }

  private static func word(_ text: String, _ key: String) throws -> String {
    guard !text.isEmpty else { throw UsageError("\(key) is empty") }
    return text
  }
}
