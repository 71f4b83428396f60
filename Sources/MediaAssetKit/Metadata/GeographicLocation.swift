/// A place on the earth as metadata states it.
public struct GeographicLocation: Sendable, Hashable, CustomStringConvertible {
  /// Degrees north, -90 to 90.
  public var latitude: Double
  /// Degrees east, -180 to 180.
  public var longitude: Double
  /// Metres above the reference level; nil when not stated.
  public var altitude: Double?

  /// A place of given coordinates.
  public init(latitude: Double, longitude: Double, altitude: Double? = nil) {
    self.latitude = latitude
    self.longitude = longitude
    self.altitude = altitude
  }

  /// Reads ISO 6709: `+48.8577+002.2950+035.000/`, also with minutes and seconds in the digits; nil for anything else.
  public init?(iso6709 text: String) {
    var numbers: [(sign: Double, digits: String)] = []
    for character in text.unicodeScalars {
      switch character {
      case "+", "-":
        guard numbers.count < 3 else { return nil }
        numbers.append((character == "-" ? -1 : 1, ""))
      case "0"..."9", ".":
        guard !numbers.isEmpty else { return nil }
        numbers[numbers.count - 1].digits.unicodeScalars.append(character)
      default:
        // The solidus ends it; a reference system may follow the altitude.
        guard character == "/" || character == "C" && numbers.count == 3 else { return nil }
        self.init(numbers)
        return
      }
    }
    self.init(numbers)
  }

  private init?(_ numbers: [(sign: Double, digits: String)]) {
    guard numbers.count >= 2, let latitude = Self.degrees(numbers[0].digits, whole: 2), latitude <= 90,
      let longitude = Self.degrees(numbers[1].digits, whole: 3), longitude <= 180
    else { return nil }
    self.latitude = numbers[0].sign * latitude
    self.longitude = numbers[1].sign * longitude
    altitude = numbers.count > 2 ? Double(numbers[2].digits).map { numbers[2].sign * $0 } : nil
  }

  /// Degrees; two or four further digits before the point are minutes and seconds.
  private static func degrees(_ digits: String, whole: Int) -> Double? {
    let before = digits.prefix { $0 != "." }.count
    guard let value = Double(digits), value.isFinite else { return nil }
    switch before {
    case whole + 2:
      let degrees = (value / 100).rounded(.down)
      return degrees + (value - degrees * 100) / 60
    case whole + 4:
      let degrees = (value / 10_000).rounded(.down)
      let minutes = ((value - degrees * 10_000) / 100).rounded(.down)
      return degrees + minutes / 60 + (value - degrees * 10_000 - minutes * 100) / 3600
    default: return value
    }
  }

  /// ISO 6709 with decimal degrees, four digits behind the point and three of the altitude.
  public var description: String {
    var text = Self.fixed(latitude, whole: 2, places: 4) + Self.fixed(longitude, whole: 3, places: 4)
    if let altitude { text += Self.fixed(altitude, whole: 3, places: 3) }
    return text + "/"
  }

  private static func fixed(_ value: Double, whole: Int, places: Int) -> String {
    var unit = 1.0
    for _ in 0..<places { unit *= 10 }
    let scaled = Int64(saturating: (abs(value) * unit).rounded())
    let (integer, rest) = (String(scaled / Int64(unit)), String(scaled % Int64(unit)))
    return (value < 0 ? "-" : "+") + String(repeating: "0", count: max(0, whole - integer.count)) + integer + "."
      + String(repeating: "0", count: max(0, places - rest.count)) + rest
  }
}
