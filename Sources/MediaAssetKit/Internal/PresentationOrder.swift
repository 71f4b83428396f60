/// When the pictures of a track are on show, learnt from packets as they are read.
///
/// A picture is on show from its own time to the next one's. Durations in packets may lie, so the next time is looked
/// up among the packets that follow. How far one must look is bounded: no picture is stored after more than so many that
/// are shown behind it (H.264 max_num_reorder_frames, HEVC sps_max_num_reorder_pics; at most 16, or 32 fields).
struct PresentationOrder: Sendable {
  struct Entry: Sendable, Hashable {
    var time: Int64
    /// The packet's number in decode order; of pictures that share a time the last is on show.
    var number: Int

    static func < (left: Entry, right: Entry) -> Bool {
      (left.time, left.number) < (right.time, right.number)
    }
  }

  /// How many pictures that are shown behind a picture may be stored before it.
  let reorderLimit: Int
  /// A later decode time proves that no earlier picture follows; libav makes them up for Matroska.
  let trustsDecodeTimes: Bool
  private var decodeOrder: [Entry] = []
  private var shownOrder: [Entry] = []
  private var lastDecodeTime: Int64?
  private(set) var isFinished = false

  /// Older entries are forgotten from here on: several times what a decoder may hold back.
  static var capacity: Int { 8192 }

  init(reorderLimit: Int, trustsDecodeTimes: Bool) {
    self.reorderLimit = reorderLimit
    self.trustsDecodeTimes = trustsDecodeTimes
  }

  var isEmpty: Bool { decodeOrder.isEmpty }

  /// Adds the next picture in decode order; numbers rise by one.
  mutating func append(_ time: Int64, number: Int, decodeTime: Int64?) {
    let entry = Entry(time: time, number: number)
    decodeOrder.append(entry)
    shownOrder.insert(entry, at: firstIndex { entry < $0 })
    lastDecodeTime = decodeTime
    if decodeOrder.count > Self.capacity {
      decodeOrder.removeFirst(Self.capacity / 2)
      let oldest = decodeOrder[0].number
      shownOrder.removeAll { $0.number < oldest }
    }
  }

  /// No more packets come.
  mutating func finish() { isFinished = true }

  mutating func reset() {
    decodeOrder.removeAll(keepingCapacity: true)
    shownOrder.removeAll(keepingCapacity: true)
    lastDecodeTime = nil
    isFinished = false
  }

  func time(of number: Int) -> Int64? {
    guard let first = decodeOrder.first else { return nil }
    let (offset, overflow) = number.subtractingReportingOverflow(first.number)
    guard !overflow, decodeOrder.indices.contains(offset) else { return nil }
    return decodeOrder[offset].time
  }

  /// The picture on show at `time` among those read; nil before the first.
  func picture(onShowAt time: Int64) -> Entry? {
    let index = firstIndex { $0.time > time }
    return index > 0 ? shownOrder[index - 1] : nil
  }

  /// The time of the next picture among those read that is shown after `time`.
  func successor(of time: Int64) -> Int64? {
    let index = firstIndex { $0.time > time }
    return index < shownOrder.count ? shownOrder[index].time : nil
  }

  /// Whether no packet that is still unread can hold a picture at or before `time`.
  func isSettled(_ time: Int64) -> Bool {
    if isFinished { return true }
    if trustsDecodeTimes, let lastDecodeTime, lastDecodeTime > time { return true }
    return shownOrder.count - firstIndex { $0.time > time } > reorderLimit
  }

  /// Where the shown order turns from false to true.
  private func firstIndex(where isBehind: (Entry) -> Bool) -> Int {
    var low = 0
    var high = shownOrder.count
    while low < high {
      let middle = (low + high) / 2
      if isBehind(shownOrder[middle]) { high = middle } else { low = middle + 1 }
    }
    return low
  }
}
