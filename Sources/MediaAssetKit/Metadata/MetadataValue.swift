public import FoundationEssentials

/// The value of a metadata item, typed as far as the container says what it is.
public enum MetadataValue: Sendable, Hashable {
  /// Text.
  case string(String)
  /// A whole number; flags are 0 and 1.
  case integer(Int64)
  /// A number.
  case number(Double)
  /// Numbers in the order of the container: a point, a size, a matrix.
  case numbers([Double])
  /// The n-th of m, such as track 3 of 6; 0 stands for unknown.
  case position(Int, of: Int)
  /// A moment.
  case date(MetadataDate)
  /// Bytes: a picture, or what only its maker can read.
  case data(Data)
}

/// How a value is stored; raw values are CoreMedia's.
public struct MetadataDataType: RawRepresentable, Hashable, Sendable, CustomStringConvertible {
  /// The type's name, such as `com.apple.metadata.datatype.UTF-8`.
  public let rawValue: String
  /// A data type by its name.
  public init(rawValue: String) { self.rawValue = rawValue }
  /// The name.
  public var description: String { rawValue }

  private init(_ name: String) { self.init(rawValue: "com.apple.metadata.datatype." + name) }

  /// Text in UTF-8.
  public static let utf8 = Self("UTF-8")
  /// Text in UTF-16.
  public static let utf16 = Self("UTF-16")
  /// Bytes.
  public static let rawData = Self("raw-data")
  /// A GIF picture.
  public static let gif = Self("GIF")
  /// A JPEG picture.
  public static let jpeg = Self("JPEG")
  /// A PNG picture.
  public static let png = Self("PNG")
  /// A BMP picture.
  public static let bmp = Self("BMP")
  /// A 32-bit floating-point number.
  public static let float32 = Self("float32")
  /// A 64-bit floating-point number.
  public static let float64 = Self("float64")
  /// A signed 8-bit number.
  public static let int8 = Self("int8")
  /// A signed 16-bit number.
  public static let int16 = Self("int16")
  /// A signed 32-bit number.
  public static let int32 = Self("int32")
  /// A signed 64-bit number.
  public static let int64 = Self("int64")
  /// An unsigned 8-bit number.
  public static let uint8 = Self("uint8")
  /// An unsigned 16-bit number.
  public static let uint16 = Self("uint16")
  /// An unsigned 32-bit number.
  public static let uint32 = Self("uint32")
  /// An unsigned 64-bit number.
  public static let uint64 = Self("uint64")
  /// A point.
  public static let pointF32 = Self("point-float32")
  /// A size.
  public static let dimensionsF32 = Self("dimensions-float32")
  /// A rectangle.
  public static let rectF32 = Self("rect-float32")
  /// A transform of nine numbers.
  public static let affineTransformF64 = Self("affine-transform-float64")

  /// The type of a picture by its first bytes; raw data for anything else.
  init(sniffing bytes: some Sequence<UInt8>) {
    let head = Array(bytes.prefix(12))
    if head.starts(with: [0xFF, 0xD8, 0xFF]) {
      self = .jpeg
    } else if head.starts(with: [0x89, 0x50, 0x4E, 0x47]) {
      self = .png
    } else if head.starts(with: "GIF8".utf8) {
      self = .gif
    } else if head.starts(with: "BM".utf8) {
      self = .bmp
    } else {
      self = .rawData
    }
  }
}

extension MetadataValue {
  /// The value as text; nil for bytes.
  public var string: String? {
    switch self {
    case .string(let text): text
    case .integer(let number): String(number)
    case .number(let number): Self.decimal(number)
    case .numbers(let numbers): numbers.map(Self.decimal).joined(separator: " ")
    case .position(let number, let count): count > 0 ? "\(number)/\(count)" : String(number)
    case .date(let date): date.description
    case .data: nil
    }
  }

  private static func decimal(_ value: Double) -> String {
    Int64(exactly: value).map { String($0) } ?? String(value)
  }
}
