/// The presented sound of a track in order, as an asynchronous sequence of PCM buffers.
///
/// Priming and padding are left out wherever the file says so, and edits are applied to the sample. Buffers join
/// without a gap unless their times say otherwise: where sound is missing, the next buffer's time is later than the
/// last one's end by more than 10 ms. Damaged packets are passed over and counted. Single pass; sound is decoded as it
/// is asked for, about a quarter of a second ahead, whatever the length of the track. Cancelling the task ends it
/// within that.
public struct AudioBuffers: AsyncSequence, Sendable {
  /// A stretch of sound.
  public typealias Element = AudioBuffer

  let track: AssetTrack
  let range: MediaTimeRange?
  let settings: AudioOutputSettings
  /// Whether sound is decoded while that before is used.
  var decodesAhead = false

  /// Nothing is opened before the first buffer is asked for.
  public func makeAsyncIterator() -> Iterator { Iterator(self) }

  /// The iterator; belongs to one task.
  public struct Iterator: AsyncIteratorProtocol {
    private let buffers: AudioBuffers
    private var run: SoundRun?

    init(_ buffers: AudioBuffers) { self.buffers = buffers }

    /// The next buffer; nil after the last.
    ///
    /// - Throws: ``MediaError``: `noSourceTrack` for other tracks than sound, `invalidArgument` for impossible
    ///   settings, `decoderNotFound`, `operationNotSupported` for channels without a layout that would have to be
    ///   mixed, `decodeFailed` when nothing at all could be decoded, and what reading the source throws.
    public mutating func next() async throws -> AudioBuffer? {
      if run == nil {
        run = try await SoundRun(
          track: buffers.track, range: buffers.range, settings: buffers.settings, decodesAhead: buffers.decodesAhead)
      }
      return try await run?.nextSound()
    }

    /// ``next()`` for loops: they stay on the caller's actor, and leave it only where there is something to wait for.
    public mutating func next(isolation actor: isolated (any Actor)?) async throws(any Error) -> AudioBuffer? {
      try await next()
    }

    /// How many packets could not be decoded so far.
    public var damagedPacketCount: Int { run?.damage.count ?? 0 }
  }
}

extension AssetTrack {
  /// The track's presented sound in order, within a range of the asset's time or all, as PCM.
  ///
  /// A range is cut to the nearest sample at both ends, and a little sound before it is decoded where the codec leans on
  /// it: the samples are those of a run over the whole track. When the sound changes in mid-stream (5.1, then stereo),
  /// buffers change with it in whatever the settings leave open. Costs decoding, one thread for each track.
  ///
  /// Sound in a segment of another speed than 1 keeps its own speed and pitch.
  public func audio(
    in range: MediaTimeRange? = nil, settings: AudioOutputSettings = AudioOutputSettings()
  ) -> AudioBuffers {
    AudioBuffers(track: self, range: range, settings: settings)
  }
}
