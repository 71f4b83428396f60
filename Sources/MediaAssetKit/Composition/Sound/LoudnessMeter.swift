#if canImport(Glibc)
  import Glibc
#elseif canImport(Darwin)
  import Darwin
#endif

/// Measures the integrated loudness of sound as EBU R 128 and ITU-R BS.1770 say: weighted by frequency and channel, in
/// blocks of 400 ms every 100 ms, without what is silent or far below the rest.
struct LoudnessMeter {
  /// One second-order filter for every channel.
  private struct Filter {
    var b: (Double, Double, Double)
    var a: (Double, Double)
    var first = 0.0
    var second = 0.0

    mutating func apply(_ sample: Double) -> Double {
      let result = b.0 * sample + first
      first = b.1 * sample - a.0 * result + second
      second = b.2 * sample - a.1 * result
      return result
    }
  }

  private var filters: [(shelf: Filter, pass: Filter)]
  private let weights: [Double]
  private let hop: Int
  /// The energy of the last hops, and of the one that grows.
  private var hops: [Double] = []
  private var energy = 0.0
  private var count = 0
  private var blocks: [Double] = []

  init(channels: Int, layout: String?, sampleRate: Int) {
    let rate = Double(sampleRate)
    // The coefficients of BS.1770 for 48 kHz, as the analogue filters they come from.
    func warped(_ frequency: Double) -> Double { tan(Double.pi * frequency / rate) }
    let (k, q) = (warped(1681.974450955533), 0.7071752369554196)
    let high = pow(10, 3.999843853973347 / 20)
    let middle = pow(high, 0.4996667741545416)
    let scale = 1 + k / q + k * k
    let shelf = Filter(
      b: ((high + middle * k / q + k * k) / scale, 2 * (k * k - high) / scale, (high - middle * k / q + k * k) / scale),
      a: (2 * (k * k - 1) / scale, (1 - k / q + k * k) / scale))
    let (low, lowQ) = (warped(38.13547087602444), 0.5003270373238773)
    let lowScale = 1 + low / lowQ + low * low
    let pass = Filter(
      b: (1, -2, 1), a: (2 * (low * low - 1) / lowScale, (1 - low / lowQ + low * low) / lowScale))
    filters = [(shelf: Filter, pass: Filter)](repeating: (shelf, pass), count: channels)
    weights = Self.weights(layout, channels)
    hop = max(1, sampleRate / 10)
  }

  /// What is behind counts more, what is below 120 Hz alone not at all.
  private static func weights(_ layout: String?, _ channels: Int) -> [Double] {
    let known: [Double] =
      switch layout ?? "" {
      case "2.1": [1, 1, 0]
      case "quad", "quad(side)": [1, 1, 1.41, 1.41]
      case "5.0", "5.0(side)": [1, 1, 1, 1.41, 1.41]
      case "5.1", "5.1(side)": [1, 1, 1, 0, 1.41, 1.41]
      case "7.1", "7.1(wide)", "7.1(wide-side)": [1, 1, 1, 0, 1.41, 1.41, 1.41, 1.41]
      default: []
      }
    return known.count == channels ? known : [Double](repeating: 1, count: channels)
  }

  mutating func add(_ samples: [[Float]]) {
    for index in 0..<(samples.first?.count ?? 0) {
      for channel in samples.indices where weights[channel] > 0 {
        let shelved = filters[channel].shelf.apply(Double(samples[channel][index]))
        let value = filters[channel].pass.apply(shelved)
        energy += weights[channel] * value * value
      }
      count += 1
      if count == hop { endHop() }
    }
  }

  private mutating func endHop() {
    hops.append(energy / Double(hop))
    if hops.count > 4 { hops.removeFirst() }
    if hops.count == 4 { blocks.append(hops.reduce(0, +) / 4) }
    (energy, count) = (0, 0)
  }

  /// The loudness in LUFS; nil where nothing but silence was heard, or less than 400 ms.
  var integrated: Double? {
    func loudness(_ energy: Double) -> Double { -0.691 + 10 * log10(energy) }
    let heard = blocks.filter { $0 > 0 && loudness($0) > -70 }
    guard !heard.isEmpty else { return nil }
    let gate = loudness(heard.reduce(0, +) / Double(heard.count)) - 10
    let loud = heard.filter { loudness($0) > gate }
    return loud.isEmpty ? nil : loudness(loud.reduce(0, +) / Double(loud.count))
  }

  /// The factor that brings one loudness to another.
  static func gain(from measured: Double, to target: Double) -> Float { Float(pow(10, (target - measured) / 20)) }
}
