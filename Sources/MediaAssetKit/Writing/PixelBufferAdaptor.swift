extension Writer {
  /// Appends pictures that have no times of their own.
  public struct PixelBufferAdaptor: Sendable {
    /// The input that is fed.
    public let input: Input

    /// An adaptor of an input that encodes pictures; one for each input, made before writing starts.
    ///
    /// - Throws: ``MediaError`` with `invalidArgument` for an input that encodes no pictures, `operationNotSupported` for one
    ///   that has an adaptor or has begun.
    public init(input: Input) throws {
      guard case .video? = input.settings else {
        throw MediaError(
          .invalidArgument, operation: "write", subject: "an adaptor", reason: "the input does not encode pictures")
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
