import LibAV

/// What an export makes of an asset: a plain value, to be taken as it is or copied and changed.
///
/// ```swift
/// var preset = ExportPreset.size1280x720
/// preset.audio = .none
/// ```
///
/// Pictures are never scaled up and keep their shape. A size is the box that the stored picture fits into, before it is
/// turned; sides that the codec's chroma does not divide are rounded down, one row or column being cut off rather than
/// everything squeezed. The frame rate is the source's unless ``frameDuration`` says otherwise.
public struct ExportPreset: Sendable, Hashable, Codable {
  /// AVFoundation's name without its prefix (`1280x720`), or our own (`WebM`).
  public var name: String
  /// What it gives, in a few words.
  public var summary: String
  /// Pictures. Of several picture tracks that would be encoded the default one is.
  public var video: ExportRule<VideoSettings>
  /// Sound. Tracks stay side by side, they are not mixed.
  public var audio: ExportRule<AudioSettings>
  /// Subtitles and captions: ``ExportRule/none`` leaves them out, everything else keeps them as stored or as text of the
  /// file type's own kind.
  public var keepsText: Bool
  /// Timecode and timed metadata, where the file type holds them.
  public var keepsTimecode: Bool
  /// The box that encoded pictures fit into; a side of zero is free.
  public var maximumSize: PixelSize
  /// The time of one encoded picture; invalid: the source's own times. Pictures are dropped and repeated, not blended.
  public var frameDuration: MediaTime
  /// The least time of one encoded picture, for sources with more pictures a second; invalid: none.
  public var minimumFrameDuration: MediaTime
  /// What becomes of interlaced pictures.
  public var deinterlacing: Deinterlacing
  /// The types of file that it is meant for, the usual one first; others that hold its codecs are taken too. Empty: all.
  public var fileTypes: [FileType]
  /// How a folder for HTTP Live Streaming is made instead of a file; nil by default: a file. What ``HLSPackager`` says of
  /// codecs holds then, and ``video``, ``audio`` and the sizes have no meaning.
  public var streaming: Streaming?

  /// How a folder for HTTP Live Streaming is made.
  public struct Streaming: Sendable, Hashable, Codable {
    /// How long segments are; see ``HLSPackager/Options/segmentDuration``.
    public var segmentDuration: MediaTime
    /// Encodes the pictures in several sizes; else they are copied where players take them.
    public var makesLadder: Bool

    /// Segments of a length, 6 seconds by default.
    public init(segmentDuration: MediaTime = MediaTime(value: 6, timescale: 1), makesLadder: Bool = false) {
      self.segmentDuration = segmentDuration
      self.makesLadder = makesLadder
    }
  }

  /// A preset of given parts.
  public init(
    name: String, summary: String = "", video: ExportRule<VideoSettings> = .copy,
    audio: ExportRule<AudioSettings> = .copy, keepsText: Bool = true, maximumSize: PixelSize = .zero,
    fileTypes: [FileType] = []
  ) {
    self.name = name
    self.summary = summary
    self.video = video
    self.audio = audio
    self.keepsText = keepsText
    keepsTimecode = true
    self.maximumSize = maximumSize
    frameDuration = .invalid
    minimumFrameDuration = .invalid
    deinterlacing = .automatic
    self.fileTypes = fileTypes
  }

  /// The preset of a name, whatever its case, with or without AVFoundation's prefix; nil when there is none.
  public static func named(_ name: String) -> ExportPreset? {
    var wanted = name.lowercased()
    let prefix = "avassetexportpreset"
    if wanted.hasPrefix(prefix) { wanted.removeFirst(prefix.count) }
    return (all + [.passthrough, .automatic]).first { $0.name.lowercased() == wanted }
  }

  /// Why this FFmpeg can't encode with it; nil when it can.
  public var reasonAgainst: String? {
    if let streaming {
      // The one size of a package is copied where that is possible: only the plan for an asset tells.
      let codec = streaming.makesLadder ? "h264" : nil
      guard let codec, EncoderChoice.encoder(codec: codec, named: nil) == nil else { return nil }
      return "this FFmpeg has no encoder for \(codec)"
    }
    if let codec = video.settings?.codec, video.mustEncode,
      EncoderChoice.encoder(codec: codec, named: video.settings?.encoder) == nil
    {
      return "this FFmpeg has no encoder for \(video.settings?.encoder ?? codec)"
    }
    if let codec = audio.settings?.codec, audio.mustEncode, codec != "pcm",
      EncoderChoice.encoder(codec: codec, named: audio.settings?.encoder) == nil
    {
      return "this FFmpeg has no encoder for \(audio.settings?.encoder ?? codec)"
    }
    if let type = fileTypes.first, fileTypes.allSatisfy({ WritableContainer.container(for: $0) == nil }) {
      return "this FFmpeg does not write \(type)"
    }
    return nil
  }
}

extension ExportRule {
  /// Whether a track that is not coded so already is encoded.
  var mustEncode: Bool {
    switch self {
    case .match, .encode: true
    default: false
    }
  }
}
