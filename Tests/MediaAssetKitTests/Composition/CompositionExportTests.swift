import Foundation
import LibAV
import MediaTestSupport
import Testing

@testable import MediaAssetKit

@Suite struct CompositionExportTests {
  private func s(_ seconds: Int64) -> MediaTime { MediaTime(value: seconds, timescale: 1) }

  private func withFolder<R>(_ body: (URL) async throws -> R) async throws -> R {
    try await MediaKitCommand.withFolder(body)
  }

  private func clips(_ count: Int) async throws -> [URL] {
    var made: [URL] = []
    for number in 0..<count { made.append(try await greyClip(number)) }
    return made
  }

  /// Ten clips: pictures copied, sound joined on the sample, everything where it should be for ffmpeg too.
  @Test func tenClips() async throws {
    let film = try await Composition.joined(try await clips(10))
    try await withFolder { folder in
      let target = folder.appendingPathComponent("o.mp4")
      let session = ExportSession(composition: film, preset: .automatic)
      let plan = try await session.export(to: target)
      #expect(plan.kept.map(\.action) == [.copy, .encode])
      #expect(plan.kept[1].reason.contains("joined on the sample"))
      let asset = MediaAsset(url: target)
      #expect(try await asset.load(.duration) == s(10))
      let judge = FFmpegJudge(target)
      let frames = try await judge.luma()
      #expect(frames.count == 250)
      for (index, frame) in frames.enumerated() {
        #expect(frame.time == ClipTime(Int64(index), 25))
        #expect(abs(frame.luma - Double(40 + index / 25 * 15)) < 0.5)
      }
      let samples = try await judge.samples16()
      #expect(abs(samples.count - 480_000) < 1100)
      for number in 0..<10 {
        let first = number * 48_000
        let own = samples[first..<min(samples.count, first + 40_000)]
        let onset = try #require(own.firstIndex { abs(Int($0)) > 3000 }) - first
        #expect(abs(onset - 12_000) < 60)
      }
    }
  }

  /// Passthrough copies packets of sound as well, each clip's at its own place.
  @Test func passthrough() async throws {
    let film = try await Composition.joined(try await clips(10))
    try await withFolder { folder in
      let target = folder.appendingPathComponent("o.mp4")
      let plan = try await ExportSession(composition: film, preset: .passthrough).export(to: target)
      #expect(plan.isPassthrough && plan.kept.count == 2)
      #expect(abs((try await MediaAsset(url: target).load(.duration) - s(10)).seconds) < 0.001)
      let samples = try await FFmpegJudge(target).samples16()
      for number in 0..<10 {
        let first = number * 48_000
        let onset = try #require(samples[first..<first + 40_000].firstIndex { abs(Int($0)) > 3000 }) - first
        // Half a packet at most, and it does not add up.
        #expect(abs(onset - 12_000) <= 560)
      }
    }
  }

  /// B-frames: every picture of both clips once and in order.
  @Test func reorderedPicturesAreCopied() async throws {
    let clip = try await madeClip(
      "bframes.mp4",
      [
        "-f", "lavfi", "-i", "testsrc2=s=96x64:r=25:d=1", "-c:v", "libx264", "-bf", "2", "-g", "12", "-pix_fmt",
        "yuv420p",
      ])
    let film = try await Composition.joined([clip, clip, clip])
    try await withFolder { folder in
      let target = folder.appendingPathComponent("o.mp4")
      let plan = try await ExportSession(composition: film, preset: .automatic).export(to: target)
      #expect(plan.isPassthrough)
      let own = try await FFmpegJudge(clip).frameHashes()
      let joined = try await FFmpegJudge(target).frameHashes()
      #expect(joined.map(\.hash) == (own + own + own).map(\.hash))
      #expect(joined.map(\.time) == (0..<75).map { ClipTime(Int64($0), 25) })
    }
  }

