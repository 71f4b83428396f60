import Foundation
import MediaTestSupport
import Testing

@Suite("Acceptance cases")
struct AcceptanceCaseTests {
  @Test func everyRecipeIsThere() {
    #expect(AcceptanceCase.all.count == 47)
  }

  @Test(arguments: [
    ("T7", ["t7.ts", "t7o.mp4"]), ("G1", ["g1_90.mp4", "g1_180.mp4", "g1_270.mp4"]),
    ("F1", ["n/-x.mp4", "n/a:b.mp4"]), ("X1", ["x1.mp4", "secret.ts"]), ("N1", ["base.mp4"]),
  ])
  func makesTheFiles(name: String, files: [String]) async throws {
    let folder = try await AcceptanceCase.make(name)
    for file in files {
      #expect(FileManager.default.fileExists(atPath: folder.appendingPathComponent(file).path))
    }
  }

  @Test func manyAskersShareOneMaking() async throws {
    let folders = try await withThrowingTaskGroup(of: URL.self) { group in
      for _ in 0..<20 { group.addTask { try await AcceptanceCase.make("E1") } }
      return try await group.reduce(into: Set<URL>()) { $0.insert($1) }
    }
    #expect(folders.count == 1)
  }

  @Test func unknownCaseIsAnError() async {
    await #expect(throws: MediaToolError.self) { try await AcceptanceCase.make("Z99") }
  }
}

@Suite("Tiny volume")
struct TinyVolumeTests {
  @Test(.enabled(if: TinyVolume.isAvailable, "needs the right to mount"))
  func fillsUp() async throws {
    let folder = try await TinyVolume.with(kilobytes: 64) { folder in
      try Data(count: 1 << 10).write(to: folder.appendingPathComponent("small"))
      let file = folder.appendingPathComponent("full")
      #expect(throws: (any Error).self) { try Data(count: 1 << 20).write(to: file) }
      return folder
    }
    #expect(!FileManager.default.fileExists(atPath: folder.path))
  }
}

@Suite("Judge")
struct FFmpegJudgeTests {
  @Test func lumaOfTheOpenGroups() async throws {
    // Case T7: frame k is grey with luma 16 + 2k, at 25 frames a second.
    let file = try await AcceptanceCase.file("T7", "t7.ts")
    let frames = try await FFmpegJudge(file).luma()
    #expect(frames.count == 100)
    for (index, frame) in frames.enumerated() {
      #expect(abs(frame.luma - Double(16 + 2 * index)) <= 2)
      #expect(frame.time - frames[0].time == ClipTime(Int64(index), 25))
    }
  }

  @Test func unevenTimesStayExact() async throws {
    // Case E9: frames at 0, 7, 19, 20, 41 and 70 thirtieths of a second.
    let file = try await AcceptanceCase.file("E9", "e9.mp4")
    let frames = try await FFmpegJudge(file).frameHashes()
    #expect(frames.map(\.time) == [0, 7, 19, 20, 41, 70].map { ClipTime($0, 30) })
    #expect(frames.allSatisfy { $0.size == 64 * 48 * 3 / 2 && $0.hash.count == 32 })
  }

  @Test func packetsAndProbe() async throws {
    // Case T3: no edit list, first frame at 0.08 s, key frames every 25.
    let judge = FFmpegJudge(try await AcceptanceCase.file("T3", "t3.mp4"))
    let packets = try await judge.packets()
    #expect(packets.count == 100)
    #expect(packets.filter(\.isKey).count == 4)
    #expect(packets.compactMap(\.time).min() == ClipTime(2, 25))
    let report = try await judge.probe()
    #expect(report["streams"]?.elements.first?["width"]?.integer == 64)
  }

  @Test func alphaNeedsItsDecoder() async throws {
    // Case C8: transparent at the corner, opaque red in the middle.
    let file = try await AcceptanceCase.file("C8", "c8.webm")
    let judge = FFmpegJudge(file, decoder: "libvpx-vp9")
    #expect(try await judge.pixel(4, 4)[3] == 0)
    let middle = try await judge.pixel(32, 24)
    #expect(middle[0] > 250 && middle[3] == 255)
  }

