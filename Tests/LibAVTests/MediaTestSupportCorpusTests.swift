import Foundation
import MediaTestSupport
import Testing

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
