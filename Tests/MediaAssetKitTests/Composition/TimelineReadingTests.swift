import Foundation
import MediaTestSupport
import Testing

@testable import MediaAssetKit

/// What editing programs write: from the formats' own definitions.
@Suite struct TimelineReadingTests {
  private func t(_ value: Int64, _ scale: Int32) -> MediaTime { MediaTime(value: value, timescale: scale) }

  private let otio = """
    {"OTIO_SCHEMA": "Timeline.1", "name": "x", "tracks": {"OTIO_SCHEMA": "Stack.1", "children": [
      {"OTIO_SCHEMA": "Track.1", "kind": "Video", "children": [
        {"OTIO_SCHEMA": "Clip.1", "source_range": {"OTIO_SCHEMA": "TimeRange.1",
          "start_time": {"OTIO_SCHEMA": "RationalTime.1", "value": 86424, "rate": 24},
          "duration": {"OTIO_SCHEMA": "RationalTime.1", "value": 48, "rate": 24}},
         "media_reference": {"OTIO_SCHEMA": "ExternalReference.1", "target_url": "file:///media/a%20b.mov",
          "available_range": {"OTIO_SCHEMA": "TimeRange.1",
           "start_time": {"OTIO_SCHEMA": "RationalTime.1", "value": 86400, "rate": 24},
           "duration": {"OTIO_SCHEMA": "RationalTime.1", "value": 240, "rate": 24}}}},
        {"OTIO_SCHEMA": "Transition.1", "transition_type": "SMPTE_Dissolve",
         "in_offset": {"OTIO_SCHEMA": "RationalTime.1", "value": 6, "rate": 24},
         "out_offset": {"OTIO_SCHEMA": "RationalTime.1", "value": 12, "rate": 24}},
        {"OTIO_SCHEMA": "Clip.2", "source_range": {"OTIO_SCHEMA": "TimeRange.1",
          "start_time": {"OTIO_SCHEMA": "RationalTime.1", "value": 30, "rate": 23.976023976023978},
          "duration": {"OTIO_SCHEMA": "RationalTime.1", "value": 24, "rate": 24}},
         "active_media_reference_key": "DEFAULT_MEDIA", "media_references": {"DEFAULT_MEDIA":
          {"OTIO_SCHEMA": "ExternalReference.1", "target_url": "b.mp4"}}},
        {"OTIO_SCHEMA": "Gap.1", "source_range": {"OTIO_SCHEMA": "TimeRange.1",
          "start_time": {"OTIO_SCHEMA": "RationalTime.1", "value": 0, "rate": 24},
          "duration": {"OTIO_SCHEMA": "RationalTime.1", "value": 24, "rate": 24}}},
        {"OTIO_SCHEMA": "Clip.1", "source_range": {"OTIO_SCHEMA": "TimeRange.1",
          "start_time": {"OTIO_SCHEMA": "RationalTime.1", "value": 0, "rate": 24},
          "duration": {"OTIO_SCHEMA": "RationalTime.1", "value": 24, "rate": 24}},
         "effects": [{"OTIO_SCHEMA": "LinearTimeWarp.1", "time_scalar": 2.0}],
         "media_reference": {"OTIO_SCHEMA": "ExternalReference.1", "target_url": "c.mp4"}}]}]}}
    """

  @Test func openTimelineIO() throws {
    let timeline = try Timeline(openTimelineIO: Data(otio.utf8))
    #expect(timeline.tracks.count == 2)
    let (below, above) = (timeline.tracks[0], timeline.tracks[1])
    // The first clip reaches 12 pictures over the cut at 2 s, the second begins 6 before it.
    #expect(below.segments.map(\.file) == ["/media/a b.mov"])
    #expect(below.segments[0].from?.time == t(1, 1) && below.segments[0].to?.time == t(7, 2))
    #expect(below.segments[0].at?.time == .zero)
    #expect(above.segments.map(\.file) == ["b.mp4", "c.mp4"])
    #expect(above.segments[0].at?.time == t(7, 4))
    #expect(above.segments[0].from?.time == t(30 * 1001, 24000) - t(1, 4))
    #expect(above.opacity == [Timeline.Change(from: .init(t(7, 4)), to: .init(t(5, 2)), start: 0, end: 1)])
    // A gap of a second; then double speed.
    #expect(above.segments[1].at?.time == t(4, 1))
    #expect(above.segments[1].to?.time == t(2, 1) && above.segments[1].duration?.time == t(1, 1))
  }

  @Test func whatIsNoTimeline() {
    for text in ["", "[]", "{}", #"{"OTIO_SCHEMA": "Clip.1"}"#] {
      #expect(throws: MediaError.self) { try Timeline(openTimelineIO: Data(text.utf8)) }
    }
    let frozen = otio.replacingOccurrences(of: "2.0", with: "0.0")
    #expect(throws: MediaError.self) { try Timeline(openTimelineIO: Data(frozen.utf8)) }
  }

