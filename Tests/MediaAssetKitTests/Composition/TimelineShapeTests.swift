import Foundation
import MediaTestSupport
import Testing

@testable import MediaAssetKit

/// What a timeline's file may hold: what it may not is refused by its path, in words that tell what is possible.
@Suite struct TimelineShapeTests {
  private func read(_ text: String, as type: String = "json") throws -> Timeline {
    let url = FileManager.default.temporaryDirectory.appendingPathComponent("timeline-\(UUID().uuidString).\(type)")
    try Data(text.utf8).write(to: url)
    defer { try? FileManager.default.removeItem(at: url) }
    return try Timeline(contentsOf: url)
  }

  private func track(_ fields: String, segment: String = "") -> String {
    #"{"tracks": [{"media": "video", "segments": [{"file": "a.mp4"\#(segment)}]\#(fields)}]}"#
  }

  /// Every field that a timeline has, once.
  private static let whole = """
    {"renderSize": [320, 180], "frameDuration": "1001/30000", "background": "#102030", "filter": "vignette",
     "limitsPeaks": true,
     "tracks": [
       {"media": "video", "segments": [{"file": "a.mp4", "track": 1, "from": "1", "to": 2.5, "at": 0, "duration": "3",
         "reversed": true}],
        "place": {"x": 1, "y": -2.5, "width": 10, "height": 10, "rotation": -90},
        "opacity": [{"at": 0, "value": 0.5}, {"from": 1, "to": 2, "start": 0, "end": 1}], "blend": "screen",
        "filter": "hue=s=0"},
       {"media": "audio", "segments": [], "volume": [{"at": "0", "value": 2}], "varispeed": false}],
     "overlays": [
       {"image": "x.png", "place": {}, "from": 0, "to": 1, "opacity": [], "blend": "add",
        "position": [{"at": 0, "value": [1, 2]}, {"from": 1, "to": 2, "start": [0, 0], "end": [9, 9.5]}],
        "scale": [{"at": 1, "value": 2}], "rotation": [{"from": 2, "to": 3, "start": 0, "end": 360}]},
       {"text": {"string": "x", "markup": false, "font": "Sans", "size": 20, "color": "#ffffff", "align": "center",
         "width": 100, "lineSpacing": 2, "outline": {"width": 2, "color": "#000000"},
         "shadow": {"x": 1, "y": 1, "color": "#00000080"},
         "background": {"color": "#000000", "padding": 3, "cornerRadius": 4}}}]}
    """

  /// The form and the type know the same fields: what is read comes back when it is written.
  @Test func everyFieldIsKnown() throws {
    func names(_ value: Any) -> Set<String> {
      if let list = value as? [Any] { return list.reduce(into: []) { $0.formUnion(names($1)) } }
      guard let object = value as? [String: Any] else { return [] }
      return object.reduce(into: Set(object.keys)) { $0.formUnion(names($1.value)) }
    }
    let timeline = try read(Self.whole)
    let written = try JSONSerialization.jsonObject(with: try JSONEncoder().encode(timeline))
    let source = try JSONSerialization.jsonObject(with: Data(Self.whole.utf8))
    #expect(names(written) == names(source))
    #expect(timeline.tracks[0].place?.y == -2.5 && timeline.overlays?[1].text?.background?.cornerRadius == 4)
    #expect(try read(String(decoding: try JSONEncoder().encode(timeline), as: UTF8.self)) == timeline)
  }

