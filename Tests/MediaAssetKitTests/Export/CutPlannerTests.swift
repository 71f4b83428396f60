import LibAV
import Testing

@testable import MediaAssetKit

/// Which pictures of a cut are encoded and which copied: no media is touched.
@Suite struct CutPlannerTests {
  /// A stored order of pictures by number, one a second: `I` can begin and be joined, `C` can begin, others can't.
  private static func samples(_ text: String) -> [CutSample] {
    text.split(separator: " ").enumerated().map { index, word in
      let kind = word.first ?? "P"
      return CutSample(
        time: Rational(Int64(word.dropFirst()) ?? 0), decodeTime: Rational(Int64(index) - 2),
        isSync: kind == "I" || kind == "C", isJoint: kind == "I")
    }
  }

  private static func half(_ value: Int64) -> Rational { Rational(value, 2) ?? .zero }

  /// Closed groups of four: 0…3, 4…7, 8…11, stored with one picture ahead of two.
  private static let closed = "I0 P3 B1 B2 I4 P7 B5 B6 I8 P11 B9 B10"
  /// Open groups: 2 and 3 are stored behind 4, and lean on it.
  private static let open = "I0 P1 I4 B2 B3 P7 B5 B6 I8"

  @Test(arguments: [
    // From a sync sample's own time on nothing is encoded.
    (closed, 0, 0, false), (closed, 8, 4, false),
    // The picture on show at the start lasts into the range: it is the first copied one.
    (closed, 9, 4, false), (closed, 1, 0, false),
    // Another picture has taken over.
    (closed, 2, 4, true), (closed, 7, 4, true), (closed, 10, 8, true),
    (open, 2, 4, true), (open, 4, 4, true), (open, 6, 4, true), (open, 8, 4, false), (open, 10, 8, true),
  ])
  func copiesBeginAtTheFirstJoint(_ stored: String, _ start: Int64, _ first: Int64, _ hasHead: Bool) throws {
    let planner = CutPlanner(start: Self.half(start), end: nil)
    let found = try #require(planner.beginning(Self.samples(stored)))
    #expect(found.time == Rational(first))
    #expect(found.hasHead == hasHead)
  }

  /// A sync sample that is no joint serves where nothing is encoded before it, and is passed over elsewhere.
  @Test func whatCannotBeJoinedIsPassedOver() throws {
    let stored = Self.samples("C0 P1 C2 P3 I4 P5")
    #expect(CutPlanner(start: Self.half(4), end: nil).beginning(stored)?.time == Rational(2))
    #expect(CutPlanner(start: Self.half(3), end: nil).beginning(stored)?.time == Rational(4))
    #expect(CutPlanner(start: Self.half(3), end: Rational(4)).beginning(stored) == nil)
    #expect(CutPlanner(start: Self.half(10), end: nil).beginning(stored) == nil)
  }

  /// How far decoding runs ahead: the leading pictures that went into the encoded part don't count.
  @Test func theDelayIsThatOfTheCopies() throws {
    let reordered = CutPlanner(start: Self.half(2), end: nil).beginning(Self.samples(Self.closed))
    // Stored 4 7 5 6 with 4 decoded two seconds early, at 2: two by the file's word.
    #expect(reordered?.delay == Rational(2))
    var plain = Self.samples("I0 P1 I2 P3 P4")
    for index in plain.indices { plain[index].decodeTime = nil }
    #expect(CutPlanner(start: Self.half(1), end: nil).beginning(plain)?.delay == .zero)
    var pyramid = Self.samples("I0 P4 B2 B1 B3 P8 B6 B5 B7")
    for index in pyramid.indices { pyramid[index].decodeTime = nil }
    // Shown 0 1 2 3 4 …, stored 0 4 2 1 3 …: 1 comes as the fourth, two too late.
    #expect(CutPlanner(start: .zero, end: nil).beginning(pyramid)?.delay == Rational(2))
  }

  @Test(arguments: [
    // All that is decoded before the end is shown before it: nothing is encoded.
    ("I4 P7 B5 B6", 16, 16, false), ("I4 P5 P6", 13, 13, false), ("I4 P5 P6", 11, 11, false),
    // 7 is shown behind the end, and 5 and 6 lean on it.
    ("I4 P7 B5 B6", 14, 10, true), ("I4 P7 B5 B6", 11, 10, true), ("I4 P7 B5", 11, 10, true),
    // Two groups of three: the first one is copied.
    ("I4 P7 B5 B6 P10 B8 B9", 18, 16, true), ("I4 P7 B5 B6 P10 B8 B9", 16, 16, false),
    // Leading pictures belong to the part before.
    ("I4 B2 B3 P7 B5 B6", 16, 16, false),
  ])
  func copiesEndWhereTheOrdersMeet(_ stored: String, _ end: Int64, _ last: Int64, _ hasTail: Bool) throws {
    let planner = CutPlanner(start: Rational(4), end: Self.half(end))
    let within = Self.samples(stored)
    let found = try #require(planner.end(within, first: Rational(4)))
    #expect(found.time == Self.half(last))
    #expect(found.hasTail == hasTail)
  }

  @Test func leadingPicturesOfTheLastGroupAreEncodedWithIt() throws {
    // 8 opens a group whose 6 and 7 are shown before it; the range ends between them.
    let planner = CutPlanner(start: .zero, end: Rational(7))
    let found = try #require(planner.end(Self.samples("I4 P5 I8 B6 B7"), first: .zero))
    #expect(found == CutPlanner.End(time: Rational(6), hasTail: true))
  }

  @Test func nothingIsCopiedWhereOnlyTheFirstPictureFits() {
    let planner = CutPlanner(start: .zero, end: Rational(3))
    // All but 0 lean on 8.
    #expect(planner.end(Self.samples("I0 P8 B1 B2"), first: .zero)?.time == Rational(1))
    #expect(planner.end(Self.samples("I0 P8 B1 B2"), first: Rational(9)) == nil)
  }
}
