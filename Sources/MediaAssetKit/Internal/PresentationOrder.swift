/// When each picture of a track is on show, learnt from packets as they are read.
///
/// A picture is on show from its own time to the next one's. Durations in packets may lie, so the next time is
/// looked up among the packets that follow. How far one must look is bounded: codecs reorder by at most 16
/// pictures (H.264 A.3.1, HEVC A.4.2), so that 33 packets hold every picture's successor.
struct PresentationOrder<Element> {
  private var window: [(element: Element, time: Int64)] = []
  private var head = 0
  /// Times read so far around the window, ascending, one entry a picture.
  private var times: [Int64] = []
  private var lastDecodeTime: Int64?
  private let trustsDecodeTimes: Bool
  private(set) var isFinished = false

  static var depth: Int { 33 }

  /// `trustsDecodeTimes`: a later decode time proves that no earlier picture follows; libav makes them up for Matroska.
  init(trustsDecodeTimes: Bool) { self.trustsDecodeTimes = trustsDecodeTimes }

  mutating func append(_ element: Element, time: Int64, decodeTime: Int64?) {
    window.append((element, time))
    times.insert(time, at: upperBound(time))
    if times.count > 8 * Self.depth { times.removeFirst(4 * Self.depth) }
    lastDecodeTime = decodeTime
  }

  /// No more packets come: every successor is known.
  mutating func finish() { isFinished = true }

  /// The next packet in decode order, once its picture's successor is known; nil when another packet must be read first.
  mutating func next() -> (element: Element, time: Int64)? {
    guard head < window.count else { return nil }
    let first = window[head]
    let isKnown =
      isFinished || window.count - head > Self.depth
      || (trustsDecodeTimes && (lastDecodeTime ?? .min) > first.time)
    guard isKnown else { return nil }
    head += 1
    if head > 64 || head == window.count {
      window.removeFirst(head)
      head = 0
    }
    return first
  }

  /// The time of the picture after `time`; nil when `time` is the last.
  func successor(of time: Int64) -> Int64? {
    let index = upperBound(time)
    return index < times.count ? times[index] : nil
  }

  /// How many pictures share `time`.
  func multiplicity(of time: Int64) -> Int {
    var index = upperBound(time)
    var count = 0
    while index > 0, times[index - 1] == time {
      index -= 1
      count += 1
    }
    return count
  }

  /// The last time at or before `time`.
  func last(atOrBefore time: Int64) -> Int64? {
    let index = upperBound(time)
    return index > 0 ? times[index - 1] : nil
  }

  mutating func reset() {
    window.removeAll(keepingCapacity: true)
    head = 0
    times.removeAll(keepingCapacity: true)
    lastDecodeTime = nil
    isFinished = false
  }

  private func upperBound(_ time: Int64) -> Int {
    var low = 0
    var high = times.count
    while low < high {
      let middle = (low + high) / 2
      if times[middle] <= time { low = middle + 1 } else { high = middle }
    }
    return low
  }
}
