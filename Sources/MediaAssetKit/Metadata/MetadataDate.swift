public import FoundationEssentials

/// A moment as metadata states it, with the offset from UTC that was written beside it.
public struct MetadataDate: Sendable, Hashable, CustomStringConvertible {
  /// The moment; where no time of day is stated, the beginning of the day, month or year.
  public let date: Date
  /// Seconds east of Greenwich; nil where the text has no offset, which then counts as UTC.
  public let secondsFromGMT: Int?
  /// Whether a time of day is stated.
  public let hasTime: Bool
  private let precision: Int

  /// A moment in UTC.
  public init(_ date: Date) {
    self.date = date
    secondsFromGMT = 0
    hasTime = true
    precision = 6
  }

  /// Reads ISO 8601: `2024`, `2024-05`, `2024-05-01`, `2024-05-01T10:20:30.5+0300`, with a space for the `T` as well,
  /// and the colons that Exif and RIFF write in the date; nil for anything else.
  public init?(_ text: String) {
    var scanner = Scanner(text)
    guard let year = scanner.number(digits: 4), year > 0 else { return nil }
    var fields = [year, 1, 1, 0, 0, 0]
    var precision = 1
    for (index, range) in [(1, 1...12), (2, 1...31)] {
      guard scanner.skip("-") || scanner.skip(":") || scanner.skip("/") else { break }
      guard let number = scanner.number(digits: 2), range.contains(number) else { return nil }
      fields[index] = number
      precision = index + 1
    }
    var fraction = 0.0
    var offset: Int?
    if precision == 3, scanner.skip("T") || scanner.skip(" ") {
      guard let hour = scanner.number(digits: 2), hour < 24, scanner.skip(":"),
        let minute = scanner.number(digits: 2), minute < 60
      else { return nil }
      (fields[3], fields[4], precision) = (hour, minute, 5)
      if scanner.skip(":") {
        guard let second = scanner.number(digits: 2), second <= 60 else { return nil }
        (fields[5], precision) = (second, 6)
        if scanner.skip(".") || scanner.skip(",") { fraction = scanner.fraction() }
      }
      switch scanner.offset() {
      case .none: offset = nil
      case .some(let value): offset = value
      }
    }
    guard scanner.isAtEnd else { return nil }
    let days = Self.days(year: fields[0], month: fields[1], day: fields[2])
    let seconds = days * 86_400 + fields[3] * 3600 + fields[4] * 60 + fields[5] - (offset ?? 0)
    date = Date(timeIntervalSince1970: Double(seconds) + fraction)
    secondsFromGMT = offset
    hasTime = precision > 3
    self.precision = precision
  }

  /// ISO 8601 with the stated offset, as precise as it was stated: `2022-11-09T20:36:38+03:00`.
  public var description: String {
    let offset = secondsFromGMT ?? 0
    let local = date.timeIntervalSince1970 + Double(offset)
    let whole = Int64(saturating: local.rounded(.down))
    let milliseconds = Int(((local - Double(whole)) * 1000).rounded(.down))
    let day = Int(whole >= 0 ? whole / 86_400 : (whole - 86_399) / 86_400)
    let second = Int(whole) - day * 86_400
    let (year, month, dayOfMonth) = Self.civil(days: day)
    var text = Self.padded(year, 4)
    if precision > 1 { text += "-" + Self.padded(month, 2) }
    if precision > 2 { text += "-" + Self.padded(dayOfMonth, 2) }
    guard hasTime else { return text }
    text += "T\(Self.padded(second / 3600, 2)):\(Self.padded(second / 60 % 60, 2)):\(Self.padded(second % 60, 2))"
    if milliseconds > 0 { text += "." + Self.padded(milliseconds, 3) }
    guard let secondsFromGMT else { return text }
    if secondsFromGMT == 0 { return text + "Z" }
    let minutes = abs(secondsFromGMT) / 60
    return text + (secondsFromGMT < 0 ? "-" : "+") + "\(Self.padded(minutes / 60, 2)):\(Self.padded(minutes % 60, 2))"
  }

  private static func padded(_ number: Int, _ width: Int) -> String {
    let digits = String(number)
    return String(repeating: "0", count: max(0, width - digits.count)) + digits
  }

  /// Days since 1970-01-01 of the proleptic Gregorian calendar.
  private static func days(year: Int, month: Int, day: Int) -> Int {
    let year = month <= 2 ? year - 1 : year
    let era = (year >= 0 ? year : year - 399) / 400
    let yearOfEra = year - era * 400
    let dayOfYear = (153 * (month + (month > 2 ? -3 : 9)) + 2) / 5 + day - 1
    return era * 146_097 + yearOfEra * 365 + yearOfEra / 4 - yearOfEra / 100 + dayOfYear - 719_468
  }

  private static func civil(days: Int) -> (year: Int, month: Int, day: Int) {
    let shifted = days + 719_468
    let era = (shifted >= 0 ? shifted : shifted - 146_096) / 146_097
    let day = shifted - era * 146_097
    let year = (day - day / 1460 + day / 36_524 - day / 146_096) / 365
    let dayOfYear = day - (365 * year + year / 4 - year / 100)
    let month = (5 * dayOfYear + 2) / 153
    let calendarMonth = month < 10 ? month + 3 : month - 9
    return (year + era * 400 + (calendarMonth <= 2 ? 1 : 0), calendarMonth, dayOfYear - (153 * month + 2) / 5 + 1)
  }
}

/// The parts of a date in a text.
private struct Scanner {
  private var rest: ArraySlice<UInt8>

  init(_ text: String) {
    rest = Array(text.utf8)[...]
    while rest.last == 0x20 || rest.last == 0 || rest.last == 0x0A { rest.removeLast() }
  }

  var isAtEnd: Bool { rest.isEmpty }

  mutating func skip(_ character: Unicode.Scalar) -> Bool {
    guard rest.first == UInt8(truncatingIfNeeded: character.value) else { return false }
    rest.removeFirst()
    return true
  }

  mutating func number(digits: Int) -> Int? {
    let head = rest.prefix(digits)
    guard head.count == digits, head.allSatisfy({ (48...57).contains($0) }) else { return nil }
    rest = rest.dropFirst(digits)
    return head.reduce(0) { $0 * 10 + Int($1 - 48) }
  }

  mutating func fraction() -> Double {
    var (value, unit) = (0.0, 0.1)
    while let digit = rest.first, (48...57).contains(digit) {
      value += Double(digit - 48) * unit
      unit /= 10
      rest.removeFirst()
    }
    return value
  }

  /// `Z`, `+03`, `+0300`, `+03:00`; nil for no offset.
  mutating func offset() -> Int? {
    if skip("Z") { return 0 }
    let sign: Int
    if skip("+") { sign = 1 } else if skip("-") { sign = -1 } else { return nil }
    guard let hours = number(digits: 2), hours < 24 else { return nil }
    _ = skip(":")
    let minutes = number(digits: 2) ?? 0
    return sign * (hours * 3600 + minutes * 60)
  }
}
