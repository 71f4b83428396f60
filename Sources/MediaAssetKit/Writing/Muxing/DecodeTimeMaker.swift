import LibAV

/// Gives decode times to samples whose container states none. Pure arithmetic on ticks.
///
/// The decode times of a stream are its presentation times in order, put back by as much as reordering needs. Samples
/// that have decode times pass through at once; the others are held until the reordering is known.
struct DecodeTimeMaker: Sendable {
  struct Sample: Sendable {
    var packet: Packet
    var presentation: Int64
    var decoding: Int64?
    var duration: Int64
    /// The end of its presentation in the source's time, exactly; invalid when unknown.
    var end = MediaTime.invalid
    /// Its presentation time in the source's time, exactly.
    var time = MediaTime.invalid
    /// Where the presentation begins as far as it tells, in ticks; nil when nothing of it is presented.
    var shownStart: Int64?
  }

  /// Codecs in use hold back 16 pictures at most.
  private static let window = 17

  private let reorders: Bool
  private var held: [Sample] = []
  /// Presentation times that no decode time was made from, ascending.
  private var times: [Int64] = []
  private var delay: Int64?
  private var last: Int64?

  /// - Parameter delay: How far decoding runs ahead of showing, in ticks; nil: what the first samples tell.
  init(reorders: Bool, delay: Int64? = nil) {
    self.reorders = reorders
    self.delay = delay
  }

  /// What can be written now, in order.
  mutating func add(_ sample: Sample) -> [Sample] {
    if held.isEmpty, !reorders || sample.decoding != nil {
      var sample = sample
      sample.decoding = sample.decoding ?? sample.presentation
      last = sample.decoding
      return [sample]
    }
    hold(sample)
    guard held.count >= Self.window else { return [] }
    return [release()]
  }

  /// What is left.
  mutating func finish() -> [Sample] {
    var samples: [Sample] = []
    while !held.isEmpty { samples.append(release()) }
    return samples
  }

  private mutating func hold(_ sample: Sample) {
    held.append(sample)
    let place = times.firstIndex { $0 > sample.presentation } ?? times.endIndex
    times.insert(sample.presentation, at: place)
  }

  private mutating func release() -> Sample {
    if delay == nil {
      // How far the n-th presentation time lies behind that of the n-th sample, at most.
      delay = zip(times, held).map { $0 - $1.presentation }.max() ?? 0
    }
    var sample = held.removeFirst()
    let time = sample.decoding ?? min(times[0] - (delay ?? 0), sample.presentation)
    times.removeFirst()
    sample.decoding = last.map { max(time, $0 + 1) } ?? time
    last = sample.decoding
    return sample
  }
}
