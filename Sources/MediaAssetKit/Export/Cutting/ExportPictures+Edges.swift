import LibAV

/// Why the edges of a cut can't be encoded.
struct EdgeRefusal: Error {
  var reason: String
}

extension ExportPictures {
  /// How the pictures at the edges of a cut are encoded: coded as the source is, close to without loss, and in the order in
  /// which they are shown.
  func edgeSettings() -> Result<VideoSettings, EdgeRefusal> {
    func refuse(_ reason: String) -> Result<VideoSettings, EdgeRefusal> { .failure(EdgeRefusal(reason: reason)) }
    let codec = fact.codec ?? ""
    guard fact.isDecodable else { return refuse("this FFmpeg has no decoder for \(codec)") }
    guard let format = fact.video, !format.encodedSize.isEmpty else {
      return refuse("the size of its pictures is unknown")
    }
    guard let encoder = EncoderChoice.encoder(codec: codec, named: nil, size: format.encodedSize),
      let options = Self.edgeOptions(encoder, format)
    else { return refuse("this FFmpeg has no encoder for \(codec) that fits its edges") }
    guard let pixels = format.pixelFormat else { return refuse("the format of its pixels is unknown") }
    if let taken = Formats.pixelFormats(ofEncoder: encoder), !taken.contains(.named(pixels)) {
      return refuse("\(encoder) does not take its pixel format, \(pixels)")
    }
    var settings = VideoSettings(codec: codec, size: format.encodedSize, encoderOptions: options)
    settings.encoder = encoder
    settings.pixelFormat = pixels
    settings.pixelAspectRatio = format.sampleAspectRatio
    settings.colour = format.colour
    settings.allowsFrameReordering = false
    settings.maximumBFrames = 0
    if codec == "h264" {
      guard let profile = Self.profile(fact.profile, pixels) else {
        return refuse("its profile (\(fact.profile ?? 0)) can't be encoded")
      }
      settings.profile = profile
    }
    if codec.hasPrefix("mpeg") { settings.quality = 1 }
    if let order = format.fieldOrder, order != .progressive {
      guard codec == "h264" && settings.profile != "baseline" || codec == "mpeg2video" else {
        return refuse("\(encoder) can't encode its fields")
      }
      settings.fieldOrder = order
      if codec == "h264" { settings.encoderOptions["x264-params"] = order == .topFirst ? "tff=1" : "bff=1" }
    }
    return .success(settings)
  }

  /// A quantiser so fine that 45 dB are kept of any picture; nothing that moves pictures about.
  private static func edgeOptions(_ encoder: String, _ format: VideoFormat) -> [String: String]? {
    let depth = format.bitDepth ?? 8
    switch encoder {
    case "libx264":
      // Its scale grows by six steps a bit.
      return ["preset": "veryfast", "tune": "psnr", "qp": String(10 + 6 * max(0, depth - 8))]
    case "libx265":
      let params = ["log-level=none", "repeat-headers=0", "qp=10", "bframes=0"] + (format.hdr.map(mastering) ?? [])
      return ["preset": "fast", "tune": "psnr", "x265-params": params.joined(separator: ":")]
    case "libvpx-vp9":
      return [
        "deadline": "good", "cpu-used": "4", "row-mt": "1", "crf": "4", "b": "0", "qmin": "0", "qmax": "8",
        "lag-in-frames": "0", "auto-alt-ref": "0",
      ]
    case "libvpx":
      return [
        "deadline": "good", "cpu-used": "4", "crf": "4", "b": "100M", "qmin": "0", "qmax": "8", "lag-in-frames": "0",
        "auto-alt-ref": "0",
      ]
    case "libsvtav1": return ["preset": "8", "crf": "5"]
    case "libaom-av1": return ["cpu-used": "6", "row-mt": "1", "crf": "6", "b": "0", "lag-in-frames": "0"]
    case "mpeg2video", "mpeg1video": return ["qmin": "1"]
    default: return nil
    }
  }

  /// x264's name of a profile (H.264, annex A).
  private static func profile(_ number: Int?, _ pixels: String) -> String? {
    switch number {
    case 66: "baseline"
    case 77, 88: "main"
    case 100, nil: pixels.hasSuffix("p") && pixels.contains("420") ? "high" : nil
    case 110: "high10"
    case 122: "high422"
    case 244: "high444"
    default: nil
    }
  }
}
