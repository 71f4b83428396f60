import ISOMedia
import LibAV

/// A track of a writer of segments: what waits to be written, and what the header says of its times.
struct SegmentedTrack {
  var number: Int
  /// Seconds of a tick.
  var tick = Rational.one
  var plan: StreamPlan
  var mediaType: MediaType
  var times: DecodeTimeMaker
  var held: DecodeTimeMaker.Sample?
  /// Samples of the segment after the one that is being written.
  var next: [DecodeTimeMaker.Sample] = []
  var lastDecoding: Int64?
  /// How far the media's time runs ahead of the presentation's: decoding begins before zero.
  var lead: Int64?
  var content = SegmentContent()

  /// The edit list, of which nobody knows how long the media will be.
  ///
  /// Presentation runs behind decoding by the lead, so that one entry hides what comes before zero. A track that begins
  /// later, with something to be hidden before, says so by an empty edit of the same length as the media that it hides:
  /// players that pass over empty edits are still in step.
  ///
  /// - Parameter first: The track's first sample, where it comes after the first segment.
  func edits(timescale: Int64, first: (presentation: Int64, shown: Int64)?) -> [EditListEntry] {
    let lead = lead ?? 0
    if lead > 0 { return [EditListEntry(segmentDuration: 0, mediaTime: lead, mediaRate: 0x10000)] }
    let first = content.count > 0 ? (content.firstPresentation, content.firstShown ?? 0) : first
    guard let (begin, shown) = first, shown > begin, shown > 0,
      let length = Rational.rescale(shown, from: tick, to: Rational(1, timescale) ?? .one)
    else { return [] }
    return [
      EditListEntry(segmentDuration: UInt64(length), mediaTime: -1, mediaRate: 0x10000),
      EditListEntry(segmentDuration: 0, mediaTime: shown, mediaRate: 0x10000),
    ]
  }
}
