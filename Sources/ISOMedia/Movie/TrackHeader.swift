/// A track of a movie header: what `trak` says, except the samples.
package struct TrackHeader: Sendable {
  /// The whole `trak` box in the movie's bytes.
  package var range: Range<Int>

  // MARK: tkhd

  /// 0 when the track has no readable `tkhd`.
  package var trackID: UInt32 = 0
  package var flags = Flags()
  /// Seconds since 1904-01-01 UTC; 0 when not set.
  package var creationTime: UInt64 = 0
  package var modificationTime: UInt64 = 0
  /// In the movie's timescale; nil when unknown (all ones or zero).
  package var duration: UInt64?
  package var layer: Int16 = 0
  package var alternateGroup: Int16 = 0
  /// 8.8 fixed point.
  package var volume: Int16 = 0
  package var matrix = TransformMatrix.identity
  /// 16.16 fixed point.
  package var width: UInt32 = 0
  package var height: UInt32 = 0

  // MARK: edts, tref, tapt, load, udta, meta

  /// `elst` as stored; nil without one.
  package var edits: [EditListEntry]?
  package var references: [TrackReference] = []
  package var apertures: TrackApertures?
  package var loadSettings: TrackLoadSettings?
  /// Payload of `trak/udta` and `trak/meta` in the movie's bytes.
  package var userData: Range<Int>?
  package var metadata: Range<Int>?

  // MARK: mdia

  /// Ticks per second of the samples' times; 0 in a damaged file.
  package var mediaTimescale: UInt32 = 0
  /// In ``mediaTimescale``; nil when unknown (all ones or zero).
  package var mediaDuration: UInt64?
  package var mediaCreationTime: UInt64 = 0
  package var mediaModificationTime: UInt64 = 0
  /// ISO 639-2/T; nil when undetermined.
  package var language: String?
  /// The stored 16 bits of the language.
  package var packedLanguage: UInt16 = 0x7FFF
  /// `elng`: a BCP 47 tag.
  package var extendedLanguage: String?
  /// The media handler of `hdlr`: `vide`, `soun`, `text`, …; zero without one.
  package var handler = FourCharacterCode(rawValue: 0)
  package var handlerName = ""
  /// Which media information header there is: `vmhd`, `smhd`, `nmhd`, `gmhd`, `sthd` or `hmhd`.
  package var mediaInformationHeader: FourCharacterCode?
  package var dataReferences: [DataReference] = []

  // MARK: stbl

  package var sampleDescriptions: [SampleDescription] = []
  package var samples = SampleTableLayout()

  /// Bits of `tkhd`.
  package struct Flags: OptionSet, Hashable, Sendable {
    package let rawValue: UInt32
    package init(rawValue: UInt32) { self.rawValue = rawValue }

    package static let enabled = Flags(rawValue: 1)
    package static let inMovie = Flags(rawValue: 2)
    package static let inPreview = Flags(rawValue: 4)
    package static let sizeIsAspectRatio = Flags(rawValue: 8)
  }

  /// Whether every data reference that a sample description uses points into this file.
  package var isSelfContained: Bool {
    sampleDescriptions.allSatisfy { description in
      let index = Int(description.dataReferenceIndex) - 1
      return !dataReferences.indices.contains(index) || dataReferences[index].isSelfContained
    }
  }

  /// The file that the track's media lies in, where that is another one and has a name.
  package var foreignReference: String? {
    for entry in sampleDescriptions {
      let index = Int(entry.dataReferenceIndex) - 1
      guard dataReferences.indices.contains(index), !dataReferences[index].isSelfContained else { continue }
      if let text = dataReferences[index].text { return text }
    }
    return nil
  }

  /// The tracks that a reference of a type names.
  package func references(ofType type: FourCharacterCode) -> [UInt32] {
    references.filter { $0.type == type }.flatMap(\.trackIDs)
  }
}

/// An entry of `elst`, as stored.
package struct EditListEntry: Hashable, Sendable {
  /// In the movie's timescale; 0 in fragmented files means "all that follows".
  package var segmentDuration: UInt64
  /// In the media's timescale; -1 for an empty edit.
  package var mediaTime: Int64
  /// 16.16 fixed point; 0 dwells on one picture.
  package var mediaRate: Int32

  package var isEmpty: Bool { mediaTime == -1 }

  package init(segmentDuration: UInt64, mediaTime: Int64, mediaRate: Int32) {
    self.segmentDuration = segmentDuration
    self.mediaTime = mediaTime
    self.mediaRate = mediaRate
  }
}

/// A child of `tref`: a kind of reference and the tracks that it names.
package struct TrackReference: Hashable, Sendable {
  package var type: FourCharacterCode
  package var trackIDs: [UInt32]

  package init(type: FourCharacterCode, trackIDs: [UInt32]) {
    self.type = type
    self.trackIDs = trackIDs
  }
}

/// `tapt`: sizes in 16.16 fixed point.
package struct TrackApertures: Hashable, Sendable {
  package struct Size: Hashable, Sendable {
    package var width: UInt32
    package var height: UInt32
  }

  package var clean: Size?
  package var production: Size?
  package var encodedPixels: Size?
}

/// `load`: QuickTime's preload settings.
package struct TrackLoadSettings: Hashable, Sendable {
  package var preloadStart: UInt32
  package var preloadDuration: UInt32
  package var preloadFlags: UInt32
  package var defaultHints: UInt32
}
