import Foundation
import MediaTestSupport
import Testing

@testable import MediaAssetKit

/// What people write for AVFoundation, as they would write it here.
@Suite struct CompositionRecipeTests {
  private func s(_ seconds: Int64) -> MediaTime { MediaTime(value: seconds, timescale: 1) }
  private func ms(_ value: Int64) -> MediaTime { MediaTime(value: value, timescale: 1000) }
  private let all = MediaTimeRange(start: .zero, duration: .positiveInfinity)

  private func luma(_ number: Int) -> Int { 40 + number * 15 }

  /// A clip with music under it, both faded out, into a file.
  @Test func mergeWithMusicAndFade() async throws {
    let music = try await stepClip("music.wav", seconds: "2", expression: "0.25")
    let voice = try await stepClip("voice.wav", expression: "0.25")
    let clip = try await greyClip(3)
    var film = Composition()
    let pictures = film.addMutableTrack(withMediaType: .video)
    let video = try #require(try await MediaAsset(url: clip).loadDefaultTrack(withMediaType: .video))
    try await film[pictures].insertTimeRange(all, of: video, at: .zero)
    var parameters: [AudioMix.InputParameters] = []
    for url in [music, voice] {
      let id = film.addMutableTrack(withMediaType: .audio)
      try film[id].insertTimeRange(
        MediaTimeRange(start: .zero, duration: s(1)), of: .init(url: url, trackID: 1), at: .zero)
      var fade = AudioMix.InputParameters(trackID: id)
      try fade.setVolumeRamp(
        fromStartVolume: 1, toEndVolume: 0, timeRange: MediaTimeRange(start: ms(500), end: s(1)))
      parameters.append(fade)
    }
    try await MediaKitCommand.withFolder { folder in
      let target = folder.appendingPathComponent("o.mkv")
      var preset = ExportPreset.automatic
      preset.audio = .encode(AudioSettings(codec: "flac"))
      let session = ExportSession(composition: film, preset: preset)
      session.audioMix = AudioMix(inputParameters: parameters)
      let plan = try await session.export(to: target)
      #expect(plan.kept.map(\.action) == [.copy, .encode])
      let samples = try await FFmpegJudge(target).samples16()
      #expect(samples.count == 48_000)
      #expect(abs(Int(samples[10_000]) - 16_384) <= 2)
      #expect(abs(Int(samples[36_000]) - 8_192) <= 2)
      #expect(abs(Int(samples[47_999])) <= 4)
    }
  }

