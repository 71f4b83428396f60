import LibAV

/// Which matrix and range hold when a picture's components are converted: its own tags, then the stream's, then the
/// project's rule for untagged pictures. One place for stills and for read frames.
struct ConversionColour: Sendable, Hashable {
  /// The stream's colour tags, which stand in where a picture has none.
  var stream: ColourDescription
  /// The codec stores pictures by themselves (PNG, JPEG).
  var isStillCodec: Bool

  func tags(of frame: Frame) -> ColourDescription { frame.colour.filled(from: stream) }

  /// Untagged pictures are BT.601 below 720 lines and BT.709 from there, single pictures always BT.601 (JFIF);
  /// BT.2020 only when the matrix or the primaries say so.
  func matrix(_ tags: ColourDescription, lines: Int) -> String {
    if let matrix = tags.matrix, matrix != "gbr" { return matrix }
    if tags.primaries == "bt2020" { return "bt2020nc" }
    return lines < 720 || isStillCodec ? "smpte170m" : "bt709"
  }

  /// Untagged video is limited, untagged single pictures are full.
  func isFullRange(_ tags: ColourDescription, _ format: PixelFormatID) -> Bool {
    if format.impliesFullRange || format.isRGB || format.isPalette { return true }
    return tags.isFullRange ?? isStillCodec
  }

  /// The matrix with which components become RGB or are made of it.
  ///
  /// - Throws: `operationNotSupported` for codings that are no matrix of Y'CbCr (YCgCo, ICtCp, constant luminance):
  ///   libswscale would take them for BT.601 and give wrong colours.
  func matrixToRGB(_ tags: ColourDescription, _ format: PixelFormatID, lines: Int) throws -> String {
    let matrix = matrix(tags, lines: lines)
    // Without colour differences there is nothing to multiply.
    if format.isRGB || format.isPalette || format.isGrey { return matrix }
    switch matrix {
    case "chroma-derived-nc":
      // H.273: from the primaries by formula, which gives the standards' own numbers for the standards' primaries.
      switch tags.primaries {
      case nil, "bt709": return "bt709"
      case "bt2020": return "bt2020nc"
      case "smpte170m", "smpte240m": return "smpte240m"
      default: throw Self.unsupported(matrix, primaries: tags.primaries)
      }
    case "bt709", "fcc", "bt470bg", "smpte170m", "smpte240m", "bt2020nc": return matrix
    default: throw Self.unsupported(matrix)
    }
  }

  private static func unsupported(_ matrix: String, primaries: String? = nil) -> MediaError {
    let name =
      switch matrix {
      case "ycgco": "YCgCo"
      case "bt2020c": "BT.2020 with constant luminance"
      case "ictcp": "ICtCp"
      case "chroma-derived-nc": "a matrix derived from the primaries \(primaries ?? "")"
      default: matrix
      }
    return MediaError(
      .operationNotSupported, operation: "scale", subject: "a picture coded as \(name)",
      reason: "its colours can't be converted to RGB",
      remedy: "Read the pictures in their stored pixel format")
  }
}

extension ConversionColour {
  /// Of a track's pictures.
  init(_ track: ContainerTrack) {
    self.init(
      stream: track.stream?.colour ?? ColourDescription(),
      isStillCodec: PictureRenderer.isStill(codec: track.stream?.codecName))
  }
}
