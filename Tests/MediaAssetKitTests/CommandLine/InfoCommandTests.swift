import Foundation
import MediaTestSupport
import Testing

@Suite struct InfoCommandTests {
  private func info(_ file: URL, _ options: String...) async throws -> (
    json: JSONValue, text: String
  ) {
    let output = try await MediaKitCommand.check(["info", file.path, "--json"] + options)
    return (try JSONValue(parsing: Data(output.standardOutput)), output.text)
  }

  private func keys(_ value: JSONValue?) -> Set<String> {
    if case .object(let members)? = value { Set(members.keys) } else { [] }
  }

  /// The keys that others rely on, and their order.
  @Test func keysOfVideo() async throws {
    let (json, text) = try await info(try await GeneratedClip.make(.h264ClosedGroups).url)
    #expect(
      keys(json) == [
        "url", "container", "fileType", "size", "duration", "metadata", "chapters", "selection", "tracks",
      ])
    #expect(keys(json["duration"]) == ["value", "seconds", "quality"])
    let track = try #require(json["tracks"]?.elements.first)
    #expect(
      keys(track) == [
        "id", "mediaType", "codec", "fourcc", "codecString", "isEnabled", "isDecodable", "language",
        "extendedLanguage", "bitRate", "timeRange", "sampleCount", "naturalTimeScale",
        "characteristics", "alternateGroup", "program", "segments", "video", "timecode", "audio",
      ])
    #expect(
      keys(track["video"]) == [
        "encodedSize", "cleanSize", "naturalSize", "displaySize", "sampleAspectRatio", "rotation",
        "matrix", "frameRate", "minFrameDuration", "pixelFormat", "bitDepth", "fieldOrder",
        "colour",
        "hdr", "hasAlpha",
      ])
    #expect(keys(track["video"]?["colour"]) == ["primaries", "transfer", "matrix", "range"])
    let order = [
      "url", "container", "fileType", "size", "duration", "metadata", "chapters", "selection", "tracks", "id",
      "mediaType", "codec",
    ]
    let places = order.map { text.range(of: "\"\($0)\":")?.lowerBound }
    #expect(places == places.compactMap(\.self).sorted().map { $0 })
  }

  @Test func valuesOfVideo() async throws {
    let clip = try await GeneratedClip.make(.h264ClosedGroups)
    let (json, _) = try await info(clip.url)
    #expect(json["url"]?.text == clip.url.path)
    #expect(json["container"]?.text == "mp4")
    #expect(json["fileType"]?.text == "public.mpeg-4")
    #expect(json["size"]?.integer == (try Data(contentsOf: clip.url)).count)
    #expect(json["duration"]?["value"]?.text == "4/1")
    #expect(json["duration"]?["seconds"] == .number(4))
    #expect(json["duration"]?["quality"]?.text == "exact")
    let track = try #require(json["tracks"]?.elements.first)
    #expect(track["mediaType"]?.text == "vide")
    #expect(track["codec"]?.text == "h264")
    #expect(track["fourcc"]?.text == "avc1")
    #expect(track["isEnabled"] == .bool(true))
    #expect(track["sampleCount"] == .number(100))
    #expect(track["language"] == .null)
    #expect(track["audio"] == .null)
    #expect(track["timecode"] == .null)
    #expect(track["timeRange"]?["start"]?.text == "0/1")
    #expect(track["timeRange"]?["duration"]?.text == "4/1")
    let video = try #require(track["video"])
    #expect(video["encodedSize"] == .array([.number(64), .number(48)]))
    #expect(video["displaySize"] == .array([.number(64), .number(48)]))
    #expect(video["sampleAspectRatio"]?.text == "1/1")
    #expect(video["rotation"] == .number(0))
    #expect(video["matrix"] == .array([1, 0, 0, 1, 0, 0].map(JSONValue.number)))
    #expect(video["frameRate"]?.text == "25/1")
    #expect(video["minFrameDuration"]?.text == "1/25")
    #expect(video["pixelFormat"]?.text == "yuv420p")
    #expect(video["hdr"] == .null)
  }

  @Test func segments() async throws {
    let (json, _) = try await info(try await GeneratedClip.make(.severalEdits).url)
    let segments = try #require(json["tracks"]?.elements.first?["segments"]?.elements)
    #expect(segments.count == 3)
    #expect(segments.first?["source"] == .null)
    #expect(
      segments.map { $0["target"]?["start"]?.text } == ["0/1", "1/5", "4/5"])
    #expect(segments.map { $0["target"]?["duration"]?.text } == ["1/5", "3/5", "2/5"])
  }

  @Test func timecodeAndLanguage() async throws {
    try await MediaKitCommand.withFolder { folder in
      let file = folder.appendingPathComponent("t.mov")
      try await MediaTool("ffmpeg").check([
        "-nostdin", "-v", "error", "-f", "lavfi", "-i", "color=s=64x48:r=30000/1001:d=1", "-f",
        "lavfi",
        "-i", "anullsrc=r=48000:cl=stereo,atrim=duration=1", "-c:v", "mpeg4", "-c:a", "pcm_s16le",
        "-metadata:s:a", "language=ger", "-timecode", "01:00:00;02", file.path,
      ])
      let (json, _) = try await info(file)
      #expect(json["container"]?.text == "mov")
      let tracks = try #require(json["tracks"]?.elements)
      let timecode = try #require(tracks.first { $0["mediaType"]?.text == "tmcd" }?["timecode"])
      #expect(timecode["start"]?.text == "01:00:00;02")
      #expect(timecode["frameRate"]?.text == "30000/1001")
      #expect(timecode["dropFrame"] == .bool(true))
      let sound = try #require(tracks.first { $0["mediaType"]?.text == "soun" })
      #expect(sound["language"]?.text == "deu")
      #expect(sound["video"] == .null)
      #expect(sound["audio"]?["sampleRate"] == .number(48_000))
      #expect(sound["audio"]?["channels"] == .number(2))
      #expect(sound["audio"]?["sampleFormat"]?.text == "s16")
      #expect(sound["bitRate"] == .number(1_536_000))
    }
  }

  @Test func text() async throws {
    let clip = try await GeneratedClip.make(.h264ClosedGroups)
    let output = try await MediaKitCommand.check(["info", clip.url.path])
    #expect(output.lines.first == clip.url.path)
    #expect(output.text.contains("mp4 (public.mpeg-4)"))
    #expect(output.text.contains("00:00:04.000 (4/1 s), exact"))
    #expect(output.text.contains("track 1: video"))
    #expect(output.text.contains("h264, avc1, avc1."))
  }
}
