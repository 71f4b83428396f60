import Foundation
import MediaTestSupport
import Testing

@testable import MediaAssetKit

/// The acceptance cases of exporting.
@Suite struct ExportCaseTests {
  /// E1: a cut on a picture, transcoded: 50 pictures from the 38th on.
  @Test func alignedCutEncoded() async throws {
    let source = try await AcceptanceCase.file("E1", "base.mp4")
    try await withScratchFolder { folder in
      let url = folder.appendingPathComponent("o.mp4")
      try await export(source, to: url, .highestQuality, from: hundredths(152), to: hundredths(352))
      let frames = try await FFmpegJudge(url).luma()
      #expect(pictureNumbers(frames) == Array(38..<88))
      #expect(frames.map(\.time) == (0..<50).map { ClipTime(Int64($0), 25) })
      #expect(try await MediaAsset(url: url).load(.duration) == MediaTime(value: 2, timescale: 1))
      #expect(contents(folder) == ["o.mp4"])
    }
  }

  /// E1: between pictures the one on show comes first, for what is left of it.
  @Test(arguments: [ExportPreset.highestQuality, .passthrough])
  func unalignedCut(_ preset: ExportPreset) async throws {
    let source = try await AcceptanceCase.file("E1", "base.mp4")
    try await withScratchFolder { folder in
      let url = folder.appendingPathComponent("o.mp4")
      try await export(source, to: url, preset, from: hundredths(150), to: hundredths(350))
      let pictures = try await PresentedPicture.read(url)
      #expect(pictures.map { Int((($0.luma - 16) / 2).rounded()) } == Array(37..<88))
      #expect(pictures.first?.duration == MediaTime(value: 2, timescale: 100))
      #expect(pictures.map(\.time) == [.zero] + (0..<50).map { MediaTime(value: 2 + 4 * Int64($0), timescale: 100) })
      #expect(try await MediaAsset(url: url).load(.duration) == MediaTime(value: 2, timescale: 1))
    }
  }

  /// E1, copied: the same pictures as decoded from the source, bit for bit, also as ffmpeg shows them.
  @Test func copiedCut() async throws {
    let source = try await AcceptanceCase.file("E1", "base.mp4")
    try await withScratchFolder { folder in
      let url = folder.appendingPathComponent("o.mp4")
      let plan = try await export(source, to: url, .passthrough, from: hundredths(152), to: hundredths(352))
      #expect(plan.isPassthrough && plan.isCutExact)
      let wanted = try await FFmpegJudge(source).frameHashes().map(\.hash)[38..<88]
      let frames = try await FFmpegJudge(url).frameHashes()
      #expect(frames.map(\.hash) == Array(wanted))
      #expect(frames.map(\.time) == (0..<50).map { ClipTime(Int64($0), 25) })
      #expect(try await PresentedPicture.read(url).count == 50)
    }
  }

  /// Where there are no edit lists: from the sync sample on, as the plan says; exactly where that is asked for.
  @Test func copiedCutWithoutEditLists() async throws {
    let source = try await AcceptanceCase.file("E1", "base.mp4")
    try await withScratchFolder { folder in
      let url = folder.appendingPathComponent("o.mkv")
      let plan = try await export(source, to: url, .passthrough, from: hundredths(152), to: hundredths(352))
      #expect(plan.presentedRange.start == MediaTime(value: 1, timescale: 1))
      let numbers = pictureNumbers(try await FFmpegJudge(url).luma())
      #expect(numbers == Array(25..<88))
      let exact = folder.appendingPathComponent("exact.mkv")
      let other = try await export(source, to: exact, .automatic, from: hundredths(152), to: hundredths(352)) {
        $0.cut = .exact
      }
      #expect(other.isCutExact)
      #expect(pictureNumbers(try await FFmpegJudge(exact).luma()) == Array(38..<88))
    }
  }

