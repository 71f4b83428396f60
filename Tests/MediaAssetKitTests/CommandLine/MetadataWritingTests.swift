import Foundation
import MediaTestSupport
import Testing

/// `metadata --set` and `chapters --from-file` on files that FFmpeg made, judged by ffprobe: what was said is there, and
/// every sample is what it was.
@Suite("Metadata written") struct MetadataWritingTests {
  /// Ten seconds of sound, some with pictures.
  static let containers: [(name: String, options: [String])] = [
    ("a.m4a", ["-c:a", "aac"]), ("a.mp4", picture + ["-c:a", "aac"]),
    ("fast.mp4", picture + ["-c:a", "aac", "-movflags", "+faststart"]),
    ("fragments.mp4", picture + ["-c:a", "aac", "-movflags", "frag_keyframe+empty_moov"]),
    ("a.mov", picture + ["-c:a", "aac"]), ("fast.mov", picture + ["-c:a", "aac", "-movflags", "+faststart"]),
    ("a.3gp", picture + ["-c:a", "aac"]), ("a.mp3", []), ("short.mp3", ["-id3v2_version", "3", "-write_id3v1", "1"]),
    ("a.flac", []), ("a.ogg", ["-c:a", "libvorbis"]), ("a.opus", ["-c:a", "libopus"]), ("a.oga", ["-c:a", "flac"]),
    ("a.wav", []), ("a.aiff", ["-write_id3v2", "1"]), ("a.avi", picture + ["-c:a", "mp3"]),
    ("a.mkv", picture + ["-c:a", "flac"]), ("a.webm", ["-c:a", "libopus"]),
  ]
  private static let picture = ["-f", "lavfi", "-i", "testsrc2=size=160x120:rate=25:d=10", "-c:v", "mpeg4"]
  static let names = containers.map(\.name)
  private static let movies = ["a.m4a", "a.mp4", "fast.mp4", "a.mov", "fast.mov"]

  static func source(_ name: String) async throws -> URL {
    let options = containers.first { $0.name == name }?.options ?? []
    let folder = try await FixtureCache.shared.folder(named: "writing-\(name)", ingredients: [name] + options) {
      folder in
      // Inputs come first.
      let inputs = options.starts(with: ["-f"]) ? Array(options.prefix(4)) : []
      try await MediaTool("ffmpeg").check(
        ["-nostdin", "-v", "error", "-f", "lavfi", "-i", "sine=440:r=48000:d=10"] + inputs
          + options.dropFirst(inputs.count) + ["-metadata", "title=Old", "-metadata", "album=Album"]
          + [folder.appendingPathComponent(name).path])
    }
    return folder.appendingPathComponent(name)
  }

  /// Hashes of all samples that are no cover.
  static func media(_ url: URL) async throws -> [String] {
    try await MediaTool("ffmpeg").check([
      "-nostdin", "-v", "error", "-i", url.path, "-map", "0:V?", "-map", "0:a?", "-c", "copy", "-f", "streamhash",
      "-hash", "md5", "-",
    ]).lines.map { String($0.drop { $0 != "," }) }.sorted()
  }

  /// FFmpeg's tags of the file and its streams, by their names in lower case.
  private static func tags(_ url: URL) async throws -> [String: String] {
    let output = try await MediaTool("ffprobe").check([
      "-v", "error", "-show_entries", "format_tags:stream_tags", "-of", "json", url.path,
    ])
    let json = try JSONValue(parsing: Data(output.standardOutput))
    var found: [String: String] = [:]
    for holder in (json["streams"]?.elements ?? []) + [json["format"]].compactMap({ $0 }) {
      guard case .object(let members)? = holder["tags"] else { continue }
      for (key, value) in members { found[key.lowercased()] = value.text }
    }
    return found
  }

