/// Volumes by the number of the sample.
struct VolumeCurve: Sendable {
  private struct Point {
    var first: Int64
    var last: Int64
    var start: Float
    var end: Float
  }

  private let base: Float
  private let points: [Point]

  init(_ ramps: [AudioMix.VolumeRamp], base: Float, rate: Int) {
    self.base = base
    let tick = Rational(1, Int64(rate)) ?? .one
    points = ramps.map { ramp in
      Point(
        first: ramp.timeRange.start.ticks(in: tick) ?? .max, last: ramp.timeRange.end.ticks(in: tick) ?? .max,
        start: ramp.start, end: ramp.end)
    }
  }

  /// The volumes of samples in a row.
  func volumes(from first: Int64, count: Int) -> MixVolumes {
    let end = first + Int64(count)
    // The last change at or before the first sample, and those behind it.
    let next = points.firstIndex { $0.first > first } ?? points.count
    let isSteady = next == points.count || points[next].first >= end
    if next == 0 {
      if isSteady { return .steady(base) }
    } else if isSteady, first >= points[next - 1].last {
      return .steady(base * points[next - 1].end)
    }
    var volumes = [Float](repeating: base, count: count)
    var index = max(0, next - 1)
    while index < points.count, points[index].first < end {
      let point = points[index]
      let until = index + 1 < points.count ? min(end, points[index + 1].first) : end
      for sample in max(first, point.first)..<max(first, point.first, until) {
        volumes[Int(sample - first)] = base * Self.volume(point, at: sample)
      }
      index += 1
    }
    return .changing(volumes)
  }

  private static func volume(_ point: Point, at sample: Int64) -> Float {
    guard sample < point.last else { return point.end }
    let share = Float((Double(sample) - Double(point.first)) / (Double(point.last) - Double(point.first)))
    return point.start + (point.end - point.start) * share
  }
}

/// The volumes of samples in a row.
enum MixVolumes {
  case steady(Float)
  case changing([Float])

  /// Adds samples to a mix at a place. The inner loops are all that mixing costs besides decoding.
  func add(_ samples: UnsafeBufferPointer<Float>, times gain: Float, to sum: inout [Float], at place: Int) {
    sum.withUnsafeMutableBufferPointer { sum in
      precondition(place >= 0 && place + samples.count <= sum.count, "what is mixed lies outside of its block")
      let target = UnsafeMutableBufferPointer(rebasing: sum[place..<place + samples.count])
      switch self {
      case .steady(let volume):
        let factor = volume * gain
        guard factor != 0 else { return }
        for index in samples.indices { target[index] += samples[index] * factor }
      case .changing(let volumes):
        volumes.withUnsafeBufferPointer { volumes in
          for index in samples.indices { target[index] += samples[index] * volumes[index] * gain }
        }
      }
    }
  }
}

/// How a stretch of a track goes into a mix: how loud, and which channel goes where.
struct MixLevel {
  /// What a channel of the mix gets.
  struct Route: Sendable {
    /// The track's channel; none for −1.
    var channel: Int
    var gain: Float
  }

  /// nil: as loud as it is.
  private let curve: VolumeCurve?
  /// The number of the stretch's first sample.
  private var first: Int64
  let routes: [Route]

  init(curve: VolumeCurve, first: Int64, routes: [Route]) {
    self.curve = curve
    self.first = first
    self.routes = routes
  }

  /// Every channel as it is.
  init(channels: Int) {
    curve = nil
    first = 0
    routes = (0..<channels).map { Route(channel: $0, gain: 1) }
  }

  func advanced(by count: Int) -> MixLevel {
    var level = self
    level.first += Int64(count)
    return level
  }

  /// Adds channels to a mix.
  func add<Samples: Sequence<Float>>(_ channels: [Samples], to sum: inout [[Float]], at place: Int) {
    for (channel, route) in routes.enumerated() where channels.indices.contains(route.channel) {
      let samples = channels[route.channel]
      let done: Void? = samples.withContiguousStorageIfAvailable { samples in
        volumes(count: samples.count).add(samples, times: route.gain, to: &sum[channel], at: place)
      }
      if done == nil { assertionFailure("samples of sound lie in arrays") }
    }
  }

  func volumes(count: Int) -> MixVolumes { curve?.volumes(from: first, count: count) ?? .steady(1) }
}
