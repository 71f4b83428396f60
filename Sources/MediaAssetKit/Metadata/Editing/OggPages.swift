import ISOMedia

/// Pages of Ogg (RFC 3533): taken apart, put together, and numbered anew.
enum OggPages {
  struct Header {
    var flags: UInt8
    var granule: [UInt8]
    var serial: UInt32
    var sequence: UInt32
    var segments: [UInt8]

    /// The bytes of the page: header, table and body.
    var headerSize: Int { 27 + segments.count }
    var bodySize: Int { segments.reduce(0) { $0 + Int($1) } }
    var isContinued: Bool { flags & 1 != 0 }
    var isBeginning: Bool { flags & 2 != 0 }

    /// nil for what is no page, or is cut off.
    init?(_ bytes: [UInt8]) {
      guard bytes.count >= 27, bytes.starts(with: "OggS".utf8), bytes[4] == 0, bytes.count >= 27 + Int(bytes[26])
      else { return nil }
      flags = bytes[5]
      granule = Array(bytes[6..<14])
      serial = bytes[14..<18].reversed().reduce(0) { $0 << 8 | UInt32($1) }
      sequence = bytes[18..<22].reversed().reduce(0) { $0 << 8 | UInt32($1) }
      segments = Array(bytes[27..<27 + Int(bytes[26])])
    }
  }

  /// A page with its checksum.
  static func page(
    flags: UInt8, granule: [UInt8], serial: UInt32, sequence: UInt32, segments: [UInt8], body: [UInt8]
  ) -> [UInt8] {
    var page = Array("OggS".utf8) + [0, flags] + granule
    page += serial.littleEndianBytes() + sequence.littleEndianBytes() + [0, 0, 0, 0]
    page += [UInt8(segments.count)] + segments + body
    seal(&page)
    return page
  }

  /// Packets as pages of one stream, the last page ended with the last packet.
  ///
  /// Pages on which no packet ends have no time; the others are at zero, as headers are.
  static func pages(_ packets: [[UInt8]], serial: UInt32, firstSequence: UInt32) -> [[UInt8]] {
    var pages: [[UInt8]] = []
    var (segments, body): ([UInt8], [UInt8]) = ([], [])
    var isContinued = false
    var endsPacket = false
    func flush() {
      pages.append(
        page(
          flags: isContinued ? 1 : 0, granule: [UInt8](repeating: endsPacket ? 0 : 0xFF, count: 8), serial: serial,
          sequence: firstSequence &+ UInt32(pages.count), segments: segments, body: body))
      isContinued = segments.last == 255
      (segments, body, endsPacket) = ([], [], false)
    }
    for packet in packets {
      var rest = packet[...]
      while true {
        let part = rest.prefix(255)
        segments.append(UInt8(part.count))
        body += part
        rest = rest.dropFirst(part.count)
        if part.count < 255 { endsPacket = true }
        if segments.count == 255 { flush() }
        if part.count < 255 { break }
      }
    }
    if !segments.isEmpty { flush() }
    return pages
  }

  /// Puts a checksum into a page.
  static func seal(_ page: inout [UInt8]) {
    for index in 22..<26 { page[index] = 0 }
    page.replaceSubrange(22..<26, with: checksum(page).littleEndianBytes())
  }

  static func checksum(_ bytes: [UInt8]) -> UInt32 {
    let table = table
    var sum: UInt32 = 0
    for byte in bytes { sum = sum << 8 ^ table[Int(UInt8(truncatingIfNeeded: sum >> 24) ^ byte)] }
    return sum
  }

  private static let table: [UInt32] = (0..<256).map { index in
    var value = UInt32(index) << 24
    for _ in 0..<8 { value = value & 0x8000_0000 != 0 ? value << 1 ^ 0x04C1_1DB7 : value << 1 }
    return value
  }

  /// Hands on the pages of a range with other numbers; what is no page goes on as it is.
  static func renumber(
    _ range: Range<Int64>, _ shifts: [UInt32: UInt32], read: (Int64, Int) throws -> [UInt8],
    _ body: ([UInt8]) throws -> Void
  ) throws {
    var window: [UInt8] = []
    var start = 0
    var next = range.lowerBound
    var output: [UInt8] = []
    func fill(_ count: Int) throws {
      while window.count - start < count, next < range.upperBound {
        let wanted = Int(min(range.upperBound - next, 1 << 18))
        let part = try read(next, wanted)
        guard part.count == wanted else { throw EditingFailure(code: .readFailed, reason: "it became shorter") }
        window.removeFirst(start)
        start = 0
        window += part
        next += Int64(wanted)
      }
    }
    while true {
      try fill(65_307)
      guard start < window.count else { break }
      if let header = Header(Array(window[start..<min(start + 282, window.count)])),
        window.count - start >= header.headerSize + header.bodySize
      {
        let end = start + header.headerSize + header.bodySize
        if let shift = shifts[header.serial] {
          var page = Array(window[start..<end])
          page.replaceSubrange(18..<22, with: (header.sequence &+ shift).littleEndianBytes())
          seal(&page)
          output += page
        } else {
          output += window[start..<end]
        }
        start = end
      } else {
        output.append(window[start])
        start += 1
      }
      if output.count >= 1 << 18 {
        try body(output)
        output = []
      }
    }
    if !output.isEmpty { try body(output) }
  }
}