  /// Other sizes, rates, turns, rates and layouts of sound: drawn into the first clip's size.
  @Test func mixedClips() async throws {
    let first = try await greyClip(1, name: "m1.mp4")
    let second = try await greyClip(
      5, name: "m2.mp4", size: "96x48", rate: "30", soundRate: 44_100, layout: "5.1", extra: [])
    let base = try await greyClip(8, name: "m3.mov", size: "48x64", layout: "stereo")
    try await withFolder { folder in
      let turned = try turnedClip(base, in: folder, height: 64)
      let film = try await Composition.joined([first, second, turned])
      let target = folder.appendingPathComponent("o.mp4")
      let plan = try await ExportSession(composition: film, preset: .highestQuality).export(to: target)
      #expect(plan.kept.map(\.action) == [.encode, .encode])
      let streams = try await FFmpegJudge(target).streams("video")
      #expect(streams.first?["width"]?.integer == 64 && streams.first?["height"]?.integer == 48)
      #expect(abs((try await MediaAsset(url: target).load(.duration) - s(3)).seconds) < 0.03)
      let sound = try await FFmpegJudge(target).streams("audio").first
      #expect(sound?["sample_rate"]?.text == "48000")
      let samples = try await FFmpegJudge(target).samples16(channels: 2)
      for number in 0..<3 {
        let first = number * 48_000
        let onset = stride(from: first, to: first + 40_000, by: 1).first { abs(Int(samples[2 * $0])) > 1500 }
        #expect(abs((onset ?? 0) - first - 12_000) < 100)
      }
      // The wide clip has black above and below; the turned one fills the frame.
      let wide = try await FFmpegJudge(target).picture(frame: 30)
      #expect(wide.bytes[4 * 32] < 20)
      let last = try await FFmpegJudge(target).luma().last
      #expect(abs((last?.luma ?? 0) - 160) < 3)
    }
  }

