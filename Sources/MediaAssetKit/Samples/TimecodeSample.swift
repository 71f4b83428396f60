/// A sample of a timecode track: from here on frames are numbered from ``startFrame``.
public struct TimecodeSample: Sendable, Hashable {
  /// The number of the first frame.
  public var startFrame: Int
  /// The time of one frame.
  public var frameDuration: MediaTime
  /// Frames a second as counted: 30 for 29.97.
  public var framesPerSecond: Int
  /// Whether numbers are left out so that the count keeps up with the clock.
  public var isDropFrame: Bool
  /// Whether the count begins anew after 24 hours.
  public var wrapsAt24Hours: Bool

  /// A sample of given parts.
  public init(
    startFrame: Int, frameDuration: MediaTime, framesPerSecond: Int, isDropFrame: Bool = false,
    wrapsAt24Hours: Bool = true
  ) {
    self.startFrame = startFrame
    self.frameDuration = frameDuration
    self.framesPerSecond = max(1, framesPerSecond)
    self.isDropFrame = isDropFrame
    self.wrapsAt24Hours = wrapsAt24Hours
  }

  /// `HH:MM:SS:FF` of the first frame, `;` before the frames when numbers are dropped (SMPTE ST 12-1).
  public var timecode: String { timecode(ofFrame: 0) }

  /// The timecode of a frame that so many frames follow the first.
  public func timecode(ofFrame offset: Int) -> String {
    var number = startFrame &+ offset
    let rate = framesPerSecond
    if isDropFrame {
      // Two numbers (of 30) are left out each minute but the tenth.
      let dropped = rate / 15
      let perMinute = rate * 60 - dropped
      let perTenMinutes = rate * 600 - 9 * dropped
      let tens = number / perTenMinutes
      let rest = number % perTenMinutes
      number += tens * 9 * dropped
      if rest >= rate * 60 { number += dropped * ((rest - rate * 60) / perMinute + 1) }
    }
    if wrapsAt24Hours { number %= rate * 86_400 }
    let isNegative = number < 0
    number = abs(number)
    func two(_ value: Int) -> String { value < 10 ? "0\(value)" : "\(value)" }
    let seconds = number / rate
    return (isNegative ? "-" : "") + two(seconds / 3600) + ":" + two(seconds / 60 % 60) + ":" + two(seconds % 60)
      + (isDropFrame ? ";" : ":") + two(number % rate)
  }
}
