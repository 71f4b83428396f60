import LibAV

/// Encodes the pictures at one edge of a cut, in the order in which they are shown.
struct EdgeEncoder {
  private let session: VideoEncodingSession
  private let subject: String
  /// What the pictures in the encoder are shown at: none is shown before one that came earlier.
  private var waiting: ArraySlice<(time: MediaTime, duration: MediaTime)> = []
  private var isFirst = true

  init(_ session: VideoEncodingSession, subject: String) {
    self.session = session
    self.subject = subject
  }

  /// The set-up bytes, before anything is encoded.
  static func prepare(
    _ settings: VideoSettings, subject: String, interrupt: Interrupt
  ) async throws -> (session: VideoEncodingSession, parameters: CodecParameters) {
    let session = try makeSession(settings, subject: subject, interrupt: interrupt)
    return (session, try await session.prepare())
  }

  static func makeSession(
    _ settings: VideoSettings, subject: String, interrupt: Interrupt
  ) throws -> VideoEncodingSession {
    // Of a container that wants the parameter sets beside the pictures, whatever is written.
    guard let container = WritableContainer.container(for: .mp4) else {
      throw MediaError(
        .operationNotSupported, operation: "encode", subject: subject, reason: "this FFmpeg writes no MPEG-4 files")
    }
    return VideoEncodingSession(
      settings: settings, container: container, timescale: nil, subject: subject, interrupt: interrupt)
  }

  /// Encodes a picture; `form` makes the stream's form of what the encoder gives, and gets whether it is the first.
  mutating func encode(
    _ frame: VideoFrame, form: (Packet, Bool) throws -> Packet?
  ) async throws -> [SampleBuffer] {
    waiting.append((frame.time, frame.duration))
    return try samples(
      try await session.encode(
        PictureInput(frame: frame.pixelBuffer.frame, time: frame.time, duration: frame.duration)
      ).samples, form)
  }

  mutating func finish(form: (Packet, Bool) throws -> Packet?) async throws -> [SampleBuffer] {
    try samples(try await session.finish(end: nil).samples, form)
  }

  private mutating func samples(
    _ made: [QueuedSample], _ form: (Packet, Bool) throws -> Packet?
  ) throws -> [SampleBuffer] {
    var samples: [SampleBuffer] = []
    for sample in made {
      guard let shown = waiting.popFirst(), let packet = try form(sample.packet, isFirst) else {
        throw MediaError(
          .encodeFailed, operation: "encode", subject: subject,
          reason: "what the encoder gives can't be joined with the source")
      }
      isFirst = false
      samples.append(
        SampleBuffer(
          content: .stored(StoredSample(packet: packet)), presentationTime: shown.time, duration: shown.duration,
          isSync: packet.isKey))
    }
    return samples
  }
}
