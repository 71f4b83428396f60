import Foundation
import LibAV
import MediaTestSupport
import Testing

@testable import MediaAssetKit

/// Where durations and ranges come from in each kind of container, and what is read for them.
@Suite("Timing") struct TimingTests {
  /// A generated clip of 4 s in another container or layout, made once.
  private func remuxed(
    _ arguments: [String], from kind: GeneratedClip.Kind = .h264ClosedGroups, name: String
  ) async throws -> URL {
    let clip = try await GeneratedClip.make(kind)
    let folder = try await FixtureCache.shared.folder(
      named: "timing", ingredients: [kind.rawValue, name] + arguments
    ) { folder in
      try await MediaTool("ffmpeg").check(
        ["-nostdin", "-v", "error", "-y", "-i", clip.url.path] + arguments
          + ["file:" + folder.appendingPathComponent(name).path])
    }
    return folder.appendingPathComponent(name)
  }

  private func made(_ arguments: [String], name: String) async throws -> URL {
    let folder = try await FixtureCache.shared.folder(
      named: "timing", ingredients: [name] + arguments
    ) { folder in
      try await MediaTool("ffmpeg").check(
        ["-nostdin", "-v", "error", "-y"] + arguments
          + ["file:" + folder.appendingPathComponent(name).path])
    }
    return folder.appendingPathComponent(name)
  }

  private func seconds(_ value: Int64, _ timescale: Int32 = 1) -> MediaTime {
    MediaTime(value: value, timescale: timescale)
  }

  // MARK: - Fragments

  static let fragmented: [(String, [String], DurationQuality)] = [
    ("plain.mp4", ["-movflags", "frag_keyframe+empty_moov"], .exact),
    ("base.mp4", ["-movflags", "frag_keyframe+empty_moov+default_base_moof"], .exact),
    // An index before each fragment covers only that one.
    ("dash.mp4", ["-movflags", "dash+frag_keyframe+empty_moov"], .exact),
    ("index.mp4", ["-movflags", "dash+global_sidx+frag_keyframe+empty_moov"], .container),
    // The first group of pictures in moov, the others in fragments.
    ("partly.mp4", ["-movflags", "frag_keyframe"], .exact),
  ]

