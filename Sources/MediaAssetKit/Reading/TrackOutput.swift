import ISOMedia
import LibAV

/// The samples of one track, as an asynchronous sequence.
///
/// Decoded samples come in the order of presentation and are cut to the time ranges at both ends: the first picture is the
/// one on show at a range's start, sound begins and ends on the sample. Stored samples come in decode order, from the sync
/// sample from which the range can be decoded; those that only serve others are marked as hidden. Single pass; a new
/// iterator begins anew, and ``Iterator/reset(forReadingTimeRanges:)`` reads elsewhere with the same decoder.
///
/// Damaged packets are passed over and counted (``Iterator/skippedSampleCount``). Cancelling the task ends reading within
/// one sample's work, with `CancellationError`.
public struct TrackOutput: AsyncSequence, Sendable {
  /// What an output gives.
  public enum Settings: Sendable, Hashable {
    /// Samples as stored.
    case stored
    /// Decoded pictures, not turned: in their stored pixel format and size without settings.
    case video(VideoOutputSettings? = nil)
    /// Decoded sound.
    case audio(AudioOutputSettings)
    /// Subtitles and captions as text, one sample a cue; empty ones, which only fill gaps, are left out. Of a video track
    /// the CEA-608 captions that its pictures carry, which takes decoding them.
    case text
    /// What a timecode track counts.
    case timecode
    /// Timed metadata as groups of typed items (``SampleBuffer/metadataGroup``); samples that only say that there is
    /// nothing are left out. Of QuickTime and MPEG-4 files, where the track says what its samples mean (`mebx`).
    case metadata
  }

  /// One sample.
  public typealias Element = SampleBuffer

  /// The track that is read.
  public let track: AssetTrack
  /// What the output gives.
  public let settings: Settings
  /// The parts of the asset's time that are read, one after another; each is cut to the track's own.
  public let timeRanges: [MediaTimeRange]
  /// Whether stored samples get the times that their container leaves out, where they follow from the others'.
  var fillsTimes = false

  init(track: AssetTrack, settings: Settings, timeRanges: [MediaTimeRange]) {
    self.track = track
    self.settings = settings
    self.timeRanges = timeRanges
  }

  /// The same output for other parts of the asset's time, in the order given.
  ///
  /// - Throws: `invalidArgument` unless every start is a number, every duration a number of at least zero or positive
  ///   infinity, and every range begins at or after the end of the one before. No range at all gives no samples.
  public func reading(timeRanges: [MediaTimeRange]) throws -> TrackOutput {
    try Self.check(timeRanges, subject: track.subject)
    return TrackOutput(track: track, settings: settings, timeRanges: timeRanges)
  }

  static func check(_ ranges: [MediaTimeRange], subject: String) throws {
    func refuse(_ reason: String) -> MediaError {
      MediaError(.invalidArgument, operation: "read", subject: subject, reason: reason)
    }
    var end: MediaTime?
    for range in ranges {
      guard range.start.isNumeric else { throw refuse("the start \(range.start) of a time range is not a number") }
      let duration = range.duration
      guard duration.isPositiveInfinity || duration.isNumeric && duration >= .zero else {
        throw refuse("the duration \(duration) of a time range is no length of time")
      }
      if let end, range.start < end { throw refuse("the time ranges overlap or go back") }
      end = range.end
    }
  }

  /// Opens nothing before the first sample is asked for.
  public func makeAsyncIterator() -> Iterator { Iterator(output: self) }

  /// The iterator; belongs to one task.
  public struct Iterator: AsyncIteratorProtocol {
    private let output: TrackOutput
    private var ranges: ArraySlice<MediaTimeRange>
    private var run: (any SampleRun)?
    private var isInRange = false
    private var formats = FormatTracker()

    init(output: TrackOutput) {
      self.output = output
      ranges = output.timeRanges[...]
    }

    /// The next sample; nil after the last.
    ///
    /// - Throws: ``MediaError``: what reading the source throws, `decoderNotFound`, `decodeFailed` when nothing at all
    ///   could be decoded, `operationNotSupported` for pictures and layouts that can't be converted as asked.
    public mutating func next() async throws -> SampleBuffer? {
      while true {
        if !isInRange {
          guard let range = ranges.popFirst() else { return nil }
          // A range without any length shows nothing.
          if range.duration == .zero { continue }
          if let run { try await run.begin(range) } else { run = try await open(range) }
          isInRange = true
        }
        if let sample = try await run?.next() { return formats.describe(sample, of: output.track) }
        isInRange = false
      }
    }

    /// ``next()`` for loops: they stay on the caller's actor, and leave it only where there is something to wait for.
    public mutating func next(isolation actor: isolated (any Actor)?) async throws(any Error) -> SampleBuffer? {
      try await next()
    }

    /// Reads these parts of the asset's time from now on, in place of what was left; the decoder stays open.
    ///
    /// - Throws: `invalidArgument` as ``TrackOutput/reading(timeRanges:)``.
    public mutating func reset(forReadingTimeRanges timeRanges: [MediaTimeRange]) throws {
      try TrackOutput.check(timeRanges, subject: output.track.subject)
      ranges = timeRanges[...]
      isInRange = false
    }

