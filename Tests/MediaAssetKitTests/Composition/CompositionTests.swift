import Foundation
import Testing

@testable import MediaAssetKit

/// Pure time editing: no media is touched.
@Suite struct CompositionTests {
  private typealias Source = Composition.Segment.Source

  private func source(_ number: Int32) -> Source {
    Source(url: URL(fileURLWithPath: "/\(number).mp4"), trackID: number)
  }

  private func s(_ seconds: Int64) -> MediaTime { MediaTime(value: seconds, timescale: 1) }

  private func range(_ start: Int64, _ end: Int64) -> MediaTimeRange { MediaTimeRange(start: s(start), end: s(end)) }

  /// Source number, source start, target start and end; 0 for nothing.
  private func layout(_ track: Composition.Track) -> [[Int64]] {
    track.segments.map { segment in
      [
        Int64(segment.source?.trackID ?? 0), segment.isEmpty ? -1 : segment.timeMapping.source.start.value,
        segment.timeRange.start.convertScale(1).value, segment.timeRange.end.convertScale(1).value,
      ]
    }
  }

  /// Ten seconds of source 1, from its second 100 on.
  private func ten() throws -> Composition.Track {
    var track = Composition.Track(id: 1, mediaType: .video)
    try track.insertTimeRange(range(100, 110), of: source(1), at: .zero)
    return track
  }

  @Test func insertsPushBack() throws {
    var track = try ten()
    try track.insertTimeRange(range(0, 2), of: source(2), at: s(4))
    #expect(layout(track) == [[1, 100, 0, 4], [2, 0, 4, 6], [1, 104, 6, 12]])
    try track.insertTimeRange(range(0, 1), of: source(3), at: .invalid)
    #expect(layout(track).last == [3, 0, 12, 13])
    try track.insertTimeRange(range(0, 1), of: source(4), at: s(20))
    #expect(layout(track).suffix(2) == [[0, -1, 13, 20], [4, 0, 20, 21]])
    #expect(track.timeRange == range(0, 21))
    try track.validateSegments(track.segments)
  }

  @Test func emptyRangesDontReachBehindTheEnd() throws {
    var track = try ten()
    try track.insertEmptyTimeRange(range(10, 12))
    #expect(layout(track) == [[1, 100, 0, 10]])
    try track.insertEmptyTimeRange(range(0, 2))
    try track.insertEmptyTimeRange(range(2, 3))
    #expect(layout(track) == [[0, -1, 0, 3], [1, 100, 3, 13]])
  }

  @Test func removes() throws {
    var track = try ten()
    try track.removeTimeRange(range(2, 5))
    #expect(layout(track) == [[1, 100, 0, 2], [1, 105, 2, 7]])
    try track.removeTimeRange(range(6, 100))
    #expect(track.timeRange == range(0, 6))
    try track.removeTimeRange(range(0, 6))
    #expect(track.segments.isEmpty)
  }

  @Test func scalesPartOfASegment() throws {
    var track = try ten()
    try track.scaleTimeRange(range(2, 4), toDuration: s(6))
    #expect(layout(track) == [[1, 100, 0, 2], [1, 102, 2, 8], [1, 104, 8, 14]])
    #expect(track.segments[1].timeMapping.exactRate == Rational(1, 3))
    // The slow stretch cut in its middle: a third of the target's time is the source's.
    try track.removeTimeRange(range(5, 9))
    #expect(track.segments[1].timeMapping.source == range(102, 103))
    #expect(track.segments[2].timeMapping.source == range(105, 110))
    #expect(track.timeRange == range(0, 10))
  }

