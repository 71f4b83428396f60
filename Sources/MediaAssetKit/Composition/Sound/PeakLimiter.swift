/// Brings peaks above full scale down before they come: the gain falls evenly over the 5 ms before one and rises slowly.
struct PeakLimiter {
  private let lookAhead: Int
  private let release: Float
  private var gain: Float = 1
  private var held: [[Float]]

  init(channels: Int, sampleRate: Int) {
    lookAhead = max(1, sampleRate / 200)
    release = 1 / Float(max(1, sampleRate / 10))
    held = [[Float]](repeating: [], count: channels)
  }

  /// Samples that can be given; those of the last 5 ms are held unless these are the last.
  mutating func limit(_ block: [[Float]], isLast: Bool) -> [[Float]] {
    for channel in held.indices { held[channel] += block[channel] }
    let count = held.first?.count ?? 0
    let given = isLast ? count : max(0, count - lookAhead)
    var result = held.map { Array($0.prefix(given)) }
    let peaks = (0..<count).map { index in held.reduce(Float(0)) { max($0, abs($1[index])) } }
    // What the gain must be at most for each sample: at a peak its reciprocal, before it on the way down.
    var ceilings = peaks.map { $0 > 1 ? 1 / $0 : 1 }
    let slope = 1 / Float(lookAhead)
    for index in stride(from: count - 2, through: 0, by: -1) {
      ceilings[index] = min(ceilings[index], ceilings[index + 1] + slope)
    }
    for index in 0..<given {
      gain = min(ceilings[index], gain + release)
      for channel in result.indices { result[channel][index] *= gain }
    }
    for channel in held.indices { held[channel].removeFirst(given) }
    return result
  }
}
