/// Plays sound faster or slower at its own pitch: overlapping pieces of it are put closer together or further apart, each
/// where it joins best with the one before (waveform-similarity overlap-add).
struct TimeStretcher {
  /// How many samples of the source one of the result stands for.
  private let speed: Double
  private let channels: Int
  /// Half of a piece.
  private let hop: Int
  /// How far a piece may be moved to join better.
  private let reach: Int
  private let window: [Float]

  /// Samples of the source from `base` on.
  private var source: [[Float]]
  private var base = 0
  /// Pieces put so far, and where the last one lies in the source.
  private var pieces = 0
  private var last = 0
  /// The second half of the last piece, faded out.
  private var tail: [[Float]]

  init(speed: Rational, channels: Int, sampleRate: Int) {
    self.speed = speed.doubleValue
    self.channels = channels
    hop = max(16, sampleRate / 66)
    reach = max(8, sampleRate / 100)
    window = (0..<hop).map { 0.5 - 0.5 * cosine(Double($0) / Double(max(16, sampleRate / 66))) }
    source = [[Float]](repeating: [], count: channels)
    tail = [[Float]](repeating: [Float](repeating: 0, count: max(16, sampleRate / 66)), count: channels)
  }

  /// The next samples of the result. `read` gives so many more of the source, silence behind its end.
  mutating func next(_ read: (Int) async throws -> [[Float]]) async throws -> [[Float]] {
    let wanted = max(0, Int((speed * Double((pieces + 1) * hop)).rounded()) - hop)
    let needed = max(wanted + reach, last + hop) + 2 * hop
    if base + source[0].count < needed {
      let more = try await read(needed - base - source[0].count)
      for channel in 0..<channels { source[channel] += more[channel] }
    }
    let place = pieces == 0 ? 0 : bestPlace(near: wanted, after: last + hop)
    var result = tail
    for channel in 0..<channels {
      let first = place - base
      for index in 0..<hop {
        // The first piece has nothing to fade in over.
        let rising = pieces == 0 ? 1 : window[index]
        result[channel][index] += source[channel][first + index] * rising
        tail[channel][index] = source[channel][first + hop + index] * (1 - window[index])
      }
    }
    last = place
    pieces += 1
    dropPassed()
    return result
  }

  private mutating func dropPassed() {
    let wanted = max(0, Int((speed * Double((pieces + 1) * hop)).rounded()) - hop)
    let keep = min(max(0, wanted - reach), last + hop)
    // Behind large jumps there may be nothing to drop yet.
    let passed = min(keep - base, source[0].count)
    guard passed > 8 * hop else { return }
    for channel in 0..<channels { source[channel].removeFirst(passed) }
    base += passed
  }

  /// The place near the wanted one where the source is most like what would have followed the last piece.
  private func bestPlace(near wanted: Int, after natural: Int) -> Int {
    let low = max(base, wanted - reach)
    let high = wanted + reach
    func best(_ places: StrideThrough<Int>, step: Int) -> Int {
      var found = (place: wanted, score: -Float.infinity)
      for place in places where place >= low && place <= high {
        let score = likeness(place, natural, step: step)
        if score > found.score { found = (place, score) }
      }
      return found.place
    }
    let coarse = best(stride(from: low, through: high, by: 8), step: 4)
    return best(stride(from: coarse - 8, through: coarse + 8, by: 1), step: 1)
  }

  private func likeness(_ place: Int, _ natural: Int, step: Int) -> Float {
    var (product, energy) = (Float(0), Float(1e-9))
    for channel in 0..<channels {
      source[channel].withUnsafeBufferPointer { samples in
        var index = 0
        while index < hop {
          let sample = samples[place - base + index]
          product += sample * samples[natural - base + index]
          energy += sample * sample
          index += step
        }
      }
    }
    return product / energy.squareRoot()
  }
}

#if canImport(Glibc)
  import Glibc
#elseif canImport(Darwin)
  import Darwin
#endif

/// The cosine of a share of a half turn.
private func cosine(_ share: Double) -> Float { Float(cos(share * Double.pi)) }
