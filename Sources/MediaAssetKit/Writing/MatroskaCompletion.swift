import ISOMedia

/// The last step on a Matroska file: says of tracks of sound how much comes before what is meant (CodecDelay), where libav
/// does not.
///
/// Takes no room: FFmpeg writes numbers of tracks in eight bytes, which need one.
struct MatroskaCompletion {
  let output: OutputFile
  let path: String

  private enum ID {
    static let segment: UInt32 = 0x1853_8067
    static let tracks: UInt32 = 0x1654_AE6B
    static let entry: UInt32 = 0xAE
    static let number: UInt32 = 0xD7
    static let delay: UInt32 = 0x56AA
    static let checksum: UInt32 = 0xBF
    /// TrackUID, and the size of eight bytes behind it.
    static let uid: [UInt8] = [0x73, 0xC5, 0x88]
  }

  /// - Parameter delays: Nanoseconds by the number of the track, from 1.
  func run(_ delays: [UInt64: UInt64]) throws {
    guard !delays.isEmpty else { return }
    var head = try output.readRaw(at: 0, count: Int(min(output.rawLength, 1 << 20)))
    guard let tracks = Self.tracks(in: head) else { throw failure("it has no list of tracks") }
    var patched: Set<UInt64> = []
    for entry in Self.children(ID.entry, in: head, tracks) {
      guard let number = Self.number(ID.number, in: head, entry), let delay = delays[number] else { continue }
      patched.insert(number)
      // Later versions of FFmpeg say it themselves.
      if Self.number(ID.delay, in: head, entry) != nil { continue }
      try patch(&head, entry, delay)
    }
    guard patched.count == delays.count else { throw failure("it misses a track") }
    if let sum = Self.children(ID.checksum, in: head, tracks).first, sum.count == 4 {
      head.replaceSubrange(sum, with: Self.checksum(head[sum.upperBound..<tracks.upperBound]).littleEndianBytes())
    }
    try head[..<tracks.upperBound].withUnsafeBytes { try output.writeRaw($0, at: 0) }
  }

  private func patch(_ head: inout [UInt8], _ entry: Range<Int>, _ delay: UInt64) throws {
    let place = entry.first { place in
      place + 11 <= entry.upperBound && head[place..<place + 3].elementsEqual(ID.uid)
    }
    guard let place, head[place + 3..<place + 10].allSatisfy({ $0 == 0 }), let delay = UInt32(exactly: delay) else {
      throw failure("its head has no room for the sound's delay")
    }
    let uid = head[place + 10]
    head.replaceSubrange(
      place..<place + 11, with: [0x73, 0xC5, 0x81, uid, 0x56, 0xAA, 0x84] + delay.bigEndianBytes())
  }

  private func failure(_ reason: String) -> MediaError {
    MediaError(.writeFailed, operation: "write", subject: path, reason: reason)
  }

  private static func tracks(in head: [UInt8]) -> Range<Int>? {
    var position = 0
    while let element = EBMLElement(head, at: position, end: head.count) {
      let start = position + element.header
      position = start
      // Into the segment, over everything else.
      if element.id == ID.segment { continue }
      guard let size = element.size, size <= Int64(head.count - start) else { return nil }
      if element.id == ID.tracks { return start..<start + Int(size) }
      position = start + Int(size)
    }
    return nil
  }

  private static func children(_ wanted: UInt32, in bytes: [UInt8], _ range: Range<Int>) -> [Range<Int>] {
    var found: [Range<Int>] = []
    EBMLElement.forEach(in: bytes, range) { id, range in if id == wanted { found.append(range) } }
    return found
  }

  private static func number(_ wanted: UInt32, in bytes: [UInt8], _ range: Range<Int>) -> UInt64? {
    children(wanted, in: bytes, range).first.map { bytes[$0].prefix(8).reduce(0) { $0 << 8 | UInt64($1) } }
  }

  /// CRC-32 as Ethernet has it (RFC 8794, 11.3.1).
  static func checksum(_ bytes: some Sequence<UInt8>) -> UInt32 {
    var sum = UInt32.max
    for byte in bytes {
      sum ^= UInt32(byte)
      for _ in 0..<8 { sum = sum >> 1 ^ (sum & 1 == 1 ? 0xEDB8_8320 : 0) }
    }
    return ~sum
  }
}
