import Foundation
import ISOMedia
import MediaTestSupport
import Testing

@testable import MediaAssetKit

/// Tracks of timed metadata: typed items in, the same items out, in a file as the specifications have it.
@Suite struct MetadataTrackTests {
  private static func seconds(_ value: Int64, _ scale: Int32 = 30) -> MediaTime {
    MediaTime(value: value, timescale: scale)
  }

  private static func range(_ start: Int64, _ end: Int64) -> MediaTimeRange {
    MediaTimeRange(start: seconds(start), duration: seconds(end - start))
  }

  private static func item(
    _ key: String, _ value: MetadataValue, _ type: MetadataDataType, _ language: String? = nil, in range: MediaTimeRange
  ) -> MetadataItem {
    MetadataItem(
      keySpace: .quickTimeMetadata, key: key, value: value, dataType: type, extendedLanguageTag: language,
      time: range.start, duration: range.duration)
  }

  /// A title in two languages with a pulse; nothing for a second; values of all kinds.
  private static let groups: [TimedMetadataGroup] = {
    let (first, second, third) = (range(0, 30), range(30, 45), range(75, 90))
    return [
      TimedMetadataGroup(
        items: [
          item("com.example.title", .string("Grüße 🎬"), .utf8, "de", in: first),
          item("com.example.title", .string("Greetings"), .utf8, "en-GB", in: first),
          item("com.example.pulse", .integer(-3), .int16, in: first),
        ], timeRange: first),
      TimedMetadataGroup(items: [item("com.example.pulse", .integer(300), .int16, in: second)], timeRange: second),
      TimedMetadataGroup(
        items: [
          item("com.example.speed", .number(2.5), .float64, in: third),
          item("com.example.place", .numbers([1, 2, 3, 4]), .rectF32, in: third),
          item("com.example.raw", .data(Data([0, 1, 2])), .rawData, in: third),
          item("com.example.own", .data(Data("abc".utf8)), .init(rawValue: "com.example.type"), in: third),
        ], timeRange: third),
    ]
  }()

  private func read(_ url: URL, _ range: MediaTimeRange? = nil) async throws -> [TimedMetadataGroup] {
    let asset = MediaAsset(url: url)
    let track = try #require(try await asset.loadTracks(withMediaType: .metadata).first)
    var groups: [TimedMetadataGroup] = []
    for try await sample in try Reader(asset: asset, timeRange: range).output(for: track, settings: .metadata) {
      let group = try #require(sample.metadataGroup)
      #expect(group.timeRange == MediaTimeRange(start: sample.presentationTime, duration: sample.duration))
      groups.append(group)
    }
    return groups
  }

  private func write(
    _ url: URL, _ type: FileType, options: Writer.Options = .init(), groups: [TimedMetadataGroup] = Self.groups
  ) async throws {
    try await withWriter(url: url, fileType: type, options: options) { writer in
      var settings = VideoSettings(codec: "h264")
      settings.maximumKeyFrameInterval = 15
      let video = try writer.add(Writer.Input(video: settings))
      let items = try writer.add(Writer.Input(metadataKeys: TimedMetadataKey.keys(of: groups)))
      try items.addTrackAssociation(with: video, kind: "cdsc")
      try await writer.start()
      try writer.startSession(at: .zero)
      for group in groups { try await items.append(group) }
      items.finish()
      for index in 0..<90 {
        try await video.append(
          SampleBuffer(
            try greyPicture(luma: UInt8(16 + index)), presentationTime: Self.seconds(Int64(index)),
            duration: Self.seconds(1)))
      }
    }
  }

