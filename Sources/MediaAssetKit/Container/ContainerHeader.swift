import ISOMedia
import LibAV

/// What a container's header says: a value, read once for an asset.
struct ContainerHeader: Sendable {
  /// `mp4`, `mov`, `matroska`, … or FFmpeg's own name.
  var container: String
  var fileType: FileType?
  var size: Int64?
  var tracks: [ContainerTrack]
  /// Text and picture tracks that only carry chapters; not among the tracks.
  var chapterTracks: [ContainerTrack] = []
  var pictures: [AttachedPicture]
  /// Stored seconds that lie at the asset's zero, for containers whose clock starts anywhere.
  var origin: Rational
  var duration: Rational?
  var durationQuality: DurationQuality
  var movie: MovieHeader?
  /// Where the first fragment of an ISO file lies.
  var firstFragment: Int64?
  /// Whether a demuxer learns its streams from packets only.
  var needsStreamInfo: Bool
  /// How the demuxer was opened, to open it again.
  var demuxerOptions: Demuxer.Options
  /// The bytes of `moov` as libav is to see them.
  var pinnedMovie: (bytes: [UInt8], offset: Int64)?
  /// The source with the files behind it that its media lies in; nil for media of its own.
  var joined: (any RandomAccessReader)?
  /// FFmpeg's names and values, for what the typed properties don't cover yet.
  var metadata: [String: String]

  var containsFragments: Bool { firstFragment != nil }

  /// The reader for a demuxer: `moov` comes from memory.
  func reader(over base: any RandomAccessReader) -> any RandomAccessReader {
    let base = joined ?? base
    return pinnedMovie.map { PinnedReader(base, pinned: $0.bytes, at: $0.offset) } ?? base
  }

  var defaultVideoTrack: ContainerTrack? { defaultTrack(.video) }
  var defaultAudioTrack: ContainerTrack? {
    // Sound of the programme that the default picture belongs to comes first.
    let program = defaultVideoTrack?.program
    let candidates = tracks.filter {
      $0.mediaType == .audio && (program == nil || $0.program == program)
    }
    return Self.preferred(candidates) ?? defaultTrack(.audio)
  }

  /// Enabled and marked as default first, then the first programme, then the file's order; never the largest picture.
  func defaultTrack(_ type: MediaType) -> ContainerTrack? {
    Self.preferred(tracks.filter { $0.mediaType == type })
  }

  private static func preferred(_ candidates: [ContainerTrack]) -> ContainerTrack? {
    let enabled = candidates.filter(\.isEnabled)
    let usable = enabled.isEmpty ? candidates : enabled
    return usable.first { $0.stream?.disposition.contains(.isDefault) == true } ?? usable.first
  }
}

/// How sure a duration is.
public enum DurationQuality: String, Sendable, Hashable {
  /// From the list of samples, or counted.
  case exact
  /// Stated by the container's header.
  case container
  /// Computed from a bit rate or from time stamps at both ends.
  case estimated
  /// Nothing tells.
  case unknown
}