  @Test func picturesAreTurnedOnlyWhenAsked() async throws {
    let file = try await AcceptanceCase.file("G1", "g1_90.mp4")
    let stored = try await FFmpegJudge(file).picture()
    #expect((stored.width, stored.height) == (64 * 4, 48))
    let turned = try await FFmpegJudge(file, turnsPictures: true).picture()
    #expect((turned.width, turned.height) == (48 * 4, 64))
  }

  @Test func samplesOfATone() async throws {
    // Case E3: silence, then a tone from sample 48 000.
    let file = try await AcceptanceCase.file("E3", "e3.m4a")
    let samples = try await FFmpegJudge(file).samples16(rate: 48000, channels: 1)
    let onset = try #require(samples.firstIndex { abs(Int($0)) > 8000 })
    #expect(abs(onset - 48000) <= 64)
  }
}

@Suite("Commands")
struct MediaToolTests {
  @Test func bothOutputsInFull() async throws {
    let script = "import sys\nfor s in (sys.stderr, sys.stdout): s.write('x' * 3000000)"
    let output = try await MediaTool("python3").check(["-c", script])
    #expect(output.standardOutput.count == 3_000_000)
    #expect(output.standardError.count == 3_000_000)
  }

  @Test func deadlineKills() async throws {
    let start = ContinuousClock.now
    await #expect(throws: MediaToolError.self) {
      try await MediaTool("sleep").run(["30"], deadline: .milliseconds(200))
    }
    #expect(ContinuousClock.now - start < .within(.seconds(20)))
  }

  @Test func cancellationKills() async throws {
    let task = Task { try await MediaTool("sleep").run(["30"], waitsForTurn: false) }
    try await Task.sleep(for: .milliseconds(100))
    task.cancel()
    await #expect(throws: CancellationError.self) { try await task.value }
  }

  @Test func statusFolderAndEnvironment() async throws {
    let folder = FileManager.default.temporaryDirectory.resolvingSymlinksInPath()
    let output = try await MediaTool("sh").run(
      ["-c", "pwd; echo $MEDIA_WORD; exit 7"], in: folder, environment: ["MEDIA_WORD": "w"])
    #expect(output.status == 7)
    #expect(output.lines == [folder.path, "w"])
    #expect(throws: MediaToolError.self) { try MediaTool("no-such-command-here") }
  }
}

@Suite("Measures")
struct MeasureTests {
  /// The test suite of RFC 1321, appendix 5.
  @Test(arguments: [
    ("", "d41d8cd98f00b204e9800998ecf8427e"), ("a", "0cc175b9c0f1b6a831c399e269772661"),
    ("abc", "900150983cd24fb0d6963f7d28e17f72"),
    ("message digest", "f96b697d7cb7938d525a2f31aaf161d0"),
    ("abcdefghijklmnopqrstuvwxyz", "c3fcd3d76192e4007dfb496cca67e13b"),
    (
      "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789",
      "d174ab98d277d9f5a5611c2c9f419d9f"
    ),
    (
      String(repeating: "1234567890", count: 8), "57edf4a22be3c955ac49da2e2107b67a"
    ),
  ])
  func md5(text: String, digest: String) {
    #expect(MD5.hex(text.utf8) == digest)
    var pieces = MD5()
    for byte in text.utf8 { pieces.update([byte]) }
    #expect(pieces.finish() == digest)
  }

  @Test func seededNumbers() {
    // SplitMix64's published numbers for the seed 1234567.
    var generator = SeededGenerator(seed: 1_234_567)
    #expect(generator.next() == 6_457_827_717_110_365_317)
    #expect(generator.next() == 3_203_168_211_198_807_973)
  }

  @Test func signalToNoise() throws {
    let plane = BytePlane([10, 20, 99, 30, 40, 99], width: 2, height: 2, bytesPerRow: 3)
    #expect(plane.mean == 25)
    #expect(plane.peakSignalToNoiseRatio(to: plane) == .infinity)
    // Every value off by 5: 10 · log10(255² / 25) = 34.1514 dB.
    let other = BytePlane([15, 25, 35, 45], width: 2, height: 2)
    let ratio = try #require(plane.peakSignalToNoiseRatio(to: other))
    #expect(abs(ratio - 34.1514) < 0.001)
    #expect(plane.largestDifference(to: other) == 5)
    #expect(plane.peakSignalToNoiseRatio(to: BytePlane([1], width: 1, height: 1)) == nil)
  }