  /// Of one key that is set several times the last value counts, whatever the container could hold.
  @Test(arguments: names) func lastValueCounts(name: String) async throws {
    let source = try await Self.source(name)
    try await MediaKitCommand.withFolder { folder in
      let target = folder.appendingPathComponent(name)
      try await MediaKitCommand.check([
        "metadata", source.path, "--set", "title=one", "--set", "artist=One", "--set", "title=two", "--set",
        "artist=Two", "-o", target.path,
      ])
      #expect(Set(try await Self.own(target, "common/title")) == ["two"])
      #expect(Set(try await Self.own(target, "common/artist")) == ["Two"])
      // FFmpeg reads none of the boxes of 3GPP.
      if name == "a.3gp" { return }
      let tags = try await Self.tags(target)
      #expect(tags["title"] == "two", "\(tags)")
      #expect(tags["artist"] ?? tags["com.apple.quicktime.artist"] == "Two", "\(tags)")
    }
  }

  private static func own(_ url: URL, _ identifier: String) async throws -> [String?] {
    let output = try await MediaKitCommand.check(["metadata", url.path, "--json"])
    return try JSONValue(parsing: Data(output.standardOutput)).elements
      .filter { $0["identifier"]?.text == identifier }.map { $0["value"]?.text }
  }

  // MARK: - Metadata

  @Test(arguments: names) func commonKeys(name: String) async throws {
    let source = try await Self.source(name)
    try await MediaKitCommand.withFolder { folder in
      let result = folder.appendingPathComponent(name)
      try await MediaKitCommand.check([
        "metadata", source.path, "--set", "title=Tïtle 🎬 שלום", "--set", "artist=Me", "--set", "genre=Jazz",
        "--remove", "album", "-o", result.path,
      ])
      #expect(try await Self.media(result) == Self.media(source))
      for (key, value) in [("title", "Tïtle 🎬 שלום"), ("artist", "Me"), ("type", "Jazz")] {
        let found = Set(try await Self.own(result, "common/\(key)"))
        #expect(found == [value], "\(key) in \(name)")
      }
      #expect(try await Self.own(result, "common/albumName").isEmpty)
      // FFmpeg does not read the texts of 3GPP that it writes.
      if name != "a.3gp" {
        let tags = try await Self.tags(result)
        #expect(tags["title"] == "Tïtle 🎬 שלום")
        #expect(tags["artist"] == "Me" || tags["com.apple.quicktime.artist"] == "Me")
        #expect(tags["album"] == nil)
      }
      #expect(try MediaKitCommand.names(in: folder) == [name])
    }
  }

  @Test(arguments: names) func awkwardTexts(name: String) async throws {
    let source = try await Self.source(name)
    let texts = ["two\nlines", String(repeating: "é", count: 32_768), ""]
    try await MediaKitCommand.withFolder { folder in
      for (index, text) in texts.enumerated() {
        // FFmpeg writes no empty tags into the containers that it makes anew.
        if text.isEmpty, name.hasSuffix("mkv") || name.hasSuffix("webm") { continue }
        // User data of QuickTime counts its bytes in 16 bits.
        if text.utf8.count > 65_535, name.hasSuffix("mov") {
          let output = try await MediaKitCommand.run([
            "metadata", source.path, "--set", "udta/%A9nam=\(text)", "-o", folder.appendingPathComponent("no").path,
          ])
          #expect(output.status == 1 && output.errorText.contains("65535"))
          continue
        }
        let result = folder.appendingPathComponent("\(index)-\(name)")
        try await MediaKitCommand.check(["metadata", source.path, "--set", "title=\(text)", "-o", result.path])
        #expect(Set(try await Self.own(result, "common/title")) == [text], "\(index) in \(name)")
        #expect(try await Self.media(result) == Self.media(source))
      }
    }
  }

