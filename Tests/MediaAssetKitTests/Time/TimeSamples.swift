@testable import MediaAssetKit

/// Random times that visit every size and the edges; the same ones for the same seed.
struct TimeSamples: RandomNumberGenerator {
  private var state: UInt64

  init(seed: UInt64) { state = seed }

  /// SplitMix64.
  mutating func next() -> UInt64 {
    state &+= 0x9E37_79B9_7F4A_7C15
    var mixed = state
    mixed = (mixed ^ (mixed >> 30)) &* 0xBF58_476D_1CE4_E5B9
    mixed = (mixed ^ (mixed >> 27)) &* 0x94D0_49BB_1331_11EB
    return mixed ^ (mixed >> 31)
  }

  /// One in eight is an edge; the others have a random number of bits.
  mutating func integer() -> Int64 {
    let edges: [Int64] = [0, 1, -1, 2, .max, .min, .max - 1, .min + 1]
    if next() % 8 == 0 { return edges[Int(next() % 8)] }
    let bits = Int64(bitPattern: next()) >> Int64(next() % 63)
    return bits
  }

  /// Half are timescales of real media.
  mutating func timescale() -> Int32 {
    let common: [Int32] = [
      1, 2, 24, 25, 30, 600, 1000, 24_000, 30_000, 44_100, 48_000, 90_000, 1_000_000,
      1_000_000_000, .max, .max - 1,
    ]
    if next() % 2 == 0 { return common[Int(next() % UInt64(common.count))] }
    return max(1, Int32(truncatingIfNeeded: next() >> 33) >> Int32(next() % 31))
  }

  mutating func time() -> MediaTime {
    MediaTime(value: integer(), timescale: timescale())
  }

  /// Up to a few days at the timescales of real media.
  mutating func ordinaryTime() -> MediaTime {
    let timescale = timescale()
    let seconds = Int64(next() % 200_000) - 50_000
    return MediaTime(
      value: seconds * Int64(timescale) + Int64(next() % UInt64(timescale)), timescale: timescale)
  }

  mutating func duration() -> MediaTime {
    let time = next() % 2 == 0 ? ordinaryTime() : time()
    let value = time.value == .min ? .max : abs(time.value)
    return MediaTime(value: max(1, value), timescale: time.timescale)
  }
}

/// Whether two times are the same in every field, which `==` does not ask.
func isIdentical(_ left: MediaTime, _ right: MediaTime) -> Bool {
  left.value == right.value && left.timescale == right.timescale && left.flags == right.flags
    && left.epoch == right.epoch
}

extension MediaTime {
  static func epoch(_ epoch: Int64, _ value: Int64, _ timescale: Int32 = 1) -> MediaTime {
    MediaTime(value: value, timescale: timescale, flags: .valid, epoch: epoch)
  }

  static func rounded(_ value: Int64, _ timescale: Int32) -> MediaTime {
    MediaTime(value: value, timescale: timescale, flags: [.valid, .hasBeenRounded], epoch: 0)
  }

  init(_ value: Int64, _ timescale: Int32) {
    self.init(value: value, timescale: timescale)
  }
}
