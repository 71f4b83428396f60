extension CorpusFact {
  /// Eyevinn/mp4ff. The samples themselves are read from the golden texts (`SampleListing`).
  static let mp4ff = table(
    "Eyevinn+mp4ff", "mp4ff",
    [
      (
        "h264.mp4", "golden_h264_mp4.txt",
        [.opens, .trackCount(.video, 1), .video(.codec("h264")), .video(.sampleCount(50))]
      ),
      (
        "hevc.mp4", "golden_hevc_mp4.txt",
        [.opens, .trackCount(.video, 1), .video(.codec("hevc")), .video(.sampleCount(50))]
      ),
      // 11520 / 600 s; 480 samples of 4 / 100 s; profile 77, compatibility 0x40, level 31.
      (
        "init_prog.mp4", "golden_init_prog_mp4_dump.txt",
        [
          .opens, .declaredDuration(19.2, tolerance: 1e-6), .trackCount(.video, 1),
          .trackCount(.audio, 0), .video(.codec("h264")), .video(.codecString("avc1.4D401F")),
          .video(.size(960, 540)), .video(.sampleCount(480)), .video(.language("und")),
          .video(.frameRate(25, tolerance: 1e-6)),
        ]
      ),
      ("init_truncated.mp4", "golden", [.failsToOpen]),
      // Times 60000, 60200, … in 1/6000 s.
      (
        "main_1.mp4", "golden_samples.txt",
        [
          .opens, .trackCount(.video, 1), .trackCount(.caption, 1), .video(.sampleCount(214)),
          .video(.firstTime(10, tolerance: 1e-6)),
          .track(Track(.caption, 0), .sampleCount(9)),
        ]
      ),
      ("stereo_spatial.mp4", "mp4ff-mvhevc", [.opens, .video(.codec("hevc"))]),
    ])

  /// mozilla/mp4parse-rust.
  static let mp4parse = table(
    "mozilla+mp4parse-rust", "mp4parse",
    [
      (
        "bbb_sunflower_QCIF_30fps_h263_noaudio_1f.3gp", "public.rs",
        [
          .opens, .trackCount(.video, 1), .trackCount(.audio, 0), .video(.codec("h263")),
          .video(.size(176, 144)), .video(.sampleCount(1)),
        ]
      ),
      ("chunk_out_of_range.mp4", "test_chunk_out_of_range.rs", [.failsToOpen]),
      (
        "h264_white_frame_sar_16_9.mp4", "public.rs",
        [.opens, .video(.sampleAspectRatio(16, 9)), .video(.sampleCount(1))]
      ),
      ("invalid_userdata.mp4", "public.rs", [.opens]),
      ("metadata.mp4", "public.rs", [.opens]),
      ("metadata_gnre.mp4", "public.rs", [.opens]),
      (
        "minimal.mp4", "public.rs",
        [
          .opens, .trackCount(.video, 1), .trackCount(.audio, 1), .video(.size(320, 240)),
          .video(.duration(0.040, tolerance: 0.0005)), .audio(.duration(0.062, tolerance: 0.0005)),
        ]
      ),
      // A timescale of 0: refuse it, or read what can be read.
      ("no_timescale.mp4", "test_no_timescale", [.survives]),
      (
        "sine-3s-xhe-aac-44khz-mono.mp4", "test_xhe_aac.rs",
        [
          .opens, .trackCount(.audio, 1), .trackCount(.video, 0), .duration(3, tolerance: 0.001),
          .audio(.channels(1)), .audio(.sampleRate(44100)), .audio(.codecString("mp4a.40.42")),
        ]
      ),
      ("video_colr_nclx_hdr10.mp4", "test_colour_info.rs", colour(9, 16, 9)),
      ("video_colr_nclx_hlg.mp4", "test_colour_info.rs", colour(9, 18, 9)),
      ("video_colr_nclx_rgb.mp4", "test_colour_info.rs", colour(1, 1, 0)),
      // Two boxes: the first counts.
      ("video_colr_nclx_two_colr.mp4", "test_colour_info.rs", colour(9, 18, 9)),
      (
        "video_rotation_90.mp4", "test_rotation.rs",
        [.opens, .trackCount(.video, 1), .trackCount(.audio, 0), .video(.rotation(90))]
      ),
      ("white.mp4", "test_colour_info.rs", [.opens, .video(.noColour)]),
      ("zero_empty_stsc.mp4", "test_workaround_stsc.rs", [.opens]),
    ])

  private static func colour(_ primaries: Int, _ transfer: Int, _ matrix: Int) -> [Kind] {
    [
      .opens, .trackCount(.video, 1), .video(.colourPrimaries(primaries)),
      .video(.transferCharacteristics(transfer)), .video(.matrixCoefficients(matrix)),
      .video(.fullRange(false)),
    ]
  }

  /// streamio/streamio-ffmpeg.
  static let streamio = table(
    "streamio+streamio-ffmpeg", "streamio-ffmpeg movie_spec.rb",
    [
      ("awesome movie.mov", "", awesome),
      ("awesome'movie.mov", "", awesome),
      ("bad_metadata_creation_time.wav", "", [.opens]),
      ("broken.mp4", "", [.failsToOpen]),
      ("empty.flv", "", [.failsToOpen]),
      ("file+with+data&streams=works?.mp4", "", [.opens]),
      ("sideways movie.mov", "", [.opens, .video(.rotation(90))]),
      ("weird_aspect.small.mpg", "", [.opens, .video(.sampleAspectRatio(64, 45))]),
    ])

  private static let awesome: [Kind] = [
    .opens, .trackCount(.video, 1), .trackCount(.audio, 1), .duration(7.56, tolerance: 0.01),
    .video(.codec("h264")), .video(.size(640, 480)), .video(.rotation(0)),
    .video(.frameRate(16.75, tolerance: 0.01)), .audio(.codec("aac")), .audio(.sampleRate(44100)),
    .audio(.channels(2)),
  ]

  /// orchetect/TimecodeKit, whose tests run against AVFoundation itself.
  static let timecodeKit = table(
    "orchetect+TimecodeKit", "TimecodeKit on AVFoundation",
    [
      // 00:24:10:19.03 at 23.976: (34 819 + 3/80) · 1001 / 24 000 s.
      (
        "TimecodeTrack_23_976_Start-00-58-40-00.mov", "",
        [
          .opens, .trackCount(.timecode, 1), .trackCount(.video, 0), .trackCount(.audio, 0),
          .duration(1452.244, tolerance: 0.0005),
          .track(Track(.timecode, 0), .duration(1452.244, tolerance: 0.0005)),
        ]
      ),
      (
        "TimecodeTrack_29_97d_Start_00-00-00-00.mov", "",
        [.opens, .trackCount(.timecode, 1), .trackCount(.video, 0), .trackCount(.audio, 0)]
      ),
      // 25p although frames are missing here and there: the shortest frame says so.
      (
        "VideoTrack_25_VFR_1sec.mov", "",
        [
          .opens, .trackCount(.video, 1), .video(.shortestFrameDuration(0.04, tolerance: 1e-6)),
        ]
      ),
      (
        "VideoTrack_29_97_Start-00-00-00-00.mp4", "",
        [
          .opens, .trackCount(.video, 1), .trackCount(.timecode, 0),
          .duration(300 * 1001 / 30000, tolerance: 0.0005),
          .video(.frameRate(30000 / 1001, tolerance: 0.005)),
        ]
      ),
    ])
}
