import Foundation
import ISOMedia
import MediaTestSupport
import Testing

@testable import MediaAssetKit

/// Packages as other players read them: the same pictures, times and sound as the source.
@Suite struct HLSPackagerTests {
  private func package(
    _ source: URL, to folder: URL, seconds: Int64 = 1, ladder: Bool = false, overwrites: Bool = false
  ) async throws -> HLSPackager.Package {
    var options = HLSPackager.Options()
    options.segmentDuration = MediaTime(value: seconds, timescale: 1)
    options.makesLadder = ladder
    options.overwritesExisting = overwrites
    return try await HLSPackager(asset: MediaAsset(url: source), options: options).package(to: folder)
  }

  /// The sound of a package is that of its source. FFmpeg 5.1 gives out of fragments also the one frame of AAC before
  /// time zero, under negative times; 7.1 keeps it back. What lies behind the last sample's duration in its frame, which
  /// the source cuts off, all of them give.
  private func expect(_ sound: [Int16], equals truth: [Int16]) {
    let priming = sound.count - truth.count >= 1024 ? 1024 : 0
    #expect((0..<1024).contains(sound.count - priming - truth.count))
    #expect(Array(sound.dropFirst(priming).prefix(truth.count)) == truth)
  }

  /// What ffmpeg makes of a playlist.
  private func judge(_ url: URL) -> FFmpegJudge { FFmpegJudge(url, inputOptions: ["-allowed_extensions", "ALL"]) }

  /// Segment files of a playlist, checked: each begins with a sync sample; the sum of their durations is returned.
  private func check(_ playlist: URL) throws -> Double {
    let folder = playlist.deletingLastPathComponent()
    let lines = try String(contentsOf: playlist, encoding: .utf8).split(separator: "\n").map(String.init)
    let durations = lines.compactMap { $0.hasPrefix("#EXTINF:") ? Double($0.dropFirst(8).dropLast()) : nil }
    let target = lines.compactMap { $0.hasPrefix("#EXT-X-TARGETDURATION:") ? Int($0.dropFirst(22)) : nil }.first
    #expect(target == Int(try #require(durations.max()).rounded()))
    let files = lines.filter { !$0.hasPrefix("#") }
    #expect(files.count == durations.count)
    for file in files {
      let bytes = [UInt8](try Data(contentsOf: folder.appendingPathComponent(file)))
      let box = try #require(BoxSequence(bytes).first { $0.type == "moof" })
      let moof = Array(bytes[box.range])
      var run = try MovieFragment.parse(moof, at: 0, defaults: []).tracks[0].runs[0].samples(in: moof, from: 0)
      #expect(run.next()?.isSync == true)
    }
    return durations.reduce(0, +)
  }

