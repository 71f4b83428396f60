import Foundation
import LibAV
import MediaTestSupport
import Testing

@testable import MediaAssetKit

/// Media that is cut off, damaged or hostile: what is whole is read, nothing hangs, and errors have a type.
@Suite struct DamagedMediaTests {
  private static func clip(_ name: String) async throws -> URL {
    try await #require(CodedClip.all.first { $0.name == name }).make()
  }

  private static func asset(
    _ bytes: [UInt8], _ configure: (inout ResourcePolicy) -> Void = { _ in }
  ) -> MediaAsset {
    var policy = ResourcePolicy()
    configure(&policy)
    return MediaAsset(data: Data(bytes), options: .init(policy: policy))
  }

  private static func opener(_ asset: MediaAsset) async throws -> TrackOpener {
    let track = try #require(try await asset.loadDefaultTrack(withMediaType: .video))
    return try await track.opener()
  }

  private static func bytes(_ name: String) async throws -> [UInt8] {
    Array(try Data(contentsOf: try await clip(name)))
  }

  /// The H.264 movie with the bodies of all samples from one on overwritten.
  private static func bytes(zeroedFrom first: Int, with value: UInt8) async throws -> [UInt8] {
    let url = try await clip("h264")
    var bytes = Array(try Data(contentsOf: url))
    for packet in try await FFmpegJudge(url).packets().dropFirst(first) {
      let position = Int(try #require(packet.position))
      for index in position + 4..<position + packet.size { bytes[index] = value }
    }
    return bytes
  }

  /// Files whose header comes first, cut in the middle: the pictures before the cut are those of the whole file.
  @Test(arguments: [
    "h264-matroska", "h264-ts", "h264-flv", "h264-avi", "vp9", "mpeg2-ps",
    "mpeg4-avi", "gif",
  ])
  func cutOffInTheMiddle(_ name: String) async throws {
    let bytes = try await Self.bytes(name)
    let whole = try await VideoSession(
      opener: try await Self.opener(Self.asset(bytes)), threads: 1
    ).allPictures()
    let opener = try await Self.opener(Self.asset(Array(bytes[..<(bytes.count * 6 / 10)])))
    let session = VideoSession(opener: opener, threads: 2)
    let cut = try await session.allPictures()
    #expect(cut.count > 30 && cut.count < whole.count)
    // The picture that the cut goes through may be anything.
    #expect(Array(cut.dropLast(4)) == Array(whole[..<(cut.count - 4)]))
    let sample = try #require(whole.dropFirst(20).first)
    #expect(try await session.digest(onShowAt: sample.time) == sample)
    // Behind the cut the last picture stays, or an error tells; neither takes long.
    let last = try #require(whole.last)
    let found = try? await session.digest(onShowAt: last.time)
    #expect(found?.time ?? 0 <= cut.map(\.time).max() ?? 0)
  }

  /// A movie whose samples end before its table does.
  @Test func samplesThatAreMissing() async throws {
    let folder = try await FixtureCache.shared.folder(named: "faststart", ingredients: ["1"]) { folder in
      try await MediaTool("ffmpeg").check([
        "-nostdin", "-v", "error", "-y", "-i", "file:" + Self.clip("h264").path, "-c", "copy", "-movflags",
        "+faststart", "file:" + folder.appendingPathComponent("a.mp4").path,
      ])
    }
    let bytes = Array(try Data(contentsOf: folder.appendingPathComponent("a.mp4")))
    let whole = try await VideoSession(
      opener: try await Self.opener(Self.asset(bytes)), threads: 1
    ).allPictures()
    let opener = try await Self.opener(Self.asset(Array(bytes[..<(bytes.count * 6 / 10)])))
    let session = VideoSession(opener: opener, threads: 2)
    let cut = try await session.allPictures()
    #expect(cut.count > 30 && cut.count < 100)
    #expect(Array(cut.dropLast(4)) == Array(whole[..<(cut.count - 4)]))
    #expect(try await session.digest(onShowAt: whole[30].time) == whole[30])
    // The table says that a picture is there; another one must not stand in for it.
    await #expect(throws: MediaError.self) {
      _ = try await session.picture(onShowAt: whole[95].time)
    }
  }

  @Test(arguments: ["h264-ts", "h264", "h264-avi", "mpeg2-ps", "vp9", "hevc-open-matroska", "h264-raw"])
  func damagedBytes(_ name: String) async throws {
    let bytes = try await Self.bytes(name)
    for seed in 0..<8 as Range<UInt64> {
      var random = SeededGenerator(seed: seed)
      var damaged = bytes
      for _ in 0..<(seed < 4 ? 20 : 400) {
        damaged[Int.random(in: 0..<bytes.count, using: &random)] = UInt8.random(in: 0...255, using: &random)
      }
      guard
        let track = try? await Self.asset(damaged).loadDefaultTrack(withMediaType: .video),
        let opener = try? await track.opener()
      else { continue }
      let session = VideoSession(opener: opener, threads: seed % 2 == 0 ? 1 : 3)
      let pictures = (try? await session.allPictures()) ?? []
      #expect(pictures.count <= 110)
      for _ in 0..<6 {
        let time = Int64.random(in: 0..<(4 * opener.secondTicks), using: &random)
        _ = try? await session.picture(onShowAt: time)
        _ = try? await session.withKeyPicture(near: time) { picture, _ in picture.time }
      }
    }
  }

