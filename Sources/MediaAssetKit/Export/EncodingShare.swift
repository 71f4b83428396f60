/// A part of the process's threads for the encoders of one export, from its beginning to its end.
///
/// An export that begins while others run gets what is its fair part then: of two threads and eight exports one each.
final class EncodingShare: Sendable {
  /// Threads of each encoder.
  let threads: Int

  private static let running = Monitor(0)

  /// - Parameter isAlone: Whether it may have more than one thread.
  init(isAlone: Bool) {
    let count = Self.running.withLock { count in
      count += 1
      return count
    }
    threads = isAlone ? max(1, MediaConfiguration.current.threadBudget / count) : 1
  }

  deinit { Self.running.withLock { $0 -= 1 } }
}
