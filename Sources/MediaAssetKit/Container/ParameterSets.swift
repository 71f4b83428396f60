import ISOMedia
import LibAV

/// What a codec's parameter sets say of its pictures, without decoding one.
struct ParameterSets: Sendable {
  var pixelFormat: String?
  var bitDepth: Int?
  var colour = ColourDescription()
  /// True where every picture is a whole frame.
  var isFrameOnly: Bool?
  /// The picture after the codec's own cropping; nil for codecs that do not say it here.
  var size: PixelSize?
  var sampleAspectRatio: ISOMedia.PixelAspectRatio?

  /// nil for codecs whose parameter sets are not read here.
  init?(_ stream: StreamInfo) {
    let bytes = stream.extradata
    switch stream.codecName {
    case "h264":
      guard let set = Self.avc(bytes) else { return nil }
      self.init(
        chroma: set.chromaFormat, depth: set.lumaBitDepth, usability: set.usability,
        isFrameOnly: set.isFrameOnly)
      size = PixelSize(width: set.width, height: set.height)
    case "hevc":
      guard let set = Self.hevc(bytes)?.sequenceParameters(in: bytes) else { return nil }
      self.init(
        chroma: set.chromaFormat, depth: set.lumaBitDepth, usability: set.usability,
        isFrameOnly: !set.isFieldSequence && !set.isInterlacedSource)
      size = PixelSize(width: set.width, height: set.height)
    case "av1":
      guard let configuration = AV1Configuration(bytes) else { return nil }
      let chroma: UInt8 =
        configuration.isMonochrome
        ? 0 : configuration.subsamplingY ? 1 : configuration.subsamplingX ? 2 : 3
      self.init(chroma: chroma, depth: configuration.bitDepth, usability: nil, isFrameOnly: true)
      if let color = configuration.sequenceHeader?.color { colour = ColourDescription(color) }
    case "vp9":
      guard let configuration = VPConfiguration(bytes) ?? VPConfiguration(matroska: bytes) else {
        return nil
      }
      let chroma: UInt8 = configuration.chromaSubsampling <= 1 ? 1 : configuration.chromaSubsampling
      self.init(chroma: chroma, depth: configuration.bitDepth, usability: nil, isFrameOnly: true)
      if let color = configuration.color { colour = ColourDescription(color) }
    default: return nil
    }
  }

  private init(chroma: UInt8, depth: UInt8, usability: VideoUsability?, isFrameOnly: Bool) {
    if let usability {
      sampleAspectRatio = usability.sampleAspectRatio
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

  static func avc(_ bytes: [UInt8]) -> AVCSequenceParameters? {
    if let configuration = AVCConfiguration(bytes) {
      return configuration.sequenceParameters(in: bytes)
    }
    return CodecStrings.nal(in: bytes) { $0 & 0x1F == 7 }.flatMap {
      AVCSequenceParameters(nalUnit: bytes, in: $0)
    }
  }

  /// The record, or what the first parameter set of a byte stream says.
  static func hevc(_ bytes: [UInt8]) -> HEVCConfiguration? {
    guard bytes.starts(with: [0, 0, 1]) || bytes.starts(with: [0, 0, 0, 1]) else {
      return HEVCConfiguration(bytes)
    }
    return CodecStrings.nal(in: bytes) { $0 >> 1 & 0x3F == 33 }.flatMap {
      HEVCConfiguration(sequenceParameterSet: bytes, in: $0)
    }
  }
}

extension ColourDescription {
  /// Code points as ISO boxes and sequence headers store them.
  init(_ color: ColorParameters) {
    self.init(
      primariesCode: Int(color.primaries), transferCode: Int(color.transfer),
      matrixCode: Int(color.matrix), isFullRange: color.isFullRange)
  }
}
