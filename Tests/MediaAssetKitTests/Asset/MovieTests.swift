import Foundation
import ISOMedia
import MediaTestSupport
import Testing

@testable import MediaAssetKit

/// Edits of headers alone: cuts, gaps, repetitions and rates, whose frames are known by arithmetic.
@Suite("Movie") struct MovieTests {
  static func moment(_ value: Int64) -> MediaTime { MediaTime(value: value, timescale: 100) }
  static func range(_ start: Int64, _ end: Int64) -> MediaTimeRange {
    MediaTimeRange(start: moment(start), end: moment(end))
  }

  private static func withFolder<R>(_ body: (URL) async throws -> R) async throws -> R {
    let folder = FileManager.default.temporaryDirectory.appending(path: "movie-\(UUID().uuidString)")
    try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
    defer { try? FileManager.default.removeItem(at: folder) }
    return try await body(folder)
  }

  /// An edit, how long the movie is after it, and which frame is on show when, all times in hundredths of a second.
  struct Edit: Sendable, CustomStringConvertible {
    var description: String
    var apply: @Sendable (inout Movie) throws -> Void
    var length: Int64
    /// nil where nothing is shown.
    var frames: [(time: Int64, frame: Int)]
    /// Starts and ends of what is shown.
    var segments: [(Int64, Int64, isEmpty: Bool)]
  }

  /// The clip has a hundred frames in four seconds.
  static let edits: [Edit] = [
    Edit(
      description: "removed from the middle", apply: { try $0.removeTimeRange(MovieTests.range(100, 200)) },
      length: 300,
      frames: [(0, 0), (98, 24), (102, 50), (298, 99)], segments: [(0, 100, false), (100, 300, false)]),
    Edit(
      description: "removed at both ends",
      apply: {
        try $0.removeTimeRange(MovieTests.range(350, 900))
        try $0.removeTimeRange(MovieTests.range(0, 50))
      }, length: 300, frames: [(2, 12), (298, 87)], segments: [(0, 300, false)]),
    Edit(
      description: "a gap", apply: { try $0.insertEmptyTimeRange(MovieTests.range(100, 150)) }, length: 450,
      frames: [(98, 24), (152, 25), (448, 99)],
      segments: [(0, 100, false), (100, 150, true), (150, 450, false)]),
    Edit(
      description: "shown again",
      apply: { try $0.insertTimeRange(MovieTests.range(0, 100), at: MovieTests.moment(300)) }, length: 500,
      frames: [(298, 74), (302, 0), (398, 24), (402, 75)],
      segments: [(0, 300, false), (300, 400, false), (400, 500, false)]),
    Edit(
      description: "twice as fast",
      apply: { try $0.scaleTimeRange(MovieTests.range(0, 200), toDuration: MovieTests.moment(100)) }, length: 300,
      frames: [(1, 0), (51, 25), (99, 49), (102, 50), (298, 99)], segments: [(0, 100, false), (100, 300, false)]),
    Edit(
      description: "removed and put back as it was",
      apply: {
        try $0.insertTimeRange(MovieTests.range(100, 200), at: MovieTests.moment(200))
        try $0.removeTimeRange(MovieTests.range(200, 300))
      }, length: 400, frames: [(98, 24), (102, 25), (398, 99)], segments: [(0, 400, false)]),
  ]

  /// The payload of `mdat`.
  private static func media(_ url: URL) throws -> [UInt8] {
    let file = [UInt8](try Data(contentsOf: url))
    return BoxSequence(file).filter { $0.type == "mdat" }.flatMap { Array(file[$0.payload]) }
  }

