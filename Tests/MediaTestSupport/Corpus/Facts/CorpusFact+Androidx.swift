extension CorpusFact {
  /// Files of androidx/media without a dump: the numbers that its device tests list (`AssetInfo`).
  ///
  /// Rates are written there with one to three decimals. Not taken over: 59.94 frames a second of
  /// hdr10-av1.mp4, which only asks for an encoder of that speed (the file has 127 frames in 4.2 s).
  static let androidx = table(
    "androidx+media", "androidx/media AndroidTestUtil.AssetInfo",
    [
      (
        "bbb_176x144_128kbps_15fps_h263.3gp", "",
        [
          .opens, .video(.codec("h263")), .video(.size(176, 144)), .video(.sampleCount(15)),
          .video(.frameRate(15, tolerance: 0.05)),
        ]
      ),
      (
        "edit_list_positive_shift.mp4", "",
        [
          .opens, .video(.size(1920, 1080)), .video(.frameRate(30, tolerance: 0.05)),
          .video(.codecString("avc1.42C028")),
        ]
      ),
      (
        "hdr10-av1.mp4", "",
        [
          .opens, .video(.codec("av1")), .video(.size(720, 1280)),
          .video(.transferCharacteristics(16)),
        ]
      ),
      (
        "hlg10-color-test.mp4", "",
        [
          .opens, .video(.size(1920, 1080)), .video(.frameRate(30, tolerance: 0.05)),
          .duration(0.3, tolerance: 0.0005), .video(.codecString("hvc1.2.4.L153")),
          .video(.transferCharacteristics(18)),
        ]
      ),
      (
        "sample_12_5fps_720p_1s.mp4", "",
        [
          .opens, .video(.size(1280, 720)), .video(.frameRate(12.5, tolerance: 0.05)),
          .video(.sampleCount(13)),
        ]
      ),
      (
        "sample_edit_list_only_preroll_sync_sample.mp4", "",
        [.opens, .video(.size(640, 360)), .video(.frameRate(30, tolerance: 0.05))]
      ),
      (
        "sample_gamma2.2.mp4", "",
        [
          .opens, .video(.size(320, 240)), .video(.frameRate(60, tolerance: 0.05)),
          .video(.sampleCount(60)), .video(.codecString("avc1.42C015")),
          .video(.transferCharacteristics(4)),
        ]
      ),
      (
        "sample_sef_slow_motion.mp4", "",
        [
          .opens, .video(.size(320, 240)), .video(.frameRate(30.472, tolerance: 0.0005)),
          .video(.codecString("avc1.64000D")),
        ]
      ),
      (
        "sample_simple.mp4", "",
        [
          .opens, .video(.size(320, 240)), .video(.frameRate(29.97, tolerance: 0.005)),
          .video(.sampleCount(30)), .video(.codecString("avc1.42C00D")),
        ]
      ),
      (
        "sample_with_increasing_timestamps_360p.mp4", "FrameExtractorTest",
        [.opens, .video(.size(640, 360))]
      ),
    ])
}