  @Test func clipTimes() {
    #expect(ClipTime(50, 100) == ClipTime(1, 2))
    #expect(ClipTime(1, -2) == ClipTime(-1, 2))
    #expect(ClipTime(1, 3) + ClipTime(1, 6) == ClipTime(1, 2))
    #expect(ClipTime(1001, 30000) * 30 < ClipTime(1002, 1000))
  }

  #if os(Linux)
    @Test func openFilesAreCounted() throws {
      let file = FileManager.default.temporaryDirectory.appendingPathComponent(UUID().uuidString)
      try Data([1]).write(to: file)
      defer { try? FileManager.default.removeItem(at: file) }
      let handle = try FileHandle(forReadingFrom: file)
      let name = file.lastPathComponent
      let usage = try ProcessUsage.current()
      #expect(usage.openDescriptors.contains { $0.hasSuffix(name) })
      #expect(usage.residentBytes > 1 << 20 && usage.peakResidentBytes >= usage.residentBytes)
      #expect(usage.threadCount >= 1)
      try handle.close()
      #expect(try !ProcessUsage.current().openDescriptors.contains { $0.hasSuffix(name) })
    }
  #endif
}

@Suite("Generated clips")
struct GeneratedClipTests {
  /// FFmpeg's reading of every clip is the truth that the clip was made from, but for the edit that
  /// starts inside a frame: there FFmpeg drops that frame.
  @Test(arguments: GeneratedClip.Kind.allCases.filter { $0 != .unalignedEdit })
  func framesAreAsStated(kind: GeneratedClip.Kind) async throws {
    let clip = try await GeneratedClip.make(kind)
    let frames = try await FFmpegJudge(clip.url).luma()
    try #require(frames.count == clip.frames.count)
    let shift = kind == .mpeg2Transport ? frames[0].time : .zero
    for (frame, stated) in zip(frames, clip.frames) {
      #expect(abs(frame.luma - stated.luma) <= GeneratedClip.tolerance)
      #expect(frame.time - shift == stated.time)
    }
  }

  @Test func editInsideAFrame() async throws {
    let clip = try await GeneratedClip.make(.unalignedEdit)
    let file = [UInt8](try Data(contentsOf: clip.url))
    let at = try #require(file.indices.first { file[$0...].starts(with: Array("elst".utf8)) })
    // One entry: 1000 ms from the first frame's time + 37.5 frames, at normal speed.
    let judge = FFmpegJudge(clip.url, inputOptions: ["-ignore_editlist", "1"])
    let packets = try await judge.packets()
    let first = try #require(packets.compactMap(\.presentation).min())
    let media = UInt32(first + packets[0].timeBase.timescale * 3 / 2)
    let numbers: [UInt32] = [0, 1, 1000, media, 0x1_0000]
    let bytes = numbers.flatMap { number in [24, 16, 8, 0].map { UInt8(number >> $0 & 0xff) } }
    #expect(Array(file[at + 4..<at + 24]) == bytes)
    let frames = try await judge.luma()
    #expect(frames.count == 100 && packets[0].timeBase.value == 1)
  }

  @Test func editsInNumbers() {
    let several = GeneratedClip.Kind.severalEdits
    #expect(several.frames.count == 25 && several.duration == ClipTime(6, 5))
    #expect(several.frames[0] == LumaFrame(time: ClipTime(1, 5), luma: 16 + 2 * 60))
    #expect(several.frames[15] == LumaFrame(time: ClipTime(4, 5), luma: 16 + 2 * 10))
    let unaligned = GeneratedClip.Kind.unalignedEdit
    #expect(unaligned.frames.count == 26 && unaligned.duration == ClipTime(1, 1))
    #expect(unaligned.frames[0] == LumaFrame(time: .zero, luma: 16 + 2 * 37))
    #expect(unaligned.frames[1] == LumaFrame(time: ClipTime(1, 50), luma: 16 + 2 * 38))
    #expect(GeneratedClip.Kind.emptyEdit.duration == ClipTime(9, 2))
    #expect(GeneratedClip.grey(luma: 16) == 0 && GeneratedClip.index(luma: 116.9) == 50)
  }
}
