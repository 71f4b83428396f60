/// What a `moov` box says, except the sample tables, which are read when asked for.
///
/// Costs some microseconds whatever the length of the film: nothing here walks samples.
/// Ranges point into ``bytes``, which this value shares with the caller without copying.
package struct MovieHeader: Sendable {
  /// The bytes of `moov` with its header.
  package let bytes: [UInt8]
  /// Ticks per second; 0 in a damaged file.
  package var timescale: UInt32 = 0
  /// In ``timescale``; nil when unknown (all ones or zero, as fragmented files have).
  package var duration: UInt64?
  /// Seconds since 1904-01-01 UTC; 0 when not set.
  package var creationTime: UInt64 = 0
  package var modificationTime: UInt64 = 0
  package var matrix = TransformMatrix.identity
  /// 16.16 fixed point.
  package var preferredRate: Int32 = 0x10000
  /// 8.8 fixed point.
  package var preferredVolume: Int16 = 0x100
  package var nextTrackID: UInt32 = 0
  /// The tracks in the order of the file.
  package var tracks: [TrackHeader] = []
  /// `mvex`: the file has, or may have, fragments.
  package var movieExtends: MovieExtends?
  /// Payload of `moov/udta` and `moov/meta`.
  package var userData: Range<Int>?
  package var metadata: Range<Int>?
  /// Damage that was stepped over.
  package var problems: [ISOMediaError] = []

  /// Whether any track has protected samples.
  package var hasProtection: Bool {
    tracks.contains { $0.sampleDescriptions.contains(where: \.isProtected) }
  }

  package func track(withID id: UInt32) -> TrackHeader? { tracks.first { $0.trackID == id } }

  init(bytes: [UInt8]) { self.bytes = bytes }
}

/// `mvex`: defaults for the fragments that follow.
package struct MovieExtends: Hashable, Sendable {
  /// `mehd`: duration with all fragments, in the movie's timescale.
  package var fragmentDuration: UInt64?
  package var tracks: [TrackExtends] = []
}

/// `trex`: what a track's fragments use where they say nothing themselves.
package struct TrackExtends: Hashable, Sendable {
  package var trackID: UInt32
  package var sampleDescriptionIndex: UInt32
  package var sampleDuration: UInt32
  package var sampleSize: UInt32
  package var sampleFlags: UInt32

  package init(
    trackID: UInt32, sampleDescriptionIndex: UInt32 = 1, sampleDuration: UInt32 = 0,
    sampleSize: UInt32 = 0, sampleFlags: UInt32 = 0
  ) {
    self.trackID = trackID
    self.sampleDescriptionIndex = sampleDescriptionIndex
    self.sampleDuration = sampleDuration
    self.sampleSize = sampleSize
    self.sampleFlags = sampleFlags
  }
}
