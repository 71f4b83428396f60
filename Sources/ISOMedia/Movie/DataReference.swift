/// An entry of `dref`: where a track's media data is.
package struct DataReference: Hashable, Sendable {
  /// `url `, `urn `, `alis` or `rsrc`.
  package var type: FourCharacterCode
  /// The media is in the same file.
  package var isSelfContained: Bool
  /// The address or name: a URL, a URN's location (or its name), the path in a Macintosh alias.
  package var text: String?
  /// The entry's data behind version and flags.
  package var payload: Range<Int>

  init(_ box: Box, _ bytes: [UInt8]) {
    var reader = ByteReader(bytes, in: box.payload)
    type = box.type
    isSelfContained = reader.versionAndFlags().flags & 1 != 0
    payload = reader.rest
    switch type {
    case .url: text = reader.terminatedString()
    case .urn:
      let name = reader.terminatedString()
      let location = reader.terminatedString()
      text = location.isEmpty ? name : location
    case .alis: text = Self.aliasPath(&reader)
    default: break
    }
    if text?.isEmpty == true { text = nil }
  }

  /// The POSIX path in an alias record, or its colon-separated path, or its file name.
  private static func aliasPath(_ reader: inout ByteReader) -> String? {
    reader.skip(50)
    let fileName = reader.range(64)
    reader.skip(36)
    guard !reader.isExhausted else { return nil }
    var name = ByteReader(reader.bytes, in: fileName)
    var path = name.pascalString()
    while reader.remaining >= 4 {
      let tag = reader.int16()
      let length = Int(reader.uint16())
      guard tag >= 0, length <= reader.remaining else { break }
      let text = reader.range(length)
      if length & 1 == 1 { reader.skip(min(1, reader.remaining)) }
      // 18: POSIX path from the volume's root; 2: Macintosh path.
      if tag == 18 || tag == 2 { path = String(decoding: reader.bytes[text], as: UTF8.self) }
      if tag == 18 { break }
    }
    return path
  }
}
