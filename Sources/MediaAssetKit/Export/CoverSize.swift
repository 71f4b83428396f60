extension AttachedPicture {
  /// The size that a PNG, JPEG or BMP states in its header; nil where it can't be found.
  var statedSize: PixelSize? {
    let size =
      switch codec {
      case "png": png
      case "mjpeg": jpeg
      case "bmp": bmp
      default: nil as PixelSize?
      }
    return size.flatMap { $0.width > 0 && $0.height > 0 && $0.width <= 1 << 16 && $0.height <= 1 << 16 ? $0 : nil }
  }

  private func number(at offset: Int, bytes count: Int) -> Int? {
    guard offset >= 0, offset + count <= bytes.count else { return nil }
    return bytes[offset..<offset + count].reduce(0) { $0 << 8 | Int($1) }
  }

  /// IHDR is the first chunk (ISO/IEC 15948, 11.2.2).
  private var png: PixelSize? {
    guard bytes.starts(with: [0x89, 0x50, 0x4E, 0x47]), let width = number(at: 16, bytes: 4),
      let height = number(at: 20, bytes: 4)
    else { return nil }
    return PixelSize(width: width, height: height)
  }

  /// The first frame header: SOF0 to SOF15 without DHT, JPG and DAC (ITU-T T.81, B.2.2).
  private var jpeg: PixelSize? {
    var offset = 2
    while let marker = number(at: offset, bytes: 2), marker >= 0xFF00 {
      if (0xFFC0...0xFFCF).contains(marker), ![0xFFC4, 0xFFC8, 0xFFCC].contains(marker) {
        guard let height = number(at: offset + 5, bytes: 2), let width = number(at: offset + 7, bytes: 2) else {
          return nil
        }
        return PixelSize(width: width, height: height)
      }
      // Fill bytes, and markers without a length.
      if marker == 0xFFFF {
        offset += 1
      } else if (0xFFD0...0xFFD9).contains(marker) || marker == 0xFF01 {
        offset += 2
      } else {
        guard let length = number(at: offset + 2, bytes: 2), length >= 2 else { return nil }
        offset += 2 + length
      }
    }
    return nil
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
