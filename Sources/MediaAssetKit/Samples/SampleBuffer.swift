import LibAV

/// One sample of a track with its times: as stored, or decoded to a picture, to PCM, to text. Immutable; shares its memory.
public struct SampleBuffer: Sendable {
  /// What a sample holds.
  public enum Content: Sendable {
    /// The bytes as the container stores them.
    case stored(StoredSample)
    /// A decoded picture.
    case picture(PixelBuffer)
    /// Decoded sound.
    case sound(AudioBuffer)
    /// A subtitle or caption.
    case text(TextCue)
    /// Where a timecode track begins to count.
    case timecode(TimecodeSample)
    /// What holds for a while: items of a track of timed metadata.
    case metadata(TimedMetadataGroup)
  }

  /// What it holds.
  public let content: Content
  /// When it is presented, on the asset's timeline; negative before the asset's zero; invalid where the file gives no time.
  public let presentationTime: MediaTime
  /// When it is to be decoded, on the same timeline; invalid for decoded samples and where the file gives none.
  public let decodeTime: MediaTime
  /// How long it lasts; invalid when unknown.
  public let duration: MediaTime
  /// Whether decoding can begin here.
  public let isSync: Bool
  /// Whether no other sample needs this one.
  public let isDisposable: Bool
  /// Whether it is stored but not presented: the edit list leaves it out, and others may lean on it.
  public private(set) var isHidden: Bool
  /// How much of a stored sample's beginning is not presented: priming, or what lies before an edit; zero mostly.
  public private(set) var trimDurationAtStart = MediaTime.zero
  /// How much of a stored sample's end is not presented: padding, or what lies behind an edit; zero mostly.
  public private(set) var trimDurationAtEnd = MediaTime.zero
  /// What the sample is: as stored, or as decoded (sizes, pixel format, rate, channels); shared between samples.
  ///
  /// Known without decoding for stored samples, so what only pictures tell is nil there.
  public var formatDescription: FormatDescription? { format?.description }
  /// Whether this is the first sample, or the description differs from the one before.
  public private(set) var startsNewFormat = false

  private var format: FormatBox?

  init(
    content: Content, presentationTime: MediaTime, decodeTime: MediaTime = .invalid, duration: MediaTime,
    isSync: Bool = true, isDisposable: Bool = false, isHidden: Bool = false
  ) {
    self.content = content
    self.presentationTime = presentationTime
    self.decodeTime = decodeTime
    self.duration = duration
    self.isSync = isSync
    self.isDisposable = isDisposable
    self.isHidden = isHidden
  }

  /// The sample with its description.
  func described(by format: FormatBox, isNew: Bool) -> SampleBuffer {
    var copy = self
    copy.format = format
    copy.startsNewFormat = isNew
    return copy
  }

  mutating func takeFormat(of other: SampleBuffer) { (format, startsNewFormat) = (other.format, other.startsNewFormat) }

  func hidden() -> SampleBuffer {
    var copy = self
    copy.isHidden = true
    return copy
  }

  func trimmed(start: MediaTime, end: MediaTime) -> SampleBuffer {
    var copy = self
    copy.trimDurationAtStart = start
    copy.trimDurationAtEnd = end
    return copy
  }

  /// The decoded picture; nil for other samples.
  public var pixelBuffer: PixelBuffer? { if case .picture(let buffer) = content { buffer } else { nil } }
  /// The decoded sound; nil for other samples.
  public var audioBuffer: AudioBuffer? { if case .sound(let buffer) = content { buffer } else { nil } }
  /// The stored bytes; nil for decoded samples.
  public var stored: StoredSample? { if case .stored(let sample) = content { sample } else { nil } }
  /// The text; nil for other samples.
  public var cue: TextCue? { if case .text(let cue) = content { cue } else { nil } }
  /// The timecode; nil for other samples.
  public var timecode: TimecodeSample? { if case .timecode(let sample) = content { sample } else { nil } }
  /// The items; nil for other samples.
  public var metadataGroup: TimedMetadataGroup? { if case .metadata(let group) = content { group } else { nil } }
}

/// A description that many samples share.
final class FormatBox: Sendable {
  let description: FormatDescription
  init(_ description: FormatDescription) { self.description = description }
}

/// The bytes of one sample as the container stores them.
public struct StoredSample: Sendable {
  let packet: Packet

  /// The number of bytes.
  public var size: Int { packet.size }
  /// Where the bytes lie in the file; nil where they are put together from several places.
  public var offset: Int64? { packet.position }
  /// Whether the container marks the bytes as damaged.
  public var isDamaged: Bool { packet.isCorrupt }

  /// Lends the bytes; valid during the call only.
  public func withBytes<R>(_ body: (Span<UInt8>) throws -> R) rethrows -> R { try packet.withBytes(body) }
}
