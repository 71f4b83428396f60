import Foundation
import MediaTestSupport
import Testing

/// mutagen, an independent reader of tags, where this machine has it (`pip install mutagen`).
private enum Mutagen {
  static let script = """
    import json, sys, mutagen
    file = mutagen.File(sys.argv[1])
    tags = file.tags
    found = {"length": round(file.info.length), "pictures": 0, "chapters": []}
    for name, keys in {"title": ["\\u00a9nam", "TIT2", "title"], "artist": ["\\u00a9ART", "TPE1", "artist"]}.items():
      for key in keys:
        try: value = tags[key]
        except (KeyError, ValueError): continue
        found[name] = str(value[0] if isinstance(value, list) else value)
    names = [str(key) for key in tags.keys()]
    found["pictures"] = len(getattr(file, "pictures", [])) + sum(
      key == "covr" or key.startswith("APIC") or key == "metadata_block_picture" for key in names)
    if getattr(file, "chapters", None):
      found["chapters"] = [[chapter.start, chapter.title] for chapter in file.chapters]
    elif any(key.startswith("CHAP:") for key in names):
      chapters = sorted(tags.getall("CHAP"), key=lambda chapter: chapter.start_time)
      found["chapters"] = [
    [chapter.start_time / 1000, str(chapter.sub_frames["TIT2"]) if "TIT2" in chapter.sub_frames else ""]
    for chapter in chapters]
    print(json.dumps(found))
    """

  static let isInstalled: Bool = {
    let process = Process()
    process.executableURL = URL(fileURLWithPath: "/usr/bin/env")
    process.arguments = ["python3", "-c", "import mutagen"]
    process.standardError = FileHandle.nullDevice
    guard (try? process.run()) != nil else { return false }
    process.waitUntilExit()
    return process.terminationStatus == 0
  }()

  static func read(_ url: URL) async throws -> JSONValue {
    try JSONValue(
      parsing: Data(try await MediaTool("python3").check(["-c", script, url.path]).standardOutput))
  }
}

@Suite("What mutagen reads", .enabled(if: Mutagen.isInstalled)) struct MutagenTests {
  @Test(arguments: ["a.m4a", "fast.mp4", "a.mp3", "short.mp3", "a.flac", "a.ogg", "a.opus", "a.oga", "a.wav", "a.aiff"])
  func tags(name: String) async throws {
    let source = try await MetadataWritingTests.source(name)
    let cover = try await AcceptanceCase.file("S1", "cov.png").path
    try await MediaKitCommand.withFolder { folder in
      let result = folder.appendingPathComponent(name)
      // WAV keeps its texts in RIFF's own list, which mutagen does not read.
      let prefix = name.hasSuffix("wav") ? ["id3/TIT2", "id3/TPE1"] : ["title", "artist"]
      try await MediaKitCommand.check([
        "metadata", source.path, "--set", "\(prefix[0])=Tïtle 🎬\nשלום", "--set", "\(prefix[1])=Me", "--set",
        "artwork=@\(cover)", "-o", result.path,
      ])
      let found = try await Mutagen.read(result)
      #expect(found["title"]?.text == "Tïtle 🎬\nשלום" && found["artist"]?.text == "Me")
      #expect(found["pictures"]?.integer == 1 && found["length"]?.integer == 10)
    }
  }

  @Test(arguments: ["a.m4a", "a.mp3"]) func chapters(name: String) async throws {
    let source = try await MetadataWritingTests.source(name)
    try await MediaKitCommand.withFolder { folder in
      let json = folder.appendingPathComponent("chapters.json")
      try Data(
        #"[{"start": "1/2", "duration": "1", "title": "Öne"}, {"start": "3/2", "duration": "2", "title": ""}]"#.utf8
      )
      .write(to: json)
      let result = folder.appendingPathComponent(name)
      try await MediaKitCommand.check(["chapters", source.path, "--from-file", json.path, "-o", result.path])
      let chapters = try #require(try await Mutagen.read(result)["chapters"]?.elements)
      #expect(chapters.map { $0.elements.last?.text } == ["Öne", ""])
    }
  }
}
