extension CorpusFact {
  /// Zeugma440/atldotnet. Milliseconds are rounded there.
  static let atldotnet = table(
    "Zeugma440+atldotnet", "atldotnet",
    [
      ("2tracks_QTchaps.m4a", "IO/MetaData/MP4.cs", [.opens]),
      // The peer estimates 7742 ms; the file has 332 frames of 1024 samples.
      (
        "adts_CBR88_8s.aac", "AudioData.cs:157, exact by counting frames",
        [
          .opens, .trackCount(.audio, 1), .duration(332 * 1024 / 44100, tolerance: 0.0005),
          .audio(.codec("aac")), .audio(.sampleRate(44100)), .audio(.sampleCount(332)),
        ]
      ),
      (
        "caf.caf", "AudioData.cs:376",
        [.opens, .duration(3.235, tolerance: 0.0005), .audio(.sampleRate(11025))]
      ),
      ("chapters.mka", "IO/MetaData/MKA.cs:41", [.opens, .chapterCount(2)]),
      ("chapters.mp3", "IO/MetaData/ID3v2.cs:880", [.opens, .chapterCount(9)]),
      ("chapters.ogg", "IO/MetaData/Vorbis_OGG.cs:645", [.opens, .chapterCount(9)]),
      // 260 in the QuickTime track, 255 in the Nero list.
      ("chapters_260qt255nero.m4a", "IO/MetaData/MP4.cs:1250", [.opens, .chapterCount(260)]),
      ("chapters_NERO.mp4", "IO/MetaData/MP4.cs:460", [.opens, .chapterCount(4)]),
      ("chapters_QT.m4v", "IO/MetaData/MP4.cs:683", [.opens, .chapterCount(4)]),
      // Two channels says the peer, from the sample description; the codec's own header says one.
      (
        "fragmented.mp4", "AudioData.cs:150",
        [.opens, .declaredDuration(87.211, tolerance: 0.0005), .audio(.sampleRate(48000))]
      ),
      (
        "garbage_before_header.mp3", "AudioData.cs:109",
        [.opens, .duration(6.142, tolerance: 0.0005), .audio(.sampleRate(24000))]
      ),
      (
        "ghost_data_after_last_frame.mp3", "AudioData.cs:111,135",
        [.opens, .duration(0.209, tolerance: 0.0005)]
      ),
      ("mdat_before_moov.m4a", "IO/MetaData/MP4.cs", [.opens]),
      // The peer counts to the start of the last block, which lasts 60 ms.
      (
        "no_info_duration.webm", "AudioData.cs:383",
        [
          .opens, .duration(7.159, tolerance: 0.061), .audio(.codec("opus")), .audio(.channels(1)),
          .audio(.sampleRate(48000)),
        ]
      ),
      ("opus.opus", "AudioData.cs:182", [.opens, .duration(30.959, tolerance: 0.0005)]),
    ])

  /// abema/go-mp4: its tests dump boxes, which is more than an asset shows.
  static let goMP4 = table("abema+go-mp4", "go-mp4", [("sample_qt.mp4", "probe_test.go", [.opens])])
}
