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
    try await withScratchFolder { folder in
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
      // An independent judge of the header. Later versions of FFmpeg tell no more than the media has: four seconds.
      let told = try await MediaTool("ffprobe").check(
        ["-v", "error", "-show_entries", "format=duration", "-of", "csv=p=0", url.path])
      let version = try await FFmpegVersion.current()
      let capped = min(edit.length, 400)
      let lengths =
        version.isAtLeast(7, 0) ? [capped] : version.isAtLeast(6, 0) ? [capped, edit.length] : [edit.length]
      let seconds = try #require(Double(told.text.trimmingCharacters(in: .whitespacesAndNewlines)))
      #expect(lengths.contains { abs(seconds - Double($0) / 100) < 0.001 })
    }
  }

  /// The length of a sample of sound is no fraction of a second: edits are exact where their boundary is a tick of no clock.
  @Test func aThirdOfASecond() async throws {
    let clip = try await GeneratedClip.make(.h264ClosedGroups)
    try await withScratchFolder { folder in
      let url = folder.appending(path: "edited.mp4")
      var movie = try await Movie(MediaAsset(url: clip.url))
      try movie.removeTimeRange(MediaTimeRange(start: .zero, end: MediaTime(value: 1, timescale: 3)))
      try await movie.write(to: url)
      #expect(try await MediaAsset(url: url).load(.duration) == MediaTime(value: 11, timescale: 3))
    }
  }

  @Test func settingsAndMetadata() async throws {
    let clip = try await GeneratedClip.make(.h264ClosedGroups)
    try await withScratchFolder { folder in
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

  /// What the header says of the whole movie and of how a track is shown.
  @Test func movieSettings() async throws {
    let clip = try await GeneratedClip.make(.h264ClosedGroups)
    try await withScratchFolder { folder in
      let url = folder.appending(path: "edited.mp4")
      var movie = try await Movie(MediaAsset(url: clip.url))
      movie.preferredRate = 1.5
      movie.preferredVolume = 0.25
      movie.preferredTransform = PictureTransform(a: 2, b: 0, c: 0, d: 2, tx: 0, ty: 0)
      movie.timescale = 90_000
      movie.tracks[0].layer = -3
      // A quarter turn clockwise; the clip is 160 by 90 or another size, whose height is the way it moves.
      let height = try #require(try await MediaAsset(url: clip.url).load(.tracks).first?.load(.naturalSize)).height
      movie.tracks[0].preferredTransform = PictureTransform(a: 0, b: 1, c: -1, d: 0, tx: Double(height), ty: 0)
      try await movie.write(to: url)
      let asset = MediaAsset(url: url)
      let (rate, volume, transform) = try await asset.load(.preferredRate, .preferredVolume, .preferredTransform)
      #expect(rate == 1.5 && volume == 0.25)
      #expect(transform == PictureTransform(a: 2, b: 0, c: 0, d: 2, tx: 0, ty: 0))
      #expect(try await asset.header().movie?.timescale == 90_000)
      #expect(try await asset.header().movie?.tracks.first?.layer == -3)
      #expect(try await asset.header().movie?.tracks.first?.matrix == movie.tracks[0].preferredTransform.stored)
      #expect(try await asset.load(.duration) == Self.moment(400))
      #expect(try Self.media(url) == Self.media(clip.url))
      let told = try await MediaTool("ffprobe").check([
        "-v", "error", "-show_entries", "stream_side_data=rotation:stream=duration", "-of", "csv=p=0", url.path,
      ])
      #expect(told.text.contains("-90") && told.text.contains("4.000"))
    }
  }

  /// A header in its own file, by URL to another folder, and as bytes.
  @Test func headers() async throws {
    let clip = try await GeneratedClip.make(.h264ClosedGroups)
    try await withScratchFolder { folder in
      let media = folder.appending(path: "the media.mp4")
      try FileManager.default.copyItem(at: clip.url, to: media)
      var movie = try await Movie(MediaAsset(url: media))
      try movie.removeTimeRange(Self.range(0, 100))

      let below = folder.appending(path: "below")
      try FileManager.default.createDirectory(at: below, withIntermediateDirectories: true)
      let url = below.appending(path: "reference.mov")
      try await movie.writeHeader(to: url)
      // Twice: the file is there.
      let error = await #expect(throws: MediaError.self) { try await movie.writeHeader(to: url) }
      #expect(error?.code == .fileAlreadyExists)
      try await movie.writeHeader(to: url, options: .truncateDestinationToMovieHeaderOnly)
      #expect(try Data(contentsOf: url).range(of: Data("../the%20media.mp4".utf8)) != nil)
      let absolute = below.appending(path: "absolute.mov")
      try await movie.makeMovieHeader().write(to: absolute)
      for url in [url, absolute] {
        var policy = ResourcePolicy()
        policy.references = .localOnly
        let asset = MediaAsset(url: url, options: MediaAsset.Options(policy: policy))
        #expect(try Self.media(url).isEmpty)
        #expect(try await asset.load(.duration) == Self.moment(300))
        var generator = ImageGenerator(asset: asset)
        generator.requestedTimeToleranceBefore = .zero
        generator.requestedTimeToleranceAfter = .zero
        let image = try await generator.image(at: Self.moment(102)).image
        #expect(abs(Double(image.pixel(x: 20, y: 20).green) - GeneratedClip.grey(luma: 16 + 2 * 50)) <= 2.5)
      }

      // In place: the media stays as it is.
      try await movie.writeHeader(to: media, options: .addMovieHeaderToDestination)
      #expect(try await MediaAsset(url: media).load(.duration) == Self.moment(300))
      #expect(try Self.media(media) == Self.media(clip.url))
      #expect(try FileManager.default.contentsOfDirectory(atPath: folder.path).sorted() == ["below", "the media.mp4"])
    }
  }

  /// Ranges of another movie, whose pictures have another size of ticks: copied into the file, or referred to.
  @Test(arguments: [true, false], [true, false]) func severalMovies(copying: Bool, isFast: Bool) async throws {
    let clip = try await GeneratedClip.make(.h264ClosedGroups)
    try await withScratchFolder { folder in
      // With its header in front the media moves when that grows.
      let first = folder.appending(path: "first.mp4")
      try await MediaTool("ffmpeg").check(
        ["-nostdin", "-v", "error", "-i", clip.url.path, "-c", "copy"] + (isFast ? ["-movflags", "+faststart"] : [])
          + [first.path])
      // The same pictures under another clock, and a header at the front.
      let second = folder.appending(path: "second.mp4")
      try await MediaTool("ffmpeg").check([
        "-nostdin", "-v", "error", "-i", clip.url.path, "-c", "copy", "-movflags", "+faststart",
        "-video_track_timescale",
        "90000", second.path,
      ])
      let url = folder.appending(path: "joined.mov")
      var movie = try await Movie(MediaAsset(url: first))
      var other = try await Movie(MediaAsset(url: second))
      try other.removeTimeRange(Self.range(0, 200))
      // Two seconds of the other's last two, after the first one here; and a half of them at the end.
      try movie.insertTimeRange(Self.range(0, 200), of: other, at: Self.moment(100), copySampleData: copying)
      try movie.insertTimeRange(Self.range(100, 150), of: other, at: Self.moment(600), copySampleData: copying)
      #expect(movie.duration == Self.moment(650))
      #expect(try await movie.write(to: url).losses.isEmpty)

      var policy = ResourcePolicy()
      policy.references = .localOnly
      let asset = MediaAsset(url: url, options: MediaAsset.Options(policy: policy))
      #expect(try await asset.load(.duration) == Self.moment(650))
      let track = try #require(try await asset.load(.tracks).first)
      #expect(try await track.load(.isSelfContained) == copying)
      #expect(
        try await track.load(.segments).map(\.timeMapping.target) == [
          Self.range(0, 100), Self.range(100, 300), Self.range(300, 600), Self.range(600, 650),
        ])
      var generator = ImageGenerator(asset: asset)
      generator.requestedTimeToleranceBefore = .zero
      generator.requestedTimeToleranceAfter = .zero
      for (time, frame) in [(98, 24), (102, 50), (298, 99), (302, 25), (598, 99), (602, 75), (648, 87)]
        as [(Int64, Int)]
      {
        let image = try await generator.image(at: Self.moment(time)).image
        let expected = GeneratedClip.grey(luma: Double(16 + 2 * frame))
        #expect(abs(Double(image.pixel(x: 20, y: 20).green) - expected) <= 2.5, "frame \(frame) at \(time)")
      }
      if copying {
        // An independent judge reads every sample of both.
        let told = try await MediaTool("ffprobe").check([
          "-v", "error", "-ignore_editlist", "1", "-count_frames", "-show_entries",
          "stream=nb_read_frames:format=duration",
          "-of", "csv=p=0", url.path,
        ])
        #expect(told.lines.first == "200")
      } else {
        let error = await #expect(throws: MediaError.self) { try await MediaAsset(url: url).load(.tracks) }
        #expect(error?.code == .referenceForbidden)
      }
    }
  }

  /// What has no counterpart is told.
  @Test func withoutCounterpart() async throws {
    let clip = try await GeneratedClip.make(.h264ClosedGroups)
    try await withScratchFolder { folder in
      let sound = folder.appending(path: "sound.m4a")
      try await MediaTool("ffmpeg").check([
        "-nostdin", "-v", "error", "-f", "lavfi", "-i", "sine=440:d=1", "-c:a", "aac", sound.path,
      ])
      var movie = try await Movie(MediaAsset(url: clip.url))
      let other = try await Movie(MediaAsset(url: sound))
      let error = #expect(throws: MediaError.self) {
        try movie.insertTimeRange(Self.range(0, 50), of: other, at: .zero)
      }
      #expect(error?.code == .operationNotSupported && movie.duration == Self.moment(400))
      let header = folder.appending(path: "header.mov")
      let twin = try await Movie(MediaAsset(url: clip.url))
      try movie.insertTimeRange(Self.range(0, 50), of: twin, at: .zero)
      let refused = await #expect(throws: MediaError.self) { try await movie.writeHeader(to: header) }
      #expect(refused?.code == .operationNotSupported)
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
    try await withScratchFolder { folder in
      var empty = movie
      try empty.removeTimeRange(Self.range(0, 1000))
      let target = folder.appending(path: "none.mp4")
      var error = await #expect(throws: MediaError.self) { try await empty.write(to: target) }
      #expect(error?.code == .invalidArgument)
      // Another file than the one with the media has no place for a header.
      error = await #expect(throws: MediaError.self) {
        try await movie.writeHeader(to: target, options: .addMovieHeaderToDestination)
      }
      #expect(error?.code == .operationNotSupported)
      error = await #expect(throws: MediaError.self) {
        try await movie.writeHeader(to: clip.url, options: .truncateDestinationToMovieHeaderOnly)
      }
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
    try await withScratchFolder { folder in
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
