/// A batch of images: what is ready, who waits for it, and how much may be under way.
///
/// Times are planned in parts whose pictures fill half of the memory budget. A part starts when no more than one
/// part's pictures are under way or wait to be taken, so that memory stays bounded in every order; workers never
/// wait for room, so nothing can lock up.
final class ImageBatch: Sendable {
  private struct State {
    var results: [Int: Images.Element] = [:]
    /// Places in the order in which they became ready.
    var ready: [Int] = []
    var readyHead = 0
    var nextIndex = 0
    var delivered = 0
    /// Which places have an answer, taken or not.
    var isServed: [Bool]
    /// Places that were planned and not yet taken.
    var inPlay = 0
    var waiter: CheckedContinuation<Void, Never>?
    var room: CheckedContinuation<Void, Never>?
    var roomLimit = 0
    var isOver = false
    var task: Task<Void, Never>?

    mutating func add(_ indices: some Sequence<Int>, _ make: (Int) -> Images.Element) {
      for index in indices where !isServed[index] {
        isServed[index] = true
        results[index] = make(index)
        ready.append(index)
      }
    }

    mutating func takeRoom() -> CheckedContinuation<Void, Never>? {
      guard isOver || inPlay <= roomLimit else { return nil }
      defer { room = nil }
      return room
    }
  }

  let generator: ImageGenerator
  let times: [MediaTime]
  let order: Images.Order
  let queue = ImageQueue()
  private let state: Monitor<State>

  init(generator: ImageGenerator, times: [MediaTime], order: Images.Order) {
    self.generator = generator
    self.times = times
    self.order = order
    state = Monitor(State(isServed: Array(repeating: false, count: times.count)))
  }

  func start() {
    guard !times.isEmpty else { return }
    let task = Task.detached(priority: Task.currentPriority) { [weak self] in
      guard let work = self?.work else { return }
      await work()
    }
    state.withLock { $0.task = task }
  }

  /// Ends the work; what was not served before fails with `CancellationError`.
  func cancel() {
    stop(CancellationError())
    state.withLock { $0.task }?.cancel()
  }

  /// Ends the work because nobody will take anything any more.
  func abandon() {
    let (task, room) = state.withLock { state in
      state.isOver = true
      state.results = [:]
      return (state.task, state.takeRoom())
    }
    queue.discard()
    task?.cancel()
    room?.resume()
  }

  /// Answers all that has no answer yet with an error and ends the work.
  func stop(_ error: any Error) {
    let (waiter, room) = state.withLock { state in
      state.isOver = true
      state.add(times.indices) { .failure(requestedTime: times[$0], error: error) }
      defer { state.waiter = nil }
      return (state.waiter, state.takeRoom())
    }
    queue.discard()
    waiter?.resume()
    room?.resume()
  }

  // MARK: - Handing out

  func next() async -> Images.Element? {
    while true {
      let (element, isEnd, room) = state.withLock {
        state -> (Images.Element?, Bool, CheckedContinuation<Void, Never>?) in
        guard state.delivered < times.count else { return (nil, true, nil) }
        guard let element = take(&state) else { return (nil, false, nil) }
        state.delivered += 1
        state.inPlay -= 1
        return (element, false, state.takeRoom())
      }
      room?.resume()
      if element != nil || isEnd { return element }
      await withTaskCancellationHandler {
        await withCheckedContinuation { continuation in
          let isReady = state.withLock { state in
            if hasElement(state) { return true }
            state.waiter = continuation
            return false
          }
          if isReady { continuation.resume() }
        }
      } onCancel: {
        cancel()
      }
    }
  }

  private func hasElement(_ state: borrowing State) -> Bool {
    order == .asRequested
      ? state.results[state.nextIndex] != nil : state.readyHead < state.ready.count
  }

  private func take(_ state: inout State) -> Images.Element? {
    guard hasElement(state) else { return nil }
    if order == .asRequested {
      defer { state.nextIndex += 1 }
      return state.results.removeValue(forKey: state.nextIndex)
    }
    defer { state.readyHead += 1 }
    return state.results.removeValue(forKey: state.ready[state.readyHead])
  }

  func deliver(_ indices: [Int], _ make: (MediaTime) -> Images.Element) {
    let waiter = state.withLock { state in
      if !state.isOver { state.add(indices) { make(times[$0]) } }
      defer { state.waiter = nil }
      return state.waiter
    }
    waiter?.resume()
  }

  /// Images that nobody has taken yet.
  var readyCount: Int { state.withLock { $0.results.count } }

  // MARK: - Room

  /// Waits until at most `part` places are in play, then counts `count` more.
  ///
  /// False when the batch is over.
  func enter(_ count: Int, part: Int) async -> Bool {
    await withCheckedContinuation { continuation in
      let hasRoom = state.withLock { state in
        state.roomLimit = part
        if state.isOver || state.inPlay <= part { return true }
        state.room = continuation
        return false
      }
      if hasRoom { continuation.resume() }
    }
    return state.withLock { state in
      state.inPlay += count
      return !state.isOver
    }
  }
}
