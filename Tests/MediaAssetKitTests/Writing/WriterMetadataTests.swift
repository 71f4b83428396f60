import Foundation
import MediaTestSupport
import Testing

@testable import MediaAssetKit

/// What a file and its tracks are about: typed items that a writer is given, read back and seen by others.
@Suite struct WriterMetadataTests {
  private static func item(_ key: MetadataCommonKey, _ text: String) -> MetadataItem {
    MetadataItem(keySpace: .common, key: key.rawValue, value: .string(text))
  }

  private func write(_ url: URL, _ type: FileType, isFragmented: Bool = false, isFirst: Bool = false) async throws
    -> [MetadataEditor.Loss]
  {
    var options = Writer.Options()
    options.metadataItems = [
      Self.item(.title, "Ein Film"), Self.item(.artist, "Ich & Du"),
      MetadataItem(keySpace: .id3, key: "PRIV", value: .data(Data([1, 2, 3]))),
    ]
    options.shouldOptimizeForNetworkUse = isFirst
    if isFragmented { options.movieFragmentInterval = MediaTime(value: 1, timescale: 5) }
    return try await withWriter(url: url, fileType: type, options: options) { writer in
      var properties = Writer.Input.Properties()
      properties.metadataItems = [Self.item(.title, "Bild")]
      var settings = VideoSettings(codec: "h264")
      settings.maximumKeyFrameInterval = 5
      let input = try writer.add(Writer.Input(video: settings, properties: properties))
      try await writer.start()
      try writer.startSession(at: .zero)
      for index in 0..<20 {
        try await input.append(
          SampleBuffer(
            try greyPicture(luma: UInt8(16 + index)), presentationTime: MediaTime(value: Int64(index), timescale: 25),
            duration: MediaTime(value: 1, timescale: 25)))
      }
      return writer.metadataLosses
    }
  }

  /// The header that segments begin with says it too.
  @Test func segments() async throws {
    var properties = Writer.Input.Properties()
    properties.metadataItems = [Self.item(.title, "Bild")]
    let input = Writer.Input(video: VideoSettings(codec: "h264"), properties: properties)
    let made = try await writeSegments(
      interval: .ms(200), inputs: [input], metadata: [Self.item(.title, "Ein Film"), Self.item(.artist, "Ich & Du")]
    ) { _ in
      for index in 0..<20 {
        try await input.append(
          SampleBuffer(
            try greyPicture(luma: UInt8(16 + index)), presentationTime: .ms(40 * Int64(index)), duration: .ms(40)))
      }
      input.finish()
    }
    #expect(made.media.count == 4)
    try await withScratchFolder { folder in
      let url = folder.appendingPathComponent("o.mp4")
      try made.write(to: url)
      let asset = MediaAsset(url: url)
      let items = try await asset.load(.commonMetadata)
      #expect(items.filtered(by: .init(key: "title", keySpace: .common)).map(\.stringValue) == ["Ein Film"])
      #expect(items.filtered(by: .init(key: "artist", keySpace: .common)).map(\.stringValue) == ["Ich & Du"])
      #expect(try await asset.loadDefaultTrack(withMediaType: .video)?.title() == "Bild")
      let judge = FFmpegJudge(url)
      #expect(try await judge.probe()["format"]?["tags"]?["title"]?.text == "Ein Film")
      #expect(try await judge.luma().count == 20)
    }
  }

  @Test(
    arguments: [
      (FileType.mov, "o.mov", false, false), (.mp4, "o.mp4", false, true), (.mp4, "o.mp4", true, false),
      (.mkv, "o.mkv", false, false),
    ])
  func roundTrip(_ type: FileType, _ name: String, _ isFragmented: Bool, _ isFirst: Bool) async throws {
    try await withScratchFolder { folder in
      let url = folder.appendingPathComponent(name)
      let losses = try await write(url, type, isFragmented: isFragmented, isFirst: isFirst)
      #expect(losses.map(\.subject) == ["id3/PRIV"])
      let asset = MediaAsset(url: url)
      let items = try await asset.load(.commonMetadata)
      #expect(items.filtered(by: .init(key: "title", keySpace: .common)).map(\.stringValue) == ["Ein Film"])
      #expect(items.filtered(by: .init(key: "artist", keySpace: .common)).map(\.stringValue) == ["Ich & Du"])
      let track = try #require(try await asset.loadDefaultTrack(withMediaType: .video))
      #expect(try await track.title() == "Bild")
      let tags = try await FFmpegJudge(url).probe()["format"]?["tags"]
      let found = ["title", "artist"].map { key in
        tags?[key]?.text ?? tags?[key.uppercased()]?.text ?? tags?["com.apple.quicktime." + key]?.text
      }
      #expect(found == ["Ein Film", "Ich & Du"])
      let pictures = try await FFmpegJudge(url).luma()
      #expect(pictures.count == 20)
    }
  }

  /// A value that its key can't have is known before anything is written.
  @Test func refusal() async throws {
    try await withScratchFolder { folder in
      var options = Writer.Options()
      options.metadataItems = [MetadataItem(keySpace: .iTunes, key: "tmpo", value: .string("fast"))]
      let writer = try Writer(url: folder.appendingPathComponent("o.mp4"), fileType: .mp4, options: options)
      try writer.add(Writer.Input(video: VideoSettings(codec: "h264")))
      do {
        try await writer.start()
        try writer.startSession(at: .zero)
        try await writer.inputs[0].append(
          SampleBuffer(try greyPicture(luma: 99), presentationTime: .zero, duration: MediaTime(value: 1, timescale: 25))
        )
        try await writer.finishWriting()
        Issue.record("a tempo of \"fast\" was taken")
      } catch let error as MediaError {
        #expect(error.code == .invalidArgument)
      }
      #expect(contents(folder).isEmpty)
    }
  }
}
