/// A `mebx` entry: the keys that a timed metadata track's samples may hold values of (QuickTime File Format, "Timed metadata
/// sample description"; ISO/IEC 14496-12, 12.9.4).
package struct MetadataSampleDescription: Hashable, Sendable {
  /// What a value's bytes are.
  package enum DataType: Hashable, Sendable {
    /// By the number that `data` boxes use too.
    case wellKnown(UInt32)
    /// By a name like `com.example.heart-rate`.
    case named(String)
  }

  /// A kind of value.
  package struct Key: Hashable, Sendable {
    /// The type of the boxes with its values, within the track.
    package var localID: UInt32
    package var namespace: FourCharacterCode
    package var name: [UInt8]
    /// nil: not stated.
    package var dataType: DataType?
    /// BCP 47; nil for values that suit everybody.
    package var locale: String?

    package init(
      localID: UInt32, namespace: FourCharacterCode, name: [UInt8], dataType: DataType?, locale: String? = nil
    ) {
      self.localID = localID
      self.namespace = namespace
      self.name = name
      self.dataType = dataType
      self.locale = locale
    }
  }

  package private(set) var keys: [Key]
  /// The whole entry as stored, with what is not understood of it.
  package private(set) var entry: [UInt8]

  /// Reads an entry; nil for another kind, or one without a table of keys.
  package init?(entry: [UInt8], maximumBoxes: Int = 10_000) {
    guard let box = BoxSequence(entry).first(where: { _ in true }), box.type == .mebx, box.payload.count >= 8 else {
      return nil
    }
    let boxes = BoxSequence(entry, in: box.payload.lowerBound + 8..<box.payload.upperBound)
    guard let table = boxes.first(where: { $0.type == "keys" }) else { return nil }
    self.entry = entry
    keys = []
    for box in BoxSequence(entry, in: table.payload).prefix(maximumBoxes) {
      // 0 marks keys that are not used any more, and both numbers samples without values.
      guard !Self.reserved.contains(box.type.rawValue) else { continue }
      var key = Key(localID: box.type.rawValue, namespace: "mdta", name: [], dataType: nil)
      var isDeclared = false
      for part in BoxSequence(entry, in: box.payload).prefix(100) {
        var reader = ByteReader(entry, in: part.payload)
        switch part.type {
        case "keyd" where reader.remaining >= 4:
          key.namespace = reader.code()
          key.name = Array(entry[reader.rest])
          isDeclared = true
        case "dtyp" where reader.remaining >= 4:
          let namespace = reader.uint32()
          if namespace == 0, reader.remaining >= 4 { key.dataType = .wellKnown(reader.uint32()) }
          if namespace == 1 { key.dataType = .named(String(decoding: entry[reader.rest], as: UTF8.self)) }
        case "loca": key.locale = reader.terminatedString()
        default: break
        }
      }
      if isDeclared { keys.append(key) }
    }
  }

  /// An entry of given keys.
  package init(keys: [Key]) {
    self.keys = keys
    var builder = BoxBuilder()
    builder.box(.mebx) { builder in
      builder.append([0, 0, 0, 0, 0, 0, 0, 1][...])
      builder.box("keys") { builder in
        for key in keys {
          builder.box(FourCharacterCode(rawValue: key.localID)) { builder in
            builder.box("keyd") { builder in
              builder.append(key.namespace.rawValue)
              builder.append(key.name[...])
            }
            switch key.dataType {
            case .wellKnown(let number)?:
              builder.box("dtyp") { builder in
                builder.append(UInt32(0))
                builder.append(number)
              }
            case .named(let name)?:
              builder.box("dtyp") { builder in
                builder.append(UInt32(1))
                builder.append(Array(name.utf8)[...])
              }
            case nil: break
            }
            if let locale = key.locale {
              builder.box("loca") { builder in builder.append((Array(locale.utf8) + [0])[...]) }
            }
          }
        }
      }
    }
    entry = builder.bytes
  }

  private static let reserved: [UInt32] = [0, .max]

  /// One entry for the samples of all; nil where they mean different things by the same number.
  package static func joined(_ descriptions: [MetadataSampleDescription]) -> MetadataSampleDescription? {
    guard let first = descriptions.first else { return nil }
    var keys: [Key] = []
    for key in descriptions.flatMap(\.keys) where !keys.contains(key) {
      if keys.contains(where: { $0.localID == key.localID }) { return nil }
      keys.append(key)
    }
    return keys == first.keys ? first : MetadataSampleDescription(keys: keys)
  }
}

