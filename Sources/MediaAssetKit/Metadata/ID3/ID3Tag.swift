import ISOMedia

/// An ID3v2 tag (2.2, 2.3, 2.4) taken apart into frames; every claim of it is checked against the bytes there are.
struct ID3Tag: Sendable {
  struct Frame: Sendable, Hashable {
    /// Four characters; those of 2.2 are translated.
    var id: String
    var payload: ArraySlice<UInt8>
    /// Compressed or encrypted frames can't be read here.
    var isOpaque = false
    /// The payload as it stands in the tag, and the flags that say how: what a writer keeps.
    var stored: ArraySlice<UInt8> = []
    var flags: UInt16 = 0
  }

  var majorVersion: UInt8
  var frames: [Frame] = []

  /// More frames than any tag has that people made.
  static let maximumFrames = 10_000

  /// The bytes of the tag, header and footer included, by its first ten bytes; nil for what is no tag.
  static func size(_ head: [UInt8]) -> Int? {
    guard head.count >= 10, head.starts(with: "ID3".utf8), (2...4).contains(head[3]), head[4] != 0xFF,
      head[6..<10].allSatisfy({ $0 < 0x80 })
    else { return nil }
    let size = head[6..<10].reduce(0) { $0 << 7 | Int($1) }
    return 10 + size + (head[3] == 4 && head[5] & 0x10 != 0 ? 10 : 0)
  }

  /// Reads a tag from its bytes, which may be cut off.
  init?(_ bytes: [UInt8]) {
    guard let size = Self.size(bytes) else { return nil }
    majorVersion = bytes[3]
    let flags = bytes[5]
    let footer = majorVersion == 4 && flags & 0x10 != 0 ? 10 : 0
    var body = bytes[10..<max(10, min(bytes.count, size - footer))]
    // 2.2's bit 6 says compressed, which nobody ever defined.
    if majorVersion == 2, flags & 0x40 != 0 { return }
    let isUnsynchronised = flags & 0x80 != 0
    // Before 2.4 the tag is unsynchronised as a whole, since then frame by frame.
    if isUnsynchronised, majorVersion < 4 { body = Self.resynchronised(body) }
    if majorVersion > 2, flags & 0x40 != 0 { body = Self.skippingExtendedHeader(body, majorVersion) }
    frames = Self.frames(in: body, majorVersion, isUnsynchronised: isUnsynchronised && majorVersion == 4)
  }

  /// The frames of a frame that holds frames (`CHAP`, `CTOC`).
  static func frames(
    in body: ArraySlice<UInt8>, _ version: UInt8, isUnsynchronised: Bool = false
  ) -> [Frame] {
    var frames: [Frame] = []
    var rest = body
    let header = version == 2 ? 6 : 10
    while rest.count > header, frames.count < maximumFrames, rest.first != 0 {
      let start = rest.startIndex
      let id = rest[start..<start + (version == 2 ? 3 : 4)]
      guard id.allSatisfy(isNameCharacter) else { break }
      let size = frameSize(rest, version)
      guard size <= rest.count - header else { break }
      let content = rest[start + header..<start + header + size]
      let flags = version == 2 ? 0 : UInt16(rest[start + 8]) << 8 | UInt16(rest[start + 9])
      if let frame = frame(
        String(decoding: id, as: UTF8.self), content, version, flags, isUnsynchronised)
      {
        frames.append(frame)
      }
      rest = rest[(start + header + size)...]
    }
    return frames
  }

  private static func isNameCharacter(_ byte: UInt8) -> Bool {
    (65...90).contains(byte) || (48...57).contains(byte)
  }

  private static func frameSize(_ rest: ArraySlice<UInt8>, _ version: UInt8) -> Int {
    let start = rest.startIndex
    if version == 2 { return rest[start + 3..<start + 6].reduce(0) { $0 << 8 | Int($1) } }
    let digits = rest[start + 4..<start + 8]
    let plain = digits.reduce(0) { $0 << 8 | Int($1) }
    guard version == 4 else { return plain }
    // iTunes wrote plain sizes into 2.4: believed where they lead to a frame and the right ones don't.
    guard digits.allSatisfy({ $0 < 0x80 }) else { return plain }
    let synchsafe = digits.reduce(0) { $0 << 7 | Int($1) }
    guard plain > 0x7F, !leadsToFrame(rest, 10 + synchsafe), leadsToFrame(rest, 10 + plain) else { return synchsafe }
    return plain
  }

  private static func leadsToFrame(_ rest: ArraySlice<UInt8>, _ distance: Int) -> Bool {
    guard distance < rest.count else { return distance == rest.count }
    let next = rest[(rest.startIndex + distance)...]
    return next.first == 0 || next.count >= 10 && next.prefix(4).allSatisfy(isNameCharacter)
  }

  private static func frame(
    _ id: String, _ content: ArraySlice<UInt8>, _ version: UInt8, _ flags: UInt16, _ isUnsynchronised: Bool
  ) -> Frame? {
    let stored = content
    var flags = flags
    var content = content
    var isOpaque = false
    if version == 3 {
      isOpaque = flags & 0x00C0 != 0
      if flags & 0x0020 != 0 { content = content.dropFirst() }
    } else if version == 4 {
      isOpaque = flags & 0x000C != 0
      if flags & 0x0040 != 0 { content = content.dropFirst() }
      if flags & 0x0001 != 0 { content = content.dropFirst(4) }
      if isUnsynchronised { flags |= 0x0002 }
      if flags & 0x0002 != 0 { content = resynchronised(content) }
    }
    guard !content.isEmpty else { return nil }
    return Frame(
      id: version == 2 ? ID3Names.modern(id) : id, payload: content, isOpaque: isOpaque, stored: stored, flags: flags)
  }

  /// Takes out the zeros that keep `FF` from looking like the start of sound.
  private static func resynchronised(_ bytes: ArraySlice<UInt8>) -> ArraySlice<UInt8> {
    guard bytes.contains(0xFF) else { return bytes }
    var result: [UInt8] = []
    result.reserveCapacity(bytes.count)
    var previous: UInt8 = 0
    for byte in bytes {
      if previous == 0xFF, byte == 0 {
        previous = 0
        continue
      }
      result.append(byte)
      previous = byte
    }
    return result[...]
  }

  private static func skippingExtendedHeader(_ body: ArraySlice<UInt8>, _ version: UInt8) -> ArraySlice<UInt8> {
    guard body.count >= 4 else { return [] }
    let digits = body.prefix(4)
    // 2.3 counts without these four bytes.
    let size = version == 3 ? 4 + digits.reduce(0) { $0 << 8 | Int($1) } : digits.reduce(0) { $0 << 7 | Int($1 & 0x7F) }
    return body.dropFirst(size)
  }
}
