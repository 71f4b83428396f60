import LibAV

/// One call of a custom compositor.
struct CompositorCall {
  let compositor: any VideoCompositing
  let request: VideoCompositionRequest
  /// The instruction's number, from 1.
  let number: Int

  /// The picture that comes of it, checked.
  ///
  /// Returns at once when the task is cancelled: a compositor that goes on is left alone with its request.
  func run() async throws -> PixelBuffer {
    let picture: PixelBuffer
    do { picture = try await answer() } catch {
      // A compositor that gives up by itself has failed.
      if Task.isCancelled, error is CancellationError { throw error }
      throw failure((error as? MediaError)?.reason ?? "\(error)", underlying: error)
    }
    guard picture.size == request.renderSize else {
      throw failure("its picture is \(picture.size) large, and \(request.renderSize) is wanted")
    }
    if let format = compositor.renderPixelFormat, picture.pixelFormat != format {
      throw failure("its picture is \(picture.pixelFormat?.rawValue ?? "of no known format"), and it makes \(format)")
    }
    return try lit(picture)
  }

  private func answer() async throws -> PixelBuffer {
    let (answer, compositor, request) = (OneShot<PixelBuffer>(), compositor, request)
    let task = Task {
      do {
        answer.decide(.success(try await compositor.compose(request)))
      } catch {
        answer.decide(.failure(error))
      }
    }
    return try await withTaskCancellationHandler {
      try await answer.value()
    } onCancel: {
      task.cancel()
    }
  }

  /// With what the sources say of their light, where the picture is of high dynamic range and says nothing of its own.
  private func lit(_ picture: PixelBuffer) throws -> PixelBuffer {
    guard LayerRange.isHDR(picture.frame.colour), !picture.frame.hasLight else { return picture }
    let source = request.order.lazy.compactMap { request.frames[$0]?.frame }.first {
      $0.hasLight && LayerRange.isHDR($0.colour)
    }
    guard let source else { return picture }
    do { return PixelBuffer(try picture.frame.withLight(of: source)) } catch {
      throw MediaError.libav(error, operation: "compose", subject: subject)
    }
  }

  private var subject: String { "the picture at \(request.compositionTime) of instruction \(number)" }

  private func failure(_ reason: String, underlying: (any Error)? = nil) -> MediaError {
    MediaError(
      .videoCompositorFailed, operation: "compose", subject: subject, reason: reason, underlying: underlying)
  }
}
