import Foundation
import MediaTestSupport
import Testing

@testable import MediaAssetKit

#if canImport(Glibc)
  import Glibc
#elseif canImport(Darwin)
  import Darwin
#endif

/// Files that are refused, each with the error that says why.
@Suite("Refused files") struct RefusedFileTests {
  private static func code(
    _ bytes: [UInt8], named name: String = "a.mp4", policy: ResourcePolicy = .init()
  ) async throws -> MediaError.Code? {
    let folder = FileManager.default.temporaryDirectory.appendingPathComponent(UUID().uuidString)
    try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
    defer { try? FileManager.default.removeItem(at: folder) }
    let url = folder.appendingPathComponent(name)
    try Data(bytes).write(to: url)
    do {
      _ = try await MediaAsset(url: url, options: .init(policy: policy)).load(.duration, .tracks)
      return nil
    } catch let error as MediaError {
      return error.code
    }
  }

  /// An MP3 file that ends within its tag is called that, by what opens it and by what would edit it; with what to do.
  @Test(arguments: [12, 100, 1500]) func cutOffSound(count: Int) async throws {
    let folder = FileManager.default.temporaryDirectory.appendingPathComponent(UUID().uuidString)
    try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
    defer { try? FileManager.default.removeItem(at: folder) }
    let url = folder.appendingPathComponent("a.mp3")
    // A tag of 2,048 bytes by its own word, and nothing but its beginning.
    let tag = Array("ID3".utf8) + [4, 0, 0, 0, 0, 0x10, 0] + [UInt8](repeating: 0, count: 2048)
    try Data(tag[..<count]).write(to: url)
    var error = await #expect(throws: MediaError.self) { try await MediaAsset(url: url).load(.tracks) }
    #expect(error?.code == .fileFailedToParse)
    #expect(error?.reason.contains("cut off") == true && error?.remedy.isEmpty == false)
    var editor = MetadataEditor(MediaAsset(url: url))
    editor.set(.commonIdentifierTitle, to: "New")
    let changed = editor
    error = await #expect(throws: MediaError.self) {
      try await changed.write(to: folder.appendingPathComponent("b.mp3"))
    }
    #expect(error?.reason.contains("cut off") == true && error?.remedy.isEmpty == false)
  }

  /// What is no media is not called a damaged movie or a playlist, whatever its name says.
  @Test(arguments: [
    ("", "a.mp4"), ("", "a.ts"), ("<html><body>404</body></html>", "a.mp4"), ("a", "a.mov"),
    ("hello world\n", "a.txt"), ("hello world\n", "a.nfo"),
  ])
  func noMedia(text: String, name: String) async throws {
    #expect(try await Self.code(Array(text.utf8), named: name) == .fileFormatNotRecognized)
  }

  @Test(arguments: [
    "#EXTM3U\n#EXT-X-TARGETDURATION:4\n#EXTINF:4,\na.ts\n#EXT-X-ENDLIST\n",
    "ffconcat version 1.0\nfile a.ts\n",
    "v=0\no=- 0 0 IN IP4 127.0.0.1\ns=x\nc=IN IP4 127.0.0.1\nt=0 0\nm=video 9 RTP/AVP 96\n",
  ])
  func playlists(text: String) async throws {
    #expect(try await Self.code(Array(text.utf8)) == .referenceForbidden)
  }

  /// A few bytes of a header claim fifty million samples, for which libav would take more than a gigabyte.
  @Test func claimedSamples() async throws {
    let clip = try await GeneratedClip.make(.h264ClosedGroups)
    var bytes = [UInt8](try Data(contentsOf: clip.url))
    let table = try #require(bytes.lastIndex(of: Array("stsz".utf8)))
    bytes.replaceSubrange(table + 8..<table + 16, with: [0, 0, 0, 1] + [0x02, 0xFA, 0xF0, 0x80])
    #expect(try await Self.code(bytes) == .limitExceeded)
  }

  /// One picture and one sound track.
  @Test(arguments: [1, 2]) func moreTracksThanAllowed(limit: Int) async throws {
    let file = try await AcceptanceCase.file("T13", "t13.mp4")
    var policy = ResourcePolicy()
    policy.maximumStreams = limit
    let bytes = [UInt8](try Data(contentsOf: file))
    #expect(try await Self.code(bytes, policy: policy) == (limit == 1 ? .limitExceeded : nil))
  }

  @Test func socket() async throws {
    // Short: a socket's path has a hundred bytes.
    let path = "/tmp/media-\(getpid()).sock"
    let descriptor = Glibc.socket(AF_UNIX, Int32(SOCK_STREAM.rawValue), 0)
    defer {
      close(descriptor)
      unlink(path)
    }
    var address = sockaddr_un()
    address.sun_family = sa_family_t(AF_UNIX)
    withUnsafeMutableBytes(of: &address.sun_path) { $0.copyBytes(from: path.utf8) }
    let result = withUnsafePointer(to: &address) {
      $0.withMemoryRebound(to: sockaddr.self, capacity: 1) {
        bind(descriptor, $0, socklen_t(MemoryLayout<sockaddr_un>.size))
      }
    }
    try #require(result == 0)
    await #expect(throws: MediaError.self) {
      do {
        _ = try await MediaAsset(url: URL(fileURLWithPath: path)).load(.duration)
      } catch let error as MediaError {
        #expect(error.code == .notRegularFile)
        throw error
      }
    }
  }

  /// A custom source goes by its own name, whose extension helps to find the format.
  @Test func nameOfASource() async throws {
    struct Nothing: ByteSource {
      func open() async throws -> ByteSourceInfo { ByteSourceInfo(length: 3, name: "bucket/a.txt") }
      func read(at offset: Int64, length: Int) async throws -> [UInt8] {
        offset == 0 ? Array("abc".utf8) : []
      }
    }
    do {
      _ = try await MediaAsset(source: Nothing()).load(.duration)
      Issue.record("It was opened.")
    } catch let error as MediaError {
      #expect(error.subject == "bucket/a.txt")
      #expect(error.code == .fileFormatNotRecognized)
    }
  }

  @Test func tooManyTimes() async throws {
    let clip = try await GeneratedClip.make(.h264ClosedGroups)
    let generator = ImageGenerator(asset: MediaAsset(url: clip.url))
    await #expect { _ = try await generator.evenlySpacedTimes(count: .max) } throws: { error in
      (error as? MediaError)?.code == .limitExceeded
    }
  }
}

extension [UInt8] {
  /// Where bytes stand for the last time.
  fileprivate func lastIndex(of bytes: [UInt8]) -> Int? {
    indices.reversed().first { self[$0...].starts(with: bytes) }
  }
}
