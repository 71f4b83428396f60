/// The threads of one decoder that reads a track from end to end, out of what the process may use.
///
/// Nobody waits for threads: whoever holds some may be slow to ask for the next picture. When others hold them all,
/// a decoder works on the thread that calls it, and a thousand iterators have no more threads than a few.
final class DecoderThreads: Sendable {
  private static let taken = Monitor(0)

  /// How many threads the decoder may have; with one it works on its caller's.
  let count: Int

  init(budget: Int = MediaConfiguration.current.threadBudget) {
    count = Self.taken.withLock { taken in
      guard budget - taken > 1 else { return 1 }
      defer { taken = budget }
      return budget - taken
    }
  }

  deinit { if count > 1 { Self.taken.withLock { $0 -= count } } }
}
