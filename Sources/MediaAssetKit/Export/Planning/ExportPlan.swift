/// What an export will do, known before it begins: a value that can be shown, stored and sent elsewhere.
public struct ExportPlan: Sendable, Hashable, Codable {
  /// What becomes of a track.
  public enum Action: String, Sendable, Hashable, Codable {
    /// Its samples go on as stored.
    case copy
    /// It is decoded and encoded.
    case encode
    /// Its text is written in another form.
    case convert
    /// It is left out.
    case drop
  }

  /// How sure a size is.
  public enum Certainty: String, Sendable, Hashable, Codable {
    /// Added up from the samples, or from bit rates that are set: within a tenth.
    case good
    /// From what such pictures usually take: may be off by a factor of two.
    case rough
    /// Nothing tells.
    case unknown
  }

  /// What becomes of one track of the source.
  public struct Track: Sendable, Hashable, Codable {
    /// The source's number of the track.
    public var trackID: Int32
    /// The kind of media.
    public var mediaType: MediaType
    /// What becomes of it.
    public var action: Action
    /// Why, as a sentence without a full stop.
    public var reason: String
    /// Whether it is left out because that was asked for, or is what the preset is for.
    public var isDropIntended: Bool
    /// FFmpeg's name of the source's codec; nil when unknown.
    public var sourceCodec: String?
    /// FFmpeg's name of the codec in the new file; nil for a dropped track.
    public var codec: String?
    /// What is copied of pictures that are cut exactly; nil where all or nothing is.
    public var edges: Edges?
    /// What of a composition's pictures is copied and what is encoded, in order; nil where all or nothing is.
    public var parts: [Part]?
    /// How pictures are encoded, where they are; those at the edges or in parts, where ``edges`` or ``parts`` tell of some.
    public var video: VideoSettings?
    /// How sound is encoded, where it is.
    public var audio: AudioSettings?
    /// The size of the new pictures in pixels, before they are turned; nil for other media.
    public var size: PixelSize?
    /// The turn that shows the new pictures upright.
    public var transform: PictureTransform
    /// The turn that is drawn into the pictures, because the file type can't say it; nil: none.
    public var drawnOrientation: Orientation?
    /// Whether pictures of high dynamic range are brought to BT.709, because what is written can't hold them.
    public var isToneMapped: Bool
    /// What becomes of fields.
    public var deinterlacing: Deinterlacing
    /// The time of one picture where the rate is changed; invalid otherwise.
    public var frameDuration: MediaTime
    /// Whether exactly the asked range is presented.
    public var isCutExact: Bool
    /// Bytes in the new file; nil when nothing tells.
    public var expectedLength: Int64?
    /// How sure ``expectedLength`` is.
    public var certainty: Certainty
    /// What is lost on purpose, as sentences without full stops.
    public var notes: [String]

    init(trackID: Int32, mediaType: MediaType, sourceCodec: String?) {
      self.trackID = trackID
      self.mediaType = mediaType
      self.sourceCodec = sourceCodec
      action = .drop
      reason = ""
      isDropIntended = false
      transform = .identity
      isToneMapped = false
      deinterlacing = .off
      frameDuration = .invalid
      isCutExact = true
      certainty = .unknown
      notes = []
    }
  }

  /// A stretch of a composition's pictures.
  public struct Part: Sendable, Hashable, Codable {
    /// Where it lies in the composition.
    public var timeRange: MediaTimeRange
    /// Whether its pictures go on as stored; else they are drawn and encoded.
    public var isCopied: Bool
    /// Why they are encoded; empty for copied ones.
    public var reason: String
    /// How far copied pictures are decoded ahead of when they are shown; zero for encoded ones.
    public var reorderDelay = MediaTime.zero
  }

  /// What is copied of pictures that are cut exactly, and what is encoded before and behind.
  public struct Edges: Sendable, Hashable, Codable {
    /// When the first copied picture is shown, in the asset's time; before the range where it lasts into it.
    public var copyStart: MediaTime
    /// When the first picture is shown that is not copied; positive infinity where nothing is cut off.
    public var copyEnd: MediaTime
    /// Whether pictures before the copied ones are encoded.
    public var encodesHead: Bool
    /// Whether pictures behind the copied ones are encoded.
    public var encodesTail: Bool
    /// How far copied pictures are decoded ahead of when they are shown.
    public var reorderDelay: MediaTime
  }

  /// The preset's name.
  public var preset: String
  /// The type of the new file.
  public var fileType: FileType
  /// The asked part of the asset's time, cut to the asset.
  public var timeRange: MediaTimeRange
  /// The part that the new file presents: longer where a container without edit lists has to begin at a sync sample.
  public var presentedRange: MediaTimeRange
  /// Whether the asked range ends before the asset does.
  public var isCutAtEnd: Bool
  /// What becomes of each track, in the source's order.
  public var tracks: [Track]
  /// Bytes of the new file; nil when nothing tells.
  public var expectedFileLength: Int64?
  /// How sure ``expectedFileLength`` is.
  public var certainty: Certainty
  /// Of an export that was done: what of ``ExportSession/Options/metadata`` the file could not hold.
  public var metadataLosses: [MetadataEditor.Loss] = []

  /// The tracks that are left out.
  public var dropped: [Track] { tracks.filter { $0.action == .drop } }
  /// The tracks of the new file, in its order.
  public var kept: [Track] { tracks.filter { $0.action != .drop } }
  /// Whether exactly the asked range is presented.
  public var isCutExact: Bool { kept.allSatisfy(\.isCutExact) }
  /// Whether nothing is encoded.
  public var isPassthrough: Bool { !kept.contains { $0.action == .encode || $0.encodesParts } }
}

extension ExportPlan {
  /// Whether there is nothing to do but to read and to write, without anything to compute meanwhile.
  var isWholeCopy: Bool { kept.allSatisfy { $0.action == .copy && $0.edges == nil && $0.parts == nil } }
}

extension ExportPlan.Track {
  /// Whether pictures are encoded among copied ones.
  var encodesParts: Bool { action == .copy && (edges != nil || parts != nil) && video != nil }
}
