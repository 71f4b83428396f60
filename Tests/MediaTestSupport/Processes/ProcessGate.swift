import Foundation

/// Lets only a few commands run at once, however many tests ask: more than the cores would only
/// make every one of them slower and their deadlines meaningless.
actor ProcessGate {
  static let shared = ProcessGate(ProcessInfo.processInfo.activeProcessorCount + 1)

  private var free: Int
  private var waiting: [(id: UInt64, continuation: CheckedContinuation<Void, any Error>)] = []
  private var lastID: UInt64 = 0

  init(_ count: Int) { free = count }

  func enter() async throws {
    try Task.checkCancellation()
    if free > 0 {
      free -= 1
      return
    }
    lastID += 1
    let id = lastID
    try await withTaskCancellationHandler {
      try await withCheckedThrowingContinuation {
        (continuation: CheckedContinuation<Void, any Error>) in
        if Task.isCancelled {
          continuation.resume(throwing: CancellationError())
        } else {
          waiting.append((id, continuation))
        }
      }
    } onCancel: {
      Task { await self.cancel(id) }
    }
  }

  func leave() {
    if waiting.isEmpty {
      free += 1
    } else {
      waiting.removeFirst().continuation.resume()
    }
  }

  private func cancel(_ id: UInt64) {
    guard let index = waiting.firstIndex(where: { $0.id == id }) else { return }
    waiting.remove(at: index).continuation.resume(throwing: CancellationError())
  }
}
