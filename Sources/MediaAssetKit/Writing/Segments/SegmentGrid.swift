import LibAV

/// Where segments begin: at the first sync sample of each cell.
///
/// The encoder asks it which pictures have to be sync samples, the writer where to cut; so both agree.
struct SegmentGrid: Sendable {
  /// Where the first cell begins, in the samples' time.
  var origin: MediaTime
  /// The length of a cell; nil: cells begin where ``cuts`` say.
  var interval: Rational?
  /// Ascending.
  var cuts: [MediaTime] = []

  /// Coarse clocks put a picture that is meant to be at a boundary a little before it.
  private static let tolerance = MediaTime(value: 1, timescale: 1000)

  /// The number of the cell that a time lies in.
  func cell(of time: MediaTime) -> Int64 {
    let time = time + Self.tolerance
    guard let interval else { return Int64(cuts.prefix { $0 <= time }.count) }
    return (time - origin).ticks(in: interval, rounding: .down) ?? 0
  }
}