  @Test(arguments: edits) func edited(_ edit: Edit) async throws {
    let clip = try await GeneratedClip.make(.h264ClosedGroups)
    try await Self.withFolder { folder in
      let url = folder.appending(path: "edited.mp4")
      var movie = try await Movie(MediaAsset(url: clip.url))
      try edit.apply(&movie)
      let id = try #require(movie.tracks.first?.id)
      #expect(movie.duration == Self.moment(edit.length))
      #expect(movie.segments(ofTrack: id).map(\.isEmpty) == edit.segments.map(\.isEmpty))
      #expect(try await movie.write(to: url).losses.isEmpty)
      #expect(try Self.media(url) == Self.media(clip.url))

      let asset = MediaAsset(url: url)
      #expect(try await asset.load(.duration) == Self.moment(edit.length))
      let track = try #require(try await asset.load(.tracks).first)
      let segments = try await track.load(.segments)
      #expect(segments.map(\.timeMapping.target) == edit.segments.map { Self.range($0.0, $0.1) })
      #expect(segments.map(\.isEmpty) == edit.segments.map(\.isEmpty))
      var generator = ImageGenerator(asset: asset)
      generator.requestedTimeToleranceBefore = .zero
      generator.requestedTimeToleranceAfter = .zero
      for (time, frame) in edit.frames {
        let image = try await generator.image(at: Self.moment(time)).image
        let expected = GeneratedClip.grey(luma: Double(16 + 2 * frame))
        #expect(abs(Double(image.pixel(x: 20, y: 20).green) - expected) <= 2.5, "frame \(frame) at \(time)")
      }
      // An independent judge of the header.
      let told = try await MediaTool("ffprobe").check(
        ["-v", "error", "-show_entries", "format=duration", "-of", "csv=p=0", url.path])
      #expect(
        abs((Double(told.text.trimmingCharacters(in: .whitespacesAndNewlines)) ?? 0) - Double(edit.length) / 100)
          < 0.001)
    }
  }

  /// The length of a sample of sound is no fraction of a second: edits are exact where their boundary is a tick of no clock.
  @Test func aThirdOfASecond() async throws {
    let clip = try await GeneratedClip.make(.h264ClosedGroups)
    try await Self.withFolder { folder in
      let url = folder.appending(path: "edited.mp4")
      var movie = try await Movie(MediaAsset(url: clip.url))
      try movie.removeTimeRange(MediaTimeRange(start: .zero, end: MediaTime(value: 1, timescale: 3)))
      try await movie.write(to: url)
      #expect(try await MediaAsset(url: url).load(.duration) == MediaTime(value: 11, timescale: 3))
    }
  }

  @Test func settingsAndMetadata() async throws {
    let clip = try await GeneratedClip.make(.h264ClosedGroups)
    try await Self.withFolder { folder in
      let url = folder.appending(path: "edited.mp4")
      var movie = try await Movie(MediaAsset(url: clip.url))
      movie.tracks[0].isEnabled = false
      movie.tracks[0].alternateGroupID = 7
      movie.tracks[0].languageCode = "deu"
      movie.tracks[0].extendedLanguageTag = "de-CH"
      movie.metadata.set(.commonIdentifierTitle, to: "Ein Titel")
      try await movie.write(to: url)
      let asset = MediaAsset(url: url)
      let track = try #require(try await asset.load(.tracks).first)
      let (isEnabled, code, tag) = try await track.load(.isEnabled, .languageCode, .extendedLanguageTag)
      #expect(!isEnabled && code == "deu" && tag == "de-CH")
      #expect(try await asset.header().movie?.tracks.first?.alternateGroup == 7)
      #expect(try await asset.load(.duration) == Self.moment(400))
      #expect(try Self.media(url) == Self.media(clip.url))
      let told = try await MediaTool("ffprobe").check(
        ["-v", "error", "-show_entries", "format_tags=title:stream_tags=language", "-of", "csv=p=0", url.path])
      #expect(told.text.contains("Ein Titel") && told.text.contains("deu"))
    }
  }

  @Test func refusals() async throws {
    let clip = try await GeneratedClip.make(.h264ClosedGroups)
    var movie = try await Movie(MediaAsset(url: clip.url))
    let before = movie.duration
    #expect(throws: MediaError.self) { try movie.removeTimeRange(.invalid) }
    #expect(throws: MediaError.self) { try movie.scaleTimeRange(Self.range(0, 100), toDuration: .zero) }
    #expect(throws: MediaError.self) { try movie.insertTimeRange(Self.range(0, 100), at: .positiveInfinity) }
    #expect(movie.duration == before)
    try await Self.withFolder { folder in
      var empty = movie
      try empty.removeTimeRange(Self.range(0, 1000))
      let target = folder.appending(path: "none.mp4")
      var error = await #expect(throws: MediaError.self) { try await empty.write(to: target) }
      #expect(error?.code == .invalidArgument)
      error = await #expect(throws: MediaError.self) { try await movie.writeHeader(to: target) }
      #expect(error?.code == .operationNotSupported)
      #expect(try FileManager.default.contentsOfDirectory(atPath: folder.path).isEmpty)
    }
    let error = await #expect(throws: MediaError.self) {
      try await Movie(MediaAsset(url: GeneratedClip.make(.vp9).url))
    }
    #expect(error?.code == .operationNotSupported)
  }

  /// A header alone: read where references are allowed, refused where they are not.
  @Test func byReference() async throws {
    let clip = try await GeneratedClip.make(.h264ClosedGroups)
    try await Self.withFolder { folder in
      let media = folder.appending(path: "media.mp4")
      try FileManager.default.copyItem(at: clip.url, to: media)
      let url = folder.appending(path: "reference.mov")
      var movie = try await Movie(MediaAsset(url: media))
      try movie.removeTimeRange(Self.range(0, 100))
      try await movie.writeHeader(to: url)
      #expect(try Self.media(url).isEmpty)

      // AVFoundation's default lets local files refer to local ones, ours lets nothing refer to anything.
      for (references, isAllowed) in [
        (ReferenceRestrictions.avFoundationDefault, true), (.localOnly, true), ([], true), (.forbidAll, false),
        (.forbidLocalReferenceToLocal, false),
      ] {
        var policy = ResourcePolicy()
        policy.references = references
        let asset = MediaAsset(url: url, options: MediaAsset.Options(policy: policy))
        guard isAllowed else {
          let error = await #expect(throws: MediaError.self, "\(references)") { try await asset.load(.tracks) }
          #expect(error?.code == .referenceForbidden)
          continue
        }
        let track = try #require(try await asset.load(.tracks).first)
        #expect(try await track.load(.isSelfContained) == false)
        #expect(try await asset.load(.duration) == Self.moment(300))
        var generator = ImageGenerator(asset: asset)
        generator.requestedTimeToleranceBefore = .zero
        generator.requestedTimeToleranceAfter = .zero
        let image = try await generator.image(at: Self.moment(102)).image
        #expect(abs(Double(image.pixel(x: 20, y: 20).green) - GeneratedClip.grey(luma: 16 + 2 * 50)) <= 2.5)
      }
      // An independent judge follows it too.
      let told = try await MediaTool("ffprobe").check([
        "-v", "error", "-enable_drefs", "1", "-count_packets", "-show_entries", "stream=nb_read_packets", "-of",
        "csv=p=0",
        url.path,
      ])
      #expect((Int(told.text.trimmingCharacters(in: .whitespacesAndNewlines)) ?? 0) >= 75)
    }
  }
}
