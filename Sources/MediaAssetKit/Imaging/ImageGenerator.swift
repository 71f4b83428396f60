import FoundationEssentials
import LibAV

/// Draws still images from the pictures of an asset's video.
///
/// ```swift
/// var generator = ImageGenerator(asset: asset)
/// generator.maximumSize = PixelSize(width: 320, height: 0)
/// let (image, actualTime) = try await generator.image(at: MediaTime(value: 5, timescale: 1))
/// ```
///
/// A value: changes apply to later requests only. Copies share decoders, which live as long as the last copy.
/// It draws from the default video track: marked as default first, then the first programme, then the file's order.
///
/// Differences from AVAssetImageGenerator, on purpose: ``appliesPreferredTrackTransform`` is true from the start,
/// since an upright picture is what nearly everybody wants; negative or invalid tolerances are errors, not exceptions.
public struct ImageGenerator: Sendable {
  /// The asset that is drawn from; one that holds nothing where a ``composition`` is.
  public let asset: MediaAsset
  /// The composition that is drawn from; nil where an asset is.
  public let composition: Composition?
  /// How the composition's tracks are drawn; nil: as
  /// ``VideoComposition/init(propertiesOf:prototypeInstruction:assetOptions:)`` says.
  public var videoComposition: VideoComposition?
  /// The box into which images are fitted after the turn; a side of 0 is unconstrained. Never makes an image larger.
  public var maximumSize = PixelSize.zero
  /// Which part and shape of the stored picture an image shows.
  public var apertureMode = ApertureMode.cleanAperture
  /// Whether images are turned upright by the track's transform; true by default. Only right angles, mirrored or not,
  /// are honoured; pictures with another transform stay as stored.
  public var appliesPreferredTrackTransform = true
  /// How much earlier than asked an image may be; infinite by default.
  ///
  /// With both tolerances infinite the key picture nearest to the time is drawn (ties to the earlier), which is fast;
  /// outside of the track its first or last picture, between two edits the nearer neighbour. With finite ones the
  /// cheapest picture within, or the one on show where none begins within. With both zero exactly the picture on
  /// show, or an error where none is. Formats that draw each frame over the one before (GIF, APNG) have no key picture
  /// but the first: there the picture on show is drawn.
  public var requestedTimeToleranceBefore = MediaTime.positiveInfinity
  /// How much later than asked an image may be; infinite by default.
  public var requestedTimeToleranceAfter = MediaTime.positiveInfinity
  /// What becomes of HDR and wide colour.
  public var dynamicRangePolicy = DynamicRangePolicy.forceSDR

  let sources = PropertyStore()

  /// A generator for an asset. Reads nothing; an asset without video fails when an image is asked for.
  public init(asset: MediaAsset) {
    self.asset = asset
    composition = nil
  }

  /// A generator for a composition. Draws exactly the time that is asked for, whatever the tolerances; of the other
  /// properties ``maximumSize`` and ``dynamicRangePolicy`` count. Each image opens the sources anew.
  public init(
    composition: Composition, videoComposition: VideoComposition? = nil, assetOptions: MediaAsset.Options = .init()
  ) {
    asset = MediaAsset(data: Data(), options: assetOptions)
    self.composition = composition
    self.videoComposition = videoComposition
  }

  /// The image on show at a time, within the tolerances, and the time of its picture on the asset's timeline.
  ///
  /// Costs one seek and the decoding from the key picture before, at most one group of pictures; with tolerance one
  /// picture. Cancelling the task ends it within one picture's decoding.
  /// - Throws: ``MediaError``: `noSourceTrack`, `noImageAtTime`, `decoderNotFound`, `decodeFailed`, `invalidArgument`,
  ///   and what loading the asset throws; `CancellationError`.
  public func image(at time: MediaTime) async throws -> (image: MediaImage, actualTime: MediaTime) {
    if let composition { return (try await image(of: composition, at: time), time) }
    let source = try await source()
    let request = try plan(time, source)
    let renderer = try renderer(source)
    // One picture decodes fastest alone; a run up to an exact picture takes all cores.
    let threads = request.goal.isKey ? 1 : MediaConfiguration.current.threadBudget
    let group = source.group(of: request)
    let (image, actual) = try await source.withSession(upTo: threads, group: group) { session in
      try await source.picture(for: request, session: session) { frame, scalers in
        try renderer.render(frame, &scalers)
      }
    }
    return (image, MediaTime(actual))
  }

  /// Images for many times, one element for each, in the order asked or as they come.
  ///
  /// Times are sorted and each group of pictures is decoded once, groups side by side on all cores; times that fall on
  /// one picture share it. Memory is bounded by ``MediaConfiguration/imageMemoryBudget``, whatever the number of times.
  public func images(for times: [MediaTime], order: Images.Order = .asRequested) -> Images {
    Images(generator: self, times: times, order: order)
  }

  /// Times at the middles of `count` equal parts of the video's presented range.
  public func evenlySpacedTimes(count: Int) async throws -> [MediaTime] {
    guard count > 0 else { return [] }
    guard count <= ImageSpacing.maximumCount else {
      throw MediaError(
        .limitExceeded, operation: "draw", subject: asset.subject,
        reason: "\(count) pictures are more than \(ImageSpacing.maximumCount)")
    }
    let range =
      if let composition { MediaTimeRange(start: .zero, duration: composition.duration) } else {
        try await source().track.load(.timeRange)
      }
    guard range.isNumeric, let start = range.start.rational, let duration = range.duration.rational
    else {
      throw MediaError(
        .operationNotSupported, operation: "probe", subject: asset.subject,
        reason: "its duration is unknown",
        remedy: "Ask for precise duration and timing")
    }
    return (0..<count).map { number in
      let part = Rational(Int64(2 * number + 1), Int64(2 * count)) ?? .zero
      return MediaTime(start + duration * part)
    }
  }
}