  @Test(arguments: fragmented)
  func fragments(name: String, flags: [String], quality: DurationQuality) async throws {
    let url = try await remuxed(["-c", "copy"] + flags, name: name)
    let asset = MediaAsset(url: url)
    // FFmpeg writes no edit list here, so the delay of B-frames stays: the first picture is shown at 0.08 s.
    if quality == .exact { #expect(try await asset.load(.duration) == seconds(102, 25)) }
    // The index counts too: FFmpeg before 9 writes one that starts at 0 all the same, later ones one at 0.08 s.
    if quality == .container {
      let start = try indexStart(url)
      #expect([0, 1024].contains(start))
      #expect(try await asset.load(.duration) == seconds(4 * 12_800 + start, 12_800))
    }
    #expect(try await asset.load(.durationQuality) == quality)
    #expect(try await asset.load(.containsFragments))
    let track = try #require(try await asset.loadTracks(withMediaType: .video).first)
    let range = try await track.load(.timeRange)
    #expect(range.start == seconds(2, 25) && range.duration == seconds(4))
    #expect(try await track.load(.sampleCount) == 100)
    #expect(try await track.load(.nominalFrameRate) == 25)
  }

  /// The earliest presentation time of a `sidx` of version 1, in its ticks of 1/12800 s (ISO/IEC 14496-12, 8.16.3).
  private func indexStart(_ url: URL) throws -> Int64 {
    let bytes = Array(try Data(contentsOf: url))
    let mark = Array("sidx".utf8) + [1, 0, 0, 0, 0, 0, 0, 1, 0, 0, 0x32, 0]
    let start = try #require(bytes.indices.first { bytes[$0...].starts(with: mark) }) + mark.count
    return bytes[start..<start + 8].reduce(0) { $0 << 8 | Int64($1) }
  }

  /// Fragments of a live stream carry its clock; without edit lists it starts at 0 here when it is late.
  @Test(arguments: [(9, 9), (20, 0)]) func lateFragments(offset: Int, start: Int64) async throws {
    let url = try await remuxed(
      [
        "-c", "copy", "-output_ts_offset", "\(offset)", "-avoid_negative_ts", "disabled",
        "-use_editlist", "0", "-movflags", "frag_keyframe+empty_moov+frag_discont",
      ], name: "late\(offset).mp4")
    let asset = MediaAsset(url: url)
    let track = try #require(try await asset.loadTracks(withMediaType: .video).first)
    let range = try await track.load(.timeRange)
    // Without an edit list the delay of B-frames stays: two pictures.
    #expect(range.duration == seconds(4))
    #expect(range.start >= seconds(start) && range.start <= seconds(start) + seconds(2, 25))
    #expect(try await asset.load(.duration) == range.end)
  }

  /// A recorder's edit list that covers the samples of the header alone: 323 of 352 frames of 1024 samples.
  @Test func editListOlderThanTheFragments() async throws {
    guard let corpus = Corpus.orCount() else { return }
    let asset = MediaAsset(url: corpus.url(path: "taglib+taglib/no-tags.3g2"))
    // Its header states the length with all fragments in 1/90000 s.
    let exact = 352 * 1024 / 22_050.0
    #expect(abs(try await asset.load(.duration).seconds - exact) < 1e-4)
    #expect(try await asset.load(.durationQuality) == .container)
    #expect(try await asset.load(.tracks).first?.load(.sampleCount) == 352)
  }

  // MARK: - Elsewhere

  @Test(arguments: [
    "clip.mkv", "clip.avi", "clip.flv", "clip.ts", "clip.mpg", "clip.mov", "clip.nut",
  ])
  func containers(_ name: String) async throws {
    let codec = name == "clip.mpg" ? ["-c:v", "mpeg2video", "-bf", "0"] : ["-c", "copy"]
    // AVI has no presentation times to keep the order of B-frames.
    let url =
      name == "clip.avi"
      ? try await GeneratedClip.make(.mjpegAVI).url : try await remuxed(codec, name: name)
    let asset = MediaAsset(url: url)
    let duration = try await asset.load(.duration).seconds
    // FLV and NUT keep the delay of B-frames; containers of milliseconds round.
    let delay = name == "clip.flv" || name == "clip.nut" ? 0.08 : 0
    #expect(abs(duration - 4 - delay) <= 0.041, "\(duration)")
    let track = try #require(try await asset.loadTracks(withMediaType: .video).first)
    let range = try await track.load(.timeRange)
    #expect(abs(range.end.seconds - 4 - delay) <= 0.041, "\(range)")
    #expect(abs(range.start.seconds - delay) <= 0.041, "\(range)")
    #expect(abs(try await track.load(.nominalFrameRate) - 25) < 0.01)
    #expect(try await track.load(.naturalSize) == PixelSize(width: 64, height: 48))
  }

  static let sounds: [(String, [String], DurationQuality)] = [
    ("a.wav", ["-c:a", "pcm_s16le"], .exact), ("a.aiff", ["-c:a", "pcm_s16be"], .exact),
    ("a.caf", ["-c:a", "pcm_s16be"], .exact), ("a.w64", ["-c:a", "pcm_s16le"], .exact),
    ("a.au", ["-c:a", "pcm_s16be"], .exact), ("a.flac", ["-c:a", "flac"], .container),
    ("a.m4a", ["-c:a", "aac"], .exact), ("a.mp3", ["-c:a", "libmp3lame"], .container),
    ("a.opus", ["-c:a", "libopus"], .container), ("a.ogg", ["-c:a", "libvorbis"], .container),
  ]

  /// Exactly three seconds of sound stay exactly three seconds wherever the container can say so.
  @Test(arguments: sounds)
  func sound(name: String, arguments: [String], quality: DurationQuality) async throws {
    let source = ["-f", "lavfi", "-i", "sine=440:r=48000:d=3"]
    let asset = MediaAsset(url: try await made(source + arguments, name: name))
    #expect(try await asset.load(.duration) == seconds(3))
    #expect(try await asset.load(.durationQuality) == quality)
    let track = try #require(try await asset.loadTracks(withMediaType: .audio).first)
    #expect(try await track.load(.timeRange) == MediaTimeRange(start: .zero, duration: seconds(3)))
    let audio = try #require(try await track.load(.formatDescriptions).first?.audio)
    #expect(audio.sampleRate == 48_000 && audio.channels == 1)
  }

  /// ADTS has no header and no way to name the encoder's delay: 142 frames of 1024 samples.
  @Test func countedSound() async throws {
    let url = try await made(
      ["-f", "lavfi", "-i", "sine=440:r=48000:d=3", "-c:a", "aac"], name: "a.aac")
    let asset = MediaAsset(url: url)
    #expect(try await asset.load(.duration) == seconds(142 * 1024, 48_000))
    #expect(try await asset.load(.durationQuality) == .exact)
    #expect(try await asset.load(.tracks).first?.load(.sampleCount) == 142)
  }

  // MARK: - What is read

  /// A source that counts what is asked of it, as a server's file would be asked.
  private final class CountingSource: ByteSource {
    let data: Data
    let name: String
    let asked = Monitor<Int>(0)

    init(_ url: URL) throws {
      data = try Data(contentsOf: url)
      name = url.lastPathComponent
    }

    func open() -> ByteSourceInfo { ByteSourceInfo(length: Int64(data.count), name: name) }

    func read(at offset: Int64, length: Int) -> [UInt8] {
      let start = min(Int(offset), data.count)
      let bytes = [UInt8](data[start..<min(data.count, start + length)])
      asked.withLock { $0 += bytes.count }
      return bytes
    }
  }

  /// What costs the whole file is left undone for sources far away, unless precision is asked for.
  @Test(arguments: [false, true]) func remoteTransportStream(precise: Bool) async throws {
    let url = try await made(
      [
        "-f", "lavfi", "-i", "testsrc2=s=640x480:r=25:d=60", "-c:v", "mpeg2video", "-b:v", "3M",
      ], name: "long.ts")
    let source = try CountingSource(url)
    let asset = MediaAsset(
      source: source, options: .init(prefersPreciseDurationAndTiming: precise))
    let (duration, quality) = try await asset.load(.duration, .durationQuality)
    let read = source.asked.withLock { $0 }
    #expect(quality == (precise ? .exact : .estimated))
    #expect(abs(duration.seconds - 60) <= 0.1)
    #expect(precise || read < source.data.count / 2, "\(read) of \(source.data.count) bytes")
  }

  /// A movie header is all that duration and tracks need.
  @Test func remoteMovie() async throws {
    let url = try await made(
      ["-f", "lavfi", "-i", "testsrc2=s=640x480:r=25:d=10", "-c:v", "libx264", "-b:v", "4M"],
      name: "long.mp4")
    let source = try CountingSource(url)
    let asset = MediaAsset(source: source)
    let (duration, tracks) = try await asset.load(.duration, .tracks)
    #expect(duration == seconds(10) && tracks.count == 1)
    // The window of a reader for sources far away is a quarter of a megabyte.
    #expect(source.asked.withLock { $0 } < source.data.count / 4)
  }

  // MARK: - Gapless notes

  static let notes: [(String, Int64, Int64)] = [
    (" 00000000 00000400 00000100 0000000000023300", 0x400, 0x2_3300),
    // A leftover of a longer file.
    (" 00000000 00000400 00000100 0000000000FFFFFF", 0, 146_429 + 1024),
    ("nonsense", 0, 146_429 + 1024),
  ]

  /// iTunes' note counts for a file without an edit list, when it fits what is stored.
  @Test(arguments: notes)
  func iTunesNote(text: String, source: Int64, samples: Int64) async throws {
    let url = try await made(
      [
        "-f", "lavfi", "-i", "sine=440:r=48000:d=3.0506", "-c:a", "aac", "-use_editlist", "0",
      ], name: "plain.m4a")
    let header = try await MediaAsset(url: url).header()
    let movie = try #require(header.movie)
    let streams = header.tracks.compactMap(\.stream)
    let builder = ISOTrackBuilder(
      movie: movie, streams: streams, isFragmented: false, metadata: ["iTunSMPB": text],
      origin: .zero, hidden: [])
    let track = try #require(builder.tracks().first)
    let segment = try #require(track.timeline.segments.first)
    #expect(segment.source == Rational(source, 48_000))
    #expect(track.end == Rational(samples, 48_000))
  }
}
