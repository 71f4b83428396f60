import Foundation
import MediaTestSupport
import Testing

@testable import MediaAssetKit

/// A radio station on the loopback address: MP3 of a constant 128,000 bits a second, titles between its bytes.
@Suite("Stream metadata") struct StreamMetadataTests {
  private static let interval = 8192

  private static func sound() async throws -> [UInt8] {
    let folder = try await FixtureCache.shared.folder(named: "station", ingredients: ["1"]) { folder in
      try await MediaTool("ffmpeg").check([
        "-nostdin", "-v", "error", "-f", "lavfi", "-i", "sine=440:r=48000:d=6", "-c:a", "libmp3lame", "-b:a", "128k",
        "-write_xing", "0", "-id3v2_version", "0", folder.appendingPathComponent("a.mp3").path,
      ])
    }
    return [UInt8](try Data(contentsOf: folder.appendingPathComponent("a.mp3")))
  }

  /// Length in sixteens, text, zeros.
  private static func block(_ text: [UInt8]) -> [UInt8] {
    let count = (text.count + 15) / 16
    return [UInt8(count)] + text + [UInt8](repeating: 0, count: count * 16 - text.count)
  }

  /// The sound with a block after every interval; most are empty.
  private static func interleaved(_ sound: [UInt8], titles: [Int: [UInt8]], interval: Int = interval) -> [UInt8] {
    var stream: [UInt8] = []
    for (index, start) in stride(from: 0, to: sound.count, by: interval).enumerated() {
      let part = sound[start..<min(start + interval, sound.count)]
      stream += part
      if part.count == interval { stream += block(titles[index] ?? []) }
    }
    return stream
  }

  private static func station(_ sound: [UInt8], titles: [Int: [UInt8]], interval: Int = interval) throws
    -> HTTPTestServer
  {
    try HTTPTestServer { request, connection in
      let isAsked = request.headers["icy-metadata"] == "1"
      let head =
        "HTTP/1.1 200 OK\r\nContent-Type: audio/mpeg\r\nicy-name: Radio Ü\r\nicy-genre: Jazz\r\nicy-br: 128\r\n"
        + "icy-url: http://example.com/\r\n" + (isAsked ? "icy-metaint: \(interval)\r\n" : "")
        + "Connection: close\r\n\r\n"
      _ = connection.send(Array(head.utf8))
      _ = connection.send(isAsked ? Self.interleaved(sound, titles: titles, interval: interval) : sound)
      return false
    }
  }

  private static func asset(_ server: HTTPTestServer) throws -> MediaAsset {
    MediaAsset(
      url: try #require(URL(string: server.origin + "/stream.mp3")), options: MediaAsset.Options(policy: loopbackPolicy)
    )
  }

  @Test func titlesAndHeaders() async throws {
    let sound = try await Self.sound()
    let titles: [Int: [UInt8]] = [
      0: Array("StreamTitle='It's – one';StreamUrl='http://example.com/1';".utf8),
      // The same again is no new title; then one in Latin-1.
      1: Array("StreamTitle='It's – one';StreamUrl='http://example.com/1';".utf8),
      3: Array("StreamTitle='T".utf8) + [0xFC] + Array("r';".utf8),
    ]
    let server = try Self.station(sound, titles: titles)
    defer { server.stop() }
    let asset = try Self.asset(server)
    #expect(try await asset.load(.tracks).map(\.mediaType) == [.audio])
    let items = try await asset.load(.metadata)
    #expect(
      items.map { "\($0.identifier)=\($0.stringValue ?? "")" } == [
        "icy/icy-br=128", "icy/icy-genre=Jazz", "icy/icy-name=Radio Ü", "icy/icy-url=http://example.com/",
      ])
    #expect(items.first { $0.key == "icy-genre" }?.commonKey == .type)
    #expect(try await asset.loadStreamMetadataGroups().first?.title == "It's – one")

    // The sound is what was sent, without the blocks.
    let opened = try await asset.opened()
    let bytes = try await blocking { try read(opened.reader, at: 0, count: sound.count + 100) }
    #expect(bytes == sound)
    let groups = try await asset.loadStreamMetadataGroups()
    #expect(groups.map(\.title) == ["It's – one", "Tür"])
    #expect(groups[0].items.map(\.identifier) == [.icyMetadataStreamTitle, .icyMetadataStreamURL])
    #expect(groups[0].items[1].stringValue == "http://example.com/1")
    // A block of 8192 bytes lasts 8192 · 8 / 128,000 seconds.
    #expect(groups.map(\.timeRange.start) == [1, 4].map { MediaTime(value: $0 * 8192, timescale: 16_000) })
    #expect(groups[0].timeRange.duration == MediaTime(value: 3 * 8192, timescale: 16_000))
    #expect(groups[1].timeRange.duration == .indefinite)
    #expect(server.requests.map { $0.headers["icy-metadata"] } == [nil, "1"])
  }

  /// Blocks of every length at the closest distance: not a byte of sound is lost.
  @Test(arguments: [1, 7, 16, 4095]) func everyInterval(interval: Int) async throws {
    let sound = Array(try await Self.sound().prefix(20_000))
    let longest = Array("StreamTitle='".utf8) + [UInt8](repeating: 0x61, count: 255 * 16 - 15) + Array("';".utf8)
    let server = try Self.station(sound, titles: [0: longest, 2: Array("StreamTitle='b'".utf8)], interval: interval)
    defer { server.stop() }
    let opened = try await AssetSource(try #require(URL(string: server.origin + "/s.mp3"))).open(
      options: MediaAsset.Options(policy: loopbackPolicy))
    let bytes = try await blocking { try read(opened.reader, at: 0, count: sound.count + 100) }
    #expect(bytes == sound)
    #expect(opened.streamMetadata?.groups.map { $0.title?.count } == [255 * 16 - 15, 1])
  }

  /// Files are not asked: their bytes are theirs.
  @Test func files() async throws {
    let sound = try await Self.sound()
    let server = try HTTPTestServer { $1.sendRange(of: sound, for: $0, headers: ["icy-name": "A file"]) }
    defer { server.stop() }
    let asset = try Self.asset(server)
    #expect(try await asset.load(.tracks).count == 1)
    #expect(try await asset.loadStreamMetadataGroups().isEmpty)
    #expect(server.requests.allSatisfy { $0.headers["icy-metadata"] == nil })
  }

  @Test(
    arguments: [
      ("", []), ("StreamTitle='';", [("StreamTitle", "")]),
      ("StreamTitle='a';b='c", [("StreamTitle", "a"), ("b", "c")]),
      ("no fields", []), ("='x';", []),
      ("StreamTitle='a'b';StreamUrl='';", [("StreamTitle", "a'b"), ("StreamUrl", "")]),
    ] as [(String, [(String, String)])])
  func fields(text: String, expected: [(String, String)]) {
    let found = StreamMetadata.fields(Array(text.utf8) + [0, 0x41])
    #expect(found.map(\.name) == expected.map { $0.0 })
    #expect(found.map(\.value) == expected.map { $0.1 })
  }
}