// MARK: - Samples

extension MetadataSampleDescription {
  /// A sample that says that there is nothing.
  package static let emptySample: [UInt8] = [0, 0, 0, 8, 0, 0, 0, 0]

  /// The values that a sample holds, in its order; boxes of unknown keys and what is cut off are left out.
  package func values(
    in sample: [UInt8], maximum: Int = 10_000
  ) -> [(key: Key, value: MetadataEntry.Value)] {
    var found: [(key: Key, value: MetadataEntry.Value)] = []
    for box in BoxSequence(sample).prefix(maximum) where !box.isCutOff {
      guard let key = keys.first(where: { $0.localID == box.type.rawValue }) else { continue }
      let value: MetadataEntry.Value =
        switch key.dataType {
        case .wellKnown(let type)?: ItemValue.value(type: type, key: "", sample, box.payload)
        case .named, nil: .data(box.payload)
        }
      found.append((key, value))
    }
    return found
  }

  /// A sample of these values; the one that says that there is nothing where there are none.
  package static func sample(_ values: [(key: Key, bytes: [UInt8])]) -> [UInt8] {
    guard !values.isEmpty else { return emptySample }
    var builder = BoxBuilder()
    for (key, bytes) in values {
      builder.box(FourCharacterCode(rawValue: key.localID)) { $0.append(bytes[...]) }
    }
    return builder.bytes
  }

  /// The bytes of a value under a key.
  ///
  /// - Throws: Where the value is not of the key's data type.
  package static func bytes(
    of content: MetadataBoxChange.Content, under key: Key
  ) throws(UnstorableValue) -> [UInt8] {
    let name = String(decoding: key.name, as: UTF8.self)
    func refuse(_ type: String) -> UnstorableValue { UnstorableValue(key: name, reason: "the value is no \(type)") }
    guard case .wellKnown(let type)? = key.dataType else {
      switch content {
      case .data(let bytes): return bytes
      case .text(let text): return Array(text.utf8)
      default: throw refuse("text and no bytes, which its own data type wants")
      }
    }
    switch (type, content) {
    case (1, .text(let text)): return Array(text.utf8)
    case (2, .text(let text)): return text.utf16.flatMap { [UInt8($0 >> 8), UInt8($0 & 0xFF)] }
    case (1, _), (2, _): throw refuse("text")
    case (23, .real(let number)): return Float(number).bitPattern.bigEndianBytes()
    case (24, .real(let number)): return number.bitPattern.bigEndianBytes()
    case (23, .integer(let number)): return Float(number).bitPattern.bigEndianBytes()
    case (24, .integer(let number)): return Double(number).bitPattern.bigEndianBytes()
    case (23, _), (24, _): throw refuse("number")
    case (_, .integer(let number)):
      guard let (size, isSigned) = sizes[type] else { throw refuse("whole number, as its data type is") }
      let bits = Int64(8 * size)
      let fits =
        bits == 64
        ? isSigned || number >= 0
        : isSigned ? (-1...0).contains(number >> (bits - 1)) : number >> bits == 0
      guard fits else { throw UnstorableValue(key: name, reason: "\(number) does not fit into \(size) bytes") }
      return UInt64(bitPattern: number).bigEndianBytes(size)
    case (_, .reals(let numbers)):
      guard let count = counts[type], count == numbers.count else { throw refuse("list of so many numbers") }
      return numbers.flatMap { type == 79 ? $0.bitPattern.bigEndianBytes() : Float($0).bitPattern.bigEndianBytes() }
    case (_, .data(let bytes)) where sizes[type] == nil && counts[type] == nil: return bytes
    default: throw refuse("value of its data type")
    }
  }

  /// Bytes of whole numbers.
  private static let sizes: [UInt32: (size: Int, isSigned: Bool)] = [
    21: (8, true), 22: (8, false), 65: (1, true), 66: (2, true), 67: (4, true), 74: (8, true), 75: (1, false),
    76: (2, false), 77: (4, false), 78: (8, false),
  ]
  /// Numbers of a point, a size, a rectangle, a matrix.
  private static let counts: [UInt32: Int] = [70: 2, 71: 2, 72: 4, 79: 9]
}
