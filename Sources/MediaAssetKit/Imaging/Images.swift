/// The images of a batch, as an asynchronous sequence that never throws: each element has its image or its own error.
///
/// Work starts with an iterator and stops when that goes away or its task is cancelled; times not served by then fail
/// with `CancellationError`. Each iterator does the work anew.
public struct Images: AsyncSequence, Sendable {
  /// In which order images come.
  public enum Order: Sendable, Hashable {
    /// As the times were given.
    case asRequested
    /// As they are ready: sooner, in no stated order.
    case asCompleted
  }

  /// One image or the reason why there is none.
  public enum Element: Sendable {
    /// An image, and the time of its picture on the asset's timeline.
    case success(requestedTime: MediaTime, image: MediaImage, actualTime: MediaTime)
    /// No image for this time.
    case failure(requestedTime: MediaTime, error: any Error)

    /// The time that was asked for.
    public var requestedTime: MediaTime {
      switch self {
      case .success(let time, _, _), .failure(let time, _): time
      }
    }

    /// The image; throws the reason where there is none.
    public var image: MediaImage {
      get throws {
        switch self {
        case .success(_, let image, _): return image
        case .failure(_, let error): throw error
        }
      }
    }

    /// The time of the image's picture; throws the reason where there is none.
    public var actualTime: MediaTime {
      get throws {
        switch self {
        case .success(_, _, let time): return time
        case .failure(_, let error): throw error
        }
      }
    }
  }

  let generator: ImageGenerator
  let times: [MediaTime]
  let order: Order

  /// Starts the work.
  public func makeAsyncIterator() -> Iterator {
    if generator.composition != nil { return Iterator(generator: generator, times: times) }
    return Iterator(batch: ImageBatch(generator: generator, times: times, order: order))
  }

  /// The iterator of a batch; belongs to one task.
  public struct Iterator: AsyncIteratorProtocol {
    private let handle: Handle?
    /// Of a composition: one image after another.
    private let generator: ImageGenerator?
    private var times: ArraySlice<MediaTime> = []

    init(batch: ImageBatch) {
      handle = Handle(batch: batch)
      generator = nil
      batch.start()
    }

    init(generator: ImageGenerator, times: [MediaTime]) {
      handle = nil
      self.generator = generator
      self.times = times[...]
    }

    /// The next image; nil after the last.
    public mutating func next() async -> Element? {
      guard let generator else { return await handle?.batch.next() }
      guard let time = times.popFirst() else { return nil }
      do {
        let (image, actual) = try await generator.image(at: time)
        return .success(requestedTime: time, image: image, actualTime: actual)
      } catch {
        return .failure(requestedTime: time, error: error)
      }
    }

    /// ``next()`` for loops: they stay on the caller's actor, and leave it only where there is something to wait for.
    public mutating func next(isolation actor: isolated (any Actor)?) async -> Element? { await next() }

    /// Ends the work when the iterator goes away.
    private final class Handle: Sendable {
      let batch: ImageBatch
      init(batch: ImageBatch) { self.batch = batch }
      deinit { batch.abandon() }
    }
  }
}
