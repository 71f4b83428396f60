import Foundation
import MediaTestSupport
import Testing

@testable import MediaAssetKit

/// Texts that files can't have, and texts that files have although they can't: in every container that is written.
@Suite("Awkward texts") struct AwkwardTextTests {
  /// A zero ends texts in files: refused, and nothing is left behind.
  @Test(arguments: MetadataWritingTests.names) func zeros(name: String) async throws {
    let source = try await MetadataWritingTests.source(name)
    try await withScratchFolder { folder in
      var editor = MetadataEditor(MediaAsset(url: source))
      editor.set(.commonIdentifierTitle, to: "a\0b")
      let error = await #expect(throws: MediaError.self) {
        try await editor.write(to: folder.appendingPathComponent(name))
      }
      #expect(error?.code == .invalidArgument)
      let names = try FileManager.default.contentsOfDirectory(atPath: folder.path)
      #expect(names.isEmpty)
    }
  }

  /// Bytes that are no UTF-8 are read all the same: what is text stays, what is none is replaced, nothing fails.
  ///
  /// Ogg is not among them: its pages have sums, and damage is no text there.
  @Test(arguments: MetadataWritingTests.names.filter { !["a.ogg", "a.opus", "a.oga"].contains($0) })
  func noText(name: String) async throws {
    let source = try await MetadataWritingTests.source(name)
    try await withScratchFolder { folder in
      let url = folder.appendingPathComponent(name)
      var editor = MetadataEditor(MediaAsset(url: source))
      // Told as UTF-8, where a tag says how its texts are coded.
      editor.set(.commonIdentifierTitle, to: "QZXJ-ÄQZXJ")
      try await editor.write(to: url)
      var bytes = [UInt8](try Data(contentsOf: url))
      let pattern = Array("QZXJ-ÄQZXJ".utf8)
      var places: [Int] = []
      for start in bytes.indices.dropLast(pattern.count - 1) where bytes[start] == pattern[0] {
        if bytes[start..<start + pattern.count].elementsEqual(pattern) { places.append(start) }
      }
      // UTF-16 has no bytes that are no text but for halves of pairs.
      guard !places.isEmpty else {
        #expect(name == "short.mp3" || name == "a.mp3" || name == "a.aiff", "\(name)")
        return
      }
      for start in places { (bytes[start + 5], bytes[start + 6]) = (0xFF, 0xC3) }
      try Data(bytes).write(to: url)
      let asset = MediaAsset(url: url)
      let titles = try await asset.load(.commonMetadata).filtered(by: .commonIdentifierTitle)
      #expect(!titles.isEmpty)
      for title in titles {
        let text = try #require(title.stringValue)
        // The bytes as U+FFFD, or as the letters of an older coding.
        #expect(text.hasPrefix("QZXJ-") && text.hasSuffix("QZXJ") && text.count > 9, "\(text) in \(name)")
      }
      #expect(try await asset.load(.tracks).count > 0)
    }
  }

  /// One text in ten languages, where the container knows languages of texts.
  @Test(arguments: ["a.mov", "fast.mov"]) func languages(name: String) async throws {
    let source = try await MetadataWritingTests.source(name)
    let tags = ["en", "de", "fr", "es", "it", "pt", "ja", "ko", "zh", "ar"]
    try await withScratchFolder { folder in
      let url = folder.appendingPathComponent(name)
      var editor = MetadataEditor(MediaAsset(url: source))
      for tag in tags {
        editor.set(
          MetadataItem(
            keySpace: .quickTimeUserData, key: "©inf", value: .string("text \(tag) é 東"), extendedLanguageTag: tag))
      }
      #expect(try await editor.write(to: url).losses.isEmpty)
      let items = try await MediaAsset(url: url).load(.metadata).filter { $0.key == "©inf" }
      #expect(items.compactMap(\.extendedLanguageTag) == tags)
      #expect(items.map(\.stringValue) == tags.map { "text \($0) é 東" })
      #expect(try await MetadataWritingTests.media(url) == MetadataWritingTests.media(source))
    }
  }
}
