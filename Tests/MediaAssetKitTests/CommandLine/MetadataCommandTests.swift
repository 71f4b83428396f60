import Foundation
import MediaTestSupport
import Testing

@Suite struct MetadataCommandTests {
  private func json(_ arguments: [String]) async throws -> JSONValue {
    try JSONValue(parsing: Data(try await MediaKitCommand.check(arguments).standardOutput))
  }

  private func keys(_ value: JSONValue?) -> Set<String> {
    if case .object(let members)? = value { Set(members.keys) } else { [] }
  }

  @Test func items() async throws {
    let file = try await AcceptanceCase.file("M1", "m1.mov").path
    let items = try await json(["metadata", file, "--json"]).elements
    let first = try #require(items.first)
    #expect(
      keys(first) == ["identifier", "keySpace", "key", "commonKey", "value", "language", "dataType", "extra"])
    // Native items first.
    let spaces = items.compactMap { $0["keySpace"]?.text }
    #expect(spaces.firstIndex(of: "comn").map { start in spaces[start...].allSatisfy { $0 == "comn" } } == true)
    let date = try #require(items.first { $0["key"]?.text == "com.apple.quicktime.creationdate" })
    #expect(date["value"]?.text == "2022-11-09T20:36:38+03:00")
    #expect(date["commonKey"]?.text == "creationDate" && date["language"] == .null)
    #expect(date["dataType"]?.text == "com.apple.metadata.datatype.UTF-8")
    let common = items.filter { $0["identifier"]?.text == "common/creationDate" }.map { $0["value"]?.text }
    #expect(common == ["2022-11-09T20:36:38+03:00", "2022-11-09T17:36:38Z"])
    let keyed = try await json(["metadata", file, "--json", "--format", "com.apple.quicktime.mdta"]).elements
    #expect(!keyed.isEmpty && keyed.allSatisfy { $0["keySpace"]?.text == "mdta" })
    let text = try await MediaKitCommand.check(["metadata", file, "--format", "common"])
    #expect(text.lines.contains { $0.hasPrefix("common/make") && $0.hasSuffix("ExampleCam") })
  }

  @Test func binaryValues() async throws {
    let folder = try await AcceptanceCase.make("S1")
    let file = folder.appendingPathComponent("s1.mp3").path
    let bytes = try Data(contentsOf: folder.appendingPathComponent("cov.png"))
    let items = try await json(["metadata", file, "--json", "--format", "org.id3"]).elements
    let picture = try #require(items.first { $0["key"]?.text == "APIC" })
    #expect(keys(picture["value"]) == ["mime", "bytes"])
    #expect(picture["value"]?["mime"]?.text == "image/png")
    #expect(picture["value"]?["bytes"]?.integer == bytes.count)
    #expect(picture["extra"]?["pictureType"]?.text == "Cover (front)")
    let whole = try await json(["metadata", file, "--json", "--with-data"]).elements
    #expect(
      whole.first { $0["key"]?.text == "APIC" }?["value"]?["base64"]?.text == bytes.base64EncodedString())
  }

  @Test func chapters() async throws {
    let file = try await AcceptanceCase.file("M3", "m3.mkv").path
    let chapters = try await json(["chapters", file, "--json"]).elements
    #expect(
      chapters.map { keys($0) } == [Set](repeating: ["start", "duration", "title", "language", "hasArtwork"], count: 3))
    #expect(chapters.map { $0["start"]?.text } == ["1/2", "1/1", "3/1"])
    #expect(chapters.map { $0["duration"]?.text } == ["1/2", "2/1", "1/1"])
    #expect(chapters.map { $0["title"]?.text } == ["One", "Two", "Thr=ee ü"])
    let text = try await MediaKitCommand.check(["chapters", file, "--language", "de"])
    #expect(text.lines == ["1/2 1/2 One", "1/1 2/1 Two", "3/1 1/1 Thr=ee ü"])
  }

  @Test func info() async throws {
    let info = try await json(["info", try await AcceptanceCase.file("S7", "lang.mkv").path, "--json"])
    let audible = try #require(info["selection"]?["audible"])
    #expect(audible["default"]?.integer == 3 && audible["allowsEmpty"] == .bool(false))
    #expect(audible["options"]?.elements.map { $0["language"]?.text } == ["eng", "fra", "deu"])
    #expect(
      keys(audible["options"]?.elements.first) == ["trackID", "displayName", "language", "characteristics"])
    #expect(info["selection"]?["legible"]?["default"] == .null)
    #expect(info["selection"]?["visual"] == .null)
    let movie = try await json(["info", try await AcceptanceCase.file("M3", "m3.mkv").path, "--json"])
    #expect(movie["chapters"]?.elements.map { $0["title"]?.text } == ["One", "Two", "Thr=ee ü"])
    let phone = try await json(["info", try await AcceptanceCase.file("M1", "m1.mov").path, "--json"])
    #expect(phone["metadata"]?.elements.contains { $0["commonKey"]?.text == "make" } == true)
    #expect(
      keys(phone["metadata"]?.elements.first) == ["identifier", "keySpace", "key", "commonKey", "value", "language"])
  }

  @Test(arguments: [
    ["metadata", "a.mp4", "--set", "title=x"], ["metadata", "a.mp4", "--set", "title", "-o", "b.mp4"],
    ["metadata", "a.mp4", "--set", "nonsense=x", "-o", "b.mp4"], ["metadata", "a.mp4", "--set", "=x", "-o", "b.mp4"],
    ["metadata", "a.mp4", "--set", "artwork=text", "-o", "b.mp4"], ["metadata", "a.mp4", "-o", "b.mp4"],
    ["metadata", "a.mp4", "--set", "title=x", "--json", "-o", "b.mp4"], ["metadata", "a.mp4", "--with-data"],
    ["chapters", "a.mp4", "--from-file", "c.json"], ["chapters", "a.mp4", "-o", "b.mp4"],
  ])
  func wrongUsage(arguments: [String]) async throws {
    let output = try await MediaKitCommand.run(arguments)
    #expect(output.status == 2)
    #expect(!output.errorText.isEmpty && output.standardOutput.isEmpty)
  }
}
