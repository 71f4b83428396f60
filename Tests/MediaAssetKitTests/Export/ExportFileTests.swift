import Foundation
import MediaTestSupport
import Testing

@testable import MediaAssetKit

/// What exported files are, as ffprobe and ffmpeg see them.
@Suite struct ExportFileTests {
  /// Every preset gives a file that plays, with its codecs, as long as the source.
  @Test(arguments: ExportPreset.all.filter { $0.streaming == nil })
  func presets(_ preset: ExportPreset) async throws {
    let source = try await movieClip()
    try await withScratchFolder { folder in
      let type = try #require(preset.fileTypes.first)
      let target = folder.appendingPathComponent("o." + (type.preferredFileExtension ?? ""))
      let plan = try await export(source, to: target, preset, to: MediaTime(value: 1, timescale: 1))
      let judge = FFmpegJudge(target)
      let (pictures, sounds) = (try await judge.streams("video"), try await judge.streams("audio"))
      // FFmpeg 9 tells an animated WebP from a still one by another name.
      let codecs = pictures.map { $0["codec_name"]?.text == "webp_anim" ? "webp" : $0["codec_name"]?.text }
      #expect(codecs == plan.kept.filter { $0.mediaType == .video }.map(\.codec))
      #expect(sounds.map { $0["codec_name"]?.text } == plan.kept.filter { $0.mediaType == .audio }.map(\.codec))
      if let stream = pictures.first, preset.name != "WebP" {
        #expect(stream["width"]?.integer == plan.kept[0].size?.width)
        #expect(stream["height"]?.integer == plan.kept[0].size?.height)
        let wanted = preset.name == "GIF" ? 15 : 25
        #expect(try await judge.frameHashes().count == wanted)
      }
      if !sounds.isEmpty {
        let sound = try await Sound.read16(target)
        // ADTS and MPEG audio apart every file here says where its sound begins and ends.
        #expect(sound.count == sound.rate)
      }
      #expect(contents(folder).count == 1)
    }
  }

  /// Files with the header first have it there.
  @Test func networkUse() async throws {
    let source = try await movieClip()
    try await withScratchFolder { folder in
      let target = folder.appendingPathComponent("o.mp4")
      try await export(source, to: target, .passthrough) { $0.shouldOptimizeForNetworkUse = true }
      let bytes = [UInt8](try Data(contentsOf: target))
      let (header, media) = (bytes.firstRange(of: Array("moov".utf8)), bytes.firstRange(of: Array("mdat".utf8)))
      #expect(try #require(header).lowerBound < #require(media).lowerBound)
    }
  }

