extension CorpusFact {
  /// bbc/audiowaveform: the headers of the expected peak files.
  ///
  /// The Opus file decodes at 48 000 Hz everywhere; the peer asks for the encoder's 16 000.
  static let audiowaveform = table(
    "bbc+audiowaveform", "audiowaveform test/data",
    [
      (
        "test_file_mono_float32.wav", "mono_float32_8bit_64spp.dat",
        [.opens, .audio(.channels(1)), .audio(.sampleRate(16000)), .audio(.codec("pcm"))]
      ),
      (
        "test_file_stereo.flac", "stereo_8bit_64spp_flac.json",
        [
          .opens, .audio(.channels(2)), .audio(.sampleRate(16000)), .audio(.codec("flac")),
          .duration(113519 / 16000, tolerance: 1e-6),
        ]
      ),
      (
        "test_file_stereo.mp3", "stereo_8bit_64spp_mp3.json",
        [.opens, .audio(.channels(2)), .audio(.sampleRate(16000)), .audio(.codec("mp3"))]
      ),
      (
        "test_file_stereo.oga", "stereo_8bit_64spp_oga.json",
        [.opens, .audio(.channels(2)), .audio(.sampleRate(16000)), .audio(.codec("vorbis"))]
      ),
      (
        "test_file_stereo.opus", "stereo_8bit_64spp_opus.json",
        [.opens, .audio(.channels(2)), .audio(.codec("opus"))]
      ),
      (
        "test_file_stereo.wav", "stereo_8bit_64spp_wav.json",
        [.opens, .audio(.channels(2)), .audio(.sampleRate(16000)), .audio(.codec("pcm"))]
      ),
    ])

  /// The IETF's FLAC decoder bench: what STREAMINFO says of rate, channels and total samples.
  static let flacTestFiles = table(
    "ietf-wg-cellar+flac-test-files", "STREAMINFO",
    [
      ("14 - wasted bits.flac", "", flac(samples: 218101, channels: 2)),
      ("23 - 8 bit per sample.flac", "", flac(samples: 339973, channels: 2)),
      ("38 - 3 channels (3.0).flac", "", flac(samples: 168210, channels: 3)),
      ("41 - 6 channels (5.1).flac", "", flac(samples: 357223, channels: 6)),
      ("60 - mono audio.flac", "", flac(samples: 227247, channels: 1)),
    ])

  private static func flac(samples: Int, channels: Int) -> [Kind] {
    [
      .opens, .trackCount(.audio, 1), .duration(Double(samples) / 44100, tolerance: 1e-6),
      .audio(.codec("flac")), .audio(.sampleRate(44100)), .audio(.channels(channels)),
    ]
  }

  /// quodlibet/mutagen. Tolerances follow the number of places that the asserts compare.
  static let mutagen = table(
    "quodlibet+mutagen", "mutagen",
    [
      // Box sizes of 64 bits, and no track: the peer only reads the boxes.
      ("64bit.mp4", "test_mp4.py", [.survives]),
      (
        "alac.m4a", "test_mp4.py",
        [.opens, .duration(3.7, tolerance: 0.05), .audio(.codec("alac"))]
      ),
      // The broken header states 0 frames; what is in the 4096 bytes still plays.
      ("bad-xing.mp3", "test_mp3.py", [.opens, .audio(.codec("mp3"))]),
      ("ep7.m4b", "test_mp4.py", [.opens, .duration(2.02, tolerance: 0.005)]),
      ("ep9.m4b", "test_mp4.py", [.opens, .duration(2.02, tolerance: 0.005)]),
      (
        "example.opus", "test_oggopus.py:22",
        [.opens, .duration(11.35, tolerance: 0.005), .audio(.codec("opus"))]
      ),
      ("has-tags.m4a", "test_mp4.py", [.opens, .duration(3.7, tolerance: 0.05)]),
      ("lame.mp3", "test_mp3.py", [.opens, .duration(0.0616, tolerance: 0.00005)]),
      ("nero-chapters.m4b", "test_mp4.py:1212", [.opens, .chapterCount(112)]),
      (
        "silence-44-s.flac", "test_flac.py:378",
        [.opens, .duration(3.7, tolerance: 0.05), .audio(.codec("flac"))]
      ),
      ("silence-44-s.mp3", "test_mp3.py", [.opens, .duration(3.77, tolerance: 0.005)]),
      ("too-short.mp3", "test_mp3.py", [.failsToOpen]),
      // 8 kB of a longer file.
      ("vbri.mp3", "test_mp3.py", [.opens, .declaredDuration(222.19755, tolerance: 0.00005)]),
      ("xing.mp3", "test_mp3.py", [.opens, .duration(2.052, tolerance: 0.0005)]),
    ])

  /// taglib/taglib. Milliseconds are rounded there.
  static let taglib = table(
    "taglib+taglib", "taglib",
    [
      (
        "blank_video.m4v", "test_mp4.cpp",
        [.opens, .duration(0.975, tolerance: 0.0005)]
      ),
      ("covr-junk.m4a", "test_mp4.cpp", [.opens, .trackCount(.video, 0)]),
      (
        "empty_alac.m4a", "test_mp4.cpp",
        [.opens, .duration(3.705, tolerance: 0.0005), .audio(.codec("alac"))]
      ),
      (
        "flac.m4a", "test_mp4.cpp",
        [
          .opens, .duration(1, tolerance: 0.0005), .audio(.codec("flac")), .audio(.channels(2)),
          .audio(.sampleRate(48000)), .audio(.bitDepth(16)), .audio(.fourCharacterCode("fLaC")),
        ]
      ),
      ("no-tags.3g2", "test_mp4.cpp", [.opens]),
      (
        "no-tags.mka", "test_matroska.cpp",
        [
          .opens, .duration(0.444, tolerance: 0.0005), .audio(.channels(2)),
          .audio(.sampleRate(44100)),
        ]
      ),
      (
        "opus.m4a", "test_mp4.cpp",
        [
          .opens, .duration(1, tolerance: 0.0005), .audio(.codec("opus")), .audio(.channels(2)),
          .audio(.sampleRate(48000)), .audio(.fourCharacterCode("Opus")),
        ]
      ),
      ("zero-length-mdat.m4a", "test_mp4.cpp", [.opens, .duration(1.115, tolerance: 0.0005)]),
    ])
}
