import Foundation
import ISOMedia
import MediaTestSupport
import Testing

@testable import MediaAssetKit

/// What androidx/media's dumps state of metadata, for every file that has one: texts, places, moments and alternate groups.
@Suite("Corpus: metadata of the dumps") struct CorpusDumpMetadataTests {
  private static let folder = "androidx+media/"

  /// The dumps of each file, by its name.
  private static func dumps(_ corpus: Corpus) throws -> [(file: String, text: String)] {
    let expected = corpus.url(path: folder + "expected")
    let files = corpus.rows.map(\.path).filter { $0.hasPrefix(folder) }.map { String($0.dropFirst(folder.count)) }
    return try FileManager.default.contentsOfDirectory(atPath: expected.path).filter { $0.hasSuffix(".dump") }.sorted()
      .compactMap { name in
        guard let file = files.filter({ name.hasPrefix($0 + ".") }).max(by: { $0.count < $1.count }) else { return nil }
        return (file, try String(contentsOf: expected.appending(path: name), encoding: .utf8))
      }
  }

  /// Texts are the same, numbers are the same numbers.
  private static func isSame(_ text: String?, _ stated: String) -> Bool {
    guard let text else { return false }
    if text == stated { return true }
    guard let number = Double(text), let other = Double(stated) else { return false }
    return number == other
  }

  @Test(.timeLimit(.minutes(2))) func entries() async throws {
    guard let corpus = Corpus.orCount() else { return }
    let dumps = try Self.dumps(corpus)
    var checked = 0
    for (file, text) in dumps {
      let lists = text.split(separator: "\n").filter { $0.contains("metadata = entries=[") }
      guard !lists.isEmpty else { continue }
      let asset = MediaAsset(url: corpus.url(path: Self.folder + file))
      let tracks = try await asset.load(.tracks)
      // A numeric genre has its name in the common key space.
      var items = try await asset.load(.metadata) + asset.load(.commonMetadata)
      for track in tracks { items += try await track.load(.metadata) }
      for list in lists {
        for match in list.matches(of: /[A-Z0-9]{4}: description=[^:]*: values=\[([^\]]*)\]/) {
          checked += 1
          let stated = String(match.output.1)
          #expect(items.contains { Self.isSame($0.stringValue, stated) }, "\(file): \(match.output.0)")
        }
        for match in list.matches(of: /COMM: language=(\w+), description=[^,]*, text=([^,\]]*)/) {
          checked += 1
          #expect(items.contains { $0.stringValue == String(match.output.2) }, "\(file): \(match.output.0)")
        }
        for match in list.matches(of: /VC: ([A-Z_]+)=([^,\]]*)/) {
          checked += 1
          let found = items.filter { $0.keySpace == .vorbisComment && $0.key == String(match.output.1) }
          #expect(found.map(\.stringValue) == [String(match.output.2)], "\(file): \(match.output.0)")
        }
        for match in list.matches(of: /mdta: key=([^,]+), value=([^,\]]*)/) {
          checked += 1
          let found = items.filter { $0.keySpace == .quickTimeMetadata && $0.key == String(match.output.1) }
          #expect(
            found.contains { Self.isSame($0.stringValue, String(match.output.2)) }, "\(file): \(match.output.0)")
        }
        for match in list.matches(of: /xyz: latitude=([-\d.]+), longitude=([-\d.]+)/) {
          checked += 1
          let (latitude, longitude) = (Double(match.output.1) ?? .nan, Double(match.output.2) ?? .nan)
          let found = items.compactMap(\.locationValue)
          #expect(
            found.contains { abs($0.latitude - latitude) < 1e-4 && abs($0.longitude - longitude) < 1e-4 },
            "\(file): \(match.output.0)")
        }
        for match in list.matches(of: /Mp4Timestamp: creation time=(\d+)/) {
          checked += 1
          let time = try await asset.header().movie?.creationTime
          #expect(time.map { "\($0)" } == String(match.output.1), "\(file)")
        }
        for match in list.matches(of: /Mp4AlternateGroup: (\d+)/) {
          checked += 1
          let groups = tracks.compactMap { $0.track.iso.map { "\($0.alternateGroup)" } }
          #expect(groups.contains(String(match.output.1)), "\(file): \(groups)")
        }
      }
    }
    // As many as the dumps of the corpus state; a file that is not found would make it fewer.
    #expect(checked >= 160, "\(checked)")
  }
}