  /// Keys of the containers' own, by identifier, and what other key spaces mean by theirs.
  @Test(
    arguments: [
      ("a.m4a", ["itsk/trkn=3/12", "itsk/tmpo=120", "itlk/com.apple.iTunes.ISRC=DE1", "mdta/com.example.x=y"], []),
      ("a.mov", ["mdta/com.apple.quicktime.location.ISO6709=+48.8577+002.2950/", "udta/%A9mak=Cam"], []),
      ("a.mp3", ["id3/TBPM=120", "id3/COMM=Text", "id3/TXXX:mood=calm", "id3/WOAR=https://example.com"], []),
      ("a.flac", ["vorb/REPLAYGAIN_TRACK_GAIN=-1 dB"], []), ("a.wav", ["riff/ICMT=Text"], []),
      ("a.3gp", ["uiso/titl=T", "uiso/loci=+48.8577+002.2950/"], []),
      ("a.m4a", ["id3/TPE2=Band"], ["itsk/aART=Band"]), ("a.mp3", ["vorb/ALBUMARTIST=Band"], ["id3/TPE2=Band"]),
      ("a.opus", ["itsk/trkn=3"], ["vorb/TRACKNUMBER=3"]),
    ] as [(String, [String], [String])])
  func nativeKeys(name: String, pairs: [String], expected: [String]) async throws {
    let source = try await Self.source(name)
    try await MediaKitCommand.withFolder { folder in
      let result = folder.appendingPathComponent(name)
      let output = try await MediaKitCommand.check(
        ["metadata", source.path] + pairs.flatMap { ["--set", $0] } + ["-o", result.path])
      #expect(output.errorText.isEmpty)
      let json = try JSONValue(
        parsing: Data(try await MediaKitCommand.check(["metadata", result.path, "--json"]).standardOutput))
      for pair in expected.isEmpty ? pairs : expected {
        let parts = pair.split(separator: "=", maxSplits: 1).map(String.init)
        let key = parts[0].split(separator: ":").map(String.init)[0]
        let values = json.elements.filter { $0["identifier"]?.text == key }.map { item in
          item["value"]?.text ?? item["value"]?.integer.map { String($0) } ?? ""
        }
        // Places have a form of their own.
        #expect(
          values.contains { $0 == parts[1] || key == "uiso/loci" && $0.hasPrefix("+48.8577+002.2950") }, "\(pair)")
      }
      #expect(try await Self.media(result) == Self.media(source))
    }
  }

  @Test func lossesAreTold() async throws {
    let source = try await Self.source("a.mp3")
    try await MediaKitCommand.withFolder { folder in
      let output = try await MediaKitCommand.check([
        "metadata", source.path, "--set", "make=Cam", "--set", "title=T", "-o",
        folder.appendingPathComponent("b.mp3").path,
      ])
      #expect(output.errorText.contains("warning: common/make"))
    }
  }

  @Test(arguments: ["a.m4a", "fast.mp4", "a.mov", "a.mp3", "a.opus", "a.oga", "a.wav", "a.flac"])
  func largeArtwork(name: String) async throws {
    let source = try await Self.source(name)
    try await MediaKitCommand.withFolder { folder in
      // A JPEG of 5 MB: noise behind the picture's end changes nothing of it.
      let cover = folder.appendingPathComponent("cover.jpg")
      try await MediaTool("ffmpeg").check([
        "-nostdin", "-v", "error", "-f", "lavfi", "-i", "testsrc2=size=300x300", "-frames:v", "1", cover.path,
      ])
      var bytes = try Data(contentsOf: cover)
      bytes.append(Data((0..<5_000_000).map { UInt8(truncatingIfNeeded: $0 &* 2_654_435_761 >> 13) }))
      try bytes.write(to: cover)
      let result = folder.appendingPathComponent(name)
      try await MediaKitCommand.check(["metadata", source.path, "--set", "artwork=@\(cover.path)", "-o", result.path])
      #expect(try await Self.media(result) == Self.media(source))
      let output = try await MediaKitCommand.check(["metadata", result.path, "--json", "--with-data"])
      let items = try JSONValue(parsing: Data(output.standardOutput)).elements
      let item = try #require(items.first { $0["identifier"]?.text == "common/artwork" })
      #expect(item["value"]?["mime"]?.text == "image/jpeg")
      #expect(item["value"]?["base64"]?.text == bytes.base64EncodedString())
      // FFmpeg sees a cover.
      let probe = try await MediaTool("ffprobe").check([
        "-v", "error", "-show_entries", "stream=codec_name:stream_disposition=attached_pic", "-of", "csv=p=0",
        result.path,
      ])
      #expect(probe.lines.contains { $0.hasPrefix("mjpeg,1") })
    }
  }

  /// An existing file is replaced only where that is asked for, the source itself too.
  @Test func overwriting() async throws {
    let source = try await Self.source("fast.mp4")
    try await MediaKitCommand.withFolder { folder in
      let file = folder.appendingPathComponent("a.mp4")
      try FileManager.default.copyItem(at: source, to: file)
      let before = try Data(contentsOf: file)
      let refused = try await MediaKitCommand.run(["metadata", file.path, "--set", "title=T", "-o", file.path])
      #expect(refused.status == 1 && !refused.errorText.isEmpty)
      #expect(try Data(contentsOf: file) == before)
      try await MediaKitCommand.check(["metadata", file.path, "--set", "title=T", "-o", file.path, "--overwrite"])
      #expect(try await Self.own(file, "common/title") == ["T"])
      #expect(try await Self.media(file) == Self.media(source))
      #expect(try MediaKitCommand.names(in: folder) == ["a.mp4"])
    }
  }

  /// The `mdat` box and its place: the same bytes; nothing but the header's offsets follows it.
  @Test(arguments: ["a.mp4", "fast.mp4", "fragments.mp4", "fast.mov"]) func mediaBoxes(name: String) async throws {
    let source = try await Self.source(name)
    try await MediaKitCommand.withFolder { folder in
      let result = folder.appendingPathComponent(name)
      try await MediaKitCommand.check([
        "metadata", source.path, "--set", "title=" + String(repeating: "x", count: 3000), "-o", result.path,
      ])
      func boxes(_ url: URL) throws -> [Data] {
        let bytes = try Data(contentsOf: url)
        var found: [Data] = []
        var position = 0
        while position + 8 <= bytes.count {
          let size = bytes[position..<position + 4].reduce(0) { $0 << 8 | Int($1) }
          guard size >= 8, position + size <= bytes.count else { break }
          if bytes[position + 4..<position + 8].elementsEqual("mdat".utf8) {
            found.append(bytes.subdata(in: position..<position + size))
          }
          position += size
        }
        return found
      }
      #expect(try boxes(result) == boxes(source))
      #expect(try boxes(source).isEmpty == false)
    }
  }

  // MARK: - Chapters

  private static func write(_ chapters: String, in folder: URL) throws -> String {
    let file = folder.appendingPathComponent("chapters.json")
    try Data(chapters.utf8).write(to: file)
    return file.path
  }

  private static func probe(_ url: URL) async throws -> [String] {
    try await MediaTool("ffprobe").check([
      "-v", "error", "-show_entries", "chapter=start_time,end_time:chapter_tags=title", "-of", "csv=p=0", url.path,
    ]).lines
  }

  private static func lines(_ url: URL, _ language: String? = nil) async throws -> [String] {
    try await MediaKitCommand.check(["chapters", url.path] + (language.map { ["--language", $0] } ?? [])).lines
  }

  @Test(arguments: names.filter { !["a.aiff", "a.avi", "a.3gp"].contains($0) }) func chapters(name: String) async throws
  {
    let source = try await Self.source(name)
    try await MediaKitCommand.withFolder { folder in
      let json = try Self.write(
        """
        [{"start": "1/2", "duration": "1/2", "title": "One", "language": "eng"},
         {"start": "1/1", "duration": 2, "title": "Thr=ee ü 🎬", "language": "eng"},
         {"start": "00:00:03", "duration": "6.5", "title": "Last", "language": "eng"}]
        """, in: folder)
      let result = folder.appendingPathComponent(name)
      try await MediaKitCommand.check(["chapters", source.path, "--from-file", json, "-o", result.path])
      #expect(try await Self.media(result) == Self.media(source))
      // Nero's list and Vorbis comments have no ends: the last one is the asset's.
      let hasEnds = !["fragments.mp4", "a.flac", "a.ogg", "a.opus", "a.oga"].contains(name)
      let found = try await Self.lines(result)
      #expect(found.prefix(2) == ["1/2 1/2 One", "1/1 2/1 Thr=ee ü 🎬"])
      #expect(found.count == 3 && found[2].hasSuffix(" Last") && (!hasEnds || found[2] == "3/1 13/2 Last"))
      let probed = try await Self.probe(result)
      #expect(probed.count == 3 && probed[0] == "0.500000,1.000000,One")
      #expect(probed.count == 3 && probed[1] == "1.000000,3.000000,Thr=ee ü 🎬" && probed[2].hasPrefix("3.000000,"))
      // An empty array takes them away again.
      let none = folder.appendingPathComponent("none-" + name)
      try await MediaKitCommand.check([
        "chapters", result.path, "--from-file", try Self.write("[]", in: folder), "-o", none.path,
      ])
      #expect(try await Self.lines(none).isEmpty)
      #expect(try await Self.probe(none).isEmpty)
      #expect(try await Self.media(none) == Self.media(source))
    }
  }

  @Test(arguments: movies) func languages(name: String) async throws {
    let source = try await Self.source(name)
    let languages = ["eng", "deu", "fra", "spa", "ita", "por", "jpn", "kor", "zho", "ara"]
    let chapters = languages.flatMap { language in
      (0..<3).map { index in
        #"{"start": "\#(index * 3)", "duration": "3", "title": "\#(language) \#(index)", "language": "\#(language)"}"#
      }
    }
    try await MediaKitCommand.withFolder { folder in
      let result = folder.appendingPathComponent(name)
      let json = try Self.write("[" + chapters.joined(separator: ",") + "]", in: folder)
      let output = try await MediaKitCommand.check(["chapters", source.path, "--from-file", json, "-o", result.path])
      #expect(output.errorText.isEmpty)
      for language in languages {
        #expect(
          try await Self.lines(result, language) == (0..<3).map { "\($0 * 3)/1 3/1 \(language) \($0)" })
      }
      #expect(try await Self.media(result) == Self.media(source))
      let tracks = try await MediaKitCommand.check(["info", result.path, "--json"])
      // They are no tracks of their own.
      #expect(
        try JSONValue(parsing: Data(tracks.standardOutput))["tracks"]?.elements.allSatisfy {
          $0["mediaType"]?.text != "text"
        } == true)
    }
  }

  @Test(arguments: ["a.m4a", "fast.mov", "a.mp3", "a.flac", "a.opus", "a.mkv"]) func manyChapters(name: String)
    async throws
  {
    let source = try await Self.source(name)
    let chapters = (0..<2000).map { #"{"start": "\#($0 * 5)/1000", "duration": "5/1000", "title": "c\#($0)"}"# }
    try await MediaKitCommand.withFolder { folder in
      let result = folder.appendingPathComponent(name)
      let json = try Self.write("[" + chapters.joined(separator: ",") + "]", in: folder)
      try await MediaKitCommand.check(["chapters", source.path, "--from-file", json, "-o", result.path])
      let found = try await Self.lines(result)
      #expect(found.count == 2000 && found.first == "0/1 1/200 c0" && found.last?.hasPrefix("1999/200 ") == true)
      #expect(found.last?.hasSuffix(" c1999") == true)
      // FFmpeg reads three digits of the number of a chapter in Vorbis comments.
      #expect(try await Self.probe(result).count == (["a.flac", "a.opus"].contains(name) ? 999 : 2000))
      #expect(try await Self.media(result) == Self.media(source))
    }
  }

  @Test(arguments: [
    #"[{"start": "0", "duration": "2", "title": "a"}, {"start": "1", "duration": "2", "title": "b"}]"#,
    #"[{"start": "-1", "duration": "2", "title": "a"}]"#, #"[{"start": "9", "duration": "5", "title": "a"}]"#,
    #"[{"start": "3", "duration": "-1", "title": "a"}]"#, #"[{"start": "x", "duration": "1"}]"#, #"[{"title": "a"}]"#,
    #"{"start": "0"}"#, "no JSON", "", #"[{"start": "0", "duration": "1", "title": "a\u0000b"}]"#,
  ])
  func chaptersThatCannotBe(text: String) async throws {
    let source = try await Self.source("a.m4a")
    try await MediaKitCommand.withFolder { folder in
      let json = try Self.write(text, in: folder)
      let output = try await MediaKitCommand.run([
        "chapters", source.path, "--from-file", json, "-o", folder.appendingPathComponent("b.m4a").path,
      ])
      #expect(output.status == 1 && output.errorText.split(separator: "\n").count == 1, "\(output.errorText)")
      #expect(try MediaKitCommand.names(in: folder) == ["chapters.json"])
    }
  }
}
