/// An ID3v2 tag to change: frames that nobody asked about keep their bytes.
struct ID3TagEditor {
  struct Frame: Hashable, Sendable {
    var id: String
    /// The payload as stored: compressed, encrypted or unsynchronised ones stay so.
    var stored: ArraySlice<UInt8>
    var flags: UInt16 = 0
  }

  /// 3 or 4: tags of 2.2 become 2.3, which means the same by its frames.
  private(set) var version: UInt8
  private(set) var frames: [Frame] = []
  private(set) var isChanged = false

  /// A new tag.
  init(version: UInt8 = 4) { self.version = version }

  /// A tag as a file has it.
  init(_ tag: ID3Tag) {
    version = max(3, tag.majorVersion)
    for frame in tag.frames {
      guard tag.majorVersion == 2 else {
        frames.append(Frame(id: frame.id, stored: frame.stored, flags: frame.flags))
        continue
      }
      // Names of three letters that later versions have no name for mean nothing in them.
      guard frame.id.utf8.count == 4 else { continue }
      var payload = frame.payload
      if frame.id == "APIC" { payload = Self.modernPicture(payload)[...] }
      frames.append(Frame(id: frame.id, stored: payload))
    }
  }

  /// 2.2 names the format of a picture by three letters.
  private static func modernPicture(_ payload: ArraySlice<UInt8>) -> [UInt8] {
    guard payload.count > 4, let encoding = payload.first else { return Array(payload) }
    let format = String(decoding: payload.dropFirst().prefix(3), as: UTF8.self)
    let mime = format == "JPG" ? "image/jpeg" : format == "-->" ? "-->" : "image/" + format.lowercased()
    return [encoding] + Array(mime.utf8) + [0] + payload.dropFirst(4)
  }

  var isEmpty: Bool { frames.isEmpty }

  /// Gives the frames of a key other content; new ones stand where the first of the old ones was.
  mutating func apply(_ change: MetadataPlan.Change) throws {
    let names = ID3FrameEncoder.companions(of: change.key)
    let place = frames.firstIndex { names.contains($0.id) } ?? frames.count
    let before = frames[..<place].filter { !names.contains($0.id) }
    let after = frames[place...].filter { !names.contains($0.id) }
    frames = before + (try ID3FrameEncoder(version: version).frames(change.key, change.items)) + after
    isChanged = true
  }

  mutating func setChapters(_ chapters: [StoredChapter]) {
    frames.removeAll { $0.id == "CHAP" || $0.id == "CTOC" }
    frames += ID3FrameEncoder(version: version).chapters(chapters)
    isChanged = true
  }

  /// The tag's bytes, padded to a size where they fit; none for a tag without frames.
  func bytes(fitting room: Int = 0) throws -> [UInt8] {
    guard !frames.isEmpty else { return [] }
    var body: [UInt8] = []
    for frame in frames {
      guard frame.stored.count < 1 << 28 else {
        throw EditingFailure.value("id3/" + frame.id, "the value is larger than 256 MiB")
      }
      body += Self.bytes(of: frame, version)
    }
    if body.count + 10 < room { body += [UInt8](repeating: 0, count: room - body.count - 10) }
    guard body.count < 1 << 28 else {
      throw EditingFailure(code: .invalidArgument, reason: "the tag would be larger than 256 MiB")
    }
    return Array("ID3".utf8) + [version, 0, 0] + Self.size(body.count, isSafe: true) + body
  }

  static func bytes(of frame: Frame, _ version: UInt8) -> [UInt8] {
    Array(frame.id.utf8) + size(frame.stored.count, isSafe: version == 4)
      + [UInt8(frame.flags >> 8), UInt8(frame.flags & 0xFF)] + frame.stored
  }

  /// Four bytes of seven bits, or of eight.
  private static func size(_ count: Int, isSafe: Bool) -> [UInt8] {
    let (bits, mask) = isSafe ? (7, 0x7F) : (8, 0xFF)
    return [3, 2, 1, 0].map { UInt8(count >> ($0 * bits) & mask) }
  }
}

extension ID3Picture {
  /// The number of what a picture shows.
  static func type(named name: String) -> UInt8 {
    (0...20).first { typeName($0) == name } ?? 0
  }
}
