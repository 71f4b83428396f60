import LibAV

/// What kind of pictures a reader gives; what is nil stays as it is stored.
///
/// Pictures are converted in one pass, not turned and not cropped. Matrix and range stay the picture's own between
/// Y'CbCr formats; RGB is always full range; Y'CbCr made of RGB is limited, BT.601 below 720 lines and BT.709 from there
/// unless tagged. ``PixelBuffer/colour`` says what holds for what comes out.
public struct VideoOutputSettings: Sendable, Hashable {
  /// The pixel format.
  public var pixelFormat: PixelFormat?
  /// The size in pixels, both sides at least 1; the picture fills it, whatever its shape.
  public var size: PixelSize?

  /// Settings; the defaults keep what is stored.
  public init(pixelFormat: PixelFormat? = nil, size: PixelSize? = nil) {
    self.pixelFormat = pixelFormat
    self.size = size
  }

  /// Refuses what no picture can have.
  func check(subject: String, maximumPixels: Int64) throws {
    func refuse(_ code: MediaError.Code, _ reason: String, _ remedy: String = "") -> MediaError {
      MediaError(code, operation: "scale", subject: subject, reason: reason, remedy: remedy)
    }
    if let pixelFormat {
      guard pixelFormat.isKnown else {
        throw refuse(.invalidArgument, "FFmpeg knows no pixel format named \(pixelFormat)")
      }
      guard pixelFormat.isConvertible else {
        throw refuse(.operationNotSupported, "this FFmpeg can't convert pictures to \(pixelFormat)")
      }
    }
    if let size {
      guard size.width > 0, size.height > 0, size.width <= 1 << 16, size.height <= 1 << 16 else {
        throw refuse(.invalidArgument, "the size \(size) is outside 1x1 to 65536x65536")
      }
      guard Int64(size.width) * Int64(size.height) <= maximumPixels else {
        throw refuse(
          .limitExceeded, "the size \(size) exceeds the limit of \(maximumPixels) pixels",
          "Raise maximumPixels in the resource policy")
      }
    }
  }
}
