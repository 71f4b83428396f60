import Foundation
import ISOMedia
import MediaTestSupport
import Testing

@testable import MediaAssetKit

/// Small movies cut off behind every one of their bytes: each opens or fails with an error of this library, and nothing is
/// read or kept beyond what there is.
@Suite("Every truncation") struct EveryTruncationTests {
  struct Movie: Sendable, CustomStringConvertible {
    var name: String
    var arguments: [String]
    var description: String { name }
  }

  private static let picture = ["-f", "lavfi", "-i", "color=gray:s=16x16:r=2:d=1.5"]

  static let movies = [
    Movie(name: "plain.mp4", arguments: picture + ["-c:v", "mpeg4", "-movflags", "+faststart"]),
    Movie(
      name: "userdata.mov",
      arguments: picture + [
        "-c:v", "mpeg4", "-metadata", "title=A title", "-metadata", "artist=Somebody", "-metadata",
        "location=+48.85+002.29/", "-metadata", "comment=Words",
      ]),
    Movie(
      name: "fragments.mp4",
      arguments: picture + ["-c:v", "mpeg4", "-g", "1", "-movflags", "+frag_keyframe+empty_moov+default_base_moof"]),
  ]

  private static func bytes(_ movie: Movie) async throws -> [UInt8] {
    let folder = try await FixtureCache.shared.folder(
      named: "truncation-\(movie.name)", ingredients: [try await FFmpegVersion.current().text] + movie.arguments
    ) { folder in
      try await MediaTool("ffmpeg").check(
        ["-nostdin", "-v", "error", "-y"] + movie.arguments + ["file:" + folder.appending(path: movie.name).path])
    }
    let bytes = [UInt8](try Data(contentsOf: folder.appending(path: movie.name)))
    // Some thousand bytes: as many cuts.
    try #require(bytes.count < 4096)
    return bytes
  }

  /// Counts what is asked of a file.
  private final class Counter {
    var bytes = 0
    func read(_ file: ArraySlice<UInt8>) -> (Int64, Int) -> [UInt8] {
      { offset, count in
        guard offset < Int64(file.count) else { return [] }
        let part = Array(file[Int(offset)...].prefix(count))
        self.bytes += part.count
        return part
      }
    }
  }

  @Test(.timeLimit(.minutes(2)), arguments: movies) func boxes(_ movie: Movie) async throws {
    let bytes = try await Self.bytes(movie)
    for count in 0...bytes.count {
      let file = bytes[..<count]
      for size in [nil, Int64(count)] {
        let counter = Counter()
        let layout = FileLayout.scan(size: size, through: .everything, read: counter.read(file))
        #expect(layout.movie?.bytes.count ?? 0 <= count)
        #expect(layout.boxCount <= count / 8)
        // The header of each box, with what lies near it, and the movie once.
        #expect(counter.bytes <= count * (layout.boxCount + 3), "\(count) bytes")
        guard let box = layout.movie, let header = try? MovieHeader.parse(box.bytes) else { continue }
        _ = header.metadataEntries(isQuickTime: movie.name.hasSuffix("mov"))
        for track in header.tracks {
          guard let table = try? header.sampleTable(of: track, maximumSamples: 100) else { continue }
          #expect(table.count <= 3)
        }
        let survey = FragmentSurvey.survey(
          from: layout.firstFragment?.offset ?? 0, size: size, defaults: header.movieExtends?.tracks ?? [],
          read: counter.read(file))
        #expect(survey.spans.values.allSatisfy { $0.sampleCount <= 3 })
      }
    }
  }

  @Test(.timeLimit(.minutes(5 * Duration.patience)), arguments: movies) func assets(_ movie: Movie) async throws {
    let bytes = try await Self.bytes(movie)
    var opened = 0
    for count in 0...bytes.count {
      let asset = MediaAsset(data: Data(bytes[..<count]))
      do {
        try await LoadedAsset.load(everythingOf: asset)
        _ = try await asset.load(.metadata)
        _ = try await asset.loadChapterMetadataGroups(bestMatchingPreferredLanguages: [])
        opened += 1
      } catch is MediaError {
      } catch { Issue.record("\(count) bytes: \(error)") }
    }
    // The whole file does, and one without its last bytes of media or of `mfra`; one without anything does not.
    #expect((1..<bytes.count).contains(opened))
  }
}
