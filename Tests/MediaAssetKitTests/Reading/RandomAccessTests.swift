import Foundation
import LibAV
import MediaTestSupport
import Testing

@testable import MediaAssetKit

/// Random access gives bit for bit what decoding in order gives, with one thread and with several.
@Suite struct RandomAccessTests {
  @Test(arguments: CodedClip.all) func framesInOrderEqualFFmpegs(_ clip: CodedClip) async throws {
    let url = try await clip.make()
    let track = try await Self.track(url)
    let judged = try await FFmpegJudge(url, decoder: track.track.decoderName).frameHashes()
    var hashes: [String] = []
    var times: [ClipTime] = []
    for try await frame in track.frames() {
      hashes.append(try frame.pixelBuffer.md5())
      let time = try #require(frame.time.rational)
      times.append(ClipTime(time.numerator, time.denominator))
    }
    #expect(judged.count == clip.frames ?? judged.count)
    #expect(hashes == judged.map(\.hash))
    #expect(Set(zip(times, judged).map { $0 - $1.time }).count <= 1)
  }

  @Test(arguments: CodedClip.all, [1, 4])
  func everyPictureByItsTime(_ clip: CodedClip, threads: Int) async throws {
    let opener = try await Self.track(try await clip.make()).opener()
    let all = try await VideoSession(opener: opener, threads: 1).allPictures()
    let moments = ShownPictures(all).moments
    var random = SeededGenerator(seed: Corpus.seed)
    let session = VideoSession(opener: opener, threads: threads)
    for moment in moments.shuffled(using: &random) {
      let found = try await session.digest(onShowAt: moment.time)
      #expect(found == moment.expected, "\(clip.name) at \(moment.time)")
    }
  }

  static func track(_ url: URL) async throws -> AssetTrack {
    try #require(try await MediaAsset(url: url).loadDefaultTrack(withMediaType: .video))
  }
}
