import MediaTestSupport

/// Where a peer's statement and this library's rules differ on purpose, each with the reason. Whatever is here must
/// really differ: an entry that agrees fails the test, too.
enum CorpusDisagreements {
  struct Entry: Sendable {
    var file: String
    /// The beginning of the statement, as `CorpusFactCheck.name` writes it.
    var statement: String
    var reason: String
  }

  static func reason(for fact: CorpusFact) -> String? {
    let name = CorpusFactCheck.name(fact.kind)
    return table.first { fact.file.hasSuffix("/" + $0.file) && name.hasPrefix($0.statement) }?
      .reason
  }

  private static let trackHeader =
    "The peer takes the duration of tkhd, which leaves out the empty edit before the sound; presented is what the edit list says, from 0."
  private static let shortForm =
    "The peer leaves out the optional fields; ours names the colour, too (AV1 in ISO media, section 5)."
  private static let estimate = "The peer computes size over bit rate; ours counts the frames."
  private static let preSkip =
    "The peer counts the pre-skip as sound (RFC 7845, 4.5, takes it off)."

  static let table: [Entry] = [
    Entry(file: "garbage_before_header.mp3", statement: "duration", reason: estimate),
    Entry(file: "silence-44-s.mp3", statement: "duration", reason: estimate),
    Entry(file: "xing.mp3", statement: "duration", reason: estimate),
    Entry(
      file: "ghost_data_after_last_frame.mp3", statement: "duration",
      reason:
        "The Info header states 119 s and the file is cut off; the peer counts the frames that are left, that header's among them, with the encoder's delay. Asked for precise timing we count, too."
    ),
    Entry(file: "opus.opus", statement: "duration", reason: preSkip),
    Entry(file: "bear.opus", statement: "duration", reason: preSkip),
    Entry(
      file: "bt601.mov", statement: "track(audio, 0), sampleCount",
      reason: "The peer drops the two samples behind the end of the edit; all 45 are stored."),
    Entry(
      file: "bt601.mov", statement: "track(audio, 0), syncSampleCount",
      reason: "The peer drops the two samples behind the end of the edit; all 45 are stored."),
    Entry(
      file: "h265_bframes.mp4", statement: "track(video, 0), codecString",
      reason: "The peer always writes hvc1; RFC 6381 begins with the sample entry, here hev1."),
    Entry(file: "sample.mp4", statement: "duration", reason: trackHeader),
    Entry(file: "sample_mdat_too_long.mp4", statement: "duration", reason: trackHeader),
    Entry(file: "sample_rotate_and_reflect.mp4", statement: "duration", reason: trackHeader),
    Entry(file: "sample_with_metadata.mp4", statement: "duration", reason: trackHeader),
    Entry(file: "sample_with_numeric_genre.mp4", statement: "duration", reason: trackHeader),
    Entry(
      file: "sample_opus.mp4", statement: "duration",
      reason: "The peer takes the duration of tkhd (1460 ms); the edit list presents 1003 ms."),
    Entry(
      file: "sample_empty_track.mp4", statement: "duration",
      reason:
        "Its writer left the last sample out of tkhd and mdhd, which the peer takes; the sample table has all of them."
    ),
    Entry(
      file: "minimal.mp4", statement: "track(audio, 0), duration",
      reason: "The peer takes the duration of tkhd (62 ms); the edit list presents 40 ms."),
    Entry(file: "sample_av1.mkv", statement: "track(video, 0), codecString", reason: shortForm),
    Entry(
      file: "sample_with_av1c.mp4", statement: "track(video, 0), codecString", reason: shortForm),
    Entry(
      file: "sample_with_colr_mdcv_and_clli.mp4", statement: "track(video, 0), codecString",
      reason: shortForm),
    Entry(
      file: "sample_edit_list.mp4", statement: "track(video, 0), codecString",
      reason:
        "The peer names the Dolby Vision layer; the sample entry is hvc1, whose string names the layer that every decoder understands."
    ),
    Entry(
      file: "water_180_mvhevc_5frames.mov", statement: "track(video, 0), codecString",
      reason:
        "The peer names the profile of both layers together; ours is that of hvcC, the base layer."
    ),
    Entry(
      file: "sample_gamma2.2.mp4", statement: "track(video, 0), transferCharacteristics",
      reason:
        "The bitstream says 4, which the peer takes; colr says 6 and takes precedence (ISO/IEC 14496-12, 12.1.5)."
    ),
    Entry(
      file: "QuickTime.m4a", statement: "declaredDuration",
      reason:
        "The peer prints mvhd's 29.055 s with two decimals cut off; the samples last 29.056 s."),
    Entry(
      file: "test_non_zero_start.mp4", statement: "track(video, 0), firstTime",
      reason:
        "The empty edit lasts 8333 ms; FFmpeg, from which the peer has its number, rounds it to ticks of 1/15360 s."
    ),
  ]
}
