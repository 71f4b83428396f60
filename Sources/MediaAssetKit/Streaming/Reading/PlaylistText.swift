/// The lines of a playlist of HTTP Live Streaming (RFC 8216, 4): tags with their values, and addresses.
struct PlaylistText: Sendable {
  enum Line: Sendable, Hashable {
    /// A tag's name without `#`, and what follows its colon.
    case tag(String, String)
    /// The address of a segment or a playlist.
    case address(String)
  }

  let lines: [Line]

  /// More lines are not read; a day of segments of a second has 86,400 with one or two tags each.
  static let maximumLines = 1 << 20

  /// nil for what is no playlist: its first line is `#EXTM3U`.
  init?(_ bytes: [UInt8]) {
    var text = bytes[...]
    // A byte order mark is against the RFC, and is there.
    if text.starts(with: [0xEF, 0xBB, 0xBF]) { text = text.dropFirst(3) }
    guard text.starts(with: "#EXTM3U".utf8) else { return nil }
    var lines: [Line] = []
    for bytes in text.split(whereSeparator: { $0 == 0x0A || $0 == 0x0D }).prefix(Self.maximumLines) {
      let line = String(decoding: bytes, as: UTF8.self)
      if line.hasPrefix("#EXT") {
        let parts = line.dropFirst().split(separator: ":", maxSplits: 1, omittingEmptySubsequences: false)
        lines.append(.tag(String(parts[0]), parts.count > 1 ? String(parts[1]) : ""))
      } else if !line.hasPrefix("#"), line.contains(where: { $0 != " " && $0 != "\t" }) {
        lines.append(.address(line))
      }
    }
    self.lines = lines
  }

  /// Whether it lists other playlists.
  var isMultivariant: Bool {
    lines.contains { line in
      if case .tag("EXT-X-STREAM-INF", _) = line { return true }
      return false
    }
  }
}

/// One attribute of a tag (RFC 8216, 4.2).
struct PlaylistAttribute: Sendable, Hashable {
  var name: String
  /// The value without quotation marks.
  var text: String
  var isQuoted: Bool

  /// The attributes of a tag's value in their order; what is malformed ends the list.
  static func list(_ text: String) -> [PlaylistAttribute] {
    var attributes: [PlaylistAttribute] = []
    var rest = Array(text.utf8)[...]
    func isSpace(_ byte: UInt8) -> Bool { byte == 0x20 || byte == 0x09 }
    while true {
      rest = rest.drop { isSpace($0) || $0 == UInt8(ascii: ",") }
      guard let equals = rest.firstIndex(of: UInt8(ascii: "=")) else { return attributes }
      let name = String(decoding: rest[..<equals], as: UTF8.self)
      rest = rest[(equals + 1)...]
      let isQuoted = rest.first == UInt8(ascii: "\"")
      if isQuoted {
        rest = rest.dropFirst()
        guard let end = rest.firstIndex(of: UInt8(ascii: "\"")) else { return attributes }
        attributes.append(
          PlaylistAttribute(name: name, text: String(decoding: rest[..<end], as: UTF8.self), isQuoted: true))
        rest = rest[(end + 1)...]
      } else {
        let end = rest.firstIndex(of: UInt8(ascii: ",")) ?? rest.endIndex
        attributes.append(
          PlaylistAttribute(name: name, text: String(decoding: rest[..<end], as: UTF8.self), isQuoted: false))
        rest = rest[end...]
      }
    }
  }
}

extension Sequence<PlaylistAttribute> {
  subscript(_ name: String) -> String? { first { $0.name == name }?.text }
}

extension Rational {
  /// A number as playlists write it, exactly: `9.009`, `-3`; nil for anything else, and for more than nine decimals' worth
  /// of digits before the point.
  init?(decimal text: some StringProtocol) {
    let isNegative = text.hasPrefix("-")
    let parts = text.dropFirst(isNegative ? 1 : 0).split(separator: ".", omittingEmptySubsequences: false)
    guard (1...2).contains(parts.count), let whole = parts.first, (1...12).contains(whole.utf8.count),
      parts.allSatisfy({ $0.utf8.allSatisfy { (48...57).contains($0) } }), let value = Int64(whole)
    else { return nil }
    let digits = parts.count == 2 ? parts[1].prefix(9) : ""
    let unit = digits.reduce(Int64(1)) { unit, _ in unit * 10 }
    let fraction = Int64(digits) ?? 0
    self.init(reducing: Int128(value) * Int128(unit) + Int128(fraction), over: Int128(isNegative ? -unit : unit))
  }
}
