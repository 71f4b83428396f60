extension AndroidDump {
  /// The facts of a dump that any reader should agree with.
  ///
  /// Left out, each with its reason: times and counts of PCM (the peer cuts it into pieces of its
  /// own), durations that the peer only estimates, and what `exceptions` lists.
  package func facts(file: String, source: String) -> [CorpusFact] {
    let name = String(file.split(separator: "/").last ?? "")
    let exception = AndroidDump.exceptions[name]
    var kinds: [CorpusFact.Kind] = []
    kinds.append(exception?.opens ?? .opens)
    if let replaced = exception?.duration {
      kinds.append(replaced)
    } else if let duration, exception?.hasDuration ?? !name.hasSuffix(".ts") {
      // In a transport stream the peer counts between clock references, not what is presented.
      kinds.append(.duration(Double(duration) / 1e6, tolerance: 1e-6))
    }
    var counts: [CorpusFact.TrackKind: Int] = [:]
    for track in tracks {
      guard let kind = AndroidDump.kind(track.format.sampleMimeType) else { continue }
      let place = CorpusFact.Track(kind, counts[kind, default: 0])
      counts[kind, default: 0] += 1
      kinds += AndroidDump.properties(track, exception).map { .track(place, $0) }
    }
    if exception?.hasTrackCount ?? true {
      for kind in [CorpusFact.TrackKind.video, .audio] where counts[kind] != nil {
        kinds.append(.trackCount(kind, counts[kind] ?? 0))
      }
    }
    return kinds.map { CorpusFact(file: file, kind: $0, source: source) }
  }

  private static func properties(
    _ track: Track, _ exception: Exception?
  ) -> [CorpusFact.Property] {
    let format = track.format
    let isPCM = format.sampleMimeType == "audio/raw"
    var list: [CorpusFact.Property] = []
    if let codec = exception?.codec ?? codecs[format.sampleMimeType] { list.append(.codec(codec)) }
    if let codecs = format.codecs { list.append(.codecString(codecs)) }
    if let width = format.width, let height = format.height { list.append(.size(width, height)) }
    if let rotation = format.rotation { list.append(.rotation(rotation)) }
    if format.values["mirrorHorizontal"] == "true" { list.append(.mirrored) }
    // Two decimals are printed.
    if let rate = format.frameRate { list.append(.frameRate(rate, tolerance: 0.005)) }
    if let language = format.language { list.append(.language(language)) }
    if let channels = format.channels { list.append(.channels(channels)) }
    if let rate = format.sampleRate { list.append(.sampleRate(rate)) }
    if let delay = format.encoderDelay { list.append(.encoderDelay(delay)) }
    if let padding = format.encoderPadding { list.append(.encoderPadding(padding)) }
    if let transfer = format.colorTransfer.flatMap({ transfers[$0] }) {
      list.append(.transferCharacteristics(transfer))
    }
    if format.colorSpace == 6 { list.append(.colourPrimaries(9)) }
    if format.colorRange == 1 { list.append(.fullRange(true)) }
    if let depth = format.bitDepth { list.append(.bitDepth(depth)) }
    if !isPCM, exception?.hasSampleCount ?? true {
      list.append(.sampleCount(track.samples.count))
      list.append(.syncSampleCount(track.samples.filter(\.isSync).count))
    }
    return list
  }

  private static func kind(_ mimeType: String) -> CorpusFact.TrackKind? {
    if mimeType.hasPrefix("video/") { return .video }
    if mimeType.hasPrefix("audio/") { return .audio }
    return mimeType == "application/x-subrip" ? .subtitle : nil
  }

  /// The names of the codecs in FFmpeg; a codec of several layers by its base.
  package static let codecs = [
    "video/avc": "h264", "video/hevc": "hevc", "video/mv-hevc": "hevc",
    "video/dolby-vision": "hevc", "video/av01": "av1", "video/mp4v-es": "mpeg4",
    "audio/mp4a-latm": "aac", "audio/mpeg": "mp3", "audio/mpeg-L2": "mp2", "audio/ac3": "ac3",
    "audio/flac": "flac", "audio/alac": "alac", "audio/opus": "opus", "audio/vorbis": "vorbis",
    "audio/3gpp": "amr_nb", "audio/raw": "pcm",
  ]

  /// The unambiguous transfer functions as H.273 numbers: PQ, HLG, gamma 2.2.
  private static let transfers = [6: 16, 7: 18, 10: 4]

  /// Where the peer's number is not what a reader should say, and why.
  struct Exception: Sendable {
    var opens: CorpusFact.Kind = .opens
    var hasDuration = true
    var duration: CorpusFact.Kind?
    var codec: String?
    var hasTrackCount = true
    var hasSampleCount = true
  }

  static let exceptions: [String: Exception] = [
    // Estimated from size and bit rate (2.821187 s): 108 frames of 1152 samples at 44 100 Hz.
    "bear-cbr-variable-frame-size-no-seek-table.mp3": Exception(
      duration: .duration(108 * 1152 / 44100, tolerance: 0.0005)),
    // Estimated (9.54 s): 117 frames of 1152 samples at 48 000 Hz.
    "bear-vbr-no-seek-table.mp3": Exception(
      duration: .duration(117 * 1152 / 48000, tolerance: 0.0005)),
    // The peer states delay and padding but does not take them off: (117 · 1152 - 1152) / 48 000.
    "bear-id3.mp3": Exception(duration: .duration(116 * 1152 / 48000, tolerance: 1.0 / 48000)),
    // One sample short in the peer's arithmetic.
    "bear-vbr-xing-header.mp3": Exception(
      duration: .duration(116 * 1152 / 48000, tolerance: 1.0 / 48000)),
    "test-cbr-info-header.mp3": Exception(duration: .duration(1, tolerance: 1.0 / 44100)),
    // Only the samples of the first part count for the peer.
    "sample_partially_fragmented.mp4": Exception(hasDuration: false),
    // The peer leaves out the broken or empty track; we list it.
    "sample_missing_stsd.mp4": Exception(hasDuration: false, hasTrackCount: false),
    "sample_empty_track.mp4": Exception(hasTrackCount: false),
    // The peer drops samples after the end of the edit.
    "sample_opus.mp4": Exception(hasSampleCount: false),
    // The peer drops the first and the last sync frame of the stream.
    "sample_ac3.ts": Exception(hasDuration: false, hasSampleCount: false),
    // The peer converts it to PCM while reading.
    "sample_ima_adpcm.wav": Exception(codec: "adpcm_ima_wav", hasSampleCount: false),
    // Unset and, with an index, that of the first track: 46 frames of 1024 samples at 44 100 Hz end
    // last (1.0681 s), the pictures just before (1.0677 s).
    "sample_fragmented.mp4": Exception(duration: .duration(1.068, tolerance: 0.0005)),
    "sample_fragmented_seekable.mp4": Exception(duration: .duration(1.068, tolerance: 0.0005)),
    // A still picture, which not every FFmpeg reads.
    "sample_still_photo.heic": Exception(opens: .survives),
  ]
}
