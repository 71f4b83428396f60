import ISOMedia
import LibAV

/// What a track is in the file besides its samples; made from an input's properties when writing starts.
struct StreamPlan: Sendable {
  /// Ticks a second that the samples' times need; nil: the source's own.
  var timescale: Int32?
  var isSparse = false
  var isEncoded = false
  var metadata: [String: String] = [:]
  var displayMatrix: [Int32]?
  var isEnabled = true
  var alternateGroup: Int16?
  var extendedLanguage: String?
  var volume: Int16?
  /// Tracks by number, for each kind of association.
  var associations: [(kind: String, track: Int)] = []
  /// The eight numbers of `clap`.
  var cleanAperture: [UInt32]?
  /// The source's presented end: later samples are edited out.
  var presentedEnd: MediaTime?
  var disposition: StreamInfo.Disposition = []
  var averageFrameRate: Rational?
  var expectedSampleCount: Int?
  /// How far decoding runs ahead of showing, where decode times are made; nil: what the first samples tell.
  var reorderDelay: MediaTime?
  /// How much of the track lies together in the file; invalid: as the order of all tracks gives it.
  var chunkDuration = MediaTime.invalid
  /// The sample entry of a track of timed metadata. libav writes none: it is told of metadata that it knows, of a maker of
  /// cameras, and its entry is replaced in the header.
  var metadataEntry: [UInt8]?
  /// What the track is about.
  var metadataItems: [MetadataItem] = []
}

/// What was written of a track, in its own ticks from the session's start.
struct TrackTally: Sendable {
  /// Seconds of a tick.
  var tick: Rational
  private(set) var firstDecoding: Int64?
  private(set) var firstPresentation: Int64 = 0
  private(set) var end: Int64 = 0
  private(set) var lastDecoding: Int64?
  private(set) var lastDelta: Int64 = 0
  private(set) var count = 0

  init(tick: Rational) { self.tick = tick }

  mutating func add(_ times: Muxer.Times) {
    if let last = lastDecoding { lastDelta = times.decoding - last }
    if firstDecoding == nil {
      firstDecoding = times.decoding
      firstPresentation = times.presentation
      end = times.presentation
    }
    firstPresentation = min(firstPresentation, times.presentation)
    end = max(end, times.presentation + times.duration)
    lastDecoding = times.decoding
    count += 1
  }

  /// The edit list that presents what lies between zero and `limit`, in a movie of `timescale` ticks a second.
  func edits(timescale: Int64, limit: Int64?) -> [EditListEntry] {
    guard let firstDecoding else { return [] }
    let end = min(self.end, limit ?? self.end)
    let start = max(0, firstPresentation)
    func ticks(_ value: Int64) -> UInt64 {
      let movie = Rational(1, timescale) ?? .one
      return UInt64(max(0, Rational.rescale(value, from: tick, to: movie) ?? 0))
    }
    guard end > start else {
      // Nothing is presented: an edit of no length, which players take for an empty track.
      return [EditListEntry(segmentDuration: 0, mediaTime: start - firstDecoding, mediaRate: 0x10000)]
    }
    var entries: [EditListEntry] = []
    if start > 0 { entries.append(EditListEntry(segmentDuration: ticks(start), mediaTime: -1, mediaRate: 0x10000)) }
    entries.append(
      EditListEntry(segmentDuration: ticks(end) - ticks(start), mediaTime: start - firstDecoding, mediaRate: 0x10000))
    return entries
  }
}
