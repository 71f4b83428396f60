/// Decoding sessions that nobody uses at the moment, kept for the next request.
///
/// One pool for the process: open decoders hold threads and pictures, so their number is bounded, whatever the
/// number of assets and generators. The oldest leave first.
final class SessionPool: Sendable {
  static let shared = SessionPool()

  private struct Entry {
    var owner: ObjectIdentifier
    var threads: Int
    /// The group of pictures that was decoded last.
    var group: Int?
    var session: VideoSession
  }

  private let entries = Monitor<[Entry]>([])

  /// Decoder threads that may sleep in the pool.
  private static var limit: Int { 2 * max(2, MediaConfiguration.current.threadBudget) }

  /// A session of an owner, best one that stands in `group`; nil when there is none.
  func take(_ owner: ObjectIdentifier, threads: Int, group: Int?) -> VideoSession? {
    entries.withLock { entries in
      func place(_ isFit: (Entry) -> Bool) -> Int? {
        entries.lastIndex { $0.owner == owner && $0.threads == threads && isFit($0) }
      }
      return (place { $0.group == group } ?? place { _ in true }).map {
        entries.remove(at: $0).session
      }
    }
  }

  func give(_ session: VideoSession, of owner: ObjectIdentifier, threads: Int, group: Int?) {
    let surplus = entries.withLock { entries in
      entries.append(Entry(owner: owner, threads: threads, group: group, session: session))
      var surplus: [VideoSession] = []
      while entries.count > 1, entries.reduce(0, { $0 + $1.threads }) > Self.limit {
        surplus.append(entries.removeFirst().session)
      }
      return surplus
    }
    Self.close(surplus)
  }

  /// Closes all sessions of an owner that goes away.
  func drop(_ owner: ObjectIdentifier) {
    let dropped = entries.withLock { entries in
      let dropped = entries.filter { $0.owner == owner }.map(\.session)
      entries.removeAll { $0.owner == owner }
      return dropped
    }
    Self.close(dropped)
  }

  /// Sessions that wait, for tests.
  func count(of owner: ObjectIdentifier) -> Int {
    entries.withLock { $0.count { $0.owner == owner } }
  }

  /// Closing joins the decoder's threads, which is no work for the cooperative pool.
  static func close(_ sessions: [VideoSession]) {
    guard !sessions.isEmpty else { return }
    WorkerPool.opening.submit { withExtendedLifetime(sessions) {} }
  }
}
