extension ExportSession {
  /// How far an export is.
  public enum State: Sendable, Hashable {
    /// `export` was not called yet.
    case pending
    /// It was, and the asset is being looked at, or others that encode pictures come first.
    case waiting
    /// Samples are being written.
    case exporting(progress: Progress)
  }

  /// How far samples are written.
  public struct Progress: Sendable, Hashable {
    /// 0 to 1; never falls, and 1 is said only when the file is complete.
    public var fraction: Double
    /// How much of the new file's time is written.
    public var time: MediaTime
    /// Seconds of media a second; nil at the beginning.
    public var speed: Double?
    /// Seconds that are left, at this speed; nil when nobody knows.
    public var remaining: Double?
  }

  /// The states from now on; ends when the export does. States of progress come at most every `updateInterval`, and none
  /// without one. Several may be asked for.
  public func states(updateInterval: Duration? = nil) -> AsyncStream<State> {
    board.states(updateInterval: updateInterval)
  }
}

/// What the parts of an export tell of their progress, and those who want to know.
final class ProgressBoard: Sendable {
  private struct Listener {
    var interval: Duration?
    var last: ContinuousClock.Instant?
    var continuation: AsyncStream<ExportSession.State>.Continuation
  }

  private struct Board {
    var state = ExportSession.State.pending
    var listeners: [Int: Listener] = [:]
    var nextID = 0
    var isOver = false
    var start = ContinuousClock.now
    var total = MediaTime.invalid
    /// By track: how much of the new file's time it has, and its weight.
    var done: [(time: MediaTime, weight: Double)] = []
    var fraction = 0.0
  }

  private let board = Monitor(Board())

  func states(updateInterval: Duration?) -> AsyncStream<ExportSession.State> {
    let (stream, continuation) = AsyncStream.makeStream(
      of: ExportSession.State.self, bufferingPolicy: .bufferingNewest(64))
    let id: Int? = board.withLock { board in
      if board.isOver { return nil }
      board.nextID += 1
      board.listeners[board.nextID] = Listener(interval: updateInterval, continuation: continuation)
      continuation.yield(board.state)
      return board.nextID
    }
    guard let id else {
      continuation.finish()
      return stream
    }
    continuation.onTermination = { [weak self] _ in self?.remove(id) }
    return stream
  }

  private func remove(_ id: Int) { _ = board.withLock { $0.listeners.removeValue(forKey: id) } }

  func wait() {
    board.withLock { board in
      board.state = .waiting
      for listener in board.listeners.values { listener.continuation.yield(.waiting) }
    }
  }

  /// Samples begin to be written. `weights`: how much of the work each track is.
  func begin(total: MediaTime, weights: [Double]) {
    board.withLock { board in
      board.start = .now
      board.total = total
      board.done = weights.map { (.zero, max(0.001, $0)) }
      board.state = .exporting(progress: .init(fraction: 0, time: .zero))
      for listener in board.listeners.values { listener.continuation.yield(board.state) }
    }
  }

  /// A track has come to a time of the new file.
  func update(track: Int, to time: MediaTime) {
    board.withLock { board in
      guard board.done.indices.contains(track), time.isNumeric, time > board.done[track].time else { return }
      board.done[track].time = time
      guard board.listeners.values.contains(where: { $0.interval != nil }) else { return }
      tell(&board)
    }
  }

  /// A track is complete.
  func finish(track: Int) {
    board.withLock { board in
      guard board.done.indices.contains(track), board.total.isNumeric else { return }
      board.done[track].time = max(board.done[track].time, board.total)
    }
  }

  func finish(succeeded: Bool) {
    let listeners = board.withLock { board in
      board.isOver = true
      if succeeded {
        let total = board.total.isNumeric ? board.total : board.done.map(\.time).max() ?? .zero
        let elapsed = seconds(ContinuousClock.now - board.start)
        board.state = .exporting(
          progress: .init(fraction: 1, time: total, speed: elapsed > 0 ? total.seconds / elapsed : nil, remaining: 0))
      }
      defer { board.listeners = [:] }
      return board.listeners.values.map { ($0, board.state) }
    }
    for (listener, state) in listeners {
      if succeeded { listener.continuation.yield(state) }
      listener.continuation.finish()
    }
  }

  private func tell(_ board: inout Board) {
    let now = ContinuousClock.now
    let due = board.listeners.filter { _, listener in
      guard let interval = listener.interval else { return false }
      return listener.last.map { now - $0 >= interval } ?? true
    }
    guard !due.isEmpty else { return }
    let total = board.total.isNumeric ? board.total.seconds : nil
    var (done, all) = (0.0, 0.0)
    for track in board.done {
      all += track.weight
      if let total, total > 0 { done += track.weight * min(1, max(0, track.time.seconds) / total) }
    }
    // What is left at the end, completing the file, is not nothing.
    board.fraction = max(board.fraction, min(0.999, all > 0 ? done / all : 0))
    let elapsed = seconds(now - board.start)
    let time = board.done.max { $0.weight < $1.weight }?.time ?? .zero
    let isSettled = elapsed > 0.2 && board.fraction > 0
    let progress = ExportSession.Progress(
      fraction: board.fraction, time: time, speed: isSettled ? time.seconds / elapsed : nil,
      remaining: isSettled ? elapsed / board.fraction - elapsed : nil)
    board.state = .exporting(progress: progress)
    for (id, listener) in due {
      board.listeners[id]?.last = now
      listener.continuation.yield(board.state)
    }
  }

  private func seconds(_ duration: Duration) -> Double {
    Double(duration.components.seconds) + Double(duration.components.attoseconds) * 1e-18
  }
}
