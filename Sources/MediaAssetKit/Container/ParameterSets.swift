import ISOMedia
import LibAV

/// What a codec's parameter sets say of its pictures, without decoding one.
struct ParameterSets: Sendable {
  var pixelFormat: String?
  var bitDepth: Int?
  var colour = ColourDescription()
  /// True where every picture is a whole frame.
  var isFrameOnly: Bool?

  /// nil for codecs whose parameter sets are not read here.
  init?(_ stream: StreamInfo) {
    let bytes = stream.extradata
    switch stream.codecName {
    case "h264":
      guard let set = Self.avc(bytes) else { return nil }
      self.init(
        chroma: set.chromaFormat, depth: set.lumaBitDepth, usability: set.usability,
        isFrameOnly: set.isFrameOnly)
    case "hevc":
      guard let set = HEVCConfiguration(bytes)?.sequenceParameters(in: bytes) else { return nil }
      self.init(
        chroma: set.chromaFormat, depth: set.lumaBitDepth, usability: set.usability,
        isFrameOnly: !set.isFieldSequence && !set.isInterlacedSource)
    case "av1":
      guard let configuration = AV1Configuration(bytes) else { return nil }
      let chroma: UInt8 =
        configuration.isMonochrome
        ? 0 : configuration.subsamplingY ? 1 : configuration.subsamplingX ? 2 : 3
      self.init(chroma: chroma, depth: configuration.bitDepth, usability: nil, isFrameOnly: true)
      if let color = configuration.sequenceHeader?.color { colour = Self.colour(color) }
    case "vp9":
      guard let configuration = VPConfiguration(bytes) ?? VPConfiguration(matroska: bytes) else {
        return nil
      }
      let chroma: UInt8 = configuration.chromaSubsampling <= 1 ? 1 : configuration.chromaSubsampling
      self.init(chroma: chroma, depth: configuration.bitDepth, usability: nil, isFrameOnly: true)
      if let color = configuration.color { colour = Self.colour(color) }
    default: return nil
    }
  }

  private init(chroma: UInt8, depth: UInt8, usability: VideoUsability?, isFrameOnly: Bool) {
    if let usability {
      colour = ColourDescription(
        primariesCode: Int(usability.primaries ?? 2), transferCode: Int(usability.transfer ?? 2),
        matrixCode: Int(usability.matrix ?? 2), isFullRange: usability.isFullRange)
    }
    self.isFrameOnly = isFrameOnly
    bitDepth = Int(depth)
    let isRGB = colour.matrix == "gbr" && chroma == 3
    let isFull = colour.isFullRange == true
    let base: String? =
      switch chroma {
      case 0: "gray"
      case 1: isFull && depth == 8 ? "yuvj420p" : "yuv420p"
      case 2: isFull && depth == 8 ? "yuvj422p" : "yuv422p"
      case 3: isRGB ? "gbrp" : isFull && depth == 8 ? "yuvj444p" : "yuv444p"
      default: nil
      }
    pixelFormat = base.map { depth == 8 ? $0 : "\($0)\(depth)le" }
  }

  private static func colour(_ color: ColorParameters) -> ColourDescription {
    ColourDescription(
      primariesCode: Int(color.primaries), transferCode: Int(color.transfer),
      matrixCode: Int(color.matrix),
      isFullRange: color.isFullRange)
  }

  static func avc(_ bytes: [UInt8]) -> AVCSequenceParameters? {
    if let configuration = AVCConfiguration(bytes) {
      return configuration.sequenceParameters(in: bytes)
    }
    return CodecStrings.nal(in: bytes) { $0 & 0x1F == 7 }.flatMap {
      AVCSequenceParameters(nalUnit: bytes, in: $0)
    }
  }

  static func usability(_ stream: StreamInfo) -> VideoUsability? {
    switch stream.codecName {
    case "h264": avc(stream.extradata)?.usability
    case "hevc":
      HEVCConfiguration(stream.extradata)?.sequenceParameters(in: stream.extradata)?.usability
    default: nil
    }
  }
}