  @Test func plansAndRefusals() async throws {
    let film = try await Composition.joined(try await clips(2))
    let empty = ExportSession(composition: Composition(), preset: .automatic)
    await #expect(throws: MediaError.self) { try await empty.plan(for: .mp4) }
    let session = ExportSession(composition: film, preset: .highestQuality)
    let plan = try await session.plan(for: .mp4)
    #expect(plan.kept.map(\.action) == [.encode, .encode])
    // An existing file stays, a source is never written to.
    try await withFolder { folder in
      let target = folder.appendingPathComponent("o.mp4")
      try Data([1]).write(to: target)
      let error = await #expect(throws: MediaError.self) {
        try await ExportSession(composition: film, preset: .automatic).export(to: target)
      }
      #expect(error?.code == .fileAlreadyExists)
      #expect(try Data(contentsOf: target) == Data([1]))
    }
    // Passthrough of what can't be joined is refused with the reason.
    let mixed = try await Composition.joined([
      try await greyClip(1), try await greyClip(2, name: "w.mp4", size: "96x48"),
    ])
    let refusal = await ExportSession(composition: mixed, preset: .passthrough).reasonAgainst(.mp4)
    #expect(refusal == nil || refusal?.reason.contains("coded differently") == true)
  }

  /// A source that is not there, one that is gone behind the plan, a cancellation: nothing is left behind.
  @Test func failuresLeaveNothing() async throws {
    let clip = try await greyClip(1)
    try await withFolder { folder in
      var film = try await Composition.joined([clip])
      try film[1].insertTimeRange(
        MediaTimeRange(start: .zero, duration: s(1)),
        of: .init(url: folder.appendingPathComponent("gone.mp4"), trackID: 1), at: .invalid)
      let target = folder.appendingPathComponent("o.mp4")
      for preset in [ExportPreset.automatic, .highestQuality] {
        let error = await #expect(throws: MediaError.self) {
          try await ExportSession(composition: film, preset: preset).export(to: target)
        }
        #expect(error?.code == .fileNotFound)
      }
      #expect(try MediaKitCommand.names(in: folder).isEmpty)
    }
    try await withFolder { folder in
      let target = folder.appendingPathComponent("o.mp4")
      let long = try await longClip()
      let film = try await Composition.joined([long, long])
      let task = Task {
        try await ExportSession(composition: film, preset: .highestQuality).export(to: target)
      }
      try await Task.sleep(for: .milliseconds(700))
      let start = ContinuousClock.now
      task.cancel()
      await #expect(throws: CancellationError.self) { try await task.value }
      #expect(ContinuousClock.now - start < .within(.milliseconds(200)))
      #expect(try MediaKitCommand.names(in: folder).isEmpty)
    }
  }

  /// The verb: a file, its plan, its errors.
  @Test func concatCommand() async throws {
    let files = try await clips(3)
    try await withFolder { folder in
      let output = try await MediaKitCommand.check(["concat"] + files.map(\.path) + ["-o", "o.mp4"], in: folder)
      #expect(output.text.isEmpty && output.errorText.isEmpty)
      #expect(try MediaKitCommand.names(in: folder) == ["o.mp4"])
      let duration = try await FFmpegJudge(folder.appendingPathComponent("o.mp4")).probe()["format"]?["duration"]?.text
      #expect(duration == "3.000000")
      let plan = try await MediaKitCommand.check(
        ["concat"] + files.map(\.path) + ["-o", "p.mp4", "--plan", "--json"], in: folder)
      let json = try JSONValue(parsing: Data(plan.text.utf8))
      #expect(json["tracks"]?.elements.map { $0["action"]?.text } == ["copy", "encode"])
      let missing = try await MediaKitCommand.run(["concat", files[0].path, "nothing.mp4", "-o", "q.mp4"], in: folder)
      #expect(missing.status != 0 && missing.errorText.contains("nothing.mp4"))
      #expect(try MediaKitCommand.names(in: folder) == ["o.mp4"])
    }
  }

  /// The verb `compose`: two clips in one, a fade, a logo, music.
  @Test func composeCommand() async throws {
    let (first, second) = (try await greyClip(2), try await greyClip(9))
    try await withFolder { folder in
      let text = """
        {"renderSize": [64, 48], "frameDuration": "1/25",
         "tracks": [
          {"media": "video", "segments": [{"file": "\(first.path)"}]},
          {"media": "video", "segments": [{"file": "\(second.path)", "at": "0.2", "to": 0.6}],
           "place": {"x": 32, "y": 24, "width": 16}, "opacity": [{"at": "0", "value": 0.5}]},
          {"media": "audio", "segments": [{"file": "\(first.path)"}], "volume": [{"at": 0, "value": 0}]}]}
        """
      try Data(text.utf8).write(to: folder.appendingPathComponent("t.json"))
      try await MediaKitCommand.check(
        ["compose", "t.json", "-o", "o.mp4", "--preset", "HighestQuality"], in: folder)
      let judge = FFmpegJudge(folder.appendingPathComponent("o.mp4"))
      #expect(try await judge.luma().count == 25)
      // Luma 70, and half of 70 and 175 in between, as full-range grey.
      func grey(_ luma: Double) -> Double { (luma - 16) * 255 / 219 }
      let middle = try await judge.pixel(36, 30, frame: 10)
      #expect(abs(Double(middle[1]) - grey((70 + 175) / 2)) <= 4)
      #expect(abs(Double(try await judge.pixel(20, 30, frame: 10)[1]) - grey(70)) <= 3)
      #expect(abs(Double(try await judge.pixel(36, 30, frame: 2)[1]) - grey(70)) <= 3)
      #expect(try await judge.samples16().allSatisfy { abs(Int($0)) < 10 })
      try Data("{\"tracks\": [{\"media\": \"smell\"}]}".utf8).write(to: folder.appendingPathComponent("b.json"))
      let bad = try await MediaKitCommand.run(["compose", "b.json", "-o", "x.mp4"], in: folder)
      #expect(bad.status != 0 && bad.errorText.contains("tracks[0].media"))
    }
  }
}

