/// What is to become of a movie header that a muxer wrote: the boxes that it can't write, or writes otherwise than meant.
package struct MovieEdit: Sendable {
  /// By track ID.
  package var tracks: [UInt32: TrackEdit] = [:]
  /// How far the media data moves in the file, in bytes.
  package var mediaDataShift: Int64 = 0
  /// Ticks per second of the movie and of every edit; nil keeps what is there.
  package var timescale: UInt32?
  /// Leaves the durations of the movie and its tracks as they are: those of fragments are not known yet, and count as zero.
  package var keepsDurations = false
  /// Lengths are filled in later, when the media is known: edits of 64 bits, and zero for the movie and its tracks, whose
  /// own samples are none.
  package var leavesRoom = false
  /// The length with all fragments (`mehd`), in the movie's ticks; nil writes none.
  package var fragmentDuration: UInt64?
  /// 16.16 fixed point.
  package var preferredRate: Int32?
  /// 8.8 fixed point.
  package var preferredVolume: Int16?
  package var matrix: TransformMatrix?
  /// An entry of `dref` with its header in place of all that there are: the file that the media is in.
  package var dataReference: [UInt8]?

  package init() {}
}

/// What is to become of one track.
package struct TrackEdit: Sendable {
  /// The new edit list, in the movie's and the media's ticks; nil leaves the track as it is, an empty one removes it.
  package var edits: [EditListEntry]?
  package var isEnabled: Bool?
  package var alternateGroup: Int16?
  package var layer: Int16?
  package var matrix: TransformMatrix?
  /// 8.8 fixed point.
  package var volume: Int16?
  /// Track references to add: their kind and the tracks.
  package var references: [TrackReference] = []
  /// ISO 639-2/T, for `mdhd`: libav writes the old numbers of QuickTime, which have no word for most languages.
  package var language: String?
  /// A BCP 47 tag for `elng`.
  package var extendedLanguage: String?
  /// The eight numbers of `clap`.
  package var cleanAperture: [UInt32]?
  /// What the track is instead of the one that libav wrote: a track of timed metadata.
  package var metadata: MetadataTrackEdit?

  package init() {}

  /// In the movie's ticks.
  var duration: UInt64? {
    edits.map { $0.reduce(0) { $0.addingReportingOverflow($1.segmentDuration).partialValue } }
  }
}

/// A track of timed metadata in place of another one of the handler `meta`, whose samples are kept.
package struct MetadataTrackEdit: Hashable, Sendable {
  /// The sample entry.
  package var entry: [UInt8]
  /// Whether boxes are QuickTime's, not MPEG-4's.
  package var isQuickTime: Bool

  package init(entry: [UInt8], isQuickTime: Bool) {
    self.entry = entry
    self.isQuickTime = isQuickTime
  }
}
