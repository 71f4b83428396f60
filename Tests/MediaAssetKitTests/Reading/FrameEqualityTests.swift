import Foundation
import LibAV
import MediaTestSupport
import Testing

@testable import MediaAssetKit

/// Every frame of every video track of the corpus against the `ffmpeg` command, and every frame by its time.
///
/// Each run takes a choice of files that changes with the day; `MEDIA_ALL=1` takes all of them.
@Suite struct FrameEqualityTests {
  static let isComplete = ProcessInfo.processInfo.environment["MEDIA_ALL"] != nil
  static let only = ProcessInfo.processInfo.environment["MEDIA_ONLY"]

  static let rows: [CorpusRow] = {
    guard let corpus = Corpus.orCount() else { return [] }
    if let only { return corpus.rows.filter { $0.path.contains(only) } }
    return isComplete ? corpus.rows : corpus.sample(count: 12)
  }()

  @Test(arguments: rows) func framesEqualFFmpegs(_ row: CorpusRow) async throws {
    guard let corpus = Corpus.shared else { return }
    let url = corpus.url(row)
    guard let tracks = try? await MediaAsset(url: url).loadTracks(withMediaType: .video) else {
      return
    }
    for track in tracks where track.track.isDecodable {
      guard let stream = track.track.stream else { continue }
      let judge = FFmpegJudge(url, decoder: track.track.decoderName)
      let judged = (try? await judge.frameHashes(.index(stream.index))) ?? []
      var ours: [(time: ClipTime, hash: String)] = []
      var failure: (any Error)?
      do {
        for try await frame in track.frames() {
          let hash = try frame.pixelBuffer.md5()
          let time = try #require(frame.time.rational)
          ours.append((ClipTime(time.numerator, time.denominator), hash))
        }
      } catch { failure = error }
      let same = ours.map(\.hash) == judged.map(\.hash)
      let shifts = Set(zip(ours, judged).map { $1.time - $0.time })
      print(
        "SEQ \(row.path) #\(track.trackID) ours \(ours.count) ffmpeg \(judged.count) \(same ? "same" : "DIFFERENT") shifts \(shifts.count) \(shifts.min().map { "\($0.description)" } ?? "-") \(shifts.max().map { "\($0.description)" } ?? "-") \(failure.map { "\($0)" } ?? "")"
      )
      #expect(same && shifts.count <= 1, "\(row.path)")
    }
  }

  @Test(arguments: rows) func framesByTheirTimes(_ row: CorpusRow) async throws {
    guard let corpus = Corpus.shared else { return }
    guard let tracks = try? await MediaAsset(url: corpus.url(row)).loadTracks(withMediaType: .video)
    else { return }
    for track in tracks where track.track.isDecodable {
      guard let opener = try? await track.opener() else { continue }
      let all = try await VideoSession(opener: opener, threads: 1).allPictures()
      let moments = ShownPictures(all).moments
      var random = SeededGenerator(seed: Corpus.seed)
      for threads in [1, 3] {
        let session = VideoSession(opener: opener, threads: threads)
        var bad = 0
        var errors = 0
        let chosen = moments.shuffled(using: &random).prefix(Self.isComplete ? 80 : 24)
        let started = ContinuousClock.now
        for moment in chosen {
          do {
            let found = try await session.digest(onShowAt: moment.time)
            if found != moment.expected {
              bad += 1
              if bad < 4 {
                print(
                  "  BAD \(row.path) at \(moment.time): expected \(moment.expected) got \(found.map { "\($0)" } ?? "nil")"
                )
              }
            }
          } catch {
            errors += 1
            if errors < 3 { print("  ERR \(row.path) at \(moment.time): \(error)") }
          }
        }
        for moment in moments.prefix(400) {
          let found = try? await session.digest(onShowAt: moment.time)
          if found != moment.expected { bad += 1 }
        }
        print(
          "EXACT \(row.path) #\(track.trackID) threads \(threads) of \(all.count)/\(chosen.count): bad \(bad) errors \(errors) \(ContinuousClock.now - started)"
        )
        #expect(bad == 0 && errors == 0, "\(row.path)")
      }
    }
  }
}
