extension CorpusFact {
  /// exiftool/exiftool: headers of real files, most of them without their samples. The tags
  /// themselves are read from the expected listings (`TagListing`).
  ///
  /// Not taken over: the picture size in Flash.flv's script data (the stream itself is smaller) and
  /// the channels and rate in QuickTime.m4a's sample description (the codec's own header differs).
  static let exiftool = table(
    "exiftool+exiftool", "exiftool",
    [
      (
        "Flash.flv", "Flash_3.out",
        [
          .opens, .declaredDuration(3.09, tolerance: 0.005), .trackCount(.video, 1),
          .trackCount(.audio, 1), .video(.frameRate(20, tolerance: 0.005)), .audio(.codec("mp3")),
          .audio(.sampleRate(11025)), .audio(.channels(1)),
        ]
      ),
      (
        "M2TS.mts", "M2TS_2.out",
        [
          .opens, .video(.codec("h264")), .video(.size(1920, 1080)), .audio(.codec("ac3")),
          .audio(.channels(2)), .audio(.sampleRate(48000)),
        ]
      ),
      // The first 507 bytes of a file.
      (
        "Matroska.mkv", "Matroska_2.out",
        [
          .survives, .video(.codec("h264")), .video(.size(704, 576)),
          .video(.displaySize(768, 576)), .video(.frameRate(25, tolerance: 0.005)),
          .video(.language("und")), .audio(.codec("mp3")), .audio(.sampleRate(48000)),
          .audio(.channels(2)), .audio(.language("und")),
        ]
      ),
      (
        "QuickTime.m4a", "QuickTime_3.out",
        [
          .opens, .declaredDuration(29.05, tolerance: 0.005), .trackCount(.audio, 1),
          .trackCount(.video, 0), .audio(.fourCharacterCode("mp4a")), .audio(.language("und")),
        ]
      ),
      (
        "QuickTime.mov", "QuickTime_2.out",
        [
          .opens, .declaredDuration(4.97, tolerance: 0.005), .trackCount(.video, 1),
          .trackCount(.audio, 1), .video(.fourCharacterCode("jpeg")), .video(.codec("mjpeg")),
          .video(.size(320, 240)), .video(.frameRate(30, tolerance: 0.005)), .video(.rotation(0)),
          .audio(.fourCharacterCode("raw ")), .audio(.codec("pcm")), .audio(.channels(1)),
          .audio(.sampleRate(7875)), .audio(.bitDepth(8)),
        ]
      ),
    ])

  /// jcodec/jcodec: 422 in 10 bits at standard quality.
  static let jcodec = table(
    "jcodec+jcodec", "jcodec ProresDecoderTest.java",
    [
      (
        "test.prores.mov", "",
        [.opens, .video(.codec("prores")), .video(.fourCharacterCode("apcn"))]
      )
    ])

  /// kim-company/kim_mpeg_ts.
  static let kimMPEGTS = table(
    "kim-company+kim_mpeg_ts", "kim_mpeg_ts demuxer_test.exs",
    [
      ("broken.ts", "", [.survives]),
      // 20 frames, one a second; the 33-bit clock wraps about 10 s in.
      (
        "rollover.ts", ":398",
        [
          .opens, .trackCount(.video, 1), .trackCount(.audio, 0), .duration(20, tolerance: 0.001),
          .video(.size(128, 72)), .video(.sampleCount(20)),
          .video(.frameRate(1, tolerance: 0.001)),
          .video(.shortestFrameDuration(1, tolerance: 0.001)),
        ]
      ),
    ])

  /// Files of the Web Platform Tests for WebCodecs.
  static let webCodecs = table(
    "debian-firefox-esr", "web-platform-tests webcodecs",
    [
      ("av1.mp4", "", [.opens, .video(.codec("av1")), .video(.size(320, 240))]),
      ("four-colors.mp4", "image-decoder-utils.js", [.opens, .trackCount(.video, 1)]),
      ("h264.mp4", "", [.opens, .video(.codec("h264")), .video(.size(320, 240))]),
      ("h265.mp4", "", [.opens, .video(.codec("hevc")), .video(.size(320, 240))]),
      ("vp8.webm", "", [.opens, .video(.codec("vp8")), .video(.size(320, 240))]),
      ("vp9.mp4", "", [.opens, .video(.codec("vp9")), .video(.size(320, 240))]),
    ])

  /// webmproject/libwebm. Its parser refuses the invalid files; a reader that skips what is broken
  /// may open them, but must come to an end.
  static let libwebm = table(
    "webmproject+libwebm", "libwebm testing/testdata",
    [
      (
        "bbb_480p_vp9_opus_1second.webm", "",
        [
          .opens, .duration(1, tolerance: 0.05), .video(.codec("vp9")), .audio(.codec("opus")),
        ]
      ),
      ("block_ends_beyond_cluster.mkv", "invalid", [.survives]),
      ("blockgroup_block_ends_beyond_blockgroup.mkv", "invalid", [.survives]),
      ("chapters.webm", "", [.opens]),
      ("chapters_truncated_chapter_string.mkv", "invalid", [.survives]),
      ("colour.webm", "", [.opens]),
      ("fixed_lacing_bad_lace_size.mkv", "invalid", [.survives]),
      ("invalid_vp9_bitstream-bug_1416.webm", "invalid", [.survives]),
      ("test_stereo_left_right.webm", "", [.opens, .trackCount(.video, 1)]),
    ])
}