  @Test(arguments: [FileType.mov, .mp4], [false, true])
  func roundTrip(_ type: FileType, _ isFragmented: Bool) async throws {
    try await withScratchFolder { folder in
      let url = folder.appendingPathComponent(type == .mov ? "o.mov" : "o.mp4")
      var options = Writer.Options()
      if isFragmented { options.movieFragmentInterval = MediaTime(value: 1, timescale: 1) }
      try await write(url, type, options: options)
      let found = try await read(url)
      #expect(found == Self.groups)
      try await checkHeader(url)
      // Others see the same samples, one of them for the second without any item; nothing of the placeholder is left.
      let packets = try await FFmpegJudge(url).packets(.index(1))
      let times: [ClipTime] = [0, 30, 45, 75].map { ClipTime($0, 30) }
      let durations: [ClipTime] = [30, 15, 30, 15].map { ClipTime($0, 30) }
      #expect(packets.map(\.time) == times)
      // FFmpeg gives none of fragments whose samples come in the order in which they are shown.
      if !isFragmented { #expect(packets.map { $0.timeBase * ($0.duration ?? 0) } == durations) }
      let stream = try #require(try await FFmpegJudge(url).probe()["streams"]?.elements.last)
      #expect(stream["codec_tag_string"]?.text == "mebx")
      let bytes = try Data(contentsOf: url)
      func holds(_ text: String) -> Bool { bytes.range(of: Data(text.utf8)) != nil }
      #expect(!holds("gpmd") && !holds("GoPro"))
      #expect(holds("nmhd") == (type == .mp4))
      #expect(holds("gmhd") == (type == .mov))
      let pictures = try await FFmpegJudge(url).luma()
      #expect(pictures.count == 90)
    }
  }

  private func checkHeader(_ url: URL) async throws {
    let movie = try #require(try await MediaAsset(url: url).header().movie)
    let track = movie.tracks[1]
    #expect(track.references(ofType: "cdsc") == [1])
    // Every key once, numbered from one, in the order in which they came.
    #expect(track.sampleDescriptions.count == 1)
    let description = try #require(track.sampleDescriptions.first?.metadata)
    #expect(description.keys.map(\.localID) == [1, 2, 3, 4, 5, 6, 7])
    let locales: [String?] = ["de", "en-GB", nil, nil, nil, nil, nil]
    #expect(description.keys.map(\.locale) == locales)
    let types: [MetadataSampleDescription.DataType?] = [
      .wellKnown(1), .wellKnown(1), .wellKnown(66), .wellKnown(24), .wellKnown(72), .wellKnown(0),
      .named("com.example.type"),
    ]
    #expect(description.keys.map(\.dataType) == types)
  }

  /// Ranges cut groups at both ends.
  @Test func ranges() async throws {
    try await withScratchFolder { folder in
      let url = folder.appendingPathComponent("o.mov")
      try await write(url, .mov)
      let cut = try await read(url, Self.range(10, 40))
      #expect(cut.map(\.timeRange) == [Self.range(10, 30), Self.range(30, 40)])
      #expect(cut.map(\.items.count) == [3, 1])
      #expect(cut[0].items[0].time == Self.seconds(10) && cut[0].items[0].duration == Self.seconds(20))
      #expect(try await read(url, Self.range(50, 70)).isEmpty)
    }
  }

  /// What is passed on stays, also into the other family of files and with what is not understood of the description.
  @Test(arguments: [(FileType.mov, "o.mov"), (.mp4, "o.mp4")])
  func passedOn(_ type: FileType, _ name: String) async throws {
    try await withScratchFolder { folder in
      let source = folder.appendingPathComponent("s.mov")
      try await write(source, .mov)
      let url = folder.appendingPathComponent(name)
      try await remux(source, to: url, type)
      #expect(try await read(url) == Self.groups)
      #expect(
        try await FFmpegJudge(url).packets(.index(1)).map(\.hash)
          == (try await FFmpegJudge(source).packets(.index(1)).map(\.hash)))
    }
  }

  /// A group without an end holds until the next one, the last one to the session's end.
  @Test func openEnds() async throws {
    try await withScratchFolder { folder in
      let url = folder.appendingPathComponent("o.mov")
      let groups = [(Int64(0), "a"), (20, "b")].map { start, text in
        let range = MediaTimeRange(start: Self.seconds(start), duration: .positiveInfinity)
        return TimedMetadataGroup(
          items: [Self.item("com.example.t", .string(text), .utf8, in: range)], timeRange: range)
      }
      try await write(url, .mov, groups: groups)
      let found = try await read(url)
      try #require(found.count == 2)
      #expect(found.map { $0.items[0].stringValue } == ["a", "b"])
      #expect(found[0].timeRange == Self.range(0, 20))
      #expect(found[1].timeRange == Self.range(20, 90))
    }
  }

