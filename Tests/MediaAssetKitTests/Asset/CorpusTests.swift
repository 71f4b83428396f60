import FoundationEssentials
import MediaTestSupport
import Testing

@testable import MediaAssetKit

/// Every real file opens or fails as its row says, and agrees with everything that others state of it.
@Suite("Corpus: headers") struct CorpusHeaderTests {
  static let rows: [CorpusRow] = {
    guard let corpus = Corpus.orCount(208) else { return [] }
    let all = ProcessInfo.processInfo.environment["MEDIA_ALL"] == "1"
    return all ? corpus.rows : corpus.sample(count: 40)
  }()

  @Test(arguments: rows) func agrees(_ row: CorpusRow) async throws {
    let corpus = try #require(Corpus.shared)
    let check = await CorpusFactCheck(corpus.url(row))
    let facts = corpus.facts(row)
    let mayFail = facts.contains { $0.kind == .survives }
    for fact in facts {
      if mayFail, check.failure != nil, fact.kind != .survives { continue }
      guard let verdict = await check.verdict(fact) else { continue }
      let reason = CorpusDisagreements.reason(for: fact)
      if ProcessInfo.processInfo.environment["MEDIA_REPORT"] == "1" {
        print("FACT", verdict.holds ? "agrees" : reason == nil ? "DIFFERS" : "listed", verdict)
      }
      if reason == nil {
        #expect(verdict.holds, "\(verdict)")
      } else {
        // A listed disagreement that no longer is one must leave the list.
        #expect(!verdict.holds, "agrees now: \(verdict)")
      }
    }
  }

  /// Where a header's word and the data differ, precision is for the asking: the seven frames that
  /// are left, without the encoder's delay.
  @Test func preciseTimingCounts() async throws {
    guard let corpus = Corpus.orCount() else { return }
    let url = corpus.url(path: "Zeugma440+atldotnet/ghost_data_after_last_frame.mp3")
    let asset = MediaAsset(url: url, options: .init(prefersPreciseDurationAndTiming: true))
    #expect(
      try await asset.load(.duration) == MediaTime(value: 7 * 1152 - 1105, timescale: 44_100))
    #expect(try await asset.load(.durationQuality) == .exact)
  }

  /// Mastering data in boxes beside the colour.
  @Test func masteringBoxes() async throws {
    guard let corpus = Corpus.orCount() else { return }
    let url = corpus.url(path: "androidx+media/sample_with_colr_mdcv_and_clli.mp4")
    let track = try #require(
      try await MediaAsset(url: url).loadTracks(withMediaType: .video).first)
    let hdr = try #require(try await track.load(.formatDescriptions).first?.video?.hdr)
    #expect(hdr.kind == .hdr10 && hdr.masteringDisplay != nil && hdr.maxContentLight != nil)
  }
}
