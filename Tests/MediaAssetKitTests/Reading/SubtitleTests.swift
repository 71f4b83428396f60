import Foundation
import MediaTestSupport
import Testing

@testable import MediaAssetKit

/// Subtitles and captions as text: times, styles, encodings, gaps.
@Suite struct SubtitleTests {
  private static let srt = """
    1
    00:00:00,500 --> 00:00:01,500
    <i>Hello</i> & <b>you</b>
    second line

    2
    00:00:02,000 --> 00:00:02,750
    Überschrift – naïve

    3
    00:00:03,001 --> 00:00:03,700
    plain, with, commas {and} braces


    """

  /// The same cues in every container that FFmpeg writes them to.
  private static func file(_ name: String, _ options: [String]) async throws -> URL {
    let folder = try await FixtureCache.shared.folder(named: "text-\(name)", ingredients: [srt] + options) { folder in
      let source = folder.appendingPathComponent("source.srt")
      try Data(srt.utf8).write(to: source)
      try await MediaTool("ffmpeg").check(
        ["-nostdin", "-v", "error", "-y", "-i", source.path] + options + [folder.appendingPathComponent(name).path])
    }
    return folder.appendingPathComponent(name)
  }

  static func track(_ url: URL) async throws -> AssetTrack {
    let asset = MediaAsset(url: url)
    return try #require(try await asset.load(.tracks).first { $0.mediaType.holdsText })
  }

  static func cues(_ track: AssetTrack, _ range: MediaTimeRange? = nil) async throws -> [TextCue] {
    var list: [TextCue] = []
    for try await sample in try Reader(asset: track.asset, timeRange: range).output(for: track, settings: .text) {
      let cue = try #require(sample.cue)
      #expect(cue.time == sample.presentationTime && cue.duration == sample.duration)
      list.append(cue)
    }
    return list
  }

