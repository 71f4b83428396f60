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
}
