public import FoundationEssentials

/// Items that hold for a range of moments: a date range of HTTP Live Streaming (`EXT-X-DATERANGE`).
public struct DateRangeMetadataGroup: Sendable, Hashable {
  /// The attributes besides identifier, class and times, in the key space ``MetadataKeySpace/hlsDateRange``, under their
  /// names: `X-COM-EXAMPLE-AD-ID`, `SCTE35-OUT` (bytes), `PLANNED-DURATION` (a number).
  public var items: [MetadataItem]
  /// When the range begins.
  public var startDate: Date
  /// When it ends; nil where nothing tells.
  public var endDate: Date?
  /// What tells the range from others (`ID`).
  public var uniqueID: String?
  /// What ranges of the same meaning share (`CLASS`).
  public var classifyingLabel: String?
  /// The range on the asset's timeline, which the playlist's program dates tie to the moments; nil without any.
  ///
  /// It may lie before zero or beyond the end; its duration is indefinite where the end is not known.
  public var timeRange: MediaTimeRange?

  /// A group of given parts.
  public init(
    items: [MetadataItem], startDate: Date, endDate: Date? = nil, uniqueID: String? = nil,
    classifyingLabel: String? = nil, timeRange: MediaTimeRange? = nil
  ) {
    self.items = items
    self.startDate = startDate
    self.endDate = endDate
    self.uniqueID = uniqueID
    self.classifyingLabel = classifyingLabel
    self.timeRange = timeRange
  }
}

extension DateRangeMetadataGroup {
  /// More ranges of one playlist are not kept.
  private static let maximumCount = 65_536

  /// The date ranges of a media playlist in its order; those without an identifier or a start are no ranges (RFC 8216,
  /// 4.3.2.7).
  static func ranges(in playlist: PlaylistText) -> [DateRangeMetadataGroup] {
    var order: [String] = []
    var byID: [String: [PlaylistAttribute]] = [:]
    for case .tag("EXT-X-DATERANGE", let text) in playlist.lines {
      let attributes = PlaylistAttribute.list(text)
      guard let id = attributes["ID"] else { continue }
      if byID[id] == nil {
        guard order.count < maximumCount else { continue }
        order.append(id)
      }
      // A later tag of the same range adds to it; what both have must be the same.
      let known = Set(byID[id, default: []].map(\.name))
      byID[id, default: []] += attributes.filter { !known.contains($0.name) }
    }
    let clock = PlaylistClock(playlist)
    let drafts = order.compactMap { Draft(byID[$0] ?? []) }
    var starts: [String: [Rational]] = [:]
    for draft in drafts { draft.label.map { starts[$0, default: []].append(draft.start) } }
    for label in starts.keys { starts[label]?.sort() }
    return drafts.map { $0.group(clock: clock, startsOfClass: $0.label.flatMap { starts[$0] } ?? []) }
  }

  /// A range as its attributes say it, in seconds since 1970.
  private struct Draft {
    let attributes: [PlaylistAttribute]
    let start: Rational
    let label: String?

    init?(_ attributes: [PlaylistAttribute]) {
      guard let date = attributes["START-DATE"].flatMap({ MetadataDate($0) }),
        let start = PlaylistClock.seconds(of: date.date)
      else { return nil }
      self.attributes = attributes
      self.start = start
      label = attributes["CLASS"]
    }

    func end(startsOfClass: [Rational]) -> Rational? {
      if let length = attributes["DURATION"].flatMap({ Rational(decimal: $0) }), length >= .zero {
        return start + length
      }
      if let date = attributes["END-DATE"].flatMap({ MetadataDate($0) }),
        let end = PlaylistClock.seconds(of: date.date), end >= start
      {
        return end
      }
      guard attributes["END-ON-NEXT"] == "YES" else { return nil }
      // Sorted: the first that is later.
      var (low, high) = (0, startsOfClass.count)
      while low < high {
        let middle = (low + high) / 2
        if startsOfClass[middle] > start { high = middle } else { low = middle + 1 }
      }
      return low < startsOfClass.count ? startsOfClass[low] : nil
    }

    func group(clock: PlaylistClock, startsOfClass: [Rational]) -> DateRangeMetadataGroup {
      let end = end(startsOfClass: startsOfClass)
      let time = clock.time(of: start)
      let endTime = end.flatMap { clock.time(of: $0) }
      let range = time.map { time in
        MediaTimeRange(
          start: MediaTime(time), duration: endTime.map { MediaTime($0 - time) } ?? .indefinite)
      }
      let date = Date(timeIntervalSince1970: start.doubleValue)
      let structural: Set<String> = ["ID", "CLASS", "START-DATE", "END-DATE", "DURATION"]
      let items = attributes.filter { !structural.contains($0.name) }.map { attribute in
        var item = MetadataItem(keySpace: .hlsDateRange, key: attribute.name, value: attribute.value)
        item.dataType = attribute.dataType
        item.startDate = date
        if let range { (item.time, item.duration) = (range.start, range.duration) }
        return item
      }
      return DateRangeMetadataGroup(
        items: items, startDate: date, endDate: end.map { Date(timeIntervalSince1970: $0.doubleValue) },
        uniqueID: attributes["ID"], classifyingLabel: label, timeRange: range)
    }
  }
}

extension PlaylistAttribute {
  /// Bytes for a hexadecimal sequence, a number for a decimal one, else text.
  fileprivate var value: MetadataValue {
    guard !isQuoted else { return .string(text) }
    if text.hasPrefix("0x") || text.hasPrefix("0X"), let bytes = Self.bytes(text.utf8.dropFirst(2)) {
      return .data(Data(bytes))
    }
    guard Rational(decimal: text) != nil, let number = Double(text) else { return .string(text) }
    return Int64(exactly: number).map { .integer($0) } ?? .number(number)
  }

  fileprivate var dataType: MetadataDataType {
    switch value {
    case .data: .rawData
    case .integer: .int64
    case .number: .float64
    default: .utf8
    }
  }

  private static func bytes(_ digits: Substring.UTF8View) -> [UInt8]? {
    guard digits.count % 2 == 0 else { return nil }
    var bytes: [UInt8] = []
    var high: UInt8?
    for digit in digits {
      guard let value = Character(Unicode.Scalar(digit)).hexDigitValue else { return nil }
      if let first = high {
        bytes.append(first << 4 | UInt8(value))
        high = nil
      } else {
        high = UInt8(value)
      }
    }
    return bytes
  }
}