    /// How many samples could not be read or decoded so far and were passed over.
    ///
    /// Decoders with several threads report late, so a picture's damage may count with the next ones.
    public var skippedSampleCount: Int { run?.damage.count ?? 0 }
    /// Why the last of them was passed over; nil while nothing was.
    public var lastSkippedError: MediaError? { run?.damage.last }

    private func open(_ range: MediaTimeRange) async throws -> any SampleRun {
      let track = output.track
      switch output.settings {
      case .stored: return try await StoredRun(track: track, range: range, fillsTimes: output.fillsTimes)
      case .video(let settings): return try await FrameRun(track: track, range: range, settings: settings)
      case .audio(let settings): return try await SoundRun(track: track, range: range, settings: settings)
      case .text: return try await TextRun(track: track, range: range)
      case .timecode: return try await TimecodeRun(track: track, range: range)
      case .metadata: return try await MetadataRun(track: track, range: range)
      }
    }
  }
}

/// One way of reading a track, range after range.
protocol SampleRun: AnyObject {
  /// Goes to another range.
  func begin(_ range: MediaTimeRange) async throws
  /// The next sample of the range; nil at its end.
  func next() async throws -> SampleBuffer?
  /// What was passed over.
  var damage: SampleDamage { get }
}

/// What was passed over because it is damaged.
struct SampleDamage: Sendable {
  var count = 0
  var last: MediaError?

  mutating func note(_ error: any Error) {
    count += 1
    last = error as? MediaError ?? last
  }

  func joined(with other: SampleDamage) -> SampleDamage {
    SampleDamage(count: count + other.count, last: last ?? other.last)
  }
}

/// Gives samples their descriptions, which are made only when something changes.
struct FormatTracker: Sendable {
  private var current: FormatBox?
  private var key: Key?

  private enum Key: Hashable {
    case stored(Int)
    case picture(PixelSize, PixelFormat?, ColourProperties, PixelAspectRatio?, VideoFormat.FieldOrder)
    case sound(AudioFormat)
    case other
  }

  mutating func describe(_ sample: SampleBuffer, of track: AssetTrack) -> SampleBuffer {
    let key = key(sample)
    if key == self.key, let current { return sample.described(by: current, isNew: false) }
    self.key = key
    let box = FormatBox(description(sample, of: track))
    current = box
    return sample.described(by: box, isNew: true)
  }

  private func key(_ sample: SampleBuffer) -> Key {
    switch sample.content {
    case .stored(let stored):
      guard stored.packet.hasNewExtradata, case .stored(let number) = key else { return key ?? .stored(0) }
      return .stored(number + 1)
    case .picture(let picture):
      return .picture(
        picture.size, picture.pixelFormat, picture.colour, picture.sampleAspectRatio, picture.fieldOrder)
    case .sound(let sound):
      return .sound(
        AudioFormat(
          sampleRate: sound.sampleRate, channels: sound.channels, layout: sound.layout,
          sampleFormat: sound.format.identifier(isPlanar: sound.isPlanar).name))
    case .text, .timecode, .metadata: return .other
    }
  }

  private func description(_ sample: SampleBuffer, of track: AssetTrack) -> FormatDescription {
    switch sample.content {
    case .stored(let stored): return track.storedFormat(parameterSets: stored.packet.newExtradata)
    case .picture(let picture):
      let rect = PixelRect(picture.size)
      let ratio = picture.sampleAspectRatio ?? .square
      let identifier = picture.frame.format
      return FormatDescription(
        mediaType: .video, codec: "rawvideo",
        video: VideoFormat(
          encodedSize: picture.size, cleanAperture: rect, naturalSize: PixelFitting.displaySize(picture.size, ratio),
          sampleAspectRatio: ratio, pixelFormat: picture.pixelFormat?.rawValue, bitDepth: identifier.bitDepth,
          fieldOrder: picture.fieldOrder, colour: picture.colour, hasAlpha: identifier.hasAlpha))
    case .sound(let sound):
      guard case .sound(var format) = key else { return FormatDescription(mediaType: .audio) }
      format.bitDepth = sound.format.bytesPerSample * 8
      return FormatDescription(mediaType: .audio, codec: "pcm", audio: format)
    case .text: return FormatDescription(mediaType: track.mediaType, codec: "text")
    case .timecode, .metadata: return track.storedFormat(parameterSets: nil)
    }
  }
}

extension AssetTrack {
  /// What is known of the stored samples without decoding any.
  func storedFormat(parameterSets: [UInt8]?) -> FormatDescription {
    var description = FormatDescription(
      mediaType: mediaType, codec: track.codec, fourCharacterCode: track.fourCharacterCode,
      codecString: track.codecString, parameterSets: parameterSets ?? track.stream?.extradata ?? [])
    if mediaType == .audio, let stream = track.stream {
      description.audio = AudioFormat(
        sampleRate: stream.sampleRate, channels: stream.channels, layout: stream.channelLayout)
    }
    if mediaType == .video, let geometry = geometry() {
      description.video = VideoFormat(
        encodedSize: geometry.encodedSize, cleanAperture: geometry.cleanRect, naturalSize: geometry.naturalSize,
        sampleAspectRatio: geometry.pixelAspectRatio, colour: ColourProperties(track.stream?.colour ?? .init()),
        hasAlpha: track.hasAlpha)
    }
    if mediaType == .metadata { description.metadataKeys = boxedMetadata?.keys.map { TimedMetadataKey($0) } ?? [] }
    return description
  }
}
