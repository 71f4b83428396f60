import FoundationEssentials
import LibAV

extension Writer.Input {
  /// What the track is besides its samples. Set before writing starts.
  public struct Properties: Sendable {
    /// The turn that shows the pictures upright.
    public var transform = PictureTransform.identity
    /// ISO 639-2/T (`deu`).
    public var languageCode: String?
    /// BCP 47 (`en-GB`), in QuickTime and MPEG-4 files.
    public var extendedLanguageTag: String?
    /// 0 to 1; nil: 1 for sound, 0 for others.
    public var preferredVolume: Float?
    /// Whether the track takes part in normal play; true by default.
    public var marksOutputTrackAsEnabled = true
    /// Ticks a second of the track's times; 0: the source's, or so that they are exact. Not for sound, which counts samples.
    public var mediaTimeScale: Int32 = 0
    /// How much of the track lies together in the file, in QuickTime and MPEG-4 files; invalid: a sample or a few, as the
    /// order of all tracks gives it.
    ///
    /// Longer chunks make the header smaller, and seeking in files on disks cheaper; up to half of
    /// ``Writer/Options/interleavingWindow``, and FFmpeg splits chunks of more than a mebibyte. The places of chunks
    /// follow from their sizes: there is no alignment (`preferredMediaChunkAlignment`), which would put padding between
    /// them that FFmpeg does not write, and no other place for the media than among that of the other tracks
    /// (`mediaDataLocation`).
    public var preferredMediaChunkDuration = MediaTime.invalid
    /// Whether pictures are encoded in several passes where the encoder can; false by default. See ``Input/passes``.
    public var performsMultiPassEncodingIfSupported = false
    /// Samples come from a camera or the like: nothing waits, ``Input/appendImmediately(_:)`` drops what is too much.
    public var expectsMediaDataInRealTime = false
    /// How many samples will come, as a hint for ``Writer/Options/shouldOptimizeForNetworkUse``.
    public var expectedSampleCount: Int?
    /// What the track is about, in QuickTime and MPEG-4 files; of others the title alone is kept, in Matroska.
    public var metadataItems: [MetadataItem] = []
    /// Tags by FFmpeg's names.
    var metadata: [String: String] = [:]
    var presentedEnd: MediaTime?
    /// Where the encoder's notes between passes lie; nil: the process's folder for temporary files.
    var passFolder: URL?
    var disposition: StreamInfo.Disposition = []
    /// How far stored pictures are decoded ahead of when they are shown, where their decode times are to be made.
    var reorderDelay: MediaTime?

    /// The default properties.
    public init() {}
  }
}
