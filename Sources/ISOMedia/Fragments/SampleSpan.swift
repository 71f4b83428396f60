/// The time that samples of a track take, in media ticks.
package struct SampleSpan: Hashable, Sendable {
  package var decodeStart: Int64
  package var decodeEnd: Int64
  package var presentationStart: Int64
  package var presentationEnd: Int64
  package var sampleCount: UInt64

  /// The smallest span that holds both.
  package mutating func formUnion(_ other: SampleSpan) {
    decodeStart = min(decodeStart, other.decodeStart)
    decodeEnd = max(decodeEnd, other.decodeEnd)
    presentationStart = min(presentationStart, other.presentationStart)
    presentationEnd = max(presentationEnd, other.presentationEnd)
    sampleCount &+= other.sampleCount
  }

  package init(
    decodeStart: Int64, decodeEnd: Int64, presentationStart: Int64, presentationEnd: Int64,
    sampleCount: UInt64
  ) {
    self.decodeStart = decodeStart
    self.decodeEnd = decodeEnd
    self.presentationStart = presentationStart
    self.presentationEnd = presentationEnd
    self.sampleCount = sampleCount
  }
}

extension TrackFragment {
  /// The time that the fragment's samples take; nil without samples.
  ///
  /// Reads the durations and composition offsets in `bytes`; where all samples use the defaults it
  /// multiplies, so that a claimed count costs nothing.
  ///
  /// - Parameter start: Decode time to use without `tfdt`.
  package func span(in bytes: [UInt8], from start: Int64) -> SampleSpan? {
    var time = baseDecodeTime.map { Int64(truncatingIfNeeded: $0) } ?? start
    var result: SampleSpan?
    for run in runs where run.sampleCount > 0 {
      let span = run.span(in: bytes, from: time)
      time = span.decodeEnd
      if result == nil { result = span } else { result?.formUnion(span) }
    }
    return result
  }
}

extension TrackRun {
  func span(in bytes: [UInt8], from start: Int64) -> SampleSpan {
    var span = SampleSpan(
      decodeStart: start, decodeEnd: start, presentationStart: .max, presentationEnd: .min,
      sampleCount: UInt64(sampleCount))
    guard !flags.isDisjoint(with: [.durations, .compositionOffsets]) else {
      let total = UInt64(sampleCount) * UInt64(defaultDuration)
      span.decodeEnd = start &+ Int64(truncatingIfNeeded: total)
      span.presentationStart = start
      span.presentationEnd = span.decodeEnd
      return span
    }
    var samples = samples(in: bytes, from: start)
    while let sample = samples.next() {
      let time = sample.presentationTime
      span.presentationStart = min(span.presentationStart, time)
      span.presentationEnd = max(span.presentationEnd, time &+ Int64(sample.duration))
    }
    span.decodeEnd = samples.decodeTime
    return span
  }
}
