/// An exact time in a test: a fraction of a second in lowest terms.
package struct ClipTime: Hashable, Comparable, Sendable, CustomStringConvertible {
  package let value: Int64
  /// Always positive.
  package let timescale: Int64

  package init(_ value: Int64, _ timescale: Int64) {
    precondition(timescale != 0, "A time needs a timescale other than zero.")
    var (larger, smaller) = (value.magnitude, timescale.magnitude)
    while smaller != 0 { (larger, smaller) = (smaller, larger % smaller) }
    let divisor = Int64(max(larger, 1)) * (timescale < 0 ? -1 : 1)
    self.value = value / divisor
    self.timescale = timescale / divisor
  }

  package static let zero = ClipTime(0, 1)

  package var seconds: Double { Double(value) / Double(timescale) }
  package var description: String { "\(value)/\(timescale)" }

  package static func + (left: ClipTime, right: ClipTime) -> ClipTime {
    ClipTime(
      left.value * right.timescale + right.value * left.timescale, left.timescale * right.timescale)
  }

  package static func - (left: ClipTime, right: ClipTime) -> ClipTime {
    ClipTime(
      left.value * right.timescale - right.value * left.timescale, left.timescale * right.timescale)
  }

  package static func * (left: ClipTime, right: Int64) -> ClipTime {
    ClipTime(left.value * right, left.timescale)
  }

  package static func < (left: ClipTime, right: ClipTime) -> Bool {
    left.value * right.timescale < right.value * left.timescale
  }
}
