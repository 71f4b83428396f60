/// Presentation times for pictures that their container gives decode times only (AVI, elementary streams, most pictures of
/// a programme stream).
///
/// Such a stream's pictures take the places of their own numbers, sorted as the decoder puts them out: the picture shown
/// as the n-th gets the n-th packet's time. When a packet's own picture is shown follows from its kind (a B picture
/// is shown at once, any other one when the next of those comes) or from its picture order count.
/// Works from any key picture on, because all pictures stored before it are shown before what follows it.
struct DecodeOrderTimes<Element> {
  /// Where a picture stands among its neighbours.
  enum Place: Sendable, Hashable {
    /// Shown before the last anchor (I or P) that was stored before it.
    case bidirectional
    /// Shown when the next anchor is stored.
    case anchor
    /// Shown in the order of these counts; a reset shows all pictures before it first.
    case counted(Int64, isReset: Bool)
  }

  private struct Entry {
    var element: Element?
    var tick: Int64
    var duration: Int64
    /// Where the container states it.
    var time: Int64?
    /// What sorts pictures as shown; nil for an anchor whose successor has not come.
    var key: Key?
  }

  private struct Key {
    var epoch: Int
    var count: Int64
    static func < (left: Key, right: Key) -> Bool {
      (left.epoch, left.count) < (right.epoch, right.count)
    }
  }

  /// By how many packets a decoder's output lags: a picture is shown at the time of the packet that brings it out.
  private let delay: Int
  /// What is taken off, so that the first picture keeps the first packet's time.
  private let offset: Int64
  /// How many packets after a picture's own may hold one that is shown before it: 16 pictures of two fields.
  private static var depth: Int { 33 }
  private var entries: [Entry] = []
  private var next = 0
  private var position: Int64 = 0
  private var epoch = 0
  private var isCounted = false
  private var isFinished = false

  init(delay: Int, offset: Int64) {
    self.delay = max(0, min(delay, 16))
    self.offset = offset
  }

  /// Adds the next picture in decode order: `tick` is its packet's decode time, `time` its picture's where that is stated.
  mutating func append(
    _ element: Element, tick: Int64, duration: Int64, time: Int64? = nil, place: Place
  ) {
    position += 1
    var key: Key?
    switch place {
    case .bidirectional: key = Key(epoch: epoch, count: 2 * position)
    case .anchor: settleAnchor()
    case .counted(let count, let isReset):
      isCounted = true
      if isReset {
        settleAnchor()
        epoch += 1
      }
      key = Key(epoch: epoch, count: count)
    }
    entries.append(
      Entry(element: element, tick: tick, duration: duration, time: time, key: key))
  }

  mutating func finish() {
    position += 1
    settleAnchor()
    isFinished = true
  }

  /// The anchor that waits is shown right before the one that comes now.
  private mutating func settleAnchor() {
    guard let index = entries.lastIndex(where: { $0.key == nil }) else { return }
    entries[index].key = Key(epoch: epoch, count: 2 * position - 1)
  }

  /// The next picture in decode order with its presentation time; nil when another packet must come first.
  mutating func popFirst() -> (element: Element, time: Int64)? {
    guard next < entries.count, let element = entries[next].element,
      let time = entries[next].time ?? derivedTime()
    else { return nil }
    entries[next].element = nil
    next += 1
    if next > 2 * Self.depth {
      entries.removeFirst(next - Self.depth)
      next = Self.depth
    }
    return (element, time)
  }

  /// The time of the next picture from its place; nil when another packet must come first.
  private func derivedTime() -> Int64? {
    guard let key = entries[next].key, isComplete(key) else { return nil }
    var rank = next
    for (index, other) in entries.enumerated() {
      // Only the last anchor has no key yet, and it is shown after all others.
      guard let otherKey = other.key else { continue }
      if index < next, key < otherKey { rank -= 1 }
      if index > next, otherKey < key { rank += 1 }
    }
    return tick(at: rank + delay)?.subtractingReportingOverflow(offset).partialValue
  }

  /// Whether all pictures that are shown before one with this key have come.
  private func isComplete(_ key: Key) -> Bool {
    // By kind an anchor has its key only when the next one has come, and a B picture waits for nothing.
    guard isCounted, !isFinished else { return true }
    return entries.count - next > Self.depth || (entries.last?.key?.epoch ?? epoch) > key.epoch
  }

  /// The decode time of the packet at a place among the entries; extrapolated behind the last one.
  private func tick(at index: Int) -> Int64? {
    if entries.indices.contains(index) { return entries[index].tick }
    guard index >= 0, let last = entries.last else { return entries.first?.tick }
    guard isFinished else { return nil }
    let (length, overflow) = Int64(index - entries.count + 1).multipliedReportingOverflow(
      by: last.duration)
    return overflow ? last.tick : last.tick.addingReportingOverflow(length).partialValue
  }
}
