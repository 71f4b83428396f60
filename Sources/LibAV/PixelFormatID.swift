internal import CFFmpeg

/// A pixel format by libav's number: valid in this process only, never stored.
package struct PixelFormatID: RawRepresentable, Sendable, Hashable {
  package let rawValue: Int32
  package init(rawValue: Int32) { self.rawValue = rawValue }

  package static let none = PixelFormatID(rawValue: AV_PIX_FMT_NONE.rawValue)
  package static let rgba = PixelFormatID(rawValue: AV_PIX_FMT_RGBA.rawValue)
  package static let rgba64 = PixelFormatID(rawValue: Self.named("rgba64").rawValue)
  package static let gray = PixelFormatID(rawValue: AV_PIX_FMT_GRAY8.rawValue)
  package static let yuv410p = PixelFormatID(rawValue: AV_PIX_FMT_YUV410P.rawValue)
  package static let rgb24 = PixelFormatID(rawValue: AV_PIX_FMT_RGB24.rawValue)

  /// `AV_PIX_FMT_RGBA64` and its kind are endian macros; the name without an ending means the native one.
  package static func named(_ name: String) -> PixelFormatID {
    unsafe PixelFormatID(rawValue: av_get_pix_fmt(name).rawValue)
  }

  package var name: String? {
    guard let text = unsafe av_get_pix_fmt_name(AVPixelFormat(rawValue)) else { return nil }
    return unsafe String(cString: text)
  }

  private var descriptor: UnsafePointer<AVPixFmtDescriptor>? {
    unsafe av_pix_fmt_desc_get(AVPixelFormat(rawValue))
  }

  package var hasAlpha: Bool {
    guard let descriptor = unsafe descriptor else { return false }
    // A palette may hold alpha, but says nothing by itself.
    return unsafe descriptor.pointee.flags & UInt64(AV_PIX_FMT_FLAG_ALPHA) != 0
  }
  package var isPalette: Bool {
    guard let descriptor = unsafe descriptor else { return false }
    return unsafe descriptor.pointee.flags & UInt64(AV_PIX_FMT_FLAG_PAL) != 0
  }
  package var isRGB: Bool {
    guard let descriptor = unsafe descriptor else { return false }
    return unsafe descriptor.pointee.flags & UInt64(AV_PIX_FMT_FLAG_RGB) != 0
  }
  /// Several pixels share a byte.
  package var isBitstream: Bool {
    guard let descriptor = unsafe descriptor else { return false }
    return unsafe descriptor.pointee.flags & UInt64(AV_PIX_FMT_FLAG_BITSTREAM) != 0
  }
  /// Formats whose name says full range (`yuvj420p` and its kind).
  package var impliesFullRange: Bool { name?.hasPrefix("yuvj") == true }
  /// Bits of the first component.
  package var bitDepth: Int? {
    guard let descriptor = unsafe descriptor else { return nil }
    return unsafe Int(descriptor.pointee.comp.0.depth)
  }
  /// log2 of the horizontal and vertical chroma subsampling.
  package var chromaShift: (horizontal: Int, vertical: Int) {
    guard let descriptor = unsafe descriptor else { return (0, 0) }
    return unsafe (Int(descriptor.pointee.log2_chroma_w), Int(descriptor.pointee.log2_chroma_h))
  }
}

extension AVPixelFormat {
  init(_ number: Int32) { self.init(rawValue: number) }
}