  /// E3: sound is cut to the sample, copied and encoded.
  @Test(arguments: ["copied", "encoded", "wav", "flac", "ogg"])
  func soundOffTheFrameGrid(_ way: String) async throws {
    let source = try await AcceptanceCase.file("E3", "e3.m4a")
    try await withScratchFolder { folder in
      var preset = ExportPreset.automatic
      if way == "encoded" { preset.audio = .encode(AudioSettings(codec: "aac", bitRate: 128_000)) }
      let url = folder.appendingPathComponent("o." + (["copied", "encoded"].contains(way) ? "m4a" : way))
      let plan = try await export(source, to: url, preset, from: hundredths(70), to: hundredths(220))
      #expect(plan.kept.map(\.action) == [way == "copied" ? .copy : .encode])
      let sound = try await Sound.read16(url)
      #expect(sound.count == 72_000)
      #expect(abs((onset(sound.int16s) ?? 0) - 14_400) <= 64)
      // The edit list says it too, whatever players make of it.
      #expect(try await MediaAsset(url: url).load(.duration) == MediaTime(value: 3, timescale: 2))
    }
  }

  /// M1: QuickTime's own keys and the creation time.
  @Test(arguments: ["mov", "mp4"], [ExportPreset.passthrough, .highestQuality])
  func quickTimeKeys(_ type: String, _ preset: ExportPreset) async throws {
    let source = try await AcceptanceCase.file("M1", "m1.mov")
    try await withScratchFolder { folder in
      let url = folder.appendingPathComponent("o." + type)
      try await export(source, to: url, preset)
      let tags = try await FFmpegJudge(url).probe()["format"]?["tags"]
      #expect(tags?["creation_time"]?.text?.hasPrefix("2022-11-09T17:36:38") == true)
      #expect(tags?["com.apple.quicktime.creationdate"]?.text == "2022-11-09T20:36:38+0300")
      #expect(tags?["com.apple.quicktime.location.ISO6709"]?.text == "+48.8577+002.2950+035.000/")
      #expect(tags?["com.apple.quicktime.make"]?.text == "ExampleCam")
      #expect(tags?["encoder"] == nil)
      // Filters and values of the caller's own.
      let shared = folder.appendingPathComponent("shared." + type)
      try await export(source, to: shared, preset) {
        $0.metadataFilter = .forSharing
        $0.metadataTags = ["title": "A title"]
      }
      let left = try await FFmpegJudge(shared).probe()["format"]?["tags"]
      #expect(left?["com.apple.quicktime.location.ISO6709"] == nil)
      #expect(left?["title"]?.text == "A title")
      let bare = folder.appendingPathComponent("bare." + type)
      try await export(source, to: bare, preset) { $0.metadataFilter = .none }
      #expect(try await FFmpegJudge(bare).probe()["format"]?["tags"]?["com.apple.quicktime.make"] == nil)
    }
  }

  /// M3: chapters are cut with the range.
  @Test(arguments: ["mkv", "mp4"])
  func chaptersOfACut(_ type: String) async throws {
    let source = try await AcceptanceCase.file("M3", "m3.mkv")
    try await withScratchFolder { folder in
      let url = folder.appendingPathComponent("o." + type)
      try await export(source, to: url, .highestQuality, from: hundredths(150), to: hundredths(350))
      let chapters = try await FFmpegJudge(url).probe(["-show_chapters"])["chapters"]?.elements ?? []
      #expect(chapters.map { $0["tags"]?["title"]?.text } == ["Two", "Thr=ee ü"])
      #expect(chapters.map { $0["start_time"]?.double } == [0, 1.5])
      #expect(chapters.map { $0["end_time"]?.double } == [1.5, 2])
    }
  }

