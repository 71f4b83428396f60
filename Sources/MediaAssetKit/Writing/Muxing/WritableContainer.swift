import LibAV

/// A container that can be written: FFmpeg's muxer, and what is known of it beyond what it says itself.
struct WritableContainer: Sendable {
  var type: FileType
  /// FFmpeg's name of the muxer.
  var muxer: String
  var mediaTypes: Set<MediaType>
  /// The only codecs that it holds; nil where the muxer's own word is right.
  var codecs: Set<String>?
  /// Codecs that the muxer claims and then refuses or writes so that nobody can read them, with the reason.
  var refused: [String: String] = [:]
  var options: [String: String] = [:]
  /// QuickTime's family: edit lists, fragments, a movie header.
  var isMovie = false
  /// Whether a sample's time is stored. Without, samples follow each other from zero on.
  var hasTimes = true
  /// One track only.
  var isSingle = false
  /// Pictures in files of their own, which no muxer of FFmpeg's writes for us.
  var isPictures = false

  private static let timed: Set<MediaType> = [.video, .audio, .subtitle, .text, .closedCaption, .timecode, .metadata]
  private static let mpegAudio: Set<String> = ["mp3", "mp2", "mp1"]

  /// nil for a type that this library does not write.
  static func container(for type: FileType) -> WritableContainer? {
    guard let container = all[type], Formats.hasMuxer(container.muxer) else { return nil }
    return container
  }

  /// The types that this FFmpeg can write, sorted.
  static var types: [FileType] {
    all.values.filter { Formats.hasMuxer($0.muxer) }.map(\.type).sorted { $0.rawValue < $1.rawValue }
  }

  /// Pictures in files of their own, of types that this FFmpeg can encode. Not among ``types``: they are not one file.
  static func pictures(for type: FileType) -> WritableContainer? {
    let codecs: [FileType: String] = [.png: "png", .jpeg: "mjpeg"]
    guard let codec = codecs[type], Formats.defaultEncoder(codec: codec) != nil else { return nil }
    return WritableContainer(
      type: type, muxer: "image2", mediaTypes: [.video], codecs: [codec], isSingle: true, isPictures: true)
  }

  private static let all: [FileType: WritableContainer] = {
    let onlyMP4 = "FFmpeg writes it into MPEG-4 files only"
    // A codec that FFmpeg has no name for.
    let noTimecode = ["none": "FFmpeg writes timecode and timed metadata into QuickTime files only"]
    let rawPicture = "its samples could not be told apart from others"
    var containers = [
      WritableContainer(
        type: .mov, muxer: "mov", mediaTypes: timed,
        refused: [
          "vp8": onlyMP4, "vp9": onlyMP4, "av1": onlyMP4, "flac": onlyMP4, "opus": onlyMP4, "truehd": onlyMP4,
          "vorbis": onlyMP4, "rawvideo": rawPicture,
        ], isMovie: true),
      WritableContainer(type: .mp4, muxer: "mp4", mediaTypes: timed, refused: noTimecode, isMovie: true),
      WritableContainer(
        type: .m4v, muxer: "mp4", mediaTypes: timed, refused: noTimecode, options: ["brand": "M4V "],
        isMovie: true),
      WritableContainer(
        type: .m4a, muxer: "mp4", mediaTypes: [.audio], options: ["brand": "M4A "], isMovie: true),
      WritableContainer(type: .mobile3GPP, muxer: "3gp", mediaTypes: timed, isMovie: true),
      WritableContainer(type: .mobile3GPP2, muxer: "3g2", mediaTypes: timed, isMovie: true),
      WritableContainer(type: .mkv, muxer: "matroska", mediaTypes: [.video, .audio, .subtitle]),
      WritableContainer(
        type: .webm, muxer: "webm", mediaTypes: [.video, .audio, .subtitle],
        codecs: ["vp8", "vp9", "av1", "opus", "vorbis", "webvtt"]),
      WritableContainer(
        type: .mpegTS, muxer: "mpegts", mediaTypes: [.video, .audio, .subtitle],
        codecs: [
          "h264", "hevc", "mpeg1video", "mpeg2video", "mpeg4", "aac", "mp3", "mp2", "mp1", "ac3", "eac3", "dts", "opus",
          "truehd", "dvb_subtitle", "dvb_teletext",
        ]),
      WritableContainer(
        type: .mpegPS, muxer: "vob", mediaTypes: [.video, .audio],
        codecs: ["mpeg1video", "mpeg2video", "mp1", "mp2", "mp3", "ac3", "dts"]),
      WritableContainer(type: .avi, muxer: "avi", mediaTypes: [.video, .audio]),
      WritableContainer(type: .flv, muxer: "flv", mediaTypes: [.video, .audio]),
      WritableContainer(
        type: .ogg, muxer: "ogg", mediaTypes: [.video, .audio],
        codecs: ["opus", "vorbis", "flac", "speex", "theora", "vp8"]),
      WritableContainer(type: .gif, muxer: "gif", mediaTypes: [.video], codecs: ["gif"], isSingle: true),
      WritableContainer(type: .webp, muxer: "webp", mediaTypes: [.video], codecs: ["webp"], isSingle: true),
    ]
    let noStart = "FFmpeg's file would not say where the sound begins and ends"
    let refusals: [FileType: [String: String]] = [
      .caf: ["aac": noStart, "opus": noStart, "mp3": noStart],
      .wav: ["aac": "FFmpeg's file would not say how it is coded", "mp3": noStart],
    ]
    for (type, muxer, codecs) in [
      (FileType.caf, "caf", nil), (.wav, "wav", nil),
      (.aiff, "aiff", ["pcm_s8", "pcm_s16be", "pcm_s24be", "pcm_s32be"]),
      (.aifc, "aiff", nil), (.au, "au", nil), (.mp3, "mp3", mpegAudio), (.flac, "flac", ["flac"]),
      (.adts, "adts", ["aac"]), (.ac3, "ac3", ["ac3"]), (.eac3, "eac3", ["eac3"]), (.amr, "amr", ["amr_nb", "amr_wb"]),
    ] as [(FileType, String, Set<String>?)] {
      containers.append(
        WritableContainer(
          type: type, muxer: muxer, mediaTypes: [.audio], codecs: codecs, refused: refusals[type] ?? [:],
          hasTimes: false,
          isSingle: true))
    }
    return Dictionary(uniqueKeysWithValues: containers.map { ($0.type, $0) })
  }()

  /// Why the container can't hold media of a kind, coded so; nil when it can.
  func reasonAgainst(codec: String?, mediaType: MediaType) -> String? {
    guard mediaTypes.contains(mediaType) else { return "\(type) holds no media of the kind \(mediaType)" }
    guard let codec else { return nil }
    if let codecs {
      return codecs.contains(codec) ? nil : "\(type) does not hold \(codec)"
    }
    if let reason = refused[codec] { return "\(type) does not hold \(codec): \(reason)" }
    guard Formats.muxer(muxer, takes: codec) != false else { return "\(type) does not hold \(codec)" }
    return nil
  }

  var isMatroska: Bool { ["matroska", "webm"].contains(muxer) }

  /// Whether codecs must put their set-up bytes into the header.
  var wantsGlobalHeader: Bool { Formats.wantsGlobalHeader(muxer) }
}
