internal import Synchronization

/// Counts the decoders that live at a time, of those that are opened by tasks for which it is set: how tests see that
/// they are let go of.
package final class DecoderCensus: Sendable {
  @TaskLocal package static var current: DecoderCensus?

  private let counts = Mutex((alive: 0, most: 0, opened: 0))

  package init() {}

  /// Those that live now.
  package var alive: Int { counts.withLock { $0.alive } }
  /// The most that lived at a time.
  package var most: Int { counts.withLock { $0.most } }
  /// All that ever were.
  package var opened: Int { counts.withLock { $0.opened } }

  func add(_ change: Int) {
    counts.withLock { counts in
      counts.alive += change
      counts.most = max(counts.most, counts.alive)
      counts.opened += max(0, change)
    }
  }
}