  @Test func refusals() throws {
    var track = try ten()
    let before = track
    let bad = MediaTimeRange(start: .zero, duration: .indefinite)
    #expect(throws: MediaError.self) { try track.insertTimeRange(bad, of: source(1), at: .zero) }
    #expect(throws: MediaError.self) { try track.insertTimeRange(range(0, 0), of: source(1), at: .zero) }
    #expect(throws: MediaError.self) { try track.insertTimeRange(range(0, 1), of: source(1), at: s(-1)) }
    #expect(throws: MediaError.self) { try track.scaleTimeRange(range(0, 1), toDuration: .zero) }
    #expect(throws: MediaError.self) { try track.scaleTimeRange(range(1, 1), toDuration: s(1)) }
    #expect(throws: MediaError.self) { try track.removeTimeRange(bad) }
    // All or none.
    #expect(throws: MediaError.self) {
      try track.insertTimeRanges([(range(0, 1), source(2)), (bad, source(2))], at: .zero)
    }
    #expect(track == before)
  }

  @Test func validationNamesTheSegment() throws {
    let track = Composition.Track(id: 1, mediaType: .video)
    func segment(_ target: MediaTimeRange, _ source: MediaTimeRange) -> Composition.Segment {
      .init(url: URL(fileURLWithPath: "/a"), trackID: 1, sourceTimeRange: source, targetTimeRange: target)
    }
    func reason(_ segments: [Composition.Segment]) -> String? {
      do {
        try track.validateSegments(segments)
        return nil
      } catch { return (error as? MediaError)?.reason }
    }
    let good = segment(range(0, 1), range(0, 1))
    #expect(reason([good, segment(range(1, 3), range(0, 1))]) == nil)
    #expect(reason([good, segment(range(2, 3), range(0, 1))])?.hasPrefix("segment 2 begins at") == true)
    #expect(reason([segment(range(0, 0), range(0, 1))])?.hasPrefix("segment 1 lasts") == true)
    #expect(reason([good, segment(range(1, 2), .invalid)])?.hasPrefix("segment 2 takes media from") == true)
    #expect(reason([segment(range(0, 1), range(1, 1))])?.hasPrefix("segment 1 takes") == true)
    #expect(reason([segment(range(1, 2), range(0, 1))]) != nil)
  }

  /// 1001/30000 s of pictures against 1024/44100 s of sound, a thousand times: the last joint is where arithmetic says.
  @Test func aThousandJointsDontDrift() throws {
    var composition = Composition()
    let video = composition.addMutableTrack(withMediaType: .video)
    let audio = composition.addMutableTrack(withMediaType: .audio)
    let length = MediaTime(value: 1001, timescale: 30000)
    let sound = MediaTime(value: 1024, timescale: 44100)
    for _ in 0..<1000 {
      let range = MediaTimeRange(start: .zero, duration: length)
      try composition[video].insertTimeRange(range, of: source(1), at: .invalid)
      try composition[audio].insertTimeRange(.init(start: .zero, duration: sound), of: source(2), at: .invalid)
    }
    #expect(composition[video].segments.count == 1000)
    #expect(composition[video].timeRange.end == MediaTime(value: 1_001_000, timescale: 30000))
    #expect(composition[audio].timeRange.end == MediaTime(value: 1_024_000, timescale: 44100))
    for k in stride(from: 0, to: 1000, by: 37) {
      #expect(composition[video].segments[k].timeRange.start == length * Int32(k))
      #expect(composition[audio].segments[k].timeRange.start == sound * Int32(k))
    }
    #expect(!composition[audio].timeRange.end.hasBeenRounded)
  }

  @Test func tracksAndTies() {
    var composition = Composition()
    #expect(composition.addMutableTrack(withMediaType: .video, preferredTrackID: 7) == 7)
    #expect(composition.addMutableTrack(withMediaType: .audio, preferredTrackID: 7) == 1)
    composition[1].addAssociation(to: 7, kind: "chap")
    composition.removeTrack(withTrackID: 7)
    #expect(composition.tracks.map(\.id) == [1])
    #expect(composition[1].associations.isEmpty)
    #expect(composition.track(withTrackID: 7) == nil)
  }

  @Test func naturalSize() {
    var composition = Composition()
    #expect(composition.naturalSize == .zero)
    let id = composition.addMutableTrack(withMediaType: .video)
    composition[id].naturalSize = PixelSize(width: 64, height: 48)
    #expect(composition.naturalSize == PixelSize(width: 64, height: 48))
    composition.naturalSize = PixelSize(width: 10, height: 10)
    #expect(composition.naturalSize == PixelSize(width: 10, height: 10))
    composition.naturalSize = .zero
    #expect(composition.naturalSize == PixelSize(width: 64, height: 48))
  }

  /// A composition in a composition: later content moves back in every track, and short tracks leave nothing behind.
  @Test func insertsCompositions() throws {
    var inner = Composition()
    let (v, a) = (inner.addMutableTrack(withMediaType: .video), inner.addMutableTrack(withMediaType: .audio))
    try inner[v].insertTimeRange(range(0, 4), of: source(1), at: .zero)
    try inner[a].insertTimeRange(range(0, 3), of: source(2), at: s(1))
    var outer = Composition()
    try outer.insertTimeRange(range(0, 4), of: inner, at: .zero)
    try outer.insertTimeRange(range(2, 4), of: inner, at: s(2))
    #expect(outer.tracks.count == 2)
    #expect(layout(outer.tracks[0]) == [[1, 0, 0, 2], [1, 2, 2, 4], [1, 2, 4, 6]])
    #expect(layout(outer.tracks[1]) == [[0, -1, 0, 1], [2, 0, 1, 2], [2, 1, 2, 4], [2, 1, 4, 6]])
    #expect(throws: MediaError.self) { try outer.insertTimeRange(range(0, 5), of: inner, at: .zero) }
  }

  @Test func isAFile() throws {
    var composition = Composition()
    let id = composition.addMutableTrack(withMediaType: .video)
    try composition[id].insertTimeRange(range(3, 4), of: source(1), at: s(2))
    composition[id].languageCode = "deu"
    let data = try JSONEncoder().encode(composition)
    #expect(try JSONDecoder().decode(Composition.self, from: data) == composition)
  }
}
