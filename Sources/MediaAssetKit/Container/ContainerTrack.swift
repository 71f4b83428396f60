import ISOMedia
import LibAV

/// One track of a container: libav's stream and, for ISO media, the track's own boxes.
struct ContainerTrack: Sendable {
  var id: Int32
  var mediaType: MediaType
  /// What libav knows of it; nil where libav does not list the track.
  var stream: StreamInfo?
  var iso: TrackHeader?
  /// FFmpeg's name of the codec; nil when unknown.
  var codec: String?
  var timeline: TrackTimeline
  /// Programme number in transport streams.
  var program: Int?
  var isEnabled: Bool
  var language: String?
  var extendedLanguage: String?
  var fourCharacterCode: String?
  var codecString: String?
  /// Samples, where the header counts them.
  var sampleCount: Int?
  /// Pictures a second as the header states it.
  var nominalFrameRate: Rational?
  /// Bits a second as the header states it.
  var statedBitRate: Double?
  var isSelfContained: Bool
  /// The first presented moment on the asset's timeline, where the header tells.
  var firstPresented: Rational?
  /// The end of the presented media on the asset's timeline, where the header tells.
  var end: Rational?
  /// How long the presented media is, where the header tells only that.
  var length: Rational?
  /// The turn that shows the pictures upright, where another place than libav's tells.
  var orientation: Orientation?
  /// Stored samples before and after the sound, where the header tells.
  var gapless: GaplessInfo?
  /// What tags call the track (Matroska's TrackUID).
  var uniqueID: UInt64?
  /// The track's own name, where it stands among its properties (Matroska).
  var name: String?
  /// What the container says of views and projection.
  var spatial = SpatialDescription()
  /// False for a track that libav was not shown as it is stored, or whose kind of coding its decoder does not take.
  var isReadableByLibAV = true

  /// Pictures a second as far as the header tells without a look at the sample tables.
  var frameRate: Rational? {
    if let iso, let count = sampleCount, count > 0, let ticks = iso.mediaDuration, ticks > 0 {
      return Rational(reducing: Int128(count) * Int128(iso.mediaTimescale), over: Int128(ticks))
    }
    return nominalFrameRate
  }
  var start: Rational { firstPresented ?? timeline.start }
  var isDecodable: Bool { isReadableByLibAV && stream?.hasDecoder == true && codec != nil }
}

/// A picture stored beside the media: cover art.
struct AttachedPicture: Sendable {
  /// FFmpeg's name of the codec (`png`, `mjpeg`).
  var codec: String
  var bytes: [UInt8]
}

extension StreamInfo {
  /// Seconds of one tick of the stream's time base.
  var tick: Rational {
    Rational(Int64(timeBase.numerator), Int64(timeBase.denominator)).flatMap {
      $0 > .zero ? $0 : nil
    } ?? .one
  }

  /// Whether the header leaves out what every description needs.
  var isIncomplete: Bool {
    guard !disposition.contains(.attachedPicture) else { return false }
    return switch kind {
    case .video: codecName == nil || width == 0 || height == 0
    case .audio: codecName == nil || sampleRate == 0 || channels == 0
    default: false
    }
  }

  /// The average rate that the header or libav's probing gives; nil when unknown.
  var nominalFrameRate: Rational? {
    for rate in [averageFrameRate, realFrameRate] where rate.0 > 0 {
      if let value = Rational(Int64(rate.0), Int64(rate.1)), value > .zero { return value }
    }
    return nil
  }
}