  /// M5: as many chapters as there are.
  @Test func manyChapters() async throws {
    let source = try await AcceptanceCase.file("M5", "m5.mp4")
    try await withScratchFolder { folder in
      let url = folder.appendingPathComponent("o.mp4")
      try await export(source, to: url, .passthrough)
      let chapters = try await FFmpegJudge(url).probe(["-show_chapters"])["chapters"]?.elements ?? []
      #expect(chapters.count == 2000)
      #expect(chapters.last?["tags"]?["title"]?.text == "c1999")
      // FFmpeg 9 counts them in ticks of the pictures, 1/16384 of a second here.
      let start = try #require(chapters.last?["start_time"]?.double)
      #expect(abs(start - 89.955) <= 0.5 / 16384)
      #expect(chapters.last?["end_time"]?.double == 90)
      // What carries the chapters is no track.
      #expect(try await MediaAsset(url: url).load(.tracks).count == 1)
    }
  }

  /// C4: the full range stays, once.
  @Test(arguments: [ExportPreset.highestQuality, .passthrough])
  func fullRange(_ preset: ExportPreset) async throws {
    let source = try await AcceptanceCase.file("C4", "c4.mp4")
    try await withScratchFolder { folder in
      let url = folder.appendingPathComponent("o.mp4")
      try await export(source, to: url, preset)
      let stream = try await FFmpegJudge(url).streams("video").first
      #expect(stream?["color_range"]?.text == "pc")
      for (x, level) in [(10, 28), (48, 130), (80, 232)] {
        let pixel = try await FFmpegJudge(url).pixel(x, 20)
        #expect(pixel.prefix(3).allSatisfy { abs(Int($0) - level) <= 2 })
      }
    }
  }

