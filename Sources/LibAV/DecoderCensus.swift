internal import Synchronization

/// Counts the decoders that live at a time, of those that are opened by tasks for which it is set: how tests see that
/// they are let go of.
package final class DecoderCensus: Sendable {
  @TaskLocal package static var current: DecoderCensus?

  private let living = Atomic(0)
  private let peak = Atomic(0)
  private let total = Atomic(0)

  package init() {}

  /// Those that live now.
  package var alive: Int { living.load(ordering: .relaxed) }
  /// The most that lived at a time.
  package var most: Int { peak.load(ordering: .relaxed) }
  /// All that ever were.
  package var opened: Int { total.load(ordering: .relaxed) }

  func add(_ change: Int) {
    let count = living.add(change, ordering: .relaxed).newValue
    peak.max(count, ordering: .relaxed)
    if change > 0 { total.add(change, ordering: .relaxed) }
  }
}
