import Foundation
import ISOMedia
import LibAV
import MediaTestSupport
import Testing

@testable import MediaAssetKit

/// Every frame of every video track of the corpus against the `ffmpeg` command, and every frame by its time.
///
/// Each run takes a choice of files that changes with the day; `MEDIA_ALL=1` takes all of them.
@Suite struct FrameEqualityTests {
  private static let isComplete = ProcessInfo.processInfo.environment["MEDIA_ALL"] != nil

  static let rows: [CorpusRow] = {
    guard let corpus = Corpus.orCount() else { return [] }
    return isComplete ? corpus.rows : corpus.sample(count: 10)
  }()

  /// How our frames may differ from the command's, by file.
  private enum Exception {
    /// The command leaves out so many pictures at the front: an edit begins inside the last of them. It also moves its
    /// clock to the next picture.
    case commandDropsFirst(Int)
    /// The samples are encrypted; the command decodes them all the same and gets noise.
    case protected
    /// The stream is damaged; what stands in for the missing parts depends on the number of threads. Where the decoder
    /// gives pictures out of order the command guesses times, so ours are compared with the stored ones.
    case damaged
  }

  private static let exceptions: [String: Exception] = [
    "androidx+media/sample_edit_list.mp4": .commandDropsFirst(1),
    "androidx+media/sample_fragmented_sgpd_v2.mp4": .protected,
    "mozilla+mp4parse-rust/no_timescale.mp4": .damaged,
  ]

  @Test(arguments: rows) func framesEqualFFmpegs(_ row: CorpusRow) async throws {
    for track in try await Self.tracks(row) {
      let exception = Self.exceptions[row.path]
      let stream = try #require(track.track.stream)
      let isDamaged = if case .damaged = exception { true } else { false }
      let judge = FFmpegJudge(
        try #require(track.asset.url), inputOptions: isDamaged ? ["-threads", "1"] : [],
        decoder: track.track.decoderName)
      // Of a track that can't be decoded at all the command gives nothing and an error.
      let judged = (try? await judge.frameHashes(.index(stream.index))) ?? []
      var frames: [VideoFrame] = []
      var hashes: [String] = []
      do {
        let run = try await FrameRun(track: track, range: nil, threads: isDamaged ? 1 : nil)
        while let frame = try await run.nextFrame() {
          hashes.append(try frame.pixelBuffer.md5())
          frames.append(frame)
        }
      } catch {
        #expect(frames.isEmpty, "\(row.path): \(error)")
        if case .protected = exception {
          #expect(.contentIsProtected ~= error)
          continue
        }
        #expect(judged.isEmpty && error is MediaError, "\(row.path): \(error)")
      }
      if case .commandDropsFirst(let count) = exception {
        frames.removeFirst(count)
        hashes.removeFirst(count)
      }
      // One picture is cut off by its file: its time counts, what conceals the rest differs from run to run.
      let cut = row.path.hasSuffix("no-aud.ts") ? 1 : 0
      #expect(hashes.count == judged.count, "\(row.path), track \(track.trackID)")
      #expect(hashes.dropLast(cut) == judged.map(\.hash).dropLast(cut), "\(row.path), track \(track.trackID)")
      let times = isDamaged ? try await judge.storedTimes(.index(stream.index)) : judged.map(\.time)
      #expect(times.count == frames.count, "\(row.path), track \(track.trackID)")
      try Self.expectSameTimes(frames, times, track, row)
    }
  }

  /// The command's clock may differ by a constant: the zero of containers whose clock starts anywhere, and what it rounds
  /// off an edit's start, less than one tick of the movie's or the media's clock.
  private static func expectSameTimes(
    _ frames: [VideoFrame], _ judged: [ClipTime], _ track: AssetTrack, _ row: CorpusRow
  ) throws {
    let shifts = try zip(frames, judged).map { frame, judged in
      let time = try #require(frame.time.rational)
      return judged - ClipTime(time.numerator, time.denominator)
    }
    #expect(Set(shifts).count <= 1, "\(row.path), track \(track.trackID)")
    guard let shift = shifts.first, let iso = track.track.iso else { return }
    if exceptions[row.path] != nil { return }
    #expect(abs(shift.seconds) < 1 / Double(iso.mediaTimescale) + 0.001, "\(row.path)")
    if iso.edits == nil { #expect(shift == .zero, "\(row.path)") }
  }

  @Test(arguments: rows, [1, 3])
  func framesByTheirTimes(_ row: CorpusRow, threads: Int) async throws {
    for track in try await Self.tracks(row) {
      if case .damaged = Self.exceptions[row.path] { continue }
      guard let opener = try? await track.opener() else { continue }
      let all = try await VideoSession(opener: opener, threads: 1).allPictures()
      var moments = ShownPictures(all).moments
      // Cut off within its last picture: what conceals the rest depends on how many threads decoded before.
      if row.path.hasSuffix("no-aud.ts") { moments.removeLast() }
      var random = SeededGenerator(seed: Corpus.seed &+ UInt64(threads))
      let session = VideoSession(opener: opener, threads: threads)
      // In random order each costs half a group; the rest in order.
      let chosen = moments.shuffled(using: &random).prefix(Self.isComplete ? 60 : 20)
      let rest = Self.isComplete && threads > 1 ? moments[...] : moments.prefix(40)
      for moment in Array(chosen) + Array(rest) {
        let found = try await session.digest(onShowAt: moment.time)
        #expect(found == moment.expected, "\(row.path) at \(moment.time)")
      }
    }
  }

  private static func tracks(_ row: CorpusRow) async throws -> [AssetTrack] {
    guard let corpus = Corpus.shared else { return [] }
    let asset = MediaAsset(url: corpus.url(row))
    guard let tracks = try? await asset.loadTracks(withMediaType: .video) else { return [] }
    return tracks.filter(\.track.isDecodable)
  }
}
