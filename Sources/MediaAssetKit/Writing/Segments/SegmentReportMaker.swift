import ISOMedia
import LibAV

/// What was written of a track into one segment, in the track's ticks from the session's start.
struct SegmentContent: Sendable {
  private(set) var firstDecoding: Int64?
  private(set) var firstPresentation: Int64 = 0
  private(set) var end: Int64 = 0
  private(set) var count = 0
  private(set) var lastDelta: Int64 = 0
  /// Where the presentation begins, as far as the source says.
  private(set) var firstShown: Int64?
  /// Presentation time of the first sample in decode order.
  private(set) var leading: Int64 = 0

  mutating func add(_ sample: DecodeTimeMaker.Sample, end: Int64, delta: Int64) {
    if firstDecoding == nil {
      firstDecoding = sample.decoding
      (firstPresentation, leading) = (sample.presentation, sample.presentation)
      self.end = end
    }
    firstPresentation = min(firstPresentation, sample.presentation)
    if let shown = sample.shownStart { firstShown = min(firstShown ?? shown, shown) }
    self.end = max(self.end, end)
    lastDelta = delta
    count += 1
  }

  mutating func reset() {
    let delta = lastDelta
    self = SegmentContent()
    lastDelta = delta
  }
}

/// Says what is in a segment.
struct SegmentReportMaker {
  struct Track {
    var id: UInt32
    var mediaType: MediaType
    /// Seconds of a tick.
    var tick: Rational
    var content: SegmentContent
  }

  /// nil for inputs without a track.
  var tracks: [Track?]
  var reference: Int
  /// Where the next segment begins; nil behind the last.
  var boundary: MediaTime?

  /// - Parameters:
  ///   - moof: The fragment's box, which says where samples lie.
  ///   - offset: Where it begins in the segment.
  func report(moof: [UInt8], offset: Int) -> Writer.SegmentReport {
    let fragment = try? MovieFragment.parse(moof, at: Int64(offset), defaults: [])
    var reports: [Writer.SegmentReport.TrackReport] = []
    for (index, track) in tracks.enumerated() {
      guard let track, track.content.count > 0 else { continue }
      // What comes before zero is hidden.
      let first = MediaTime(
        ticks: max(0, track.content.firstShown ?? track.content.firstPresentation), timeBase: track.tick)
      var end = MediaTime(ticks: max(0, track.content.end), timeBase: track.tick)
      if index == reference, let boundary { end = boundary }
      reports.append(
        .init(
          trackID: Int32(clamping: track.id), mediaType: track.mediaType, earliestPresentationTimeStamp: first,
          duration: end > first ? end - first : .zero, sampleCount: track.content.count,
          firstVideoSampleInformation: track.mediaType == .video ? sample(track, fragment, moof) : nil))
    }
    return Writer.SegmentReport(trackReports: reports)
  }

  private func sample(
    _ track: Track, _ fragment: MovieFragment?, _ moof: [UInt8]
  ) -> Writer.SegmentReport.SampleInformation? {
    guard let run = fragment?.tracks.first(where: { $0.trackID == track.id })?.runs.first else { return nil }
    var samples = run.samples(in: moof, from: 0)
    guard let sample = samples.next() else { return nil }
    return .init(
      presentationTimeStamp: MediaTime(ticks: track.content.leading, timeBase: track.tick),
      offset: Int(clamping: sample.offset), length: Int(sample.size), isSyncSample: sample.isSync)
  }
}
