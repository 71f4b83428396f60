/// Every picture of a track whose container lists its samples: what is on show when, and where decoding must begin.
struct VideoIndex: Sendable {
  /// Presentation times in decode order.
  let times: [Int64]
  /// Decode positions in presentation order; of pictures that share a time the last is on show.
  private let order: [Int32]
  /// Decode positions of the sync samples, ascending.
  let syncPositions: [Int]
  /// Where the demuxer must be sent for each sync sample, in its own index's time.
  private let seekTimes: [Int64]
  /// The end of the last picture, which lasts a tick at least.
  let end: Int64
  /// Sync samples are in order of time; not so in damaged files.
  private let hasOrderedSyncs: Bool

  /// `seekTimes` has one entry a sample, as the demuxer's index lists them.
  init?(times: [Int64], isSync: [Bool], seekTimes: [Int64], lastDuration: Int64) {
    guard !times.isEmpty, times.count == isSync.count, times.count == seekTimes.count,
      times.count <= Int(Int32.max)
    else { return nil }
    self.times = times
    let isOrdered = zip(times, times.dropFirst()).allSatisfy { $0 <= $1 }
    order =
      isOrdered
      ? (0..<times.count).map(Int32.init)
      : (0..<times.count).sorted { (times[$0], $0) < (times[$1], $1) }.map(Int32.init)
    // The first sample starts a decoder whatever the container says of it.
    let positions = times.indices.filter { isSync[$0] || $0 == 0 }
    syncPositions = positions
    hasOrderedSyncs = zip(positions, positions.dropFirst()).allSatisfy { times[$0] <= times[$1] }
    self.seekTimes = positions.map { seekTimes[$0] }
    let (end, overflow) = (times[Int(order[order.count - 1])]).addingReportingOverflow(
      max(1, lastDuration))
    self.end = overflow ? .max : end
  }

  var count: Int { times.count }
  var first: Int64 { times[Int(order[0])] }
  var last: Int64 { times[Int(order[order.count - 1])] }

  /// The rank in presentation order of the picture on show at `time`; nil before the first.
  func rank(onShowAt time: Int64) -> Int? {
    var low = 0
    var high = order.count
    while low < high {
      let middle = (low + high) / 2
      if times[Int(order[middle])] <= time { low = middle + 1 } else { high = middle }
    }
    return low > 0 ? low - 1 : nil
  }

  /// The most pictures that are stored before one that is shown before them.
  var reorderDelay: Int {
    var delay = 0
    for (rank, position) in order.enumerated() where Int(position) > rank {
      delay = max(delay, Int(position) - rank)
      if delay >= 16 { return 16 }
    }
    return delay
  }

  func position(rank: Int) -> Int { Int(order[rank]) }
  func time(rank: Int) -> Int64 { times[Int(order[rank])] }

  /// The time of the picture after `time`; nil when `time` is the last.
  func successor(of time: Int64) -> Int64? {
    let next = (rank(onShowAt: time) ?? -1) + 1
    return next < order.count ? self.time(rank: next) : nil
  }

  /// The number of the sync sample from which the sample at `position` can be decoded.
  ///
  /// A picture that is shown before the sync sample that precedes it in the file leans on the group before
  /// (open groups of pictures), so decoding must begin there.
  func syncIndex(forPosition position: Int) -> Int {
    var low = 0
    var high = syncPositions.count
    while low < high {
      let middle = (low + high) / 2
      if syncPositions[middle] <= position { low = middle + 1 } else { high = middle }
    }
    var index = max(0, low - 1)
    while index > 0, times[position] < times[syncPositions[index]] { index -= 1 }
    return index
  }

  func seekTime(sync index: Int) -> Int64 { seekTimes[index] }
  func time(sync index: Int) -> Int64 { times[syncPositions[index]] }

  /// The sync sample nearest to `time`, ties to the earlier one.
  func nearestSync(to time: Int64) -> Int {
    var low = 0
    var high = syncPositions.count
    if hasOrderedSyncs {
      while low < high {
        let middle = (low + high) / 2
        if self.time(sync: middle) < time { low = middle + 1 } else { high = middle }
      }
      high = min(low + 1, syncPositions.count)
      low = max(0, low - 1)
    }
    var best = low
    for sync in low..<high
    where self.time(sync: sync).distanceMagnitude(to: time)
      < self.time(sync: best).distanceMagnitude(to: time)
    { best = sync }
    return best
  }
}

extension Int64 {
  /// |self - other| without overflow.
  func distanceMagnitude(to other: Int64) -> UInt64 {
    self > other ? UInt64(bitPattern: self &- other) : UInt64(bitPattern: other &- self)
  }
}