  @Test(arguments: [
    (#", "opacty": []"#, "", "tracks[0].opacty: there is no such field; did you mean “opacity”? possible are blend,"),
    ("", #", "opacty": 1"#, "tracks[0].segments[0].opacty: there is no such field; possible are at, duration, file,"),
    (#", "opacity": [{"at": 0, "value": 1e400}]"#, "", "tracks[0].opacity[0].value: a number beyond"),
    (#", "opacity": [{"at": 0, "value": 2}]"#, "", "tracks[0].opacity[0].value: 2 is no number from 0 to 1"),
    (#", "opacity": {"at": 0}"#, "", "tracks[0].opacity: an object is no list"),
    (#", "place": {"width": 0}"#, "", "tracks[0].place.width: 0 is no number from"),
    (#", "place": {"height": -4}"#, "", "tracks[0].place.height: -4 is no number from"),
    (#", "blend": "x""#, "", "tracks[0].blend: “x” is none of normal, multiply"),
    (#", "varispeed": 1"#, "", "tracks[0].varispeed: 1 is no flag"),
    ("", #", "from": -1"#, "tracks[0].segments[0].from: -1 is below zero"),
    ("", #", "from": 0.00000000001"#, "tracks[0].segments[0].from: “0.00000000001” can't be held exactly"),
    ("", #", "from": "1/3000000001""#, "tracks[0].segments[0].from: “1/3000000001” can't be held exactly"),
    ("", #", "from": 1e300"#, "tracks[0].segments[0].from: “1e+300” is no time"),
    ("", #", "from": "1e3""#, "tracks[0].segments[0].from: “1e3” is no time"),
    ("", #", "from": [1]"#, "tracks[0].segments[0].from: a list of 1 is no time"),
    ("", #", "track": 1.5"#, "tracks[0].segments[0].track: 1.5 is no whole number from 0 to 2147483647"),
  ])
  func wrongFields(fields: String, segment: String, words: String) {
    let error = #expect(throws: MediaError.self) { try read(track(fields, segment: segment)) }
    #expect(error?.code == .fileFailedToParse)
    #expect(error?.reason.contains(words) == true, "\(error?.reason ?? "")")
  }

  @Test(arguments: [
    ("", "it is empty"), ("{", "line 1, column 2: it ends too early"),
    ("{\"tracks\": [\n  {\"media\": video}]}", "line 2, column 13: “video” is no value"),
    ("{\"tracks\": []]", "line 1, column 14: a comma or } has to stand here"),
    ("{\"tracks\": [], x}", "line 1, column 16: a name in quotation marks has to stand here"),
    ("{\"tracks\": []} x", "line 1, column 16: there is more behind its end"),
    (String(repeating: "[", count: 600), "nested deeper than 512"), ("[]", "a list of 0 is no object"),
    ("{}", "tracks: the field is missing"),
    (#"{"tracks": [{"segments": []}]}"#, "tracks[0].media: the field is missing"),
    (#"{"tracks": [], "renderSize": [1, 2, 3]}"#, "renderSize: a list of 3 is no list of 2"),
    (#"{"tracks": [], "overlay": []}"#, "overlay: there is no such field; did you mean “overlays”?"),
    (#"{"tracks": null}"#, "tracks: null is no list"),
  ])
  func whatIsNoTimeline(text: String, words: String) {
    let error = #expect(throws: MediaError.self) { try read(text) }
    #expect(error?.reason.contains(words) == true, "\(error?.reason ?? "")")
  }

  /// Decimals are the fractions that they say; no binary ones.
  @Test(
    arguments: [
      ("0.00001", 1, 100_000), ("1e-5", 1, 100_000), ("0.1", 1, 10), ("\"0.0009765625\"", 1, 1024), ("2.50", 5, 2),
      ("\"1001/30000\"", 1001, 30_000), ("\"0.123456789\"", 123_456_789, 1_000_000_000), ("\"2.5000000000000\"", 5, 2),
      ("12345678.25", 49_382_713, 4), ("\"9223372036854775807\"", .max, 1),
    ] as [(String, Int64, Int32)])
  func decimals(text: String, value: Int64, scale: Int32) throws {
    let timeline = try read(track("", segment: ", \"from\": \(text)"))
    let time = try #require(timeline.tracks[0].segments[0].from?.time)
    #expect(time == MediaTime(value: value, timescale: scale) && !time.hasBeenRounded)
  }

  /// What a film can't be made of is refused with its place in the timeline, before any work.
  @Test(arguments: [
    (
      #"{"tracks": [{"media": "video", "segments": [{"file": "FILE"}]}], "frameDuration": "1/1000000"}"#,
      "frameDuration"
    ),
    (
      #"{"tracks": [{"media": "audio", "segments": [{"file": "FILE", "at": 1000000000}]}]}"#,
      "tracks[0].segments[0].at"
    ),
    (
      #"{"tracks": [{"media": "video", "segments": [{"file": "FILE", "duration": 604700}, {"file": "FILE", "duration": 200}]}]}"#,
      "tracks[0].segments[1]"
    ),
    (
      #"{"tracks": [{"media": "video", "segments": [{"file": "FILE"}], "opacity": [{"from": 0, "to": 1, "start": 0, "end": 1}, {"at": 0.5, "value": 1}]}]}"#,
      "tracks[0].opacity[1]"
    ),
    (
      #"{"tracks": [{"media": "video", "segments": [{"file": "FILE"}]}, {"media": "audio", "segments": [], "volume": [{"from": 0, "to": 1, "start": 0, "end": 1}, {"at": 0.5, "value": 1}]}]}"#,
      "tracks[1].volume[1]"
    ),
    (#"{"tracks": [{"media": "video", "segments": [{"file": "FILE"}], "filter": "movie=x"}]}"#, "tracks[0].filter"),
    (#"{"tracks": [{"media": "video", "segments": [{"file": "FILE"}], "volume": []}]}"#, "tracks[0].volume"),
    (#"{"tracks": [{"media": "audio", "segments": [{"file": "FILE"}], "opacity": []}]}"#, "tracks[0].opacity"),
    (#"{"tracks": [{"media": "audio", "segments": [{"file": "FILE", "duration": 33}]}]}"#, "tracks[0].segments[0]"),
    (#"{"tracks": [{"media": "audio", "segments": [{"file": "FILE", "duration": "1/33"}]}]}"#, "tracks[0].segments[0]"),
    (#"{"tracks": [{"media": "video", "segments": [{"file": "FILE"}]}], "renderSize": [20000, 20000]}"#, "renderSize"),
    (#"{"tracks": [{"media": "video", "segments": [{"file": "FILE"}]}], "filter": "movie=x"}"#, "filter"),
    (
      #"{"tracks": [{"media": "video", "segments": [{"file": "FILE"}]}], "overlays": [{"text": {"string": "x", "color": "red"}}]}"#,
      "overlays[0].text"
    ),
    (
      #"{"tracks": [{"media": "video", "segments": [{"file": "FILE"}]}], "overlays": [{"text": {"string": "x"}, "rotation": [{"from": 2, "to": 1, "start": 0, "end": 1}]}]}"#,
      "overlays[0].rotation[0]"
    ),
  ])
  func places(text: String, place: String) async throws {
    let clip = try await greyClip(3)
    let timeline = try read(text.replacingOccurrences(of: "FILE", with: clip.path))
    let error = await #expect(throws: MediaError.self) { _ = try await timeline.make() }
    #expect(error?.subject == "\(place) of the timeline", "\(error.map { "\($0)" } ?? "")")
  }

  /// A place that is made in code is checked as well.
  @Test func placesOfCode() async throws {
    let clip = try await greyClip(3)
    var track = Timeline.Track(media: .video, segments: [.init(file: clip.path)])
    track.place = .init(x: .nan)
    let error = await #expect(throws: MediaError.self) { _ = try await Timeline(tracks: [track]).make() }
    #expect(error?.subject == "tracks[0].place.x of the timeline")
  }

  @Test func openTimelineIOByPath() {
    let time = #"{"OTIO_SCHEMA": "RationalTime.1", "value": 1, "rate": RATE}"#
    func text(_ rate: String, _ more: String = "") -> String {
      let times = time.replacingOccurrences(of: "RATE", with: rate)
      return
        #"{"OTIO_SCHEMA": "Stack.1", "children": [{"OTIO_SCHEMA": "Track.1", "kind": "Video", "children": [{"OTIO_SCHEMA": "Clip.1", "source_range": {"start_time": \#(times), "duration": \#(times)}\#(more)}]}]}"#
    }
    for (input, words) in [
      (text("0"), "children[0].children[0].source_range.start_time: it is no count of a rate above 0"),
      (text("\"x\""), "children[0].children[0].source_range.start_time.rate: it is no number"),
      (text("25", #", "enabled": 3"#), "children[0].children[0].enabled: it is no true or false"),
      (text("25", #", "effects": {}"#), "children[0].children[0].effects: it is no list"),
      ("{\"OTIO_SCHEMA\": 1", "line 1, column 18: it ends too early"), ("{}", "OTIO_SCHEMA: the field is missing"),
    ] {
      let error = #expect(throws: MediaError.self) { try Timeline(openTimelineIO: Data(input.utf8)) }
      #expect(error?.reason.contains(words) == true, "\(error?.reason ?? "")")
    }
  }

  @Test func whatCannotBeRead() {
    for (path, code) in [("/nowhere/x.json", MediaError.Code.fileNotFound), ("/tmp", .readFailed)] {
      let error = #expect(throws: MediaError.self) { try Timeline(contentsOf: URL(fileURLWithPath: path)) }
      #expect(error?.code == code && error.map { "\($0)".contains("Cocoa") } == false)
    }
  }

  @Test(arguments: [(26, 1, "that it comes from"), (1, 26, "that it leads to"), (-1, 5, "below zero"), (25, 25, "")])
  func transitionsOfOpenTimelineIO(before: Int, behind: Int, words: String) throws {
    func time(_ count: Int) -> String { #"{"OTIO_SCHEMA": "RationalTime.1", "value": \#(count), "rate": 25}"# }
    let clip =
      #"{"OTIO_SCHEMA": "Clip.1", "source_range": {"start_time": \#(time(50)), "duration": \#(time(25))}, "media_reference": {"OTIO_SCHEMA": "ExternalReference.1", "target_url": "a.mp4"}}"#
    let transition = #"{"OTIO_SCHEMA": "Transition.1", "in_offset": \#(time(before)), "out_offset": \#(time(behind))}"#
    let text =
      #"{"OTIO_SCHEMA": "Stack.1", "children": [{"OTIO_SCHEMA": "Track.1", "kind": "Video", "children": [\#(clip), \#(transition), \#(clip)]}]}"#
    if words.isEmpty {
      #expect(try Timeline(openTimelineIO: Data(text.utf8)).tracks.count == 2)
    } else {
      let error = #expect(throws: MediaError.self) { try Timeline(openTimelineIO: Data(text.utf8)) }
      #expect(error?.reason.contains(words) == true, "\(error?.reason ?? "")")
    }
  }

  /// A dissolve needs both clips for as long as it lasts.
  @Test(arguments: ["060", "100", "9223372036854775807"]) func longDissolves(length: String) {
    let text = """
      001  AX  V  C      00:00:01:00 00:00:03:00 01:00:00:00 01:00:02:00
      002  BX  V  D  \(length) 00:00:10:00 00:00:12:00 01:00:02:00 01:00:04:00
      """
    let error = #expect(throws: MediaError.self) { try Timeline(editDecisionList: text) }
    #expect(error?.reason.contains("longer than the clip that it leads to") == true)
  }

  @Test func longTextsAreCut() {
    let long = String(repeating: "é", count: 100_000)
    let error = MediaError(.unknown, operation: "open", subject: "a\(long)b", reason: "c\(long)d", remedy: "e")
    #expect("\(error)".unicodeScalars.count < 1000)
    #expect("\(error)".hasPrefix("open a") && "\(error)".contains("b: c") && "\(error)".hasSuffix("d. e"))
    #expect("abc".bounded(to: 3) == "abc" && "abcdefg".bounded(to: 6) == "abcd…g")
  }
}