  @Test(arguments: [
    ("a.srt", ["-c:s", "copy"]), ("a.mp4", ["-c:s", "mov_text"]), ("a.mov", ["-c:s", "mov_text"]),
    ("a.mkv", ["-c:s", "srt"]),
    ("b.mkv", ["-c:s", "ass"]), ("c.mkv", ["-c:s", "webvtt"]), ("a.vtt", ["-c:s", "webvtt"]),
    ("a.ass", ["-c:s", "ass"]),
  ])
  func cuesOfEveryKind(_ name: String, _ options: [String]) async throws {
    let cues = try await Self.cues(Self.track(Self.file(name, options)))
    try #require(cues.count == 3)
    // ASS counts in hundredths.
    let slack = name.hasSuffix(".ass") ? MediaTime.ms(10) : .zero
    for (cue, wanted) in zip(cues, [(Int64(500), Int64(1500)), (2000, 2750), (3001, 3700)]) {
      #expect((cue.time - .ms(wanted.0)).magnitude <= slack && (cue.end - .ms(wanted.1)).magnitude <= slack, "\(cue)")
    }
    #expect(cues[0].text == "Hello & you\nsecond line")
    #expect(cues[1].text == "Überschrift – naïve")
    #expect(cues[0].styledText.contains("{\\i1}Hello{\\"))
    if !name.contains("ass"), options[1] != "ass" { #expect(cues[2].text == "plain, with, commas {and} braces") }
    let srt = SubtitleText(cues: cues).text(as: .srt)
    #expect(srt.hasPrefix("1\n00:00:00,500 --> 00:00:01,500\n<i>Hello</i> & <b>you</b>\nsecond line\n\n2\n"))
    let vtt = SubtitleText(cues: cues).text(as: .vtt)
    #expect(vtt.hasPrefix("WEBVTT\n\n00:00:00.500 --> 00:00:01.500\n<i>Hello</i> &amp; <b>you</b>\nsecond line\n\n"))
  }

  /// What FFmpeg reads of our files is what went in.
  @Test(arguments: SubtitleText.Format.allCases)
  func writtenFilesAreRead(_ format: SubtitleText.Format) async throws {
    let track = try await Self.track(Self.file("b.mkv", ["-c:s", "ass"]))
    let text = try await track.subtitleText().text(as: format)
    try await MediaKitCommand.withFolder { folder in
      let url = folder.appendingPathComponent("out.\(format.rawValue)")
      try Data(text.utf8).write(to: url)
      let judged = try await MediaTool("ffmpeg").check(["-v", "error", "-i", url.path, "-c:s", "srt", "-f", "srt", "-"])
      let lines = judged.text.split(whereSeparator: \.isNewline).map(String.init)
      let wanted = [
        "1", "00:00:00,500 --> 00:00:01,500", "<i>Hello</i> & <b>you</b>", "second line", "2",
        "00:00:02,000 --> 00:00:02,750", "Überschrift – naïve", "3",
        // ASS counts in hundredths.
        format == .ass ? "00:00:03,000 --> 00:00:03,700" : "00:00:03,001 --> 00:00:03,700",
      ]
      #expect(Array(lines.dropLast()) == wanted)
    }
  }

  /// A delay before the text is an empty edit; the asset's clock has it.
  @Test func offsetsAreExact() async throws {
    let folder = try await FixtureCache.shared.folder(named: "text-offset", ingredients: [Self.srt, "1"]) { folder in
      let source = folder.appendingPathComponent("source.srt")
      try Data(Self.srt.utf8).write(to: source)
      try await MediaTool("ffmpeg").check(
        [
          "-nostdin", "-v", "error", "-y", "-f", "lavfi", "-i", "color=gray:s=64x48:r=25:d=8", "-itsoffset", "2.345",
          "-i",
          source.path, "-map", "0", "-map", "1", "-c:v", "libx264", "-c:s", "mov_text",
          folder.appendingPathComponent("a.mp4").path,
        ])
    }
    let cues = try await Self.cues(Self.track(folder.appendingPathComponent("a.mp4")))
    #expect(cues.map(\.time) == [.ms(2845), .ms(4345), .ms(5346)])
    #expect(cues.map(\.end) == [.ms(3845), .ms(5095), .ms(6045)])
  }

  @Test func rangesCutCues() async throws {
    let track = try await Self.track(Self.file("a.mp4", ["-c:s", "mov_text"]))
    let cut = try await Self.cues(track, .ms(700, 2100))
    #expect(cut.map(\.time) == [.ms(700), .ms(2000)] && cut.map(\.end) == [.ms(1500), .ms(2100)])
    #expect(try await Self.cues(track, .ms(1500, 2000)).isEmpty)
  }

  @Test func overlapsStay() async throws {
    let folder = FileManager.default.temporaryDirectory.appendingPathComponent("overlap-\(UUID().uuidString).srt")
    defer { try? FileManager.default.removeItem(at: folder) }
    try Data("1\n00:00:01,000 --> 00:00:04,000\nlong\n\n2\n00:00:02,000 --> 00:00:03,000\nshort\n\n".utf8).write(
      to: folder)
    let cues = try await Self.cues(Self.track(folder))
    #expect(cues.map(\.text) == ["long", "short"] && cues.map(\.end) == [.ms(4000), .ms(3000)])
  }

  /// Text in an old encoding comes as Unicode.
  @Test func oldEncodings() async throws {
    let url = FileManager.default.temporaryDirectory.appendingPathComponent("latin-\(UUID().uuidString).srt")
    defer { try? FileManager.default.removeItem(at: url) }
    let head = Array("1\n00:00:01,000 --> 00:00:02,000\n".utf8)
    // caf é in Windows-1252, and a euro sign at 0x80.
    try Data(head + [0x63, 0x61, 0x66, 0xE9, 0x20, 0x80] + Array("\n\n".utf8)).write(to: url)
    #expect(try await Self.cues(Self.track(url)).map(\.text) == ["café €"])
  }

  @Test func hostileSizesAreBounded() async throws {
    let url = FileManager.default.temporaryDirectory.appendingPathComponent("huge-\(UUID().uuidString).srt")
    defer { try? FileManager.default.removeItem(at: url) }
    let huge = String(repeating: "x", count: 3 << 20)
    try Data("1\n00:00:01,000 --> 00:00:02,000\n\(huge)\n\n2\n00:00:03,000 --> 00:00:04,000\nfine\n\n".utf8).write(
      to: url)
    let track = try await Self.track(url)
    var iterator = try Reader(asset: track.asset).output(for: track, settings: .text).makeAsyncIterator()
    #expect(try await iterator.next()?.cue?.text == "fine")
    #expect(try await iterator.next() == nil)
    #expect(iterator.skippedSampleCount == 1 && iterator.lastSkippedError?.code == .limitExceeded)
  }

  /// Subtitles that are pictures say so.
  @Test func picturesAreNoText() async throws {
    var bytes = Array(try Data(contentsOf: try await Self.file("a.mkv", ["-c:s", "srt"])))
    let name = Array("S_TEXT/UTF8".utf8)
    let place = try #require(bytes.indices.first { bytes[$0...].starts(with: name) })
    bytes.replaceSubrange(place..<place + name.count, with: Array("S_VOBSUB\0\0\0".utf8))
    let asset = MediaAsset(data: Data(bytes))
    let track = try #require(try await asset.load(.tracks).first { $0.mediaType.holdsText })
    await #expect { try await track.subtitleText() } throws: { ($0 as? MediaError)?.code == .operationNotSupported }
  }

  // MARK: - Captions

  /// Eight captions that show as soon as their `942f` comes, until the next one's `942c`: the times are mp4ff's.
  @Test func captionsOfATrack() async throws {
    guard let corpus = Corpus.orCount() else { return }
    let listing = try SampleListing(contentsOf: corpus.url(path: "Eyevinn+mp4ff/expected/golden_samples.txt"))
    let samples = try #require(listing.tracks.first { $0.handler == "clcp" }).samples.dropFirst()
    let cues = try await Self.cues(Self.track(corpus.url(path: "Eyevinn+mp4ff/main_1.mp4")))
    #expect(cues.map(\.time) == samples.map { MediaTime(value: $0.time, timescale: 30_000) })
    #expect(zip(cues, cues.dropFirst()).allSatisfy { $0.end == $1.time })
    #expect(cues.map(\.text) == (0..<8).map { $0 % 2 == 0 ? "Bip!" : "Bop!" })
  }

  /// Captions in the user data of MPEG-2 pictures (ATSC A/53): one pair a picture.
  @Test(arguments: ["m2v", "ts"])
  func captionsInPictures(_ kind: String) async throws {
    let pairs: [Int: (UInt8, UInt8)] = [
      0: (0x94, 0x20), 1: (0x94, 0x76), 2: (0xC2, 0xE9), 3: (0x70, 0xA1), 4: (0x94, 0x2F), 20: (0x94, 0x2C),
      30: (0x94, 0x20), 31: (0x94, 0x76), 32: (0xC2, 0xEF), 33: (0x70, 0xA1), 34: (0x94, 0x2F), 45: (0x94, 0x2C),
    ]
    let folder = try await FixtureCache.shared.folder(named: "captions-\(kind)", ingredients: ["\(pairs.count)", "2"]) {
      folder in
      let plain = folder.appendingPathComponent("plain.m2v")
      try await MediaTool("ffmpeg").check(
        [
          "-nostdin", "-v", "error", "-y", "-f", "lavfi", "-i", "testsrc2=s=64x48:r=25:d=2,format=yuv420p", "-c:v",
          "mpeg2video",
          "-bf", "0", "-g", "10", "-f", "mpeg2video", plain.path,
        ])
      let source = Array(try Data(contentsOf: plain))
      var bytes: [UInt8] = []
      var picture = 0
      var position = 0
      while position < source.count {
        // A picture coding extension is nine bytes with its start code, or ten.
        if source[position...].starts(with: [0, 0, 1, 0xB5]), source[position + 4] >> 4 == 8 {
          let end = source[(position + 4)...].indices.first { source[$0...].starts(with: [0, 0, 1]) } ?? source.count
          bytes += source[position..<end]
          let pair = pairs[picture] ?? (0x80, 0x80)
          bytes += [0, 0, 1, 0xB2] + Array("GA94".utf8) + [3, 0x41, 0xFF, 0xFC, pair.0, pair.1, 0xFF]
          picture += 1
          position = end
        } else {
          bytes.append(source[position])
          position += 1
        }
      }
      let marked = folder.appendingPathComponent("clip.m2v")
      try Data(bytes).write(to: marked)
      if kind == "ts" {
        try await MediaTool("ffmpeg").check(
          [
            "-nostdin", "-v", "error", "-y", "-fflags", "+genpts", "-i", marked.path, "-c", "copy",
            folder.appendingPathComponent("clip.ts").path,
          ])
      }
    }
    let asset = MediaAsset(url: folder.appendingPathComponent("clip.\(kind)"))
    let track = try #require(try await asset.loadDefaultTrack(withMediaType: .video))
    let cues = try await track.subtitleText().cues
    #expect(cues.map(\.text) == ["Bip!", "Bop!"])
    #expect(cues.map(\.time) == [.ms(160), .ms(1360)] && cues.map(\.end) == [.ms(800), .ms(1800)])
  }

  // MARK: - Codings

  @Test func boxedWebVTT() throws {
    func box(_ type: String, _ body: [UInt8]) -> [UInt8] {
      let size = UInt32(body.count + 8)
      return (0..<4).map { UInt8(truncatingIfNeeded: size >> (24 - 8 * $0)) } + Array(type.utf8) + body
    }
    let coding = TextCoding(codec: "webvtt", isBoxed: true)
    let one = box("vttc", box("iden", [0x31]) + box("sttg", Array("line:0".utf8)) + box("payl", Array("one".utf8)))
    let two = box("vttc", box("payl", Array("two".utf8)))
    #expect(coding.payloads(one + two) == [Array("one".utf8), Array("two".utf8)])
    #expect(coding.payloads(box("vtte", [])).isEmpty)
    // Sizes that lie end the list.
    #expect(coding.payloads(one + [0xFF, 0xFF, 0xFF, 0xFF] + Array("vttc".utf8)) == [Array("one".utf8)])
    #expect(coding.payloads([0, 0, 0, 4]).isEmpty)
  }

  @Test func timedTextInUTF16() throws {
    let coding = TextCoding(codec: "mov_text", isTimedText: true)
    let units = [0xFE, 0xFF] + Array("Añ€".utf16).flatMap { [UInt8($0 >> 8), UInt8($0 & 0xFF)] } as [UInt8]
    let sample = [0, UInt8(units.count)] + units
    let text = Array("Añ€".utf8)
    #expect(coding.payloads(sample) == [[0, UInt8(text.count)] + text])
    #expect(coding.payloads([0, 0]).isEmpty && coding.payloads([]).isEmpty)
    #expect(coding.payloads([0, 2, 0x41, 0x42]) == [[0, 2, 0x41, 0x42]])
  }

  @Test(arguments: [
    ("{\\i1}a{\\i0}b\\Nc", "ab\nc"), ("{\\p1}m 0 0 l 1 1{\\p0}seen", "seen"), ("a\\hb", "a\u{A0}b"),
    ("{not closed", "{not closed"),
    ("{comment}text", "text"), ("\\{literal}", "{literal}"), ("", ""), ("\\", "\\"),
  ])
  func styledText(_ source: String, _ plain: String) { #expect(StyledText(source).plain == plain) }
}

extension TextCoding {
  fileprivate init(codec: String, isBoxed: Bool = false, isTimedText: Bool = false) {
    self.init(codec: codec, extradata: [], isBoxed: isBoxed, isTimedText: isTimedText)
  }
}

extension MediaTime {
  fileprivate var magnitude: MediaTime { self < .zero ? .zero - self : self }
}

/// What timecode tracks count.
@Suite struct TimecodeTests {
  /// SMPTE ST 12-1: two numbers are left out each minute but the tenth, four at 60.
  @Test(arguments: [
    (30, true, 0, "00:00:00;00"), (30, true, 1799, "00:00:59;29"), (30, true, 1800, "00:01:00;02"),
    (30, true, 3597, "00:01:59;29"), (30, true, 3598, "00:02:00;02"), (30, true, 17_981, "00:09:59;29"),
    (30, true, 17_982, "00:10:00;00"), (30, true, 107_892, "01:00:00;00"), (60, true, 3599, "00:00:59;59"),
    (60, true, 3600, "00:01:00;04"), (60, true, 35_964, "00:10:00;00"), (25, false, 90_000, "01:00:00:00"),
    (24, false, 84_480, "00:58:40:00"), (25, false, 2_160_000, "00:00:00:00"),
  ])
  func counting(_ rate: Int, _ drops: Bool, _ frame: Int, _ text: String) {
    let sample = TimecodeSample(
      startFrame: frame, frameDuration: MediaTime(value: 1, timescale: Int32(rate)), framesPerSecond: rate,
      isDropFrame: drops)
    #expect(sample.timecode == text)
    #expect(
      TimecodeSample(
        startFrame: 0, frameDuration: sample.frameDuration, framesPerSecond: rate, isDropFrame: drops
      ).timecode(ofFrame: frame) == text)
  }

  @Test(arguments: [("25", "10:20:30:12", 25), ("30000/1001", "01:02:03;04", 30), ("24000/1001", "00:58:40:00", 24)])
  func samplesOfATrack(_ rate: String, _ start: String, _ counted: Int) async throws {
    let folder = try await FixtureCache.shared.folder(named: "timecode-\(counted)", ingredients: [rate, start]) {
      folder in
      try await MediaTool("ffmpeg").check(
        [
          "-nostdin", "-v", "error", "-y", "-f", "lavfi", "-i", "color=gray:s=64x48:r=\(rate):d=2", "-c:v", "libx264",
          "-timecode", start, folder.appendingPathComponent("a.mov").path,
        ])
    }
    let asset = MediaAsset(url: folder.appendingPathComponent("a.mov"))
    let track = try #require(try await asset.load(.tracks).first { $0.mediaType == .timecode })
    var samples: [SampleBuffer] = []
    for try await sample in try Reader(asset: asset).output(for: track, settings: .timecode) { samples.append(sample) }
    let timecode = try #require(samples.first?.timecode)
    #expect(samples.count == 1 && timecode.timecode == start && timecode.framesPerSecond == counted)
    #expect(timecode.isDropFrame == start.contains(";"))
    let parts = rate.split(separator: "/").compactMap { Int64($0) }
    #expect(timecode.frameDuration == MediaTime(value: parts.count > 1 ? parts[1] : 1, timescale: Int32(parts[0])))
    #expect(samples.first?.presentationTime == .zero)
  }
}