  /// C6: HDR10 keeps its tags, mastering display and light levels.
  @Test(arguments: ["Passthrough", "HEVCHighestQuality"])
  func hdr(_ name: String) async throws {
    let source = try await AcceptanceCase.file("C6", "c6.mp4")
    try await withScratchFolder { folder in
      let url = folder.appendingPathComponent("o.mp4")
      try await export(source, to: url, try #require(.named(name)))
      let stream = try await FFmpegJudge(url).streams("video").first
      #expect(stream?["codec_tag_string"]?.text == "hvc1")
      #expect(stream?["pix_fmt"]?.text == "yuv420p10le")
      #expect(stream?["color_space"]?.text == "bt2020nc")
      #expect(stream?["color_transfer"]?.text == "smpte2084")
      #expect(stream?["color_primaries"]?.text == "bt2020")
      let track = try #require(try await MediaAsset(url: url).loadDefaultTrack(withMediaType: .video))
      let hdr = try await track.load(.formatDescriptions).first?.video?.hdr
      #expect(hdr?.maxContentLight == 1000)
      #expect(hdr?.maxFrameAverageLight == 400)
      #expect(hdr?.masteringDisplay?.maximumLuminance == 1000)
      #expect(abs((hdr?.masteringDisplay?.minimumLuminance ?? 0) - 0.0001) < 1e-9)
    }
  }

  /// C10: never interlaced pixels that are called progressive.
  @Test(arguments: [("Passthrough", "mkv"), ("HighestQuality", "mp4"), ("640x480", "mkv"), ("WebM", "webm")])
  func interlaced(_ name: String, _ type: String) async throws {
    let source = try await AcceptanceCase.file("C10", "c10.mpg")
    try await withScratchFolder { folder in
      let url = folder.appendingPathComponent("o." + type)
      try await export(source, to: url, try #require(.named(name)))
      let judge = FFmpegJudge(url)
      #expect(try await judge.frameHashes().count == 25)
      let track = try #require(try await MediaAsset(url: url).loadDefaultTrack(withMediaType: .video))
      let frame = try #require(try await track.frames().first { _ in true })
      let rows = try frame.pixelBuffer.withPackedBytes { bytes in (0..<4).map { Int(bytes[64 * $0 + 20]) } }
      if name == "WebM" {
        // The first field, stretched: luma 16 everywhere.
        #expect(rows.allSatisfy { abs($0 - 16) <= 1 })
        #expect(try await judge.streams("video").first?["field_order"]?.text != "tt")
      } else {
        #expect(try await judge.streams("video").first?["field_order"]?.text == "tt")
        for (row, wanted) in zip(rows, [16, 20, 16, 20]) { #expect(abs(row - wanted) <= 2) }
      }
    }
  }

  /// C10: a picture for each field, at twice the rate, each with its own luma.
  @Test func onePictureAField() async throws {
    let source = try await AcceptanceCase.file("C10", "c10.mpg")
    try await withScratchFolder { folder in
      var preset = ExportPreset.highestQuality
      preset.deinterlacing = .fields
      let url = folder.appendingPathComponent("o.mp4")
      try await export(source, to: url, preset)
      let frames = try await FFmpegJudge(url).luma()
      #expect(frames.count == 50)
      for (index, frame) in frames.enumerated() { #expect(abs(frame.luma - Double(16 + 4 * index)) <= 2) }
      #expect(frames.map(\.time) == (0..<50).map { ClipTime(Int64($0), 50) })
    }
  }

  /// G9: odd sizes are rounded down, a requested one too.
  @Test(arguments: [nil, PixelSize(width: 33, height: 25)])
  func oddSizes(_ size: PixelSize?) async throws {
    let source = try await AcceptanceCase.file("G9", "g9.webm")
    try await withScratchFolder { folder in
      var preset = ExportPreset.highestQuality
      if let size { preset.video = .encode(VideoSettings(codec: "h264", size: size, constantRateFactor: 5)) }
      let url = folder.appendingPathComponent("o.mp4")
      let plan = try await export(source, to: url, preset)
      let stream = try await FFmpegJudge(url).streams("video").first
      let wanted = size == nil ? PixelSize(width: 64, height: 48) : PixelSize(width: 32, height: 24)
      #expect(stream?["width"]?.integer == wanted.width)
      #expect(stream?["height"]?.integer == wanted.height)
      #expect(plan.tracks[0].size == wanted)
      let (old, new) = (
        try await FFmpegJudge(source).pixel(60, 44),
        try await FFmpegJudge(url).pixel(size == nil ? 60 : 30, size == nil ? 44 : 22)
      )
      for (left, right) in zip(old, new) { #expect(abs(Int(left) - Int(right)) <= 4) }
    }
  }

  /// T5: pictures that begin half a second after the sound still do.
  @Test(arguments: [("Passthrough", "mp4"), ("HighestQuality", "mp4"), ("HighestQuality", "mov"), ("WebM", "webm")])
  func lateStart(_ name: String, _ type: String) async throws {
    let source = try await AcceptanceCase.file("T5", "t5.mp4")
    try await withScratchFolder { folder in
      let url = folder.appendingPathComponent("o." + type)
      try await export(source, to: url, try #require(.named(name)))
      let judge = FFmpegJudge(url)
      func start(_ kind: String) async throws -> Double {
        try await judge.streams(kind).first?["start_time"]?.double ?? -1
      }
      let offset = try await start("video") - start("audio")
      // Matroska's muxer shifts everything by what Opus needs to begin: a part of one picture.
      #expect(abs(offset - 0.5) <= (type == "webm" ? 0.04 : 0.0005))
      #expect(try await PresentedPicture.read(url).count == PresentedPicture.read(source).count)
    }
  }

  /// T13: sound that outlasts the pictures is all there.
  @Test(arguments: [("Passthrough", "mp4"), ("HighestQuality", "mp4"), ("WebM", "webm")])
  func soundOutlastsPictures(_ name: String, _ type: String) async throws {
    let source = try await AcceptanceCase.file("T13", "t13.mp4")
    try await withScratchFolder { folder in
      let url = folder.appendingPathComponent("o." + type)
      try await export(source, to: url, try #require(.named(name)), to: MediaTime(value: 3, timescale: 1))
      let sound = try await Sound.read16(url)
      #expect(sound.count == 3 * sound.rate)
      #expect(try await FFmpegJudge(url).luma().count == 50)
      let asset = MediaAsset(url: url)
      let duration = try await asset.load(.duration)
      #expect(abs((duration - MediaTime(value: 3, timescale: 1)).seconds) <= 0.04)
    }
  }
}
