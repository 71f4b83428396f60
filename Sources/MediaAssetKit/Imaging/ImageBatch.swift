import Synchronization

/// A batch of images at work: groups of pictures decoded side by side, results handed out one by one.
///
/// Requests are served in chunks of their own order whose pictures fit into half of the memory budget; within a chunk
/// they are sorted and grouped. The next chunk starts when the results that nobody took fit into the other half, so
/// memory stays bounded in every order without any dead-lock.
final class ImageBatch: Sendable {
  private struct State {
    var results: [Int: Images.Element] = [:]
    var ready: [Int] = []
    var nextIndex = 0
    var delivered = 0
    var waiter: CheckedContinuation<Void, Never>?
    var room: CheckedContinuation<Void, Never>?
    var roomLimit = 0
    var isCancelled = false
    var task: Task<Void, Never>?
    /// Which requests have an answer, taken or not.
    var isServed: [Bool]

    mutating func add(_ indices: some Sequence<Int>, _ make: (Int) -> Images.Element) {
      for index in indices where !isServed[index] {
        isServed[index] = true
        results[index] = make(index)
        ready.append(index)
      }
    }
  }

  private let generator: ImageGenerator
  private let times: [MediaTime]
  private let order: Images.Order
  private let state: Mutex<State>

  init(generator: ImageGenerator, times: [MediaTime], order: Images.Order) {
    self.generator = generator
    self.times = times
    self.order = order
    state = Mutex(State(isServed: Array(repeating: false, count: times.count)))
  }

  func start() {
    guard !times.isEmpty else { return }
    let task = Task.detached { [weak self] in
      guard let work = self?.work else { return }
      await work()
    }
    state.withLock { $0.task = task }
  }

  func cancel() {
    let (task, waiter, room) = state.withLock { state in
      state.isCancelled = true
      // What was not served before the cancellation fails with it.
      state.add(times.indices) { .failure(requestedTime: times[$0], error: CancellationError()) }
      defer {
        state.waiter = nil
        state.room = nil
      }
      return (state.task, state.waiter, state.room)
    }
    task?.cancel()
    waiter?.resume()
    room?.resume()
  }

  // MARK: - Handing out

