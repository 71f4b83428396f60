extension CorpusFact {
  /// Vanilagy/mediabunny.
  static let mediabunny = table(
    "Vanilagy+mediabunny", "mediabunny test",
    [
      // Sound from 10.012 to 15.004 s, the earliest and the latest of the file.
      (
        "0.ts", "node/mpeg-ts-demuxing.test.ts",
        [
          .opens, .trackCount(.video, 1), .trackCount(.audio, 1),
          .duration(15.004 - 10.012, tolerance: 0.0005), .video(.codecString("avc1.640020")),
          .audio(.codecString("mp4a.40.2")), .audio(.sampleRate(48000)), .audio(.channels(2)),
          .video(.sampleCount(298)), .audio(.sampleCount(234)),
          .video(.firstTime(10.033333, tolerance: 1e-6)),
          .audio(.firstTime(10.012, tolerance: 1e-6)),
          .video(.firstSampleSizes([23813, 5700])),
        ]
      ),
      (
        "cursed-vfr.mp4", "node/frame-rate.test.ts:101",
        [
          .opens, .trackCount(.video, 1), .video(.meanFrameRate(8.664659, tolerance: 1e-6)),
          .video(.shortestFrameDuration(1 / 188.85, tolerance: 0.00001)),
        ]
      ),
      // The sound's first packet lies before 0: priming, hidden by the edit list.
      ("edts.mp4", "node", [.opens, .trackCount(.video, 1), .trackCount(.audio, 1)]),
      ("multiple-aac-tracks.mp4", "browser/conversion.test.ts", [.opens, .trackCount(.audio, 2)]),
      (
        "no-aud.ts", "node/mpeg-ts-demuxing.test.ts",
        [.opens, .video(.firstSampleSizes([331774, 1749, 4273]))]
      ),
      (
        "rotate-buck-bunny.mp4", "browser/conversion.test.ts:31",
        [
          .opens, .video(.rotation(90)), .video(.size(1920, 1080)),
          .video(.displaySize(1080, 1920)),
        ]
      ),
      (
        "sample.flac", "node/flac.test.ts",
        [.opens, .trackCount(.audio, 1), .duration(19.714285714285715, tolerance: 1e-9)]
      ),
      (
        "sar_2x1.mp4", "browser/par.test.ts",
        [.opens, .video(.rotation(0)), .video(.sampleAspectRatio(2, 1))]
      ),
      (
        "transparency.webm", "browser/transparency.test.ts",
        [.opens, .video(.size(1280, 720)), .video(.hasAlpha)]
      ),
      (
        "video.mp4", "node/duration-from-metadata.test.ts",
        [
          .opens, .duration(5.056, tolerance: 0.0005), .video(.duration(5, tolerance: 0.0005)),
          .audio(.duration(5.056, tolerance: 0.0005)),
        ]
      ),
      ("vorbis-eos.ogg", "ogg-demuxer", [.opens, .trackCount(.audio, 1)]),
    ])

  /// meta-pytorch/torchcodec. The times of all frames are read from its lists (`FrameTimes`).
  static let torchcodec = table(
    "meta-pytorch+torchcodec", "torchcodec test/utils.py",
    [
      ("animated.gif", "", [.opens, .video(.codec("gif")), .video(.size(64, 48))]),
      (
        "av1_video.mkv", "",
        [
          .opens, .video(.codec("av1")), .video(.size(640, 360)),
          .video(.frameRate(25, tolerance: 0.005)),
        ]
      ),
      ("bt2020_10bit.mp4", "", [.opens, .video(.size(320, 240)), .video(.bitDepth(10))]),
      ("bt601_full_range.mp4", "", [.opens, .video(.size(320, 240)), .video(.fullRange(true))]),
      ("bt709_full_range.mp4", "", [.opens, .video(.size(1280, 720)), .video(.fullRange(true))]),
      ("discard_first_keyframe.mp4", "", [.opens, .video(.size(64, 64))]),
      // A still picture, which not every FFmpeg reads.
      ("gradient_rotated.heic", "", [.survives, .video(.displaySize(720, 1280))]),
      (
        "h265_10bits.mp4", "",
        [.opens, .video(.codec("hevc")), .video(.size(200, 200)), .video(.bitDepth(10))]
      ),
      (
        "h265_video.mp4", "",
        [
          .opens, .video(.codec("hevc")), .video(.size(128, 128)),
          .video(.frameRate(10, tolerance: 0.005)),
        ]
      ),
      (
        "nasa_13013.mp4", "",
        [
          .opens, .trackCount(.video, 2), .trackCount(.audio, 2), .trackCount(.subtitle, 2),
          .video(.size(320, 180)), .video(.sampleCount(325)),
          .video(.frameRate(25, tolerance: 0.005)),
          .track(Track(.video, 1), .size(480, 270)), .track(Track(.video, 1), .sampleCount(390)),
          .track(Track(.video, 1), .frameRate(29.97, tolerance: 0.005)),
          .track(Track(.audio, 1), .sampleRate(16000)),
        ]
      ),
      (
        "nasa_13013.mp4.audio.mp3", "",
        [.opens, .trackCount(.audio, 1), .audio(.codec("mp3")), .audio(.sampleRate(8000))]
      ),
      (
        "nasa_13013.mp4.audio_44100.mp3", "",
        [.opens, .trackCount(.audio, 1), .audio(.codec("mp3")), .audio(.sampleRate(44100))]
      ),
      (
        "nasa_13013_rotated.mp4", "",
        [.opens, .video(.displaySize(270, 480)), .video(.sampleCount(17))]
      ),
      ("sine_16ch_s16.wav", "", [.opens, .audio(.codec("pcm")), .audio(.channels(16))]),
      (
        "sine_mono_s16.wav", "",
        [
          .opens, .duration(4, tolerance: 1e-6), .audio(.codec("pcm")), .audio(.channels(1)),
          .audio(.sampleRate(16000)), .audio(.bitDepth(16)),
        ]
      ),
      (
        "sine_mono_s32_44100.wav", "",
        [
          .opens, .duration(4, tolerance: 1e-6), .audio(.codec("pcm")), .audio(.channels(1)),
          .audio(.sampleRate(44100)), .audio(.bitDepth(32)),
        ]
      ),
      ("sine_stereo_mp2.mpg", "", [.opens, .audio(.codec("mp2")), .audio(.channels(2))]),
      (
        "test_non_zero_start.mp4", "",
        [
          .opens, .video(.size(200, 112)), .video(.sampleCount(12)),
          .video(.firstTime(8.333008, tolerance: 1e-6)),
        ]
      ),
      (
        "testsrc2_444_12bit_hevc.mp4", "",
        [.opens, .video(.codec("hevc")), .video(.size(321, 241)), .video(.bitDepth(12))]
      ),
      (
        "testsrc2_mpeg4.avi", "", [.opens, .video(.codec("mpeg4")), .video(.size(1280, 720))]
      ),
      (
        "testsrc2_odd_height_and_width_444.mp4", "",
        [.opens, .video(.codec("h264")), .video(.size(321, 241))]
      ),
      (
        "testsrc2_odd_height_and_width_vp9.mp4", "",
        [.opens, .video(.codec("vp9")), .video(.size(321, 241))]
      ),
      ("testsrc2_vp8.webm", "", [.opens, .video(.codec("vp8")), .video(.size(1280, 720))]),
    ])
}
