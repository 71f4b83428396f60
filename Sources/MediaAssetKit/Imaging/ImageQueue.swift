/// The pictures of a batch that are still to be drawn, by group of pictures; workers take group after group.
final class ImageQueue: Sendable {
  /// One picture and the places in the batch that it serves.
  struct Item: Sendable {
    var request: ImageRequest
    var indices: [Int]
  }

  /// What a worker takes at once.
  struct Work: Sendable {
    var group: Int
    var items: [Item]
    /// Whether nothing else is left to do, so that all cores can be had.
    var isAlone: Bool
  }

  private struct State {
    var groups: [Int: [Item]] = [:]
    /// Groups in the order in which they were added first: whoever consumes the batch waits for the oldest.
    var order: [Int] = []
    var head = 0
    var active = 0
    var isClosed = false
    var waiters: [CheckedContinuation<Void, Never>] = []

    mutating func wake() -> [CheckedContinuation<Void, Never>] {
      defer { waiters = [] }
      return waiters
    }
  }

  private let state = Monitor(State())

  /// Adds work, in the order in which it is needed; it joins groups that nobody has taken yet.
  ///
  /// `isLast` closes the queue in the same step, so that whoever takes the only group knows that it is alone.
  func add(_ items: [(group: Int, item: Item)], isLast: Bool) {
    let waiters = state.withLock { state in
      if isLast { state.isClosed = true }
      for (group, item) in items {
        if state.groups[group] == nil { state.order.append(group) }
        state.groups[group, default: []].append(item)
      }
      return state.wake()
    }
    for waiter in waiters { waiter.resume() }
  }

  /// Drops what nobody has taken; nothing will be added any more.
  func discard() {
    let waiters = state.withLock { state in
      state.isClosed = true
      state.groups = [:]
      state.order = []
      state.head = 0
      return state.wake()
    }
    for waiter in waiters { waiter.resume() }
  }

  /// The next group, its pictures in order of time; nil when all is done.
  func next() async -> Work? {
    while true {
      let (work, isOver) = state.withLock { state -> (Work?, Bool) in
        guard state.head < state.order.count else { return (nil, state.isClosed) }
        let group = state.order[state.head]
        state.head += 1
        if state.head > 256, state.head * 2 > state.order.count {
          state.order.removeFirst(state.head)
          state.head = 0
        }
        let items = state.groups.removeValue(forKey: group) ?? []
        let isAlone = state.isClosed && state.active == 0 && state.head == state.order.count
        state.active += 1
        return (
          Work(
            group: group, items: items.sorted { $0.request.goal.tick < $1.request.goal.tick },
            isAlone: isAlone), false
        )
      }
      if work != nil || isOver { return work }
      await withCheckedContinuation { continuation in
        let isReady = state.withLock { state in
          if state.head < state.order.count || state.isClosed { return true }
          state.waiters.append(continuation)
          return false
        }
        if isReady { continuation.resume() }
      }
    }
  }

  /// A worker is through with what it took.
  func finish() { state.withLock { $0.active -= 1 } }
}