@Suite struct TimelineTests {
  /// The example of the documentation is a timeline, and says what it seems to.
  @Test func documentedExample() throws {
    let file = URL(fileURLWithPath: #filePath).deletingLastPathComponent()
      .appendingPathComponent("../../../Sources/MediaAssetKit/MediaAssetKit.docc/Timelines.md")
    let text = try String(contentsOf: file, encoding: .utf8)
    let start = try #require(text.range(of: "```json\n")?.upperBound)
    let end = try #require(text.range(of: "```", range: start..<text.endIndex)?.lowerBound)
    let timeline = try JSONDecoder().decode(Timeline.self, from: Data(text[start..<end].utf8))
    #expect(timeline.frameDuration?.time == MediaTime(value: 1001, timescale: 30000))
    #expect(timeline.tracks.count == 3 && timeline.overlays?.count == 1)
    #expect(timeline.tracks[0].segments[1].duration?.time == MediaTime(value: 5, timescale: 2))
    let again = try JSONDecoder().decode(Timeline.self, from: JSONEncoder().encode(timeline))
    #expect(again == timeline)
  }

  @Test(arguments: ["", "x", "-1", "1/0", "1.2.3", "1e3", "1/2/3"]) func timesThatAreNone(text: String) {
    #expect(Timeline.Time.parse(text) == nil)
  }

  @Test func placesMap() {
    let place = Timeline.Place(x: 10, y: 20, width: 32, rotation: 90)
    let map = place.transform(of: PixelSize(width: 64, height: 48), turned: .identity)
    // 32x24 turned around its middle: its corner goes to the right of the top.
    #expect(map == PictureTransform(a: 0, b: 0.5, c: -0.5, d: 0, tx: 10 + 16 + 12, ty: 20 + 12 - 16))
  }
}

@Suite struct CompositionImageTests {
  @Test func stills() async throws {
    let film = try await Composition.joined([try await greyClip(1), try await greyClip(7)])
    let generator = ImageGenerator(composition: film)
    func grey(_ image: MediaImage) -> Int { image.withRowBytes(5) { Int($0[4 * 5]) } }
    func expected(_ number: Int) -> Int { Int((Double(40 + number * 15 - 16) * 255 / 219).rounded()) }
    let (image, time) = try await generator.image(at: MediaTime(value: 3, timescale: 2))
    #expect(time == MediaTime(value: 3, timescale: 2) && image.width == 64)
    #expect(abs(grey(image) - expected(7)) <= 1)
    var greys: [Int] = []
    for await element in generator.images(for: [
      .zero, MediaTime(value: 1, timescale: 1), MediaTime(value: 9, timescale: 1),
    ]) {
      if let image = try? element.image { greys.append(grey(image)) } else { greys.append(-1) }
    }
    #expect(zip(greys, [expected(1), expected(7), -1]).allSatisfy { abs($0 - $1) <= 1 })
  }

  /// Five hundred segments: as many decoders live as there are layers, and memory does not grow with the film.
  @Test func manySegments() async throws {
    let url = try await greyClip(3)
    let track = try #require(try await MediaAsset(url: url).loadDefaultTrack(withMediaType: .video))
    var film = Composition()
    let id = film.addMutableTrack(withMediaType: .video)
    let frame = MediaTimeRange(start: .zero, duration: MediaTime(value: 1, timescale: 25))
    for _ in 0..<500 { try film[id].insertTimeRange(frame, of: .init(url: url, trackID: track.trackID), at: .invalid) }
    let film500 = film
    let census = DecoderCensus()
    let (count, largest) = try await DecoderCensus.$current.withValue(census) {
      var (count, largest) = (0, MediaTime.zero)
      for try await frame in try Reader.VideoCompositionOutput(composition: film500) {
        count += 1
        largest = frame.time
      }
      return (count, largest)
    }
    #expect(count == 500)
    #expect(largest == MediaTime(value: 499, timescale: 25))
    // One that works, one that is being let go.
    #expect(census.opened >= 500 && census.most <= 2)
    let deadline = ContinuousClock.now + .within(.seconds(5))
    while census.alive > 0, ContinuousClock.now < deadline { try await Task.sleep(for: .milliseconds(10)) }
    #expect(census.alive == 0)
  }
}
