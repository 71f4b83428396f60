import FoundationEssentials
import LibAV

/// Takes samples from an asset: as stored, or decoded to pictures, PCM or text.
///
/// ```swift
/// let reader = Reader(asset: asset, timeRange: range)
/// for try await sample in try reader.output(for: track, settings: .audio(AudioOutputSettings(sampleRate: 16_000, channels: 1))) {
///   …
/// }
/// ```
///
/// Each output reads and decodes by itself: outputs may be drained from different tasks, at different speeds and in any
/// order, without waiting for each other and with a few samples in memory, whatever the length of the media.
///
/// Differences from AVAssetReader, on purpose: nothing has to be started, errors are thrown where they happen, and an
/// output can be read at any time. Reading is pulled, so there is no readiness to poll. Every sample is one sample, never
/// many or a marker without any; samples can't be changed and share their memory, so nothing is copied
/// (`alwaysCopiesSampleData`). Where samples lie in the file ``StoredSample/offset`` says, and ``SampleCursor`` without
/// reading them, so there is no output of references; timed metadata and captions are outputs like others
/// (``TrackOutput/Settings/metadata``, ``TrackOutput/Settings/text``), without adaptors.
public struct Reader: Sendable {
  /// The asset that is read; one that holds nothing where a ``composition`` is.
  public let asset: MediaAsset
  /// The composition that is read; nil where an asset is.
  public let composition: Composition?
  /// The part of the asset's time that is read; all of it by default.
  public let timeRange: MediaTimeRange

  /// A reader of an asset. Reads nothing by itself.
  public init(asset: MediaAsset, timeRange: MediaTimeRange? = nil) {
    self.asset = asset
    composition = nil
    self.timeRange = timeRange ?? MediaTimeRange(start: .zero, duration: .positiveInfinity)
  }

  /// A reader of a composition. Reads nothing by itself. ``AudioMixOutput`` and ``VideoCompositionOutput`` read what its
  /// tracks make together.
  public init(
    composition: Composition, timeRange: MediaTimeRange? = nil, assetOptions: MediaAsset.Options = .init()
  ) {
    asset = MediaAsset(data: Data(), options: assetOptions)
    self.composition = composition
    self.timeRange = timeRange ?? MediaTimeRange(start: .zero, duration: .positiveInfinity)
  }

  /// Why a track can't be read with some settings; nil when it can.
  public func reasonAgainst(_ track: AssetTrack, settings: TrackOutput.Settings) -> MediaError? {
    func refuse(_ reason: String) -> MediaError {
      MediaError(.invalidArgument, operation: "read", subject: track.subject, reason: reason)
    }
    if track.asset !== asset { return refuse("the track belongs to another asset") }
    if !timeRange.isValid { return refuse("the time range is not valid") }
    switch settings {
    case .stored: return nil
    case .video where track.mediaType != .video:
      return refuse("pictures were asked of a track without pictures")
    case .audio where track.mediaType != .audio:
      return refuse("sound was asked of a track without sound")
    case .text where !track.mediaType.holdsText && track.mediaType != .video:
      return refuse("text was asked of a track without text")
    case .timecode where track.mediaType != .timecode:
      return refuse("timecode was asked of a track without timecode")
    case .metadata where track.mediaType != .metadata:
      return refuse("timed metadata was asked of a track without it")
    case .video(let video):
      return reason {
        try video?.check(subject: track.subject, maximumPixels: asset.options.policy.maximumPixels)
      }
    case .audio(let audio): return reason { try audio.check(subject: track.subject) }
    case .text, .timecode, .metadata: return nil
    }
  }

  private func reason(_ check: () throws -> Void) -> MediaError? {
    do {
      try check()
      return nil
    } catch { return error as? MediaError }
  }

  /// An output for a track of the asset.
  ///
  /// - Throws: ``MediaError`` with the reason of ``reasonAgainst(_:settings:)``. Decoders are looked for when the first
  ///   sample is asked for.
  public func output(for track: AssetTrack, settings: TrackOutput.Settings = .stored) throws -> TrackOutput {
    if let reason = reasonAgainst(track, settings: settings) { throw reason }
    return TrackOutput(track: track, settings: settings, timeRanges: [timeRange])
  }
}

extension MediaType {
  /// Subtitles, captions and other text.
  var holdsText: Bool { [.subtitle, .closedCaption, .text].contains(self) }
}
