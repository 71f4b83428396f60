import LibAV

/// The sound of a track within a range, from its last sample to its first, with times as if it began where the range does.
///
/// Decoded in pieces of a second from the end on.
struct ReversedBuffers {
  private let track: AssetTrack
  private let range: MediaTimeRange
  private let settings: AudioOutputSettings
  private var end: MediaTime
  private var pending: [AudioBuffer] = []

  init(track: AssetTrack, range: MediaTimeRange, settings: AudioOutputSettings) {
    (self.track, self.range, self.settings) = (track, range, settings)
    end = range.end
  }

  mutating func next() async throws -> AudioBuffer? {
    while pending.isEmpty {
      guard end > range.start else { return nil }
      let start = max(range.start, end - MediaTime(value: 1, timescale: 1))
      for try await buffer in track.audio(in: MediaTimeRange(start: start, end: end), settings: settings) {
        pending.append(buffer)
      }
      end = start
    }
    let buffer = pending.removeLast()
    let place = range.mirrored(MediaTimeRange(start: buffer.time, duration: buffer.duration)).start
    return buffer.reversed(at: place)
  }
}

extension AudioBuffer {
  /// The samples of planes of floats from the last to the first.
  func reversed(at time: MediaTime) -> AudioBuffer {
    let storage = Storage(planeCount: channels, bytesPerPlane: 4 * sampleCount)
    for plane in 0..<channels {
      let target = storage.planes[plane].bindMemory(to: Float.self, capacity: sampleCount)
      withFloats(plane) { samples in
        for index in 0..<sampleCount { target[index] = samples[sampleCount - 1 - index] }
      }
    }
    return AudioBuffer(
      storage: storage, offset: 0, sampleCount: sampleCount, time: time, sampleRate: sampleRate, channels: channels,
      layout: layout, format: .float32, isPlanar: true)
  }
}