  /// HEVC is tagged so that Apple's players take it; a turn goes on as it is.
  @Test(arguments: [ExportPreset.passthrough, .highestQuality, .named("HEVCHighestQuality") ?? .passthrough])
  func turns(_ preset: ExportPreset) async throws {
    let source = try await AcceptanceCase.file("G1", "g1_90.mp4")
    try await withScratchFolder { folder in
      let target = folder.appendingPathComponent("o.mp4")
      try await export(source, to: target, preset)
      let stream = try await FFmpegJudge(target).streams("video").first
      if stream?["codec_name"]?.text == "hevc" { #expect(stream?["codec_tag_string"]?.text == "hvc1") }
      let (before, after) = (MediaAsset(url: source), MediaAsset(url: target))
      let left = try #require(try await before.loadDefaultTrack(withMediaType: .video)?.load(.preferredTransform))
      let right = try #require(try await after.loadDefaultTrack(withMediaType: .video)?.load(.preferredTransform))
      #expect(left == right)
      #expect(left.orientation != .up)
      // Before the turn the corners have their colours at the same places.
      for (x, y) in [(4, 4), (56, 4), (4, 40), (56, 40)] {
        let (old, new) = (try await FFmpegJudge(source).pixel(x, y), try await FFmpegJudge(target).pixel(x, y))
        for (one, other) in zip(old, new) { #expect(abs(Int(one) - Int(other)) <= 12) }
      }
    }
  }

  /// Uneven times stay exactly what they are.
  @Test(arguments: [("T1", "t1.mp4"), ("E9", "e9.mp4")], [ExportPreset.passthrough, .highestQuality])
  func unevenTimes(_ file: (String, String), _ preset: ExportPreset) async throws {
    let source = try await AcceptanceCase.file(file.0, file.1)
    try await withScratchFolder { folder in
      let target = folder.appendingPathComponent("o.mp4")
      try await export(source, to: target, preset)
      let (old, new) = (try await FFmpegJudge(source).luma(), try await FFmpegJudge(target).luma())
      #expect(new.map(\.time) == old.map(\.time))
      #expect(pictureNumbers(new) == pictureNumbers(old))
      // The sources' movie clocks count milliseconds.
      let (before, after) = (
        try await MediaAsset(url: source).load(.duration), try await MediaAsset(url: target).load(.duration)
      )
      #expect(abs((before - after).seconds) <= 0.001)
    }
  }

  /// Where the file type holds no turn it is drawn: every one of the eight is upright afterwards.
  @Test(arguments: Orientation.allCases)
  func drawnTurns(_ orientation: Orientation) async throws {
    let size = PixelSize(width: 64, height: 48)
    // Four quarters of different luma, so that every turn is told apart.
    var bytes: [UInt8] = []
    for y in 0..<48 { for x in 0..<64 { bytes.append(x < 32 ? (y < 24 ? 40 : 90) : (y < 24 ? 150 : 210)) } }
    bytes += [UInt8](repeating: 128, count: 32 * 24 * 2)
    let picture = try packedPicture(bytes, width: 64, height: 48, format: "yuv420p")
    let frame = VideoFrame(time: .zero, duration: MediaTime(value: 1, timescale: 25), pixelBuffer: picture)
    var turner = PictureTurner(orientation)
    let turned = try turner.turned(frame).pixelBuffer
    #expect(turned.size == orientation.applied(to: size))
    let map = orientation.transform(for: size)
    let luma = try turned.withPackedBytes { bytes in (0..<turned.width * turned.height).map { bytes[$0] } }
    for (x, y) in [(5, 5), (60, 5), (5, 40), (60, 40)] {
      // Centres of pixels lie half a pixel inside.
      let (u, v) = (Double(x) + 0.5, Double(y) + 0.5)
      let column = Int((map.a * u + map.c * v + map.tx).rounded(.down))
      let row = Int((map.b * u + map.d * v + map.ty).rounded(.down))
      #expect(luma[row * turned.width + column] == bytes[y * 64 + x])
    }
  }

  /// A fixed rate: at every tick the picture on show.
  @Test(arguments: [(Int64(10), 20), (50, 100)])
  func frameRates(_ rate: Int64, _ count: Int) async throws {
    let source = try await AcceptanceCase.file("E1", "base.mp4")
    try await withScratchFolder { folder in
      var preset = ExportPreset.highestQuality
      preset.frameDuration = MediaTime(value: 1, timescale: Int32(rate))
      let target = folder.appendingPathComponent("o.mp4")
      try await export(source, to: target, preset, from: hundredths(100), to: hundredths(300))
      let frames = try await FFmpegJudge(target).luma()
      #expect(frames.count == count)
      #expect(pictureNumbers(frames) == (0..<count).map { 25 + Int(Int64($0) * 25 / rate) })
      #expect(frames.map(\.time) == (0..<count).map { ClipTime(Int64($0), rate) })
    }
  }

  /// S1: cover art goes on as cover art, bit for bit, and is no track.
  @Test(arguments: [("mp3", "Passthrough"), ("m4a", "AppleM4A"), ("flac", "FLAC"), ("mp4", "Automatic")])
  func coverArt(_ type: String, _ name: String) async throws {
    let source = try await AcceptanceCase.file("S1", "s1.mp3")
    try await withScratchFolder { folder in
      let target = folder.appendingPathComponent("o." + type)
      try await export(source, to: target, try #require(.named(name)))
      let (old, new) = (MediaAsset(url: source), MediaAsset(url: target))
      let pictures = try await new.header().pictures
      #expect(pictures.count == 1)
      #expect(try await pictures.first?.bytes == old.header().pictures.first?.bytes)
      #expect(try await new.load(.tracks).map(\.mediaType) == [.audio])
      let stream = try await FFmpegJudge(target).streams("video").first
      #expect(stream?["disposition"]?["attached_pic"]?.integer == 1)
    }
  }

  /// Text in the file type's own kind, cut with the range.
  @Test(arguments: [("mp4", "mov_text"), ("webm", "webvtt"), ("mkv", "subrip")])
  func text(_ type: String, _ codec: String) async throws {
    let words = """
      1
      00:00:00,500 --> 00:00:01,500
      Hello

      2
      00:00:02,000 --> 00:00:03,000
      Wörld


      """
    let source = try await AcceptanceCase.file("E1", "base.mp4")
    try await withScratchFolder { folder in
      let captions = folder.appendingPathComponent("s.srt")
      try Data(words.utf8).write(to: captions)
      let clip = folder.appendingPathComponent("clip.mkv")
      try await MediaTool("ffmpeg").check([
        "-nostdin", "-v", "error", "-i", source.path, "-i", captions.path, "-map", "0", "-map", "1", "-c:v", "copy",
        "-c:s", "srt", "-metadata:s:s", "language=deu", clip.path,
      ])
      let target = folder.appendingPathComponent("o." + type)
      var preset = ExportPreset.automatic
      if type == "mkv" { preset.video = .encode(.init(codec: "h264")) }
      try await export(clip, to: target, preset, from: hundredths(100), to: hundredths(350))
      let stream = try await FFmpegJudge(target).streams("subtitle").first
      #expect(stream?["codec_name"]?.text == codec)
      #expect(stream?["tags"]?["language"]?.text == "deu")
      let track = try #require(try await MediaAsset(url: target).loadDefaultTrack(withMediaType: .subtitle))
      var cues: [TextCue] = []
      for try await sample in try Reader(asset: track.asset).output(for: track, settings: .text) {
        if let cue = sample.cue { cues.append(cue) }
      }
      #expect(cues.map(\.text) == ["Hello", "Wörld"])
      #expect(cues.map(\.time) == [.zero, MediaTime(value: 1, timescale: 1)])
      #expect(cues.map(\.end) == [MediaTime(value: 1, timescale: 2), MediaTime(value: 2, timescale: 1)])
    }
  }

  /// S7: one of several languages is the default one, in every container.
  @Test(arguments: ["mp4", "mkv"])
  func languages(_ type: String) async throws {
    let source = try await AcceptanceCase.file("S7", "lang.mkv")
    try await withScratchFolder { folder in
      let target = folder.appendingPathComponent("o." + type)
      try await export(source, to: target, .passthrough)
      let streams = try await FFmpegJudge(target).streams("audio")
      let old = try await FFmpegJudge(source).streams("audio")
      #expect(streams.map { $0["tags"]?["language"]?.text }.count == 3)
      #expect(
        streams.map { $0["disposition"]?["default"]?.integer } == old.map { $0["disposition"]?["default"]?.integer })
    }
  }

  /// Sizes told beforehand are within a tenth, where they are called good.
  @Test(arguments: ["Passthrough", "cut", "rate", "WAV"])
  func estimates(_ way: String) async throws {
    let source = try await longClip()
    try await withScratchFolder { folder in
      var preset = ExportPreset.passthrough
      var session = ExportSession.Options()
      var type = FileType.mp4
      switch way {
      case "cut": session.timeRange = MediaTimeRange(start: hundredths(100), end: hundredths(250))
      case "rate":
        preset = .highestQuality
        preset.video = .encode(VideoSettings(codec: "h264", averageBitRate: 400_000))
        preset.audio = .encode(AudioSettings(codec: "aac", bitRate: 128_000))
      case "WAV":
        preset = try #require(.named("WAV"))
        type = .wav
      default: break
      }
      let target = folder.appendingPathComponent("o." + (type.preferredFileExtension ?? ""))
      let plan = try await ExportSession(asset: MediaAsset(url: source), preset: preset, options: session)
        .export(to: target, as: type)
      let size = try #require(try await MediaAsset(url: target).load(.fileSize))
      let expected = try #require(plan.expectedFileLength)
      #expect(plan.certainty == .good)
      #expect(abs(Double(expected) / Double(size) - 1) <= 0.1)
    }
  }
}