  /// Two clips side by side.
  @Test func splitScreen() async throws {
    var film = Composition()
    var layers: [VideoComposition.LayerInstruction] = []
    for (index, number) in [0, 9].enumerated() {
      let track = try #require(
        try await MediaAsset(url: try await greyClip(number)).loadDefaultTrack(withMediaType: .video))
      let id = film.addMutableTrack(withMediaType: .video)
      try await film[id].insertTimeRange(all, of: track, at: .zero)
      var layer = VideoComposition.LayerInstruction(trackID: id)
      try layer.setTransform(.translation(x: Double(index) * 64, y: 0), at: .zero)
      layers.append(layer)
    }
    let video = VideoComposition(
      renderSize: PixelSize(width: 128, height: 48), frameDuration: ms(100),
      instructions: [.init(timeRange: MediaTimeRange(start: .zero, duration: s(1)), layerInstructions: layers)])
    let frames = try await film.composed(video)
    #expect(frames.count == 10)
    let picture = frames[5].pixelBuffer
    #expect(picture.value(0, 63, 20) == luma(0) && picture.value(0, 64, 20) == luma(9))
  }

  /// Images one after another, a second each, of different sizes.
  @Test func slideShow() async throws {
    var segments: [Timeline.Segment] = []
    for (number, size) in [(1, "64x48"), (8, "96x48")] {
      let image = try await madeClip(
        "slide-\(number).png",
        [
          "-f", "lavfi", "-i", "color=0x\(String(repeating: number == 1 ? "40" : "c0", count: 3)):s=\(size)",
          "-frames:v", "1",
        ])
      var segment = Timeline.Segment(file: image.path)
      segment.duration = "1"
      segments.append(segment)
    }
    var timeline = Timeline(tracks: [.init(media: .video, segments: segments)])
    timeline.frameDuration = "1/5"
    let made = try await timeline.make()
    #expect(made.composition.duration == s(2))
    #expect(made.videoComposition?.renderSize == PixelSize(width: 64, height: 48))
    let frames = try await made.composition.composed(made.videoComposition)
    #expect(frames.count == 10)
    func limited(_ value: Double) -> Double { 16 + value * 219 / 255 }
    #expect(abs(Double(frames[0].pixelBuffer.value(0, 32, 24)) - limited(0x40)) <= 1)
    #expect(abs(Double(frames[9].pixelBuffer.value(0, 32, 24)) - limited(0xc0)) <= 1)
    #expect(frames[9].pixelBuffer.value(0, 32, 2) == 16)
  }

  /// A portrait clip, shown upright, with a logo in its upright corner.
  @Test func watermarkOnPortrait() async throws {
    let base = try await greyClip(5, name: "portrait.mov")
    let folder = FileManager.default.temporaryDirectory
    let turned = try turnedClip(base, in: folder, height: 48)
    defer { try? FileManager.default.removeItem(at: turned) }
    let logo = try await madeClip(
      "white.png", ["-f", "lavfi", "-i", "color=white:s=6x4,format=rgba", "-frames:v", "1"])
    var timeline = Timeline(tracks: [.init(media: .video, segments: [.init(file: turned.path)])])
    timeline.overlays = [.init(image: logo.path, place: .init(x: 40, y: 58))]
    timeline.frameDuration = "1/25"
    let made = try await timeline.make()
    #expect(made.videoComposition?.renderSize == PixelSize(width: 48, height: 64))
    let picture = try #require(try await made.composition.composed(made.videoComposition).last).pixelBuffer
    #expect(picture.value(0, 40, 58) == 235 && picture.value(0, 45, 61) == 235)
    #expect(picture.value(0, 39, 58) == luma(5) && picture.value(0, 46, 61) == luma(5))
  }

  /// Half speed in the middle: pictures and sound last twice as long there.
  @Test func speedRamp() async throws {
    var film = try await Composition.joined([try await greyClip(2)])
    try film.scaleTimeRange(MediaTimeRange(start: ms(200), duration: ms(400)), toDuration: ms(800))
    #expect(film.duration == ms(1400))
    let frames = try await film.composed()
    #expect(frames.count == 25)
    #expect(frames[4].duration == ms(40) && frames[6].duration == ms(80) && frames[20].duration == ms(40))
    #expect(frames[10].time == ms(600))
    #expect(try await film.mixed().samples[0].count == 67_200)
  }

  /// Loudness is what ffmpeg's meter says, and what was asked for.
  @Test func loudness() async throws {
    let url = try await madeClip(
      "loud.wav",
      [
        "-f", "lavfi", "-i", "aevalsrc='0.1*sin(2*PI*997*t)*(1+gte(t,2))|0.3*sin(2*PI*100*t)':s=44100:d=4", "-c:a",
        "pcm_f32le",
      ])
    var film = Composition()
    let id = film.addMutableTrack(withMediaType: .audio)
    try film[id].insertTimeRange(
      MediaTimeRange(start: .zero, duration: s(4)), of: .init(url: url, trackID: 1), at: .zero)
    let measured = try #require(try await Reader.AudioMixOutput(composition: film).integratedLoudness())
    let report = try await MediaTool("ffmpeg").check(
      ["-nostdin", "-hide_banner", "-i", url.path, "-af", "ebur128", "-f", "null", "-"]
    ).errorText
    let summary = try #require(report.range(of: "Integrated loudness:", options: .backwards)?.upperBound)
    let line = try #require(report[summary...].split(separator: "\n").first { $0.contains("I:") })
    let judged = try #require(line.split(separator: " ").compactMap { Double($0) }.first)
    #expect(abs(measured - judged) < 0.11)
    var mix = AudioMix()
    mix.targetLoudness = -23
    let before = try await film.mixed().samples[0]
    let after = try await film.mixed(mix).samples[0]
    let place = try #require(before.indices.max { abs(before[$0]) < abs(before[$1]) })
    #expect(abs(Double(after[place] / before[place]) - pow(10, (-23 - measured) / 20)) < 1e-3)
  }

  @Test func balanceAndChannels() async throws {
    let url = try await madeClip(
      "two.wav", ["-f", "lavfi", "-i", "aevalsrc='0.5|0.25':s=48000:d=0.1", "-c:a", "pcm_f32le"])
    let track = try #require(try await MediaAsset(url: url).loadTracks(withMediaType: .audio).first)
    func first(_ change: (inout AudioMix.InputParameters) -> Void) async throws -> [Float] {
      var parameters = AudioMix.InputParameters(trackID: track.trackID)
      change(&parameters)
      let output = try await Reader.AudioMixOutput(
        audioTracks: [track], audioMix: AudioMix(inputParameters: [parameters]))
      var iterator = output.makeAsyncIterator()
      let buffer = try #require(try await iterator.next())
      return (0..<buffer.channels).map { buffer.withFloats($0) { $0[7] } }
    }
    #expect(try await first { _ in } == [0.5, 0.25])
    #expect(try await first { $0.balance = 0.5 } == [0.25, 0.25])
    #expect(try await first { $0.balance = -1 } == [0.5, 0])
    #expect(try await first { $0.channelMap = [1, 0] } == [0.25, 0.5])
    #expect(try await first { $0.channelMap = [0] } == [0.5, 0])
    await #expect(throws: MediaError.self) { try await Reader.AudioMixOutput(audioTracks: []) }
  }

  /// An asset's own tracks mixed and drawn: the size is the video composition's, whatever the preset's.
  @Test func assetsAreMixedAndDrawn() async throws {
    let clip = try await greyClip(6)
    let asset = MediaAsset(url: clip)
    var video = try await VideoComposition(propertiesOf: asset)
    #expect(video.renderSize == PixelSize(width: 64, height: 48))
    video.renderSize = PixelSize(width: 1920, height: 32)
    var mute = AudioMix.InputParameters(
      trackID: try #require(try await asset.loadDefaultTrack(withMediaType: .audio)).trackID)
    try mute.setVolume(0, at: .zero)
    try await MediaKitCommand.withFolder { folder in
      let target = folder.appendingPathComponent("o.mp4")
      let session = ExportSession(asset: asset, preset: .size640x480)
      session.videoComposition = video
      session.audioMix = AudioMix(inputParameters: [mute])
      let plan = try await session.export(to: target)
      #expect(plan.kept.map(\.action) == [.encode, .encode])
      let stream = try await FFmpegJudge(target).streams("video").first
      #expect(stream?["width"]?.integer == 1920 && stream?["height"]?.integer == 32)
      #expect(try await FFmpegJudge(target).samples16().allSatisfy { abs(Int($0)) < 4 })
    }
  }

  /// A clip backwards, pictures and sound, from its description.
  @Test func reverse() async throws {
    let clips = [try await greyClip(1), try await greyClip(7)]
    var segments = clips.map { Timeline.Segment(file: $0.path) }
    segments[1].reversed = true
    var timeline = Timeline(tracks: [
      .init(media: .video, segments: segments), .init(media: .audio, segments: segments),
    ])
    timeline = try JSONDecoder().decode(Timeline.self, from: JSONEncoder().encode(timeline))
    let made = try await timeline.make()
    let frames = try await made.composition.composed(made.videoComposition)
    #expect(frames.count == 50 && frames[49].pixelBuffer.value(0, 3, 3) == luma(7))
    // The tone from 0.25 to 0.5 s is heard from 0.5 to 0.75 s.
    let samples = try await made.composition.mixed(made.audioMix).samples[0]
    func loudest(_ from: Double, _ to: Double) -> Float {
      samples[Int(48_000 * from)..<Int(48_000 * to)].map { abs($0) }.max() ?? 0
    }
    #expect(loudest(0.3, 0.45) > 0.4 && loudest(1.52, 1.73) > 0.4)
    #expect(loudest(1.05, 1.45) < 0.05 && loudest(1.8, 1.95) < 0.05)
  }

  /// A title that fades in, stands and fades out while it rises, over a clip.
  @Test func textTitle() async throws {
    let json = """
      {
        "tracks": [{ "media": "video", "segments": [{ "file": "\(try await greyClip(1).path)" }] }],
        "frameDuration": "1/25",
        "overlays": [{
          "text": { "string": "\u{2588}", "font": "DejaVu Sans Mono", "size": 20, "color": "#00ff00" },
          "place": { "x": 26, "y": 30 }, "from": "0.2", "to": "0.8",
          "opacity": [
            { "from": "0.2", "to": "0.4", "start": 0, "end": 1 }, { "from": "0.6", "to": "0.8", "start": 1, "end": 0 }
          ],
          "position": [{ "from": "0.4", "to": "0.6", "start": [26, 30], "end": [26, 10] }]
        }]
      }
      """
    let timeline = try JSONDecoder().decode(Timeline.self, from: Data(json.utf8))
    let made = try await timeline.make()
    let frames = try await made.composition.composed(made.videoComposition)
    // Green of BT.601 in limited range is 145.
    func value(_ index: Int, _ x: Int, _ y: Int) -> Double { Double(frames[index].pixelBuffer.value(0, x, y)) }
    let grey = Double(luma(1))
    for (index, opacity, top) in [(4, 0.0, 30), (5, 0, 30), (8, 0.6, 30), (10, 1, 30), (15, 1, 10), (18, 0.4, 10)] {
      #expect(abs(value(index, 32, top + 12) - (grey + (145 - grey) * opacity)) <= 2)
    }
    #expect(value(15, 32, 42) == grey && value(20, 32, 22) == grey)
  }

  /// The forms of overlays and layers in a timeline: a moved image of a size, a blend mode, filters.
  @Test func timelineOfLayers() async throws {
    let logo = try await madeClip(
      "white.png", ["-f", "lavfi", "-i", "color=white:s=6x4,format=rgba", "-frames:v", "1"])
    let json = """
      {
        "tracks": [
          { "media": "video", "segments": [{ "file": "\(try await greyClip(4).path)" }], "filter": "lutyuv=y=251-val" },
          { "media": "video", "segments": [{ "file": "\(try await greyClip(6).path)" }], "blend": "lighten" }
        ],
        "filter": "hflip", "frameDuration": "1/25",
        "overlays": [{
          "image": "\(logo.path)", "place": { "x": 4, "y": 8, "width": 12 }, "scale": [{ "at": "0.5", "value": 2 }]
        }]
      }
      """
    let timeline = try JSONDecoder().decode(Timeline.self, from: Data(json.utf8))
    let made = try await timeline.make()
    let frames = try await made.composition.composed(made.videoComposition)
    let (first, last) = (frames[0].pixelBuffer, frames[24].pixelBuffer)
    // 251 less 100 is 151, which is lighter than 130.
    #expect(abs(first.value(0, 40, 40) - 151) <= 2)
    #expect(first.value(0, 4, 8) == 235 && first.value(0, 15, 15) == 235)
    #expect(abs(first.value(0, 16, 8) - 151) <= 2)
    // 24x16 around (10, 12).
    #expect(last.value(0, 0, 4) == 235 && last.value(0, 21, 19) == 235 && abs(last.value(0, 22, 19) - 151) <= 2)
  }
}