  @Test func refusals() async throws {
    let keys = TimedMetadataKey.keys(of: Self.groups)
    func reason(_ input: Writer.Input, _ type: FileType) throws -> String? {
      try Writer(url: URL(fileURLWithPath: "/nowhere/o"), fileType: type).reasonAgainst(input)?.description
    }
    #expect(try reason(Writer.Input(metadataKeys: keys), .mov) == nil)
    for type in [FileType.mkv, .m4a, .mobile3GPP] {
      #expect(try reason(Writer.Input(metadataKeys: keys), type)?.contains("timed metadata") == true, "\(type)")
    }
    #expect(try reason(Writer.Input(metadataKeys: []), .mov) != nil)
    let foreign = TimedMetadataKey(identifier: .init(key: "TIT2", keySpace: .id3), dataType: .utf8)
    #expect(try reason(Writer.Input(metadataKeys: [foreign]), .mov)?.contains("four characters") == true)
    try await withScratchFolder { folder in
      let writer = try Writer(url: folder.appendingPathComponent("o.mov"), fileType: .mov)
      let input = try writer.add(Writer.Input(metadataKeys: keys))
      try await writer.start()
      try writer.startSession(at: .zero)
      try await input.append(Self.groups[1])
      let later = Self.range(60, 70)
      let wrong = [
        Self.groups[0],  // begins before
        TimedMetadataGroup(items: [Self.item("com.example.none", .integer(1), .int16, in: later)], timeRange: later),
        TimedMetadataGroup(items: [Self.item("com.example.pulse", .integer(1), .int32, in: later)], timeRange: later),
        TimedMetadataGroup(
          items: [Self.item("com.example.pulse", .integer(40_000), .int16, in: later)], timeRange: later),
        TimedMetadataGroup(items: [], timeRange: MediaTimeRange(start: .invalid, duration: .zero)),
      ]
      for group in wrong {
        let error = await #expect(throws: MediaError.self) { try await input.append(group) }
        #expect(error?.code == .invalidArgument)
      }
      await writer.cancel()
    }
    let asset = MediaAsset(url: try await movieClip())
    for track in try await asset.load(.tracks) {
      #expect(Reader(asset: asset).reasonAgainst(track, settings: .metadata)?.code == .invalidArgument)
    }
  }

  /// An iPhone's file: how it was held, and a track that only says that no face was seen.
  @Test func corpus() async throws {
    guard let corpus = Corpus.orCount() else { return }
    let url = corpus.url(path: "androidx+media/sample_edit_list.mp4")
    let asset = MediaAsset(url: url)
    let tracks = try await asset.loadTracks(withMediaType: .metadata)
    #expect(tracks.count == 2)
    var found: [[TimedMetadataGroup]] = []
    for track in tracks {
      var groups: [TimedMetadataGroup] = []
      for try await sample in try Reader(asset: asset).output(for: track, settings: .metadata) {
        if let group = sample.metadataGroup { groups.append(group) }
      }
      found.append(groups)
    }
    let item = try #require(found[0].first?.items.first)
    #expect(found.map(\.count) == [1, 0] && found[0][0].items.count == 1)
    #expect(item.identifier.rawValue == "mdta/com.apple.quicktime.video-orientation")
    #expect(item.value == .integer(6) && item.dataType == .int16)
    #expect(found[0][0].timeRange == MediaTimeRange(start: .zero, duration: MediaTime(value: 1529, timescale: 600)))
    try await withScratchFolder { folder in
      let copy = folder.appendingPathComponent("o.mov")
      try await remux(url, to: copy, .mov)
      let movies = [try await asset.header().movie, try await MediaAsset(url: copy).header().movie]
      let entries = movies.map { $0?.tracks.compactMap { $0.sampleDescriptions.first?.metadata?.entry } }
      #expect(entries[0]?.count == 2 && entries[0] == entries[1])
    }
  }
}
