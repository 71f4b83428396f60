/// Takes samples from an asset: as stored, or decoded to pictures or PCM.
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
/// output can be read at any time. Reading is pulled, so there is no readiness to poll.
public struct Reader: Sendable {
  /// The asset that is read.
  public let asset: MediaAsset
  /// The part of the asset's time that is read; all of it by default.
  public let timeRange: MediaTimeRange

  /// A reader of an asset. Reads nothing by itself.
  public init(asset: MediaAsset, timeRange: MediaTimeRange? = nil) {
    self.asset = asset
    self.timeRange = timeRange ?? MediaTimeRange(start: .zero, duration: .positiveInfinity)
  }

  /// Why a track can't be read with some settings; nil when it can.
  public func reasonAgainst(_ track: AssetTrack, settings: TrackOutput.Settings) -> MediaError? {
    func refuse(_ code: MediaError.Code, _ reason: String) -> MediaError {
      MediaError(code, operation: "read", subject: track.subject, reason: reason)
    }
    if track.asset !== asset { return refuse(.invalidArgument, "the track belongs to another asset") }
    if !timeRange.isValid { return refuse(.invalidArgument, "the time range is not valid") }
    switch settings {
    case .stored: return nil
    case .video where track.mediaType != .video:
      return refuse(.invalidArgument, "pictures were asked of a track without pictures")
    case .audio where track.mediaType != .audio:
      return refuse(.invalidArgument, "sound was asked of a track without sound")
    case .audio(let audio):
      if let rate = audio.sampleRate, !(1...768_000).contains(rate) {
        return refuse(.invalidArgument, "the sample rate \(rate) is out of range")
      }
      if let channels = audio.channels, !(1...64).contains(channels) {
        return refuse(.invalidArgument, "\(channels) channels are out of range")
      }
      return nil
    case .video: return nil
    }
  }

  /// An output for a track of the asset.
  ///
  /// - Throws: ``MediaError`` with `invalidArgument` and the reason of ``reasonAgainst(_:settings:)``. Decoders are looked
  ///   for when the first sample is asked for.
  public func output(for track: AssetTrack, settings: TrackOutput.Settings = .stored) throws -> TrackOutput {
    if let reason = reasonAgainst(track, settings: settings) { throw reason }
    return TrackOutput(track: track, settings: settings, timeRange: timeRange)
  }
}

/// The samples of one track, as an asynchronous sequence.
///
/// Decoded samples come in the order of presentation and are cut to the time range at both ends: the first picture is the
/// one on show at its start, sound begins and ends on the sample. Stored samples come in decode order, from the sync
/// sample from which the range can be decoded; those that only serve others are marked as hidden. Single pass; a new
/// iterator begins anew.
public struct TrackOutput: AsyncSequence, Sendable {
  /// What an output gives.
  public enum Settings: Sendable, Hashable {
    /// Samples as stored.
    case stored
    /// Decoded pictures in their stored pixel format, not turned and not scaled.
    case video
    /// Decoded sound.
    case audio(AudioOutputSettings)
  }

  /// One sample.
  public typealias Element = SampleBuffer

  /// The track that is read.
  public let track: AssetTrack
  /// What the output gives.
  public let settings: Settings
  let timeRange: MediaTimeRange

  /// Opens nothing before the first sample is asked for.
  public func makeAsyncIterator() -> Iterator { Iterator(output: self) }

  /// The iterator; belongs to one task.
  public struct Iterator: AsyncIteratorProtocol {
    private let output: TrackOutput
    private var source: Source?

    init(output: TrackOutput) { self.output = output }

    private enum Source {
      case stored(StoredRun)
      case pictures(VideoFrames.Iterator)
      case sound(SoundRun)
    }

    /// The next sample; nil after the last.
    public mutating func next() async throws -> SampleBuffer? {
      if source == nil { source = try await open() }
      switch source {
      case .stored(let run): return try await run.next()
      case .pictures(var iterator):
        let frame = try await iterator.next()
        source = .pictures(iterator)
        return frame.map {
          SampleBuffer(
            content: .picture($0.pixelBuffer), presentationTime: $0.time, duration: $0.duration,
            isSync: $0.pixelBuffer.isSync)
        }
      case .sound(let run):
        return try await run.next().map {
          SampleBuffer(content: .sound($0), presentationTime: $0.time, duration: $0.duration)
        }
      case nil: return nil
      }
    }

    private func open() async throws -> Source {
      let (track, range) = (output.track, output.timeRange)
      switch output.settings {
      case .stored: return .stored(try await StoredRun(track: track, range: range))
      case .video: return .pictures(track.frames(in: range).makeAsyncIterator())
      case .audio(let settings): return .sound(try await SoundRun(track: track, range: range, settings: settings))
      }
    }
  }
}
