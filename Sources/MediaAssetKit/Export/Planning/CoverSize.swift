import ISOMedia

extension AttachedPicture {
  /// The size that a PNG, JPEG or BMP states in its header; nil where it can't be found.
  var statedSize: PixelSize? {
    let size =
      switch codec {
      case "png", "mjpeg": head
      case "bmp": bmp
      default: nil as PixelSize?
      }
    return size.flatMap { $0.width > 0 && $0.height > 0 && $0.width <= 1 << 16 && $0.height <= 1 << 16 ? $0 : nil }
  }

  private var head: PixelSize? {
    guard let head = PictureHead(bytes), head.codec == (codec == "png" ? "png " : "jpeg") else { return nil }
    return PixelSize(width: Int(head.width), height: Int(head.height))
  }

  /// Little-endian in BITMAPINFOHEADER; rows from the top have a negative height.
  private var bmp: PixelSize? {
    guard bytes.starts(with: Array("BM".utf8)), bytes.count >= 26 else { return nil }
    func value(_ offset: Int) -> Int32 {
      Int32(bitPattern: (0..<4).reduce(UInt32(0)) { $0 | UInt32(bytes[offset + $1]) << (8 * UInt32($1)) })
    }
    return PixelSize(width: Int(value(18)), height: abs(Int(value(22))))
  }
}