  @Test func copied() async throws {
    let source = try await movieClip()
    try await withScratchFolder { folder in
      let place = folder.appendingPathComponent("p")
      let package = try await package(source, to: place)
      #expect(package.droppedTracks.isEmpty)
      #expect(
        contents(place) == [
          "audio-00001.m4s", "audio-00002.m4s", "audio-00003.m4s", "audio-init.mp4", "audio.m3u8", "master.m3u8",
          "video-00001.m4s", "video-00002.m4s", "video-00003.m4s", "video-iframes.m3u8", "video-init.mp4", "video.m3u8",
        ])
      let master = place.appendingPathComponent("master.m3u8")
      #expect(try await judge(master).frameHashes() == (try await FFmpegJudge(source).frameHashes()))
      expect(try await judge(master).samples16(), equals: try await FFmpegJudge(source).samples16())
      #expect(abs(try check(place.appendingPathComponent("video.m3u8")) - 3) < 1e-6)
      #expect(abs(try check(place.appendingPathComponent("audio.m3u8")) - 3) < 1e-6)
      let variant = try #require(package.masterPlaylist.variants.first)
      #expect(variant.codecs.count == 2 && variant.codecs[0].hasPrefix("avc1.") && variant.codecs[1] == "mp4a.40.2")
      #expect(variant.resolution == PixelSize(width: 96, height: 64))
      #expect(variant.frameDuration == MediaTime(value: 1, timescale: 25))
      // The bit rates are those of the files.
      let sizes = try contents(place).filter { $0.hasSuffix(".m4s") }.map {
        try Data(contentsOf: place.appendingPathComponent($0)).count
      }
      let average = variant.averageBandwidth
      #expect(abs(average - sizes.reduce(0, +) * 8 / 3) <= 2)
      #expect(variant.peakBandwidth >= average)
    }
  }

  /// A byte range of the playlist for fast playback holds a whole sync picture.
  @Test func iFrames() async throws {
    let source = try await movieClip()
    try await withScratchFolder { folder in
      let place = folder.appendingPathComponent("p")
      _ = try await package(source, to: place)
      let lines = try String(contentsOf: place.appendingPathComponent("video-iframes.m3u8"), encoding: .utf8)
        .split(separator: "\n").map(String.init)
      let truth = try await FFmpegJudge(source).frameHashes()
      let ranges = lines.indices.filter { lines[$0].hasPrefix("#EXT-X-BYTERANGE:") }
      #expect(ranges.count == 3)
      for (index, line) in ranges.enumerated() {
        let numbers = lines[line].dropFirst(17).split(separator: "@").compactMap { Int($0) }
        let bytes = try Data(contentsOf: place.appendingPathComponent(lines[line + 1]))
        let part = bytes[numbers[1]..<numbers[1] + numbers[0]]
        let url = folder.appendingPathComponent("\(index).mp4")
        try (Data(contentsOf: place.appendingPathComponent("video-init.mp4")) + part).write(to: url)
        // What the fragment's header lists behind the first picture is not there.
        let output = try await MediaTool("ffmpeg").check(
          ["-nostdin", "-v", "quiet", "-i", url.path, "-frames:v", "1", "-f", "framemd5", "pipe:1"])
        #expect(output.text.contains(truth[25 * index].hash))
      }
    }
  }

  @Test(arguments: [true, false]) func oneKind(_ hasPictures: Bool) async throws {
    let source = try await madeClip(
      hasPictures ? "silent.mkv" : "sound.m4a",
      hasPictures
        ? [
          "-f", "lavfi", "-i", "testsrc2=s=96x64:r=30000/1001:d=4", "-c:v", "libx264", "-g", "30", "-pix_fmt",
          "yuv420p",
        ]
        : ["-f", "lavfi", "-i", "sine=440:r=44100:d=4", "-c:a", "aac"])
    try await withScratchFolder { folder in
      let place = folder.appendingPathComponent("p")
      let package = try await package(source, to: place, seconds: 2)
      let master = place.appendingPathComponent("master.m3u8")
      #expect(package.masterPlaylist.audio.isEmpty)
      if hasPictures {
        #expect(
          try await judge(master).frameHashes().map(\.hash) == (try await FFmpegJudge(source).frameHashes().map(\.hash))
        )
        #expect(package.masterPlaylist.text.contains("FRAME-RATE=29.970"))
      } else {
        expect(try await judge(master).samples16(), equals: try await FFmpegJudge(source).samples16())
        #expect(package.masterPlaylist.variants[0].codecs == ["mp4a.40.2"])
        #expect(abs(try check(place.appendingPathComponent("audio.m3u8")) - 4) < 1e-6)
      }
    }
  }

  /// Subtitles go into every segment in whose time they are on show, under the same clock as the pictures.
  @Test func subtitles() async throws {
    let texts = [
      "1\n00:00:00,500 --> 00:00:01,250\nHello <i>there</i>\n\n2\n00:00:02,100 --> 00:00:02,900\na < b & c\n",
      "1\n00:00:00,200 --> 00:00:02,600\nHallo\n", "1\n00:00:01,000 --> 00:00:02,000\nSCHILD\n",
    ]
    let sources = texts.flatMap {
      ["-f", "srt", "-i", "data:text/plain;base64," + Data($0.utf8).base64EncodedString()]
    }
    let source = try await madeClip(
      "subtitled.mkv",
      ["-f", "lavfi", "-i", "testsrc2=s=96x64:r=25:d=3"] + sources + [
        "-map", "0", "-map", "1", "-map", "2", "-map", "3", "-c:v", "libx264", "-g", "25", "-pix_fmt", "yuv420p",
        "-c:s", "srt", "-metadata:s:s:0", "language=eng", "-metadata:s:s:1", "language=deu", "-metadata:s:s:1",
        "title=Deutsch", "-metadata:s:s:2", "language=deu", "-metadata:s:s:2", "title=Deutsch", "-disposition:s:0",
        "0", "-disposition:s:1", "default", "-disposition:s:2", "forced",
      ])
    try await withScratchFolder { folder in
      let place = folder.appendingPathComponent("p")
      let package = try await package(source, to: place)
      #expect(package.droppedTracks.isEmpty)
      let names = ["subtitles", "subtitles-2", "subtitles-3"]
      #expect(package.mediaPlaylists.map(\.name) == ["video"] + names)
      let master = try String(contentsOf: place.appendingPathComponent("master.m3u8"), encoding: .utf8)
      let media = master.split(separator: "\n").map(String.init)
        .filter { $0.hasPrefix("#EXT-X-MEDIA:TYPE=SUBTITLES") }
      let head = "#EXT-X-MEDIA:TYPE=SUBTITLES,GROUP-ID=\"subtitles\","
      #expect(
        media == [
          head + "NAME=\"en\",LANGUAGE=\"en\",DEFAULT=NO,AUTOSELECT=YES,FORCED=NO,URI=\"subtitles.m3u8\"",
          head + "NAME=\"Deutsch\",LANGUAGE=\"de\",DEFAULT=YES,AUTOSELECT=YES,FORCED=NO,URI=\"subtitles-2.m3u8\"",
          head + "NAME=\"Deutsch 3\",LANGUAGE=\"de\",DEFAULT=NO,AUTOSELECT=YES,FORCED=YES,URI=\"subtitles-3.m3u8\"",
        ])
      #expect(master.contains("SUBTITLES=\"subtitles\"\n"))
      // As many segments as the pictures have, as long as those.
      for name in names {
        let lines = try String(contentsOf: place.appendingPathComponent(name + ".m3u8"), encoding: .utf8)
          .split(separator: "\n").map(String.init)
        #expect(lines.filter { $0.hasPrefix("#EXTINF:") } == Array(repeating: "#EXTINF:1.000000,", count: 3))
        #expect(lines.filter { !$0.hasPrefix("#") } == (1...3).map { "\(name)-0000\($0).vtt" })
        #expect(!lines.contains { $0.hasPrefix("#EXT-X-MAP") } && lines.last == "#EXT-X-ENDLIST")
      }
      let first = try String(contentsOf: place.appendingPathComponent("subtitles-00001.vtt"), encoding: .utf8)
      #expect(
        first
          == "WEBVTT\nX-TIMESTAMP-MAP=LOCAL:00:00:00.000,MPEGTS:0\n\n"
          + "00:00:00.500 --> 00:00:01.250\nHello <i>there</i>\n\n")
      // ffprobe's times, in milliseconds: a cue is on show in each segment that it reaches into.
      let expected: [String: [[Int]]] = [
        "subtitles": [[500], [500], [2100]], "subtitles-2": [[200], [200], [200]], "subtitles-3": [[], [1000], []],
      ]
      for (name, times) in expected {
        for (index, starts) in times.enumerated() {
          let url = place.appendingPathComponent("\(name)-0000\(index + 1).vtt")
          let found = try await FFmpegJudge(url).packets(.index(0)).map(\.time)
          #expect(found == starts.map { ClipTime(Int64($0), 1000) }, "\(name) \(index)")
        }
      }
      #expect(try await judge(place.appendingPathComponent("master.m3u8")).frameHashes().count == 75)
      #expect(contents(place).allSatisfy { HLSFolder.isOurs($0) })
      // Again over what is there: nothing of the package before stays.
      _ = try await self.package(source, to: place, seconds: 2, overwrites: true)
      #expect(contents(place).filter { $0.hasSuffix(".vtt") }.count == 6)
      // Subtitles that are pictures are left out, and why is said.
      var bytes = Array(try Data(contentsOf: source))
      let name = Array("S_TEXT/UTF8".utf8)
      let spot = try #require(bytes.indices.first { bytes[$0...].starts(with: name) })
      bytes.replaceSubrange(spot..<spot + name.count, with: Array("S_VOBSUB\0\0\0".utf8))
      let other = try await HLSPackager(asset: MediaAsset(data: Data(bytes)))
        .package(to: folder.appendingPathComponent("q"))
      #expect(other.masterPlaylist.subtitles.count == 2)
      #expect(other.droppedTracks.map(\.reason) == ["its subtitles (dvd_subtitle) are pictures, not text"])
    }
  }

  /// What players don't take is encoded.
  @Test func encoded() async throws {
    let source = try await madeClip(
      "foreign.webm",
      [
        "-f", "lavfi", "-i", "testsrc2=s=96x64:r=25:d=3", "-f", "lavfi", "-i", "sine=440:r=48000:d=3", "-c:v", "libvpx",
        "-c:a", "libopus", "-shortest",
      ])
    try await withScratchFolder { folder in
      let place = folder.appendingPathComponent("p")
      let package = try await package(source, to: place)
      #expect(package.masterPlaylist.variants[0].codecs[0].hasPrefix("avc1."))
      #expect(package.masterPlaylist.variants[0].codecs[1] == "mp4a.40.2")
      let master = place.appendingPathComponent("master.m3u8")
      let times = try await judge(master).frameHashes().map(\.time)
      #expect(times == (try await FFmpegJudge(source).frameHashes().map(\.time)))
      #expect(times.count == 75)
      _ = try check(place.appendingPathComponent("video.m3u8"))
    }
  }

  /// Several sizes, cut at the same times.
  @Test func ladder() async throws {
    let source = try await madeClip(
      "tall.mp4",
      [
        "-f", "lavfi", "-i", "testsrc2=s=270x480:r=25:d=3", "-f", "lavfi", "-i", "sine=440:r=48000:d=3", "-c:v",
        "libx264",
        "-g", "250", "-pix_fmt", "yuv420p", "-c:a", "aac", "-shortest",
      ])
    try await withScratchFolder { folder in
      let place = folder.appendingPathComponent("p")
      let package = try await package(source, to: place, ladder: true)
      let sizes = package.masterPlaylist.variants.compactMap(\.resolution)
      #expect(
        sizes
          == [PixelSize(width: 270, height: 480), PixelSize(width: 134, height: 240)].prefix(sizes.count).map { $0 }
          && sizes.count == 2)
      let pictures = package.mediaPlaylists.filter { $0.name.hasPrefix("video") }.map(\.playlist)
      for playlist in pictures {
        #expect(playlist.segments.map(\.duration) == Array(repeating: MediaTime(value: 1, timescale: 1), count: 3))
      }
      for variant in package.masterPlaylist.variants {
        let frames = try await judge(place.appendingPathComponent(variant.uri)).frameHashes()
        #expect(frames.map(\.time) == (0..<75).map { ClipTime(Int64($0), 25) })
      }
      #expect(package.masterPlaylist.variants[0].peakBandwidth > package.masterPlaylist.variants[1].peakBandwidth)
    }
  }

  /// An existing folder stays as it is unless overwriting is asked for, and then only the package in it changes.
  @Test func existingFolders() async throws {
    let source = try await movieClip()
    try await withScratchFolder { folder in
      let place = folder.appendingPathComponent("p")
      try FileManager.default.createDirectory(at: place, withIntermediateDirectories: false)
      _ = try await package(source, to: place)
      #expect(contents(place).count == 12)
      try Data("mine".utf8).write(to: place.appendingPathComponent("video notes.txt"))
      let error = await #expect(throws: MediaError.self) { try await package(source, to: place) }
      #expect(error?.code == .fileAlreadyExists)
      // Longer segments are fewer files: those of the package before are gone.
      _ = try await package(source, to: place, seconds: 2, overwrites: true)
      #expect(contents(place).filter { $0.hasSuffix(".m4s") }.count == 4)
      #expect(contents(place).contains("video notes.txt"))
      #expect(contents(place).count == 11)
      #expect(contents(folder) == ["p"])
      let file = folder.appendingPathComponent("f")
      try Data().write(to: file)
      await #expect(throws: MediaError.self) { try await package(source, to: file, overwrites: true) }
      await #expect(throws: MediaError.self) { try await package(source, to: folder.appendingPathComponent("a/b")) }
      await #expect(throws: MediaError.self) { try await package(file, to: folder.appendingPathComponent("g")) }
      #expect(contents(folder) == ["f", "p"])
    }
  }

  /// Cancelled in the middle: promptly, and nothing is left.
  @Test(.timeLimit(.minutes(5))) func cancellation() async throws {
    let source = try await madeClip(
      "big.mp4",
      [
        "-f", "lavfi", "-i", "testsrc2=s=640x360:r=25:d=20", "-c:v", "libx264", "-preset", "ultrafast", "-pix_fmt",
        "yuv420p",
      ])
    try await withScratchFolder { folder in
      let place = folder.appendingPathComponent("p")
      let work = Task { try await package(source, to: place, ladder: true) }
      while contents(folder).isEmpty { try await Task.sleep(for: .milliseconds(20)) }
      try await Task.sleep(for: .milliseconds(500))
      let begin = ContinuousClock.now
      work.cancel()
      await #expect(throws: CancellationError.self) { _ = try await work.value }
      #expect(ContinuousClock.now - begin < .within(.milliseconds(1000)))
      #expect(contents(folder).isEmpty)
    }
  }

  /// Pictures that an edit list cuts between sync samples are encoded: browsers would not hide what comes before.
  @Test func cutBetweenSyncSamples() async throws {
    let source = try await movieClip()
    try await withScratchFolder { folder in
      let cut = folder.appendingPathComponent("cut.mp4")
      try await remux(source, to: cut, .mp4, start: MediaTime(value: 1, timescale: 2))
      let place = folder.appendingPathComponent("p")
      let package = try await package(cut, to: place)
      let master = place.appendingPathComponent("master.m3u8")
      let own = try await judge(master).luma()
      #expect(own.first?.time == ClipTime(0, 1))
      #expect(own.count == (try await PresentedPicture.read(cut).count))
      let pictures = try #require(package.mediaPlaylists.first { $0.name == "video" }).playlist
      #expect(pictures.duration == MediaTime(value: 5, timescale: 2))
    }
  }

  /// A full disk: a typed error, and nothing is left.
  @Test(.enabled(if: TinyVolume.isAvailable)) func fullDisk() async throws {
    let source = try await movieClip()
    try await TinyVolume.with(kilobytes: 24) { folder in
      let error = await #expect(throws: MediaError.self) {
        try await package(source, to: folder.appendingPathComponent("p"))
      }
      #expect(error?.code == .writeFailed)
      #expect(contents(folder).isEmpty)
    }
  }
}
