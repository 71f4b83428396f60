extension Writer {
  /// Appends pictures that have no times of their own.
  public struct PixelBufferAdaptor: Sendable {
    /// The input that is fed.
    public let input: Input
    /// Memory for pictures that is used again once they are encoded; nil where the adaptor was made without a pixel format.
    ///
    /// There at once and for good: AVFoundation's is nil before the writer starts and after it ends.
    public let pixelBufferPool: PixelBufferPool?

    /// An adaptor of an input that encodes pictures; one for each input, made before writing starts.
    ///
    /// - Parameters:
    ///   - input: An input that encodes pictures.
    ///   - pixelFormat: Of the pictures of ``pixelBufferPool``; nil for no pool.
    ///   - size: Of these pictures; nil: the size of the input's settings.
    /// - Throws: ``MediaError`` with `invalidArgument` for an input that encodes no pictures, `operationNotSupported` for one
    ///   that has an adaptor or has begun.
    public init(input: Input, pixelFormat: PixelFormat? = nil, size: PixelSize? = nil) throws {
      guard case .video(let settings)? = input.settings else {
        throw MediaError(
          .invalidArgument, operation: "write", subject: "an adaptor", reason: "the input does not encode pictures")
      }
      if let pixelFormat {
        guard let size = size ?? settings.size else {
          throw MediaError(
            .invalidArgument, operation: "write", subject: "an adaptor",
            reason: "neither the adaptor nor the input's settings name a size for its pool")
        }
        pixelBufferPool = try PixelBufferPool(pixelFormat: pixelFormat, size: size)
      } else {
        pixelBufferPool = nil
      }
      guard input.claimAdaptor() else {
        throw MediaError(
          .operationNotSupported, operation: "write", subject: "an adaptor",
          reason: "the input has an adaptor, or writing has begun")
      }
      self.input = input
    }

    /// Appends a picture that is shown from a time on, until the next one's. Waits and throws as ``Writer/Input/append(_:)-(SampleBuffer)``.
    public func append(_ picture: PixelBuffer, at time: MediaTime) async throws {
      try await input.append(sample(picture, time))
    }

    /// Appends a picture if there is room for it at once.
    public func appendImmediately(_ picture: PixelBuffer, at time: MediaTime) throws -> Bool {
      try input.appendImmediately(sample(picture, time))
    }

    private func sample(_ picture: PixelBuffer, _ time: MediaTime) -> SampleBuffer {
      SampleBuffer(content: .picture(picture), presentationTime: time, duration: .invalid)
    }
  }
}
