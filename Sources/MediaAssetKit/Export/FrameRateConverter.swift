/// Brings pictures to a fixed rate: at every tick the one on show. Pure arithmetic; holds two pictures.
struct FrameRateConverter {
  private let step: MediaTime
  private let start: MediaTime
  private var held: VideoFrame?
  /// Made already; how long it lasts is known with the next one, or at the end.
  private var made: VideoFrame?
  private var count: Int64 = 0

  /// - Parameter step: The time of one picture; invalid: everything passes through.
  init(step: MediaTime, start: MediaTime) {
    self.step = step.isNumeric && step > .zero ? step : .invalid
    self.start = start
  }

  private var next: MediaTime { start + MediaTime((step.rational ?? .zero) * Rational(count)) }

  /// What is shown before this picture begins.
  mutating func add(_ frame: VideoFrame) -> [VideoFrame] {
    guard step.isNumeric else { return [frame] }
    var frames: [VideoFrame] = []
    if let held {
      frames = emit(held, until: frame.time)
    } else if frame.time > start {
      // The track begins later: ticks before it show nothing.
      count = max(0, (frame.time - start).ticks(in: step.rational ?? .one, rounding: .up) ?? 0)
    }
    held = frame
    return frames
  }

  /// The last picture, for as long as it lasts.
  mutating func finish() -> [VideoFrame] {
    guard let held else { return [] }
    self.held = nil
    let end = held.duration.isNumeric && held.duration > .zero ? held.time + held.duration : next + step
    let frames = emit(held, until: end)
    guard let last = made else { return frames }
    made = nil
    return frames + [
      VideoFrame(time: last.time, duration: min(step, max(end - last.time, .zero)), pixelBuffer: last.pixelBuffer)
    ]
  }

  private mutating func emit(_ frame: VideoFrame, until end: MediaTime) -> [VideoFrame] {
    var frames: [VideoFrame] = []
    while next < end {
      if let made { frames.append(made) }
      made = VideoFrame(time: next, duration: step, pixelBuffer: frame.pixelBuffer)
      count += 1
    }
    return frames
  }
}
