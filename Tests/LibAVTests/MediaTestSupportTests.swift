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
    #expect(ContinuousClock.now - start < .seconds(20))
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

@Suite("Corpus")
struct CorpusTests {
  @Test func everyRowOpensOrFails() throws {
    guard let corpus = Corpus.orCount() else { return }
    #expect(corpus.rows.count == 208)
    let outcomes: Set<CorpusFact.Kind> = [.opens, .failsToOpen, .survives]
    for row in corpus.rows {
      let stated = corpus.facts(row).filter { outcomes.contains($0.kind) }
      #expect(stated.count == 1, "\(row.path)")
      #expect(FileManager.default.fileExists(atPath: corpus.url(row).path))
    }
    let paths = Set(corpus.rows.map(\.path))
    #expect(CorpusFact.all.allSatisfy { paths.contains($0.file) })
  }

  @Test func everyExpectationIsRead() throws {
    guard let corpus = Corpus.orCount() else { return }
    for path in corpus.rows.flatMap(\.expectations) {
      let url = corpus.url(path: path)
      switch url.pathExtension {
      case "dump": #expect(try !AndroidDump(contentsOf: url).tracks.isEmpty)
      case "pt": #expect(try !TensorArchive(contentsOf: url).bytes.isEmpty)
      case "out": #expect(try !TagListing(contentsOf: url).tags.isEmpty)
      case "dat": #expect(try !PeakFile(contentsOf: url).values.isEmpty)
      case "json" where path.contains("all_frames_info"):
        #expect(try !FrameTimes(contentsOf: url).frames.isEmpty)
        #expect(FrameTimes.stream(of: path) != nil)
      case "json": #expect(try !PeakFile(contentsOf: url).values.isEmpty)
      case "png": #expect(GoldenFrame(url) != nil)
      case "txt" where path.contains("dump"):
        let dump = try BoxDump(contentsOf: url)
        #expect(dump.value("timeScale", in: "mvhd") == "600")
        #expect(dump.boxes.filter { $0.depth == 0 }.map(\.size) == [24, 5089])
      case "txt": #expect(try !SampleListing(contentsOf: url).tracks.isEmpty)
      case "scc":
        #expect(try CaptionListing(contentsOf: url).lines.first?.timecode == "00:00:10:00")
      default: Issue.record("Nothing reads \(path).")
      }
    }
  }

  /// The hash recipe against the packets that FFmpeg reads from the same file.
  @Test func hashRecipe() async throws {
    // Java: Arrays.hashCode(new byte[] {1, -1}) = 31 · (31 · 1 + 1) - 1 = 991.
    #expect(AndroidDump.hash([1, 255]) == 991)
    #expect(AndroidDump.hash([]) == 1)
    guard let corpus = Corpus.orCount() else { return }
    let row = try #require(corpus.row("androidx+media/sample.mp4"))
    let file = [UInt8](try Data(contentsOf: corpus.url(row)))
    let dump = try AndroidDump(contentsOf: corpus.url(path: row.expectations[0]))
    for (track, stream) in [(0, FFmpegJudge.Stream.firstVideo), (1, .firstAudio)] {
      let packets = try await FFmpegJudge(corpus.url(row)).packets(stream)
      #expect(packets.count == dump.tracks[track].samples.count)
      for (packet, sample) in zip(packets, dump.tracks[track].samples) {
        let start = Int(try #require(packet.position))
        let bytes = Array(file[start..<start + packet.size])
        let hash = track == 0 ? AndroidDump.hash(nalUnits: bytes) : AndroidDump.hash(bytes)
        #expect(hash == sample.hash && packet.size == sample.size)
      }
    }
  }

  @Test func dumpInNumbers() throws {
    guard let corpus = Corpus.orCount() else { return }
    let folder = "androidx+media/expected/"
    let dump = try AndroidDump(
      contentsOf: corpus.url(path: folder + "sample_edit_list.mp4.0.dump"))
    #expect(dump.duration == 2_548_333 && dump.tracks.count == 2)
    let format = dump.tracks[0].format
    #expect(format.codecs == "dvhe.08.04" && format.rotation == 90 && format.bitDepth == 10)
    #expect((format.width, format.height) == (1920, 1080))
    #expect(dump.tracks[0].samples.map(\.time).min() == -455_000)
    #expect(dump.tracks[0].samples.filter(\.isSync).count == 3)
    #expect(dump.tracks[1].format.encoderDelay == 1698)
    #expect(
      try AndroidDump(contentsOf: corpus.url(path: folder + "sample.adts.0.dump")).duration == nil)
  }

