import MediaAssetKit

/// TIME on the command line, and times in its output.
enum TimeText {
  /// Seconds (`12.5`), a rational (`1001/30000`), or `HH:MM:SS.mmm`; nil for anything else.
  static func parse(_ text: String) -> MediaTime? {
    var rest = text[...]
    let isNegative = rest.first == "-"
    if isNegative { rest = rest.dropFirst() }
    guard let time = parseMagnitude(rest) else { return nil }
    return isNegative ? -time : time
  }

  /// TIMEs joined by commas; nil when one of them is none.
  static func parseList(_ text: String) -> [MediaTime]? {
    let times = text.split(separator: ",", omittingEmptySubsequences: false).map {
      parse(String($0))
    }
    return times.contains { $0 == nil } ? nil : times.compactMap(\.self)
  }

  private static func parseMagnitude(_ text: Substring) -> MediaTime? {
    let parts = text.split(separator: "/", omittingEmptySubsequences: false)
    if parts.count == 2 {
      guard let numerator = whole(parts[0]), let denominator = whole(parts[1]), denominator > 0
      else { return nil }
      let divisor = greatestCommonDivisor(numerator, denominator)
      return Int32(exactly: denominator / divisor).map {
        MediaTime(value: numerator / divisor, timescale: $0)
      }
    }
    let fields = text.split(separator: ":", omittingEmptySubsequences: false)
    guard let last = fields.last, let seconds = decimal(last), fields.count <= 3 else { return nil }
    guard fields.count > 1 else { return seconds }
    // Minutes, and hours in front of them.
    guard let minutes = whole(fields[fields.count - 2]), seconds < sixty,
      minutes < 60 || fields.count == 2, minutes < Int32.max
    else { return nil }
    var sum = seconds + MediaTime(value: minutes * 60, timescale: 1)
    if fields.count == 3 {
      guard let hours = whole(fields[0]), hours < Int32.max else { return nil }
      sum += MediaTime(value: hours * 3600, timescale: 1)
    }
    return sum
  }

  private static let sixty = MediaTime(value: 60, timescale: 1)

  /// Digits with a point among them; exact to nine decimals, rounded to them beyond.
  private static func decimal(_ text: Substring) -> MediaTime? {
    let parts = text.split(separator: ".", omittingEmptySubsequences: false)
    guard parts.count <= 2, text != "", text != ".",
      let seconds = whole(parts[0].isEmpty ? "0" : parts[0])
    else { return nil }
    guard parts.count == 2 else { return MediaTime(value: seconds, timescale: 1) }
    guard parts[1].utf8.allSatisfy(isDigit) else { return nil }
    let digits = parts[1].prefix(10)
    guard let fraction = Int64(digits.isEmpty ? "0" : digits) else { return nil }
    let unit = (0..<digits.count).reduce(into: Int64(1)) { unit, _ in unit *= 10 }
    return MediaTime(value: seconds, timescale: 1)
      + (digits.count <= 9
        ? MediaTime(value: fraction, timescale: Int32(unit))
        : MediaTime(value: (fraction + 5) / 10, timescale: 1_000_000_000))
  }

  private static func whole(_ text: Substring) -> Int64? {
    guard !text.isEmpty, text.utf8.allSatisfy(isDigit) else { return nil }
    return Int64(text)
  }

  private static func isDigit(_ byte: UInt8) -> Bool { (48...57).contains(byte) }
}

/// The greatest common divisor, at least 1.
func greatestCommonDivisor(_ first: Int64, _ second: Int64) -> Int64 {
  var (larger, smaller) = (first.magnitude, second.magnitude)
  while smaller != 0 { (larger, smaller) = (smaller, larger % smaller) }
  return max(1, Int64(clamping: larger))
}

extension MediaTime {
  /// `value/timescale` in lowest terms; nil when the time is not numeric.
  var fraction: String? {
    guard isNumeric else { return nil }
    let divisor = greatestCommonDivisor(value, Int64(timescale))
    return "\(value / divisor)/\(Int64(timescale) / divisor)"
  }

  /// The fraction the other way round: a rate from a duration; nil where there is none.
  var reciprocalFraction: String? {
    guard isNumeric, value > 0 else { return nil }
    let divisor = greatestCommonDivisor(value, Int64(timescale))
    return "\(Int64(timescale) / divisor)/\(value / divisor)"
  }

  /// Seconds as a number; null when the time is not numeric.
  var jsonSeconds: JSON { isNumeric ? .number(seconds) : .null }
  /// The fraction as a string; null when the time is not numeric.
  var json: JSON { .text(fraction) }

  /// `HH:MM:SS.mmm`, for people.
  var clock: String {
    guard isNumeric else { return "unknown" }
    let milliseconds = convertScale(1000).value
    let sign = milliseconds < 0 ? "-" : ""
    let (seconds, rest) = milliseconds.magnitude.quotientAndRemainder(dividingBy: 1000)
    func digits(_ number: UInt64, _ count: Int) -> String {
      let text = String(number)
      return String(repeating: "0", count: max(0, count - text.count)) + text
    }
    return sign + digits(seconds / 3600, 2) + ":" + digits(seconds / 60 % 60, 2) + ":"
      + digits(seconds % 60, 2) + "." + digits(rest, 3)
  }
}

extension Arguments {
  /// A TIME.
  func time(_ name: String) throws -> MediaTime? {
    try value(name, "time (12.5, 1001/30000, HH:MM:SS.mmm)", TimeText.parse)
  }

  /// A duration: a TIME that is not negative, or above 0.
  func duration(_ name: String, isPositive: Bool = false) throws -> MediaTime? {
    try value(name, isPositive ? "time above 0" : "time of at least 0") { text in
      TimeText.parse(text).flatMap { $0 > .zero || !isPositive && $0 == .zero ? $0 : nil }
    }
  }

  /// `WxH`; a side that is 0 or left out is free.
  func size(_ name: String) throws -> PixelSize? {
    try value(name, "size (1280x720, 1280x0, x720)") { text in
      let sides = text.split(separator: "x", omittingEmptySubsequences: false)
      guard sides.count == 2, sides.contains(where: { !$0.isEmpty }) else { return nil }
      let numbers = sides.map { side -> Int? in
        guard side.utf8.allSatisfy({ (48...57).contains($0) }) else { return nil }
        return side.isEmpty ? 0 : Int32(side).map(Int.init)
      }
      guard let width = numbers[0], let height = numbers[1] else { return nil }
      return PixelSize(width: width, height: height)
    }
  }
}
