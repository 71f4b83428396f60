/// What a Matroska header says of its tracks that libav 5.1 leaves out (RFC 9559).
struct MatroskaTracks: Sendable, Hashable {
  struct Entry: Sendable, Hashable {
    var isEnabled = true
    /// `LanguageBCP47`, which goes before the older element.
    var language: String?
    /// `ProjectionPoseRoll`: degrees counter-clockwise; nil where the picture is no plane or nothing is said.
    var roll: Double?
    /// `TrackUID`, by which tags name the track.
    var uniqueID: UInt64?
    /// `Name`.
    var name: String?
    /// `StereoMode`: how the picture holds two views; 0 for one view, and for nothing said.
    var stereoMode: UInt64 = 0
    /// `ProjectionType`: 0 for a plane, and for nothing said.
    var projection: UInt64 = 0
  }

  /// In the header's order.
  var entries: [Entry] = []

  /// Bytes of `Tracks` that are read; codec private data of some kilobytes a track is usual.
  private static let maximumBytes = 4 << 20
  /// Elements before `Tracks` that are passed: its place is near the start in all but hostile files.
  private static let maximumElements = 64

  /// Walks from the start of the file to `Tracks`; nil when it is not found where headers have it.
  ///
  /// - Parameter read: Bytes at an offset, fewer only where the file ends.
  init?(read: (_ offset: Int64, _ count: Int) throws -> [UInt8]) rethrows {
    var position: Int64 = 0
    for _ in 0..<Self.maximumElements {
      let head = try read(position, 12)
      guard let element = EBMLElement(head, at: 0, end: head.count) else { return nil }
      let content = position + Int64(element.header)
      switch element.id {
      case 0x1853_8067: position = content  // Segment: go in.
      case 0x1654_AE6B:  // Tracks
        guard let size = element.size, size <= Self.maximumBytes else { return nil }
        let bytes = try read(content, Int(size))
        self.init(tracks: bytes)
        return
      case 0x1F43_B675: return nil  // Cluster: the media begins.
      default:
        guard let size = element.size, size < 1 << 40 else { return nil }
        position = content + size
      }
    }
    return nil
  }

  /// Reads the content of `Tracks`.
  init(tracks bytes: [UInt8]) {
    EBMLElement.forEach(in: bytes, 0..<bytes.count) { id, range in
      guard id == 0xAE, entries.count < 1024 else { return }
      var entry = Entry()
      EBMLElement.forEach(in: bytes, range) { id, range in
        switch id {
        case 0xB9: entry.isEnabled = bytes[range].contains { $0 != 0 }
        case 0x22_B59D:
          entry.language = String(decoding: bytes[range].prefix { $0 != 0 }, as: UTF8.self)
        case 0x73C5: entry.uniqueID = EBMLValue.unsigned(bytes[range])
        case 0x536E: entry.name = EBMLValue.text(bytes[range])
        case 0xE0:
          EBMLElement.forEach(in: bytes, range) { id, range in
            if id == 0x53B8 { entry.stereoMode = EBMLValue.unsigned(bytes[range]) }
            guard id == 0x7670 else { return }
            entry.roll = Self.roll(bytes, range)
            EBMLElement.forEach(in: bytes, range) { id, range in
              if id == 0x7671 { entry.projection = EBMLValue.unsigned(bytes[range]) }
            }
          }
        default: break
        }
      }
      entries.append(entry)
    }
  }

  private static func roll(_ bytes: [UInt8], _ range: Range<Int>) -> Double? {
    var isPlane = true
    var roll: Double?
    EBMLElement.forEach(in: bytes, range) { id, range in
      if id == 0x7671 { isPlane = !bytes[range].contains { $0 != 0 } }
      if id == 0x7675 { roll = number(bytes[range]) }
    }
    return isPlane ? roll : nil
  }

  /// A float of four or eight bytes; 0 for an empty element (RFC 8794, 7.3).
  private static func number(_ bytes: ArraySlice<UInt8>) -> Double? {
    let bits = bytes.reduce(UInt64(0)) { $0 << 8 | UInt64($1) }
    let value: Double? =
      switch bytes.count {
      case 0: 0
      case 4: Double(Float(bitPattern: UInt32(truncatingIfNeeded: bits)))
      case 8: Double(bitPattern: bits)
      default: nil
      }
    return value.flatMap { $0.isFinite ? $0 : nil }
  }
}

/// An element's head: its name and size (RFC 8794, 4 to 6).
struct EBMLElement: Sendable, Hashable {
  /// With the marker bits, as specifications write it.
  var id: UInt32
  /// Bytes of the content; nil when unknown.
  var size: Int64?
  /// Bytes of name and size.
  var header: Int

  /// nil for bytes that are no element, or too few.
  init?(_ bytes: [UInt8], at start: Int, end: Int) {
    guard start < end, end <= bytes.count, bytes[start] != 0 else { return nil }
    let idLength = bytes[start].leadingZeroBitCount + 1
    guard idLength <= 4, start + idLength < end else { return nil }
    id = bytes[start..<start + idLength].reduce(0) { $0 << 8 | UInt32($1) }
    let first = bytes[start + idLength]
    let sizeLength = first.leadingZeroBitCount + 1
    guard sizeLength <= 8, start + idLength + sizeLength <= end else { return nil }
    let mask = UInt64(1) << UInt64(7 * sizeLength) - 1
    let value =
      bytes[start + idLength..<start + idLength + sizeLength].reduce(UInt64(0)) {
        $0 << 8 | UInt64($1)
      } & mask
    size = value == mask ? nil : Int64(value)
    header = idLength + sizeLength
  }

  /// Calls `body` with the name and content of every whole element in a range.
  static func forEach(in bytes: [UInt8], _ range: Range<Int>, _ body: (UInt32, Range<Int>) -> Void) {
    var position = range.lowerBound
    while let element = EBMLElement(bytes, at: position, end: range.upperBound) {
      let start = position + element.header
      guard let size = element.size, size <= Int64(range.upperBound - start) else { return }
      body(element.id, start..<start + Int(size))
      position = start + Int(size)
    }
  }
}