  /// The reference frames against FFmpeg's, bit for bit.
  @Test func tensors() async throws {
    guard let corpus = Corpus.orCount() else { return }
    let folder = "meta-pytorch+torchcodec/"
    let judge = FFmpegJudge(corpus.url(path: folder + "nasa_13013.mp4"))
    let name = "expected/nasa_13013.mp4.stream3.frame000015.pt"
    let tensor = try TensorArchive(contentsOf: corpus.url(path: folder + name))
    #expect(tensor.bytes.count == 480 * 270 * 3)
    let hashes = try await judge.frameHashes(.index(3), pixelFormat: "rgb24")
    #expect(hashes.count == 390 && MD5.hex(tensor.bytes) == hashes[15].hash)
    let sound = try TensorArchive(
      contentsOf: corpus.url(path: folder + "expected/sine_mono_s16.wav.stream0.all_frames.pt"))
    #expect(sound.floats.count == 64000)
    #expect(sound.floats.allSatisfy { abs($0) <= 1 } && sound.floats.contains { abs($0) > 0.01 })
  }

  /// Decoding with FFmpeg gives the MD5 that the files state of themselves.
  @Test func streamInfo() async throws {
    guard let corpus = Corpus.orCount() else { return }
    for row in corpus.rows where row.project.contains("flac-test-files") {
      let info = try FLACStreamInfo(contentsOf: corpus.url(row))
      let format = info.bitsPerSample == 8 ? "s8" : "s16le"
      let samples = try await FFmpegJudge(corpus.url(row)).samples(format)
      #expect(samples.count == info.totalSamples * info.channels * info.bitsPerSample / 8)
      #expect(MD5.hex(samples) == info.md5)
      let stated = corpus.facts(row).map(\.kind)
      #expect(stated.contains(.audio(.channels(info.channels))))
      #expect(
        stated.contains(
          .duration(Double(info.totalSamples) / Double(info.sampleRate), tolerance: 1e-6)))
    }
  }

  @Test func peaksTagsAndSamples() throws {
    guard let corpus = Corpus.orCount() else { return }
    let peaks = "bbc+audiowaveform/expected/test_file_stereo_8bit_64spp_wav"
    let fromJSON = try PeakFile(contentsOf: corpus.url(path: peaks + ".json"))
    #expect(fromJSON == (try PeakFile(contentsOf: corpus.url(path: peaks + ".dat"))))
    #expect(fromJSON.values.prefix(4) == [-53, 64, -58, 38] && fromJSON.sampleRate == 16000)
    let tags = try TagListing(
      contentsOf: corpus.url(path: "exiftool+exiftool/expected/QuickTime_3.out"))
    #expect(tags.value("Artist") == "Phil Harvey" && tags.value("Track Number") == "1 of 2")
    let samples = try SampleListing(
      contentsOf: corpus.url(path: "Eyevinn+mp4ff/expected/golden_samples.txt"))
    #expect(samples.tracks.map(\.samples.count) == [214, 9])
    #expect(samples.tracks.map(\.timescale) == [6000, 30000])
    #expect(samples.tracks[1].samples[1].duration == 15015)
    #expect(samples.tracks[1].samples[1].bytes.prefix(4) == [0, 0, 0, 0x1a])
    #expect(
      samples.tracks[0].samples[0]
        == .init(time: 60000, size: 3815, units: ["SEI_6", "SEI_6", "IDR_5"]))
    let named = try SampleListing(
      contentsOf: corpus.url(path: "Eyevinn+mp4ff/expected/golden_h264_mp4.txt"))
    #expect(named.tracks[0].samples.count == 50)
    #expect(
      named.tracks[0].samples[0] == .init(time: 512, size: 1716, units: ["SEI_6", "IDR_5"]))
  }

  @Test func sameSeedSameChoice() throws {
    guard let corpus = Corpus.orCount() else { return }
    #expect(corpus.sample(seed: 7, count: 20) == corpus.sample(seed: 7, count: 20))
    #expect(corpus.sample(seed: 7, count: 20) != corpus.sample(seed: 8, count: 20))
    #expect(corpus.sample(seed: Corpus.seed, count: 1000).count == corpus.rows.count)
  }
}

@Suite("Servers")
struct ServerTests {
  private let bytes = (0..<100_000).map { UInt8(truncatingIfNeeded: $0 &* 7) }

  /// Asks with Python, whose client is not of our making.
  private func ask(
    _ url: String, range: String? = nil, method: String = "GET", timeout: Double = 10
  ) async throws -> (status: String, body: [UInt8]) {
    let script = """
      import sys, urllib.request, urllib.error
      request = urllib.request.Request(sys.argv[1], method=sys.argv[2])
      if sys.argv[3]: request.add_header('Range', sys.argv[3])
      try:
        answer = urllib.request.urlopen(request, timeout=float(sys.argv[4]))
        sys.stderr.write(str(answer.status)); sys.stderr.flush()
        sys.stdout.buffer.write(answer.read())
      except urllib.error.HTTPError as error: sys.stderr.write(str(error.code))
      except Exception as error: sys.stderr.write(' ' + type(error).__name__)
      """
    let output = try await MediaTool("python3").check(
      ["-c", script, url, method, range ?? "", String(timeout)], environment: ["no_proxy": "*"],
      waitsForTurn: false)
    return (output.errorText, output.standardOutput)
  }

