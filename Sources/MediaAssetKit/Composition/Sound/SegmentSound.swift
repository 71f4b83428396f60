import LibAV

/// Samples of one stretch of sound in order, each at its place: holes in the source are silence.
final class SegmentSound {
  private var iterator: AudioBuffers.Iterator
  private var reversed: ReversedBuffers?
  private let start: MediaTime
  private let rate: Int
  private let channels: Int
  private let spreadsMono: Bool
  private var buffer: AudioBuffer?
  /// Where the buffer's first sample lies, counted from the stretch's start.
  private var offset: Int64 = 0
  private var position: Int64 = 0
  private var isAtEnd = false

  /// - Parameters:
  ///   - track: The source.
  ///   - range: The range of its asset's time.
  ///   - rate: Samples a second that come out; more or fewer than the mix's play the sound at another speed.
  ///   - format: What the mix is.
  ///   - isReversed: Whether it is played from its end to its start.
  init(
    track: AssetTrack, range: MediaTimeRange, rate: Int, format: MixFormat, isReversed: Bool = false
  ) async throws {
    let source = try await track.load(.formatDescriptions).first?.audio
    // FFmpeg's matrix would take 3 dB off: one channel in both is meant to be as loud as it is.
    spreadsMono = source?.channels == 1 && format.channels > 1
    let settings = AudioOutputSettings(
      sampleRate: rate, channels: spreadsMono ? 1 : format.channels, layout: spreadsMono ? nil : format.layout)
    var buffers = track.audio(in: range, settings: settings)
    buffers.decodesAhead = true
    iterator = buffers.makeAsyncIterator()
    if isReversed { reversed = ReversedBuffers(track: track, range: range, settings: settings) }
    start = range.start
    self.rate = rate
    channels = format.channels
  }

  /// The next samples; silence behind the source's end.
  func read(_ count: Int) async throws -> [[Float]] {
    var planes = [[Float]](repeating: [Float](repeating: 0, count: count), count: channels)
    try await add(count, to: &planes, at: 0, MixLevel(channels: channels))
    return planes
  }

  /// Adds the next samples to a mix where they lie; nothing behind the source's end.
  func add(_ count: Int, to sum: inout [[Float]], at place: Int, _ level: MixLevel) async throws {
    let first = position
    let end = position + Int64(count)
    while position < end {
      guard let buffer = try await current() else { break }
      let until = offset + Int64(buffer.sampleCount)
      let (from, to) = (max(position, offset), min(end, until))
      if to > from {
        let skipped = Int(from - first)
        add(buffer, Int(from - offset)..<Int(to - offset), to: &sum, at: place + skipped, level.advanced(by: skipped))
      }
      position = max(position, min(end, until))
      if until <= end { self.buffer = nil }
    }
    position = end
  }

  private func current() async throws -> AudioBuffer? {
    if let buffer { return buffer }
    guard !isAtEnd, let next = try await (reversed == nil ? iterator.next() : reversed?.next()) else {
      isAtEnd = true
      return nil
    }
    offset = (next.time - start).ticks(in: Rational(1, Int64(rate)) ?? .one) ?? position
    buffer = next
    return next
  }

  private func add(
    _ buffer: AudioBuffer, _ range: Range<Int>, to sum: inout [[Float]], at place: Int, _ level: MixLevel
  ) {
    let volumes = level.volumes(count: range.count)
    for (channel, route) in level.routes.enumerated() where route.channel >= 0 && route.channel < channels {
      // One channel is heard in front, on both sides.
      let plane = spreadsMono ? (route.channel < 2 ? 0 : -1) : route.channel
      guard plane >= 0, plane < buffer.planeCount else { continue }
      buffer.withFloats(plane) { samples in
        samples.withUnsafeBufferPointer { samples in
          volumes.add(UnsafeBufferPointer(rebasing: samples[range]), times: route.gain, to: &sum[channel], at: place)
        }
      }
    }
  }
}

/// What a mix is made in.
struct MixFormat: Sendable, Hashable {
  var sampleRate: Int
  var channels: Int
  var layout: String?

  /// The index of the sample at a time.
  func sample(at time: MediaTime) -> Int64 { time.ticks(in: Rational(1, Int64(sampleRate)) ?? .one) ?? .max }
}
