/// What is to become of one key of a movie's metadata: its new values; none removes it.
package struct MetadataBoxChange: Sendable, Hashable {
  package enum Content: Sendable, Hashable {
    case text(String)
    case integer(Int64)
    case real(Double)
    /// A point, a size, a rectangle, a matrix.
    case reals([Double])
    case fraction(Int, of: Int)
    case location(StoredLocation)
    case data([UInt8])
  }

  package struct Value: Sendable, Hashable {
    package var content: Content
    /// The well-known type to store it as; nil: what suits the content and the key.
    package var type: UInt32?
    /// ISO 639-2/T; nil for none.
    package var language: String?
    package var attributes: [String: String]

    package init(
      _ content: Content, type: UInt32? = nil, language: String? = nil, attributes: [String: String] = [:]
    ) {
      self.content = content
      self.type = type
      self.language = language
      self.attributes = attributes
    }
  }

  package var store: MetadataEntry.Store
  /// Four characters, the name in `keys`, or `mean.name` of a freeform item.
  package var key: String
  package var isFreeform: Bool
  package var values: [Value]

  package init(store: MetadataEntry.Store, key: String, isFreeform: Bool = false, values: [Value]) {
    self.store = store
    self.key = key
    self.isFreeform = isFreeform
    self.values = values
  }
}

/// Why a value can't be stored under its key.
package struct UnstorableValue: Error, Hashable, Sendable {
  package var key: String
  package var reason: String

  package init(key: String, reason: String) {
    self.key = key
    self.reason = reason
  }
}

extension FourCharacterCode {
  /// A code by its four characters (Latin-1); nil for any other text.
  package init?(characters text: String) {
    let scalars = Array(text.unicodeScalars)
    guard scalars.count == 4, scalars.allSatisfy({ $0.value < 0x100 }) else { return nil }
    self.init(rawValue: scalars.reduce(0) { $0 << 8 | $1.value })
  }
}

extension LanguageCode {
  /// The packed letters of an ISO 639-2/T code; `und` for nil and for what is no such code.
  package static func packed(_ code: String?) -> UInt16 {
    guard let letters = code.map({ Array($0.utf8) }), letters.count == 3,
      letters.allSatisfy({ (97...122).contains($0) })
    else { return 0x55C4 }
    return letters.reduce(0) { $0 << 5 | UInt16($1 - 0x60) }
  }
}
