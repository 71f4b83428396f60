/// A key together with its key space, in one string: `itsk/%A9nam`, `id3/TIT2`, `common/title`.
///
/// Raw values are AVFoundation's. Characters of the key that are no printable ASCII, and `%`, are escaped byte by byte,
/// four-character codes in Latin-1 and everything else in UTF-8.
public struct MetadataIdentifier: RawRepresentable, Hashable, Sendable, CustomStringConvertible {
  /// The identifier.
  public let rawValue: String
  /// An identifier by its string.
  public init(rawValue: String) { self.rawValue = rawValue }
  /// The identifier.
  public var description: String { rawValue }

  /// The identifier of a key.
  public init(key: String, keySpace: MetadataKeySpace) {
    let isCode = key.unicodeScalars.count == 4 && key.unicodeScalars.allSatisfy { $0.value < 0x100 }
    let bytes = isCode ? key.unicodeScalars.map { UInt8($0.value) } : Array(key.utf8)
    var text = keySpace.identifierPrefix + "/"
    for byte in bytes {
      if (0x21..<0x7F).contains(byte), byte != UInt8(ascii: "%") {
        text.unicodeScalars.append(Unicode.Scalar(byte))
      } else {
        let digits = String(byte, radix: 16, uppercase: true)
        text += digits.count == 1 ? "%0" + digits : "%" + digits
      }
    }
    rawValue = text
  }

  /// The key space; nil for a string without one.
  public var keySpace: MetadataKeySpace? {
    rawValue.firstIndex(of: "/").map { MetadataKeySpace(identifierPrefix: rawValue[..<$0]) }
  }

  /// The key behind the slash, unescaped; nil for a string without one.
  public var key: String? {
    guard let slash = rawValue.firstIndex(of: "/") else { return nil }
    var bytes: [UInt8] = []
    var rest = Array(rawValue[rawValue.index(after: slash)...].utf8)[...]
    while let byte = rest.popFirst() {
      if byte == UInt8(ascii: "%"), rest.count >= 2,
        let value = UInt8(String(decoding: rest.prefix(2), as: UTF8.self), radix: 16)
      {
        bytes.append(value)
        rest = rest.dropFirst(2)
      } else {
        bytes.append(byte)
      }
    }
    // Four bytes that are no UTF-8 are a code in Latin-1.
    guard bytes.count == 4, String(validating: bytes, as: UTF8.self) == nil else {
      return String(decoding: bytes, as: UTF8.self)
    }
    return String(String.UnicodeScalarView(bytes.map { Unicode.Scalar($0) }))
  }

  /// The common key that an identifier means; nil for what has none.
  public var commonKey: MetadataCommonKey? {
    guard let keySpace, let key else { return nil }
    return keySpace == .common ? MetadataCommonKey(rawValue: key) : CommonKeys.key(of: key, in: keySpace)
  }
}