  /// Every slice of the pictures behind the first group is zeroed.
  @Test func packetsWithoutPicturesAreBounded() async throws {
    let bytes = try await Self.bytes(zeroedFrom: 12, with: 0)
    let asset = Self.asset(bytes) { $0.maximumPacketsWithoutFrame = 30 }
    let track = try #require(try await asset.loadDefaultTrack(withMediaType: .video))
    var count = 0
    do {
      for try await _ in track.frames() { count += 1 }
      Issue.record("\(count) pictures and no error")
    } catch {
      #expect(.limitExceeded ~= error)
    }
  }

  @Test func picturesBeyondTheLimitAreNotDecoded() async throws {
    let asset = Self.asset(try await Self.bytes("h264")) { $0.maximumPixels = 64 * 48 - 1 }
    let track = try #require(try await asset.loadDefaultTrack(withMediaType: .video))
    do {
      for try await _ in track.frames() { Issue.record("a picture") }
      Issue.record("no error")
    } catch {
      #expect(.limitExceeded ~= error)
    }
  }

  @Test func aTrackOfWhichNothingDecodesIsAnError() async throws {
    let bytes = try await Self.bytes(zeroedFrom: 0, with: 0xFF)
    let asset = Self.asset(bytes)
    let track = try #require(try await asset.loadDefaultTrack(withMediaType: .video))
    do {
      for try await _ in track.frames() {}
      Issue.record("no error")
    } catch {
      #expect(.decodeFailed ~= error)
    }
  }

  /// Two transport streams of different sizes, one after the other.
  @Test func sizeThatChangesInMidStream() async throws {
    let folder = try await FixtureCache.shared.folder(named: "two-sizes", ingredients: ["1"]) { folder in
      var bytes = Data()
      for (number, size) in ["64x48", "96x80"].enumerated() {
        let file = folder.appendingPathComponent("\(number).ts")
        try await MediaTool("ffmpeg").check([
          "-nostdin", "-v", "error", "-y", "-f", "lavfi", "-i", "testsrc2=s=\(size):r=25:d=1",
          "-output_ts_offset", "\(number)", "-pix_fmt", "yuv420p", "-c:v", "libx264", "-g", "10", "-bf", "2",
          "file:" + file.path,
        ])
        bytes += try Data(contentsOf: file)
      }
      try bytes.write(to: folder.appendingPathComponent("both.ts"))
    }
    let url = folder.appendingPathComponent("both.ts")
    let judged = try await FFmpegJudge(url).frameHashes()
    #expect(Set(judged.map(\.size)).count == 2)
    let track = try await RandomAccessTests.track(url)
    var hashes: [String] = []
    for try await frame in track.frames() { hashes.append(try frame.pixelBuffer.md5()) }
    #expect(hashes == judged.map(\.hash))
    let session = VideoSession(opener: try await track.opener(), threads: 2)
    let moments = ShownPictures(try await session.allPictures()).moments
    var random = SeededGenerator(seed: 3)
    for moment in moments.shuffled(using: &random) {
      #expect(try await session.digest(onShowAt: moment.time) == moment.expected)
    }
  }

  /// One second of pictures beside a minute of sound: the last picture stays on show, and sound is not kept.
  @Test(arguments: ["ts", "mkv", "mp4", "avi"]) func soundGoesOn(_ kind: String) async throws {
    let folder = try await FixtureCache.shared.folder(named: "long-sound-\(kind)", ingredients: ["1"]) { folder in
      try await MediaTool("ffmpeg").check([
        "-nostdin", "-v", "error", "-y", "-f", "lavfi", "-i", "testsrc2=s=64x48:r=25:d=1", "-f", "lavfi", "-i",
        "sine=r=44100:d=60", "-pix_fmt", "yuv420p", "-c:v", "libx264", "-bf", "2", "-c:a", "libmp3lame",
        "file:" + folder.appendingPathComponent("a." + kind).path,
      ])
    }
    let track = try await RandomAccessTests.track(folder.appendingPathComponent("a." + kind))
    let opener = try await track.opener()
    let session = VideoSession(opener: opener, threads: 1)
    let all = try await session.allPictures()
    #expect(all.count == 25)
    let later = opener.startTime + 30 * opener.secondTicks
    let picture = try #require(try await session.picture(onShowAt: later))
    #expect(picture.time == all.map(\.time).max())
  }

  /// Fifteen hundred pictures on one key picture: a cancelled caller does not wait for the last one.
  @Test func cancellationIsPrompt() async throws {
    let folder = try await FixtureCache.shared.folder(named: "long-group", ingredients: ["1"]) { folder in
      try await MediaTool("ffmpeg").check([
        "-nostdin", "-v", "error", "-y", "-f", "lavfi", "-i", "testsrc2=s=640x360:r=25:d=60", "-pix_fmt", "yuv420p",
        "-c:v", "libx264", "-preset", "ultrafast", "-g", "10000", "-sc_threshold", "0",
        "file:" + folder.appendingPathComponent("a.mkv").path,
      ])
    }
    let track = try await RandomAccessTests.track(folder.appendingPathComponent("a.mkv"))
    let opener = try await track.opener()
    let session = VideoSession(opener: opener, threads: 1)
    let task = Task { try await session.picture(onShowAt: 59_000) }
    try await Task.sleep(for: .milliseconds(30))
    // What else runs at the time does not matter: a cancelled caller waits for nobody's turn.
    let started = ContinuousClock.now
    task.cancel()
    await #expect(throws: CancellationError.self) { try await task.value }
    #expect(ContinuousClock.now - started < .within(.milliseconds(200)))
    // Another caller is not affected by what was cancelled before.
    #expect(try await session.picture(onShowAt: 400)?.time == 400)
  }
}
