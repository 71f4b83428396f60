import ISOMedia

/// The last step on a Matroska file: says how long it is presented, and of tracks of sound how much comes before what is
/// meant (CodecDelay), where libav does not. libav's duration counts what codecs need to begin and the last block whole.
///
/// Takes no room: FFmpeg writes numbers of tracks in eight bytes, which need one, and the duration always in eight.
struct MatroskaCompletion {
  let output: OutputFile
  let path: String

  /// What is read of one element.
  private static let maximumBytes: Int64 = 4 << 20

  private enum ID {
    static let segment: UInt32 = 0x1853_8067
    static let info: UInt32 = 0x1549_A966
    static let scale: UInt32 = 0x2A_D7B1
    static let duration: UInt32 = 0x4489
    static let cluster: UInt32 = 0x1F43_B675
    static let tracks: UInt32 = 0x1654_AE6B
    static let tags: UInt32 = 0x1254_C367
    static let tag: UInt32 = 0x7373
    static let targets: UInt32 = 0x63C0
    static let target: UInt32 = 0x63C5
    static let simpleTag: UInt32 = 0x67C8
    static let tagName: UInt32 = 0x45A3
    static let tagString: UInt32 = 0x4487
    static let entry: UInt32 = 0xAE
    static let number: UInt32 = 0xD7
    static let uniqueID: UInt32 = 0x73C5
    static let delay: UInt32 = 0x56AA
    static let checksum: UInt32 = 0xBF
    /// TrackUID, and the size of eight bytes behind it.
    static let uid: [UInt8] = [0x73, 0xC5, 0x88]
  }

  /// - Parameters:
  ///   - delays: Nanoseconds by the number of the track, from 1.
  ///   - durations: Where tracks' presentations end, by their numbers.
  func run(_ delays: [UInt64: UInt64], durations: [UInt64: MediaTime]) throws {
    let heads = try masters()
    guard var tracks = heads[ID.tracks] else {
      guard delays.isEmpty else { throw failure("it has no list of tracks") }
      return
    }
    var patched: Set<UInt64> = []
    var ends: [UInt64: MediaTime] = [:]
    for entry in Self.children(ID.entry, in: tracks.bytes) {
      guard let number = Self.number(ID.number, in: tracks.bytes, entry) else { continue }
      if let end = durations[number], let uid = Self.number(ID.uniqueID, in: tracks.bytes, entry) { ends[uid] = end }
      guard let delay = delays[number] else { continue }
      patched.insert(number)
      // Later versions of FFmpeg say it themselves.
      if Self.number(ID.delay, in: tracks.bytes, entry) != nil { continue }
      try patch(&tracks.bytes, entry, delay)
    }
    guard patched.count == delays.count else { throw failure("it misses a track") }
    try write(tracks)
    if let info = heads[ID.info] { try setDuration(durations.values.max() ?? .zero, in: info) }
    if let tags = heads[ID.tags] { try setDurations(ends, in: tags) }
  }

  /// In units of TimestampScale nanoseconds, a million where nothing is said (RFC 9559, 5.1.2.9 and 5.1.2.10).
  private func setDuration(_ duration: MediaTime, in info: Master) throws {
    var info = info
    guard duration > .zero,
      let place = Self.children(ID.duration, in: info.bytes).first, place.count == 8
    else { return }
    let scale = Self.number(ID.scale, in: info.bytes) ?? 1_000_000
    let value = duration.seconds * 1e9 / Double(max(1, scale))
    info.bytes.replaceSubrange(place, with: value.bitPattern.bigEndianBytes())
    try write(info)
  }

  /// The statistics tag DURATION of each track, which readers take for how long the track is.
  private func setDurations(_ ends: [UInt64: MediaTime], in tags: Master) throws {
    var tags = tags
    for tag in Self.children(ID.tag, in: tags.bytes) {
      guard let targets = Self.children(ID.targets, in: tags.bytes, tag).first,
        let uid = Self.number(ID.target, in: tags.bytes, targets), let end = ends[uid],
        let nanoseconds = end.ticks(in: Rational(1, 1_000_000_000) ?? .one)
      else { continue }
      for simple in Self.children(ID.simpleTag, in: tags.bytes, tag) {
        guard let name = Self.children(ID.tagName, in: tags.bytes, simple).first,
          tags.bytes[name].elementsEqual("DURATION".utf8),
          let text = Self.children(ID.tagString, in: tags.bytes, simple).first, text.count >= 18
        else { continue }
        tags.bytes.replaceSubrange(
          text, with: Array(Self.stamp(nanoseconds).utf8) + [UInt8](repeating: 0, count: text.count - 18))
      }
    }
    try write(tags)
  }

  /// HH:MM:SS and nine digits, as FFmpeg and mkvmerge write them: 99 hours at most.
  static func stamp(_ nanoseconds: Int64) -> String {
    func digits(_ value: Int64, _ count: Int) -> String {
      let text = String(value)
      return String(repeating: "0", count: max(0, count - text.count)) + text
    }
    let seconds = min(nanoseconds / 1_000_000_000, 359_999)
    return digits(seconds / 3600, 2) + ":" + digits(seconds / 60 % 60, 2) + ":" + digits(seconds % 60, 2) + "."
      + digits(nanoseconds % 1_000_000_000, 9)
  }

  private func write(_ element: Master) throws {
    var bytes = element.bytes
    // Renews the checksum of an element that begins with one.
    if let sum = Self.children(ID.checksum, in: bytes).first, sum.count == 4 {
      bytes.replaceSubrange(sum, with: CyclicRedundancyCheck.crc32(bytes[sum.upperBound...]).littleEndianBytes())
    }
    try bytes.withUnsafeBytes { try output.writeRaw($0, at: element.place) }
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

  /// The content of an element right below the segment, and where it lies in the file.
  private struct Master {
    var place: Int64
    var bytes: [UInt8]
  }

  /// The elements before the first cluster that something is said in, by their names.
  private func masters() throws -> [UInt32: Master] {
    var found: [UInt32: Master] = [:]
    var position: Int64 = 0
    while position < output.rawLength {
      let head = try output.readRaw(at: position, count: Int(min(12, output.rawLength - position)))
      guard let element = EBMLElement(head, at: 0, end: head.count), element.id != ID.cluster else { break }
      position += Int64(element.header)
      // Into the segment, over everything else.
      if element.id == ID.segment { continue }
      guard let size = element.size, size <= output.rawLength - position else { break }
      if [ID.info, ID.tracks, ID.tags].contains(element.id), size <= Self.maximumBytes {
        found[element.id] = Master(place: position, bytes: try output.readRaw(at: position, count: Int(size)))
      }
      position += size
    }
    return found
  }

  private static func children(_ wanted: UInt32, in bytes: [UInt8], _ range: Range<Int>? = nil) -> [Range<Int>] {
    var found: [Range<Int>] = []
    EBMLElement.forEach(in: bytes, range ?? 0..<bytes.count) { id, range in if id == wanted { found.append(range) } }
    return found
  }

  private static func number(_ wanted: UInt32, in bytes: [UInt8], _ range: Range<Int>? = nil) -> UInt64? {
    children(wanted, in: bytes, range).first.map { EBMLValue.unsigned(bytes[$0]) }
  }
}
