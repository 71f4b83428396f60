/// Draws the pictures of a composition in place of the built-in compositor.
///
/// Called for one picture after another, from the task that reads. Cancelling that task cancels the call.
public protocol VideoCompositing: Sendable {
  /// The pixel format of the source pictures; nil: as they are decoded.
  var requiredPixelFormat: PixelFormat? { get }
  /// One picture. What it throws ends reading, and reaches the reader as it is.
  func compose(_ request: VideoCompositionRequest) async throws -> PixelBuffer
}

extension VideoCompositing {
  /// As they are decoded.
  public var requiredPixelFormat: PixelFormat? { nil }
}

/// What a compositor is asked for: the picture at a time.
public struct VideoCompositionRequest: Sendable {
  /// The time of the picture, on the composition's timeline.
  public let compositionTime: MediaTime
  /// The size that is wanted.
  public let renderSize: PixelSize
  /// The instruction that holds.
  public let instruction: VideoComposition.Instruction
  let frames: [Int32: PixelBuffer]
  let order: [Int32]
  let pool: PixelBufferPool

  /// The tracks that have a picture at the time, bottom first.
  public var sourceTrackIDs: [Int32] { order }
  /// The picture of a track at the time, not turned; nil where it has none.
  public func sourceFrame(byTrackID trackID: Int32) -> PixelBuffer? { frames[trackID] }

  /// A picture to draw into, of the render size, in the compositor's pixel format or else in planes of Y'CbCr 4:2:0 of 8
  /// bits. Its memory is used again when the picture is let go.
  ///
  /// - Throws: ``MediaError`` with `outOfMemory`.
  public func makePixelBuffer() throws -> MutablePixelBuffer { try pool.makeBuffer() }
}

/// A compositor made of a closure.
public struct VideoCompositionHandler: VideoCompositing {
  /// The pixel format of the source pictures.
  public let requiredPixelFormat: PixelFormat?
  private let body: @Sendable (VideoCompositionRequest) async throws -> PixelBuffer

  /// A compositor that calls a closure for each picture.
  public init(
    pixelFormat: PixelFormat? = nil,
    _ body: @escaping @Sendable (VideoCompositionRequest) async throws -> PixelBuffer
  ) {
    requiredPixelFormat = pixelFormat
    self.body = body
  }

  /// Calls the closure.
  public func compose(_ request: VideoCompositionRequest) async throws -> PixelBuffer { try await body(request) }
}
