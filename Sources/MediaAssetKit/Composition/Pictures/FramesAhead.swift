/// Pictures that are decoded while those before are drawn: every layer's decoder works beside the others.
final class FramesAhead: Sendable {
  private let channel: BoundedChannel<Result<VideoFrame, any Error>>
  private let task: Task<Void, Never>

  init(_ frames: some AsyncSequence<VideoFrame, any Error> & Sendable, count: Int = 2) {
    let channel = BoundedChannel<Result<VideoFrame, any Error>>(capacity: count)
    self.channel = channel
    task = Task {
      do {
        for try await frame in frames { try await channel.send(.success(frame)) }
      } catch {
        try? await channel.send(.failure(error))
      }
      channel.finish()
    }
  }

  deinit {
    task.cancel()
    channel.fail(CancellationError())
  }

  /// The next picture; nil behind the last. What decoding threw comes in its place.
  func next() async throws -> VideoFrame? {
    try await withTaskCancellationHandler {
      try await channel.next()?.get()
    } onCancel: {
      task.cancel()
      channel.fail(CancellationError())
    }
  }
}
