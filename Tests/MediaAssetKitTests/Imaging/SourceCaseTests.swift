import Foundation
import MediaTestSupport
import Testing

@testable import MediaAssetKit

/// The acceptance cases about what an asset may reach (X1, X3) and about servers (N3), seen from images.
@Suite struct SourceCaseTests {
  // MARK: - Files that point elsewhere

  @Test(arguments: [("X1", "x1.mp4"), ("X3", "x3.mp4")])
  func playlistsUnderAnotherName(_ name: String, _ file: String) async throws {
    let url = try await AcceptanceCase.file(name, file)
    let asset = MediaAsset(url: url)
    let code = await errorCode { _ = try await ImageGenerator(asset: asset).image(at: .zero) }
    #expect(code == .fileFormatNotRecognized || code == .referenceForbidden, "\(String(describing: code))")
    #expect(try !ProcessUsage.current().openDescriptors.contains { $0.contains("secret.ts") })
  }

  /// The system calls of the command line tool: it opens no other file and connects to nobody.
  @Test(
    .enabled(if: (try? MediaTool("strace")) != nil),
    arguments: [("X1", "x1.mp4", "secret.ts"), ("X3", "x3.mp4", "18999")])
  func playlistsOpenNothing(_ name: String, _ file: String, _ forbidden: String) async throws {
    let strace = try MediaTool("strace")
    let url = try await AcceptanceCase.file(name, file)
    try await withTemporaryFolder { folder in
      let trace = folder.appendingPathComponent("trace")
      let output = try await strace.run([
        "-f", "-e", "trace=openat,open,connect", "-o", trace.path, MediaKitCommand.path, "image", url.path, "--at", "0",
        "-o",
        folder.appendingPathComponent("a.png").path,
      ])
      let calls = try String(contentsOf: trace, encoding: .utf8)
      #expect(calls.contains(file), "The trace shows the file itself.")
      #expect(output.status == 1)
      #expect(!calls.contains(forbidden) && !calls.contains("AF_INET"))
      #expect(try FileManager.default.contentsOfDirectory(atPath: folder.path) == ["trace"])
    }
  }

  /// A playlist that comes from a server may not lead to another one.
  @Test func playlistFromAServer() async throws {
    let target = try SlowServer(.bytes([]))
    let text = "#EXTM3U\n#EXT-X-TARGETDURATION:4\n#EXTINF:4.0,\n\(target.url("x.ts"))\n#EXT-X-ENDLIST\n"
    let server = try SlowServer(.bytes(Array(text.utf8)))
    let url = try #require(URL(string: server.url()))
    var options = MediaAsset.Options()
    options.policy = MediaAsset.policy()
    let asset = MediaAsset(url: url, options: options)
    let code = await errorCode { _ = try await ImageGenerator(asset: asset).image(at: .zero) }
    #expect(code == .fileFormatNotRecognized || code == .referenceForbidden, "\(String(describing: code))")
    #expect(!server.requests.isEmpty)
    #expect(target.connectionCount == 0)
  }

  // MARK: - Servers

  @Test func n3ServerWithoutRangesIsSpooled() async throws {
    let url = try await AcceptanceCase.file("N3", "n3.mp4")
    let server = try SlowServer(url, ServerBehaviour { $0.ranges = .ignored })
    let remote = ImageGenerator.exact(try MediaAsset.served(server.url()))
    let local = ImageGenerator.exact(url)
    var number = 0
    let times = (Int64(0)..<100).map { MediaTime.ms(40 * $0) }
    for await element in remote.images(for: times) {
      #expect(try element.actualTime == times[number])
      if number % 33 == 0 {
        #expect(try await local.image(at: times[number]).image == element.image)
      }
      number += 1
    }
    #expect(number == 100)
  }

  @Test func imagesOverRangesAreTheSame() async throws {
    let url = try await AcceptanceCase.file("N3", "n3.mp4")
    let server = try SlowServer(url)
    let remote = ImageGenerator.exact(try MediaAsset.served(server.url()))
    let (image, actual) = try await remote.image(at: .ms(3000))
    let (expected, _) = try await ImageGenerator.exact(url).image(at: .ms(3000))
    #expect(image == expected && actual == .ms(3000))
  }
}
