import FoundationEssentials
import ISOMedia

/// An entry of `dref` as QuickTime writes it: a Macintosh alias to a file of the same folder, or a URL.
enum MediaReference {
  /// nil for names that an alias can't hold.
  static func alias(fileName: String) -> [UInt8]? {
    let name = Array(fileName.utf8)
    guard (1...63).contains(name.count), !name.contains(UInt8(ascii: ":")), !name.contains(0) else { return nil }
    func zeros(_ count: Int) -> [UInt8] { [UInt8](repeating: 0, count: count) }
    func field(_ tag: Int, _ bytes: [UInt8]) -> [UInt8] {
      tag.bigEndianBytes(2) + bytes.count.bigEndianBytes(2) + bytes + zeros(bytes.count & 1)
    }
    var record = zeros(4) + zeros(2) + 2.bigEndianBytes(2) + zeros(2)
    record += zeros(1 + 27) + zeros(4 + 2 + 2 + 4)
    record += [UInt8(name.count)] + name + zeros(63 - name.count)
    record += zeros(4 + 4 + 4 + 4)
    // One level up from the alias, one down to the target: the same folder.
    record += 1.bigEndianBytes(2) + 1.bigEndianBytes(2) + zeros(16)
    // The path on the volume, which begins at the folder here, and the end.
    record += field(2, name) + [0xFF, 0xFF, 0, 0]
    let size = record.count.bigEndianBytes(2)
    record.replaceSubrange(4..<6, with: size)
    // Version and flags: not this file.
    let payload = zeros(4) + record
    return (payload.count + 8).bigEndianBytes(4) + Array("alis".utf8) + payload
  }

  /// A URL in ASCII; relative ones count from the movie.
  static func url(_ text: String) -> [UInt8] {
    let payload = [0, 0, 0, 0] + Array(text.utf8) + [0]
    return (payload.count + 8).bigEndianBytes(4) + Array("url ".utf8) + payload
  }

  /// The URL of a file as one in a folder names it: relative, so that both can be moved together.
  static func relative(_ file: URL, from folder: URL) -> String {
    let target = file.standardized.pathComponents
    let base = folder.standardized.pathComponents
    let common = zip(target, base).prefix { $0 == $1 }.count
    let parts = Array(repeating: "..", count: base.count - common) + target[common...]
    // A colon in the first part would be taken for the end of a scheme.
    let text = parts.map(escaped).joined(separator: "/")
    return parts.first?.contains(":") == true ? "./" + text : text
  }

  /// Letters, digits and `-._~` as they are (RFC 3986, 2.3).
  private static func escaped(_ part: String) -> String {
    part.utf8.map { byte in
      let isPlain =
        (48...57).contains(byte) || (65...90).contains(byte) || (97...122).contains(byte)
        || [0x2D, 0x2E, 0x5F, 0x7E].contains(byte)
      if isPlain { return String(Unicode.Scalar(byte)) }
      let digits = String(byte, radix: 16, uppercase: true)
      return digits.count == 1 ? "%0" + digits : "%" + digits
    }.joined()
  }
}

extension PictureTransform {
  /// The matrix as headers store it, rounded to 1/65,536.
  var stored: TransformMatrix {
    func fixed(_ value: Double) -> Int32 { Int32(clamping: Int64(saturating: (value * 65_536).rounded())) }
    var matrix = TransformMatrix.identity
    (matrix.a, matrix.b, matrix.c, matrix.d) = (fixed(a), fixed(b), fixed(c), fixed(d))
    (matrix.x, matrix.y) = (fixed(tx), fixed(ty))
    return matrix
  }
}