  @Test func wholeFileAndRanges() async throws {
    let server = try SlowServer(.bytes(bytes))
    let whole = try await ask(server.url())
    #expect(whole.status == "200" && whole.body == bytes)
    let part = try await ask(server.url("other?x=1"), range: "bytes=10-19")
    #expect(part.status == "206" && part.body == Array(bytes[10..<20]))
    let tail = try await ask(server.url(), range: "bytes=-5")
    #expect(tail.body == Array(bytes.suffix(5)))
    #expect(try await ask(server.url(), range: "bytes=100000-").status == "416")
    #expect(try await ask(server.url(), method: "HEAD").status == "200")
    #expect(server.requests.map(\.method) == ["GET", "GET", "GET", "GET", "HEAD"])
    #expect(server.requests[1].range == "bytes=10-19" && server.requests[1].path == "/other?x=1")
    #expect(server.bodyBytesSent == bytes.count + 15)
  }

  @Test func refusals() async throws {
    for status in [403, 404, 500] {
      let server = try SlowServer(.bytes(bytes), ServerBehaviour { $0.status = status })
      #expect(try await ask(server.url()).status == String(status))
    }
    let noHead = try SlowServer(.bytes(bytes), ServerBehaviour { $0.refusesHead = true })
    #expect(try await ask(noHead.url(), method: "HEAD").status == "405")
    let noRanges = try SlowServer(.bytes(bytes), ServerBehaviour { $0.ranges = .ignored })
    let answer = try await ask(noRanges.url(), range: "bytes=10-19")
    #expect(answer.status == "200" && answer.body == bytes)
  }

  @Test func redirects() async throws {
    let once = try SlowServer(.bytes(bytes), ServerBehaviour { $0.redirect = .toSelf })
    #expect(try await ask(once.url()).body == bytes)
    #expect(once.requests.map(\.path) == ["/media.mp4", "/hop1/media.mp4"])
    let endless = try SlowServer(.bytes(bytes), ServerBehaviour { $0.redirect = .loop })
    #expect(try await ask(endless.url()).status == "302")
    #expect(endless.requests.count >= 5)
    let away = try SlowServer(
      .bytes(bytes), ServerBehaviour { $0.redirect = .to(once.url("there")) })
    #expect(try await ask(away.url()).body == bytes)
    #expect(once.requests.contains { $0.path == "/there" })
  }

  @Test func lengths() async throws {
    let chunked = try SlowServer(.bytes(bytes), ServerBehaviour { $0.length = .chunked(777) })
    #expect(try await ask(chunked.url()).body == bytes)
    let open = try SlowServer(.bytes(bytes), ServerBehaviour { $0.length = .missing })
    #expect(try await ask(open.url()).body == bytes)
    let short = try SlowServer(.bytes(bytes), ServerBehaviour { $0.length = .off(by: -10) })
    #expect(try await ask(short.url()).body == Array(bytes.dropLast(10)))
    let long = try SlowServer(.bytes(bytes), ServerBehaviour { $0.length = .off(by: 10) })
    #expect(try await ask(long.url(), timeout: 0.3).status.contains("imeout"))
    let cut = try SlowServer(.bytes(bytes), ServerBehaviour { $0.closesAfter = 1000 })
    #expect(try await ask(cut.url()).status == "200 IncompleteRead")
  }

  @Test func slowness() async throws {
    let late = try SlowServer(
      .bytes(bytes), ServerBehaviour { $0.delayBeforeHeaders = .milliseconds(300) })
    let start = ContinuousClock.now
    #expect(try await ask(late.url()).body == bytes)
    #expect(ContinuousClock.now - start >= .milliseconds(300))
    let stuck = try SlowServer(.bytes(bytes), ServerBehaviour { $0.silentAfter = 5000 })
    #expect(try await ask(stuck.url(), timeout: 0.3).status.contains("imeout"))
    #expect(stuck.bodyBytesSent == 5000)
    let pausing = try SlowServer(
      .bytes(bytes), ServerBehaviour { $0.delayInBody = (after: 100, .milliseconds(300)) })
    let second = ContinuousClock.now
    #expect(try await ask(pausing.url()).body == bytes)
    #expect(ContinuousClock.now - second >= .milliseconds(300))
  }

  @Test func silence() async throws {
    let server = try SilentServer()
    #expect(try await ask(server.url(), timeout: 0.3).status.contains("imeout"))
    #expect(server.connectionCount == 1)
    let noise = try BrokenServer(answering: Array("not HTTP\r\n\r\n".utf8))
    #expect(try await ask(noise.url()).status.contains("BadStatusLine"))
  }

  @Test func nothingIsLeftOpen() async throws {
    let server = try SilentServer()
    let port = server.port
    server.stop()
    try await Task.sleep(for: .milliseconds(50))
    let answer = try await ask("http://127.0.0.1:\(port)/", timeout: 1).status
    #expect(answer.contains("URLError"))
    #expect(server.openConnectionCount == 0)
  }
}
