import MediaAssetKit
import Testing

/// Checks that a time is a fraction exactly, or else the nearest there is and marked as rounded.
func expectNearest(
  _ time: MediaTime, to exact: ExactFraction, sourceLocation: SourceLocation = #_sourceLocation
) {
  if exact.fitsTime {
    #expect(
      time.isNumeric && ExactFraction(time) == exact && !time.hasBeenRounded,
      "\(time) is not \(exact)", sourceLocation: sourceLocation)
    return
  }
  guard exact.rounded64(.toNearestOrAwayFromZero) != nil else {
    #expect(
      exact.sign < 0 ? time.isNegativeInfinity : time.isPositiveInfinity,
      "\(time) is not \(exact)", sourceLocation: sourceLocation)
    return
  }
  #expect(time.hasBeenRounded, sourceLocation: sourceLocation)
  // Rounding to any one timescale must not come nearer.
  let error = (ExactFraction(time) - exact).magnitude
  for timescale: Int32 in [.max, .max - 1, 1_000_000_000, 90_000, 1] {
    guard let value = (exact * ExactFraction(timescale, 1)).rounded64(.toNearestOrEven) else {
      continue
    }
    #expect(
      !((ExactFraction(value, timescale) - exact).magnitude < error),
      "\(time) is not the nearest to \(exact)", sourceLocation: sourceLocation)
  }
}