  func next() async -> Images.Element? {
    while true {
      let (element, isOver, room) = state.withLock {
        state -> (Images.Element?, Bool, CheckedContinuation<Void, Never>?) in
        guard state.delivered < times.count else { return (nil, true, nil) }
        let element = take(&state)
        guard element != nil else { return (nil, false, nil) }
        state.delivered += 1
        guard state.results.count <= state.roomLimit, let room = state.room else {
          return (element, false, nil)
        }
        state.room = nil
        return (element, false, room)
      }
      room?.resume()
      if element != nil || isOver { return element }
      if Task.isCancelled { cancel() }
      await withTaskCancellationHandler {
        await withCheckedContinuation { continuation in
          let isReady = state.withLock { state in
            if state.isCancelled || hasElement(state) { return true }
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

  private func hasElement(_ state: State) -> Bool {
    order == .asRequested ? state.results[state.nextIndex] != nil : !state.ready.isEmpty
  }

  private func take(_ state: inout State) -> Images.Element? {
    guard hasElement(state) else { return nil }
    switch order {
    case .asRequested:
      state.nextIndex += 1
      return state.results.removeValue(forKey: state.nextIndex - 1)
    case .asCompleted: return state.results.removeValue(forKey: state.ready.removeFirst())
    }
  }

  private func deliver(_ indices: [Int], _ make: (MediaTime) -> Images.Element) {
    let waiter = state.withLock { state in
      state.add(indices) { make(times[$0]) }
      defer { state.waiter = nil }
      return state.waiter
    }
    waiter?.resume()
  }

  // MARK: - Work

  private func work() async {
    do {
      let source = try await generator.source()
      let renderer = try await generator.renderer(source)
      let chunk = Self.chunkSize(renderer)
      var start = 0
      while start < times.count {
        if start > 0 { await waitForRoom(chunk) }
        let end = min(times.count, start + chunk)
        try await serve(start..<end, source, renderer)
        start = end
      }
    } catch {
      deliver(Array(times.indices)) { .failure(requestedTime: $0, error: error) }
    }
  }

  private static func chunkSize(_ renderer: PictureRenderer) -> Int {
    let size = renderer.plan(for: renderer.geometry.encodedSize, sampleAspectRatio: (0, 1))
      .finalSize
    let bytes =
      max(1, size.width) * max(1, size.height) * (renderer.dynamicRange == .matchSource ? 8 : 4)
    return max(1, MediaConfiguration.current.imageMemoryBudget / 2 / bytes)
  }

  private func waitForRoom(_ chunk: Int) async {
    await withCheckedContinuation { continuation in
      let hasRoom = state.withLock { state in
        if state.isCancelled || state.results.count <= chunk { return true }
        state.roomLimit = chunk
        state.room = continuation
        return false
      }
      if hasRoom { continuation.resume() }
    }
  }

  fileprivate struct Item: Sendable {
    var request: ImageRequest
    var indices: [Int]
  }

  private func serve(_ range: Range<Int>, _ source: ImageSource, _ renderer: PictureRenderer)
    async throws
  {
    let groups = plan(range, source)
    let budget = MediaConfiguration.current.threadBudget
    // Groups side by side with one thread each keep the cores fuller than one decoder with many.
    let workers = min(budget, groups.count)
    let isAllKeys = groups.allSatisfy {
      $0.allSatisfy { if case .key = $0.request.goal { true } else { false } }
    }
    let threads = workers > 1 || isAllKeys ? 1 : budget
    let queue = GroupQueue(groups)
    try await withThrowingTaskGroup(of: Void.self) { tasks in
      for _ in 0..<workers {
        tasks.addTask { [self] in
          try await source.withSession(threads: threads) { session in
            while let group = queue.next() {
              for item in group { try await serve(item, source, renderer, session) }
            }
          }
        }
      }
      try await tasks.waitForAll()
    }
  }

  private func serve(
    _ item: Item, _ source: ImageSource, _ renderer: PictureRenderer, _ session: VideoSession
  ) async throws {
    do {
      let (image, actual) = try await source.image(
        for: item.request, renderer: renderer, session: session)
      let time = MediaTime(actual)
      deliver(item.indices) { .success(requestedTime: $0, image: image, actualTime: time) }
    } catch let error as CancellationError {
      throw error
    } catch {
      deliver(item.indices) { .failure(requestedTime: $0, error: error) }
    }
  }

  /// Requests that can't be planned are answered; the others are joined by picture, grouped and sorted.
  private func plan(_ range: Range<Int>, _ source: ImageSource) -> [[Item]] {
    var items: [ImageIdentity: Item] = [:]
    for index in range {
      do {
        let request = try generator.plan(times[index], source)
        let identity = source.identity(of: request)
        // Pictures found without an index answer for their own time alone.
        if source.opener.index != nil, items[identity] != nil {
          items[identity]?.indices.append(index)
        } else if let other = items[identity], other.request.time == request.time {
          items[identity]?.indices.append(index)
        } else if items[identity] == nil {
          items[identity] = Item(request: request, indices: [index])
        } else {
          var unique = identity
          unique.number = Int64(index)
          unique.segment = request.time
          items[unique] = Item(request: request, indices: [index])
        }
      } catch {
        deliver([index]) { .failure(requestedTime: $0, error: error) }
      }
    }
    var groups: [Int: [Item]] = [:]
    for item in items.values { groups[source.group(of: item.request), default: []].append(item) }
    return groups.sorted { $0.key < $1.key }.map {
      $0.value.sorted { $0.request.time < $1.request.time }
    }
  }
}

/// Groups that workers take one by one.
private final class GroupQueue: Sendable {
  private let groups: Mutex<ArraySlice<[ImageBatch.Item]>>
  init(_ groups: [[ImageBatch.Item]]) { self.groups = Mutex(groups[...]) }
  func next() -> [ImageBatch.Item]? { groups.withLock { $0.popFirst() } }
}
