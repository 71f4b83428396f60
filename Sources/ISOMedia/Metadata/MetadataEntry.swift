/// One value of a movie's, a track's or a file's metadata, decoded as far as its box says what it is.
package struct MetadataEntry: Hashable, Sendable {
  /// The kind of box that an entry comes from; keys mean different things in each.
  package enum Store: Hashable, Sendable {
    /// `udta`: QuickTime's texts (`©nam`) and whatever else writers put there.
    case quickTimeUserData
    /// `udta`: the texts of 3GPP and MP4 (TS 26.244, 8).
    case isoUserData
    /// `meta` with the handler `mdir`: iTunes.
    case iTunes
    /// `meta` with the handler `mdta`: keys by name.
    case quickTimeMetadata
    /// `ID32` in `meta`: a whole ID3 tag.
    case id3
  }

  package enum Value: Hashable, Sendable {
    case text(String)
    case integer(Int64)
    case unsigned(UInt64)
    case real(Double)
    /// A point, a size, a rectangle, a matrix: numbers in the order of the box.
    case reals([Double])
    /// The n-th of m; 0 for unknown.
    case fraction(Int, of: Int)
    case location(StoredLocation)
    /// Bytes of the movie header.
    case data(Range<Int>)
  }

  package var store: Store
  /// The box's four characters, the name in `keys`, or `mean.name` of a freeform item.
  package var key: String
  /// Whether the key is `mean.name` of an iTunes `----` item.
  package var isFreeform = false
  /// The well-known type of a value in `data` (QuickTime File Format, "Well-known types"); nil elsewhere.
  package var type: UInt32?
  package var value: Value
  /// BCP 47 or ISO 639-2/T; nil when not stated.
  package var language: String?
  /// What stands beside the value: the classification's entity, the track number of `albm`.
  package var attributes: [String: String] = [:]

  package init(
    store: Store, key: String, isFreeform: Bool = false, type: UInt32? = nil, value: Value, language: String? = nil,
    attributes: [String: String] = [:]
  ) {
    self.store = store
    self.key = key
    self.isFreeform = isFreeform
    self.type = type
    self.value = value
    self.language = language
    self.attributes = attributes
  }
}

/// `loci`: a place (3GPP TS 26.244, 8.3).
package struct StoredLocation: Hashable, Sendable {
  package var name: String
  /// 0 shooting location, 1 real location, 2 fictional location.
  package var role: UInt8
  /// Degrees and metres, 16.16 fixed point.
  package var longitude: Int32
  package var latitude: Int32
  package var altitude: Int32
  package var body: String
  package var notes: String

  package init(
    name: String = "", role: UInt8 = 0, longitude: Int32, latitude: Int32, altitude: Int32, body: String = "",
    notes: String = ""
  ) {
    self.name = name
    self.role = role
    self.longitude = longitude
    self.latitude = latitude
    self.altitude = altitude
    self.body = body
    self.notes = notes
  }
}

/// An entry of Nero's `chpl`.
package struct NeroChapter: Hashable, Sendable {
  /// In units of 100 nanoseconds.
  package var start: UInt64
  package var title: String

  package init(start: UInt64, title: String) {
    self.start = start
    self.title = title
  }
}

extension MovieHeader {
  /// Everything that `udta` and `meta` of the movie hold, in the file's order; damage is stepped over.
  ///
  /// - Parameter isQuickTime: Whether the file is a QuickTime movie; `cprt` and `tagc` belong to it or to MP4.
  package func metadataEntries(isQuickTime: Bool, maximumBoxes: Int = 100_000) -> [MetadataEntry] {
    entries(userData, metadata, isQuickTime, maximumBoxes)
  }

  /// The same of a track.
  package func metadataEntries(
    of track: TrackHeader, isQuickTime: Bool, maximumBoxes: Int = 100_000
  ) -> [MetadataEntry] {
    entries(track.userData, track.metadata, isQuickTime, maximumBoxes)
  }

  private func entries(
    _ userData: Range<Int>?, _ metadata: Range<Int>?, _ isQuickTime: Bool, _ maximumBoxes: Int
  ) -> [MetadataEntry] {
    var state = ParseState(bytes, maximumBoxes: maximumBoxes)
    var found: [MetadataEntry] = []
    if let userData {
      UserDataParser(isQuickTime: isQuickTime).parse(userData, into: &found, &state)
    }
    if let metadata { MetadataBoxParser.parse(metadata, into: &found, &state) }
    return found
  }

  /// The chapters of `udta/chpl`, in the file's order; empty without one.
  package func neroChapters() -> [NeroChapter] {
    guard let userData else { return [] }
    var boxes = BoxSequence(bytes, in: userData)
    while let box = boxes.next() {
      guard box.type == "chpl" else { continue }
      var reader = ByteReader(bytes, in: box.payload)
      let (version, _) = reader.versionAndFlags()
      // Version 1 has a reserved byte and counts in 32 bits, of which other writers use the last 8.
      if version > 0 { reader.skip(1) }
      let count = version > 0 ? Int(reader.uint32()) : Int(reader.uint8())
      var chapters: [NeroChapter] = []
      while chapters.count < count, reader.remaining >= 9 {
        let start = reader.uint64()
        chapters.append(NeroChapter(start: start, title: reader.pascalString()))
      }
      return chapters
    }
    return []
  }
}
