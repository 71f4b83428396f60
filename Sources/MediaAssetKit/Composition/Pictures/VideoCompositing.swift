/// Draws the pictures of a composition in place of the built-in compositor.
///
/// Called for one picture after another, each in a task of its own. Cancelling the task that reads cancels the call, and
/// reading ends whether the call returns or not: what AVFoundation asks for by `cancelAllPendingVideoCompositionRequests`.
/// Instructions with a ``VideoComposition/Instruction/passthroughTrackID`` pass it by.
///
/// Sources come in their own colours, at their own range and depth (``PixelBuffer/colour`` tells), also those of high
/// dynamic range and of wide colours; a format that is asked for changes how they are stored and nothing else. AVFoundation
/// converts them unless a compositor says that it supports them. There is neither `anticipateRendering` nor
/// `prerollForRendering`: nothing is late where nobody plays, sources are decoded ahead whatever the compositor does, and
/// one that has to prepare something does so for its first picture.
public protocol VideoCompositing: Sendable {
  /// The pixel format of the source pictures; nil: as they are decoded.
  var requiredPixelFormat: PixelFormat? { get }
  /// The pixel format of the pictures that it makes; nil: any. By default ``requiredPixelFormat``.
  var renderPixelFormat: PixelFormat? { get }
  /// One picture, of the request's size.
  ///
  /// What it throws ends reading: the reader gets `videoCompositorFailed` with the instruction and the time, and what was
  /// thrown as ``MediaError/underlying``. So do pictures of another size or another format than ``renderPixelFormat``.
  func compose(_ request: VideoCompositionRequest) async throws -> PixelBuffer
}

extension VideoCompositing {
  /// As they are decoded.
  public var requiredPixelFormat: PixelFormat? { nil }
  /// That of the source pictures.
  public var renderPixelFormat: PixelFormat? { requiredPixelFormat }
}

/// What a compositor is asked for: the picture at a time.
///
/// It is also what AVFoundation's render context says: pixels are square, ``renderSize`` is all there is, at scale 1 and
/// without edges around it.
public struct VideoCompositionRequest: Sendable {
  /// The time of the picture, on the composition's timeline.
  public let compositionTime: MediaTime
  /// The size that is wanted.
  public let renderSize: PixelSize
  /// The instruction that holds.
  public let instruction: VideoComposition.Instruction
  let frames: [Int32: PixelBuffer]
  let order: [Int32]
  let samples: [Int32: SampleBuffer]
  let pool: PixelBufferPool

  /// The tracks that have a picture at the time, bottom first.
  public var sourceTrackIDs: [Int32] { order }
  /// The picture of a track at the time, not turned; nil where it has none.
  public func sourceFrame(byTrackID trackID: Int32) -> PixelBuffer? { frames[trackID] }

  /// The tracks that have a sample at the time, of those that the instruction names
  /// (``VideoComposition/Instruction/requiredSourceSampleDataTrackIDs``), in its order.
  public var sourceSampleDataTrackIDs: [Int32] {
    instruction.requiredSourceSampleDataTrackIDs.filter { samples[$0] != nil }
  }
  /// What holds at the time of a track of metadata, timecode or text, of several the last that began, with times of the
  /// composition; as stored of other tracks. nil where there is nothing.
  public func sourceSample(byTrackID trackID: Int32) -> SampleBuffer? { samples[trackID] }
  /// The items that hold at the time, of a track of metadata; nil where there are none.
  public func sourceTimedMetadata(byTrackID trackID: Int32) -> TimedMetadataGroup? {
    guard let sample = samples[trackID], var group = sample.metadataGroup else { return nil }
    group.timeRange = MediaTimeRange(start: sample.presentationTime, duration: sample.duration)
    return group
  }

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