  @Test func editDecisionLists() throws {
    let text = """
      TITLE: TEST
      FCM: NON-DROP FRAME

      001  AX       V     C        00:00:01:00 00:00:03:00 01:00:00:00 01:00:02:00
      * FROM CLIP NAME: one.mp4
      002  AX       V     C        00:00:03:00 00:00:03:00 01:00:02:00 01:00:02:00
      002  BX       V     D    025 00:00:10:00 00:00:14:00 01:00:02:00 01:00:06:00
      * FROM CLIP NAME: one.mp4
      * TO CLIP NAME: two.mp4
      003  TAPE3    AA/V  C        00:00:00:00 00:00:02:00 01:00:06:00 01:00:07:00
      M2   TAPE3    050.0                00:00:00:00
      """
    let timeline = try Timeline(editDecisionList: text, files: ["TAPE3": "/x/three.mov"])
    #expect(timeline.tracks.map(\.media) == [.video, .video, .audio])
    let below = timeline.tracks[0]
    #expect(below.segments.map(\.file) == ["one.mp4"])
    // A second longer than its own, for the dissolve.
    #expect(below.segments[0].from?.time == t(1, 1) && below.segments[0].to?.time == t(4, 1))
    let above = timeline.tracks[1]
    #expect(above.segments.map(\.file) == ["two.mp4", "/x/three.mov"])
    #expect(above.segments[0].at?.time == t(2, 1) && above.segments[0].to?.time == t(14, 1))
    #expect(above.opacity == [Timeline.Change(from: .init(t(2, 1)), to: .init(t(3, 1)), start: 0, end: 1)])
    #expect(above.segments[1].to?.time == t(2, 1) && above.segments[1].duration?.time == t(1, 1))
    #expect(timeline.tracks[2].segments.map(\.file) == ["/x/three.mov"])
  }

  /// 00:01:00;02 is the 1800th picture: two numbers were left out.
  @Test func dropFrame() throws {
    let text = "001 A V C 00:00:00;00 00:01:00;02 00:00:00;00 00:01:00;02"
    let timeline = try Timeline(editDecisionList: text, frameRate: (30000, 1001))
    #expect(timeline.tracks[0].segments[0].to?.time == t(1800 * 1001, 30000))
  }

  @Test(arguments: [
    "", "TITLE: X", "001 A V C 00:00:00:00", "001 A V C 00:00:00:00 00:00:99:00 00:00:00:00 00:00:01:00",
    "001 A V C 00:00:02:00 00:00:01:00 00:00:00:00 00:00:01:00",
    "001 A V C 00:00:00:00 00:00:01:00 00:00:00:00 00:00:01:00\nM2 A 1e300 00:00:00:00",
    "001 A V C 00:00:00:00 00:00:01:00 00:00:00:00 00:00:01:00\nM2 A inf 00:00:00:00",
    "001 A V C 00:00:00:00 00:00:01:00 00:00:00:00 00:00:01:00\nM2 A nan 00:00:00:00",
    "001 A V C 00:00:00:00 00:00:01:00 00:00:00:00 00:00:01:00\nM2 A -25 00:00:00:00",
  ])
  func brokenLists(text: String) {
    #expect(throws: MediaError.self) { try Timeline(editDecisionList: text) }
  }

  /// Times that no film has, and names that the system would cut off, are errors by name, whatever they ask for.
  @Test(arguments: [
    ("\"to\":\"9223372036854775807\"", MediaError.Code.limitExceeded),
    ("\"duration\":\"9223372036854775807\"", .limitExceeded),
    ("\"duration\":\"9223372036854775807/2\"", .limitExceeded),
    ("\"at\":\"9223372036854775800\"", .limitExceeded), ("\"from\":\"100\",\"to\":\"101\"", .invalidArgument),
    ("\"track\":1,\"file\":\"red.mp4\\u0000x\"", .invalidArgument),
  ])
  func hostileSegments(fields: String, code: MediaError.Code) async throws {
    let clip = try await GeneratedClip.make(.h264ClosedGroups).url
    let file = fields.contains("file") ? "" : "\"file\":\"\(clip.path)\","
    let text = "{\"renderSize\":[320,180],\"tracks\":[{\"media\":\"video\",\"segments\":[{\(file)\(fields)}]}]}"
    let error = await #expect(throws: MediaError.self) {
      let timeline = try JSONDecoder().decode(Timeline.self, from: Data(text.utf8))
      let made = try await timeline.make()
      let session = ExportSession(composition: made.composition, preset: .highestQuality)
      _ = try await session.plan(for: .mp4)
    }
    #expect(error?.code == code)
  }
}
