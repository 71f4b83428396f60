import FoundationEssentials
import MediaTestSupport
import Testing

@testable import MediaAssetKit

/// What the acceptance cases say of opening, durations, tracks, sizes and colour tags, asked through the public API.
@Suite("Cases: inspection") struct CaseInspectionTests {
  private func asset(_ name: String, _ file: String, precise: Bool = false) async throws
    -> MediaAsset
  {
    MediaAsset(
      url: try await AcceptanceCase.file(name, file),
      options: .init(prefersPreciseDurationAndTiming: precise))
  }

  private func video(_ name: String, _ file: String) async throws -> AssetTrack {
    let tracks = try await asset(name, file).loadTracks(withMediaType: .video)
    return try #require(tracks.first)
  }

  private func format(_ name: String, _ file: String) async throws -> VideoFormat {
    let descriptions = try await video(name, file).load(.formatDescriptions)
    return try #require(descriptions.first?.video)
  }

  private func seconds(_ value: Int64, _ timescale: Int32) -> MediaTime {
    MediaTime(value: value, timescale: timescale)
  }

  // MARK: - Timing

  /// 15 frames, the last at 1.2 s; 1.24 s in all; never frames times a rate.
  @Test func variableFrameRate() async throws {
    let asset = try await asset("T1", "t1.mp4")
    let track = try #require(try await asset.loadTracks(withMediaType: .video).first)
    #expect(try await asset.load(.duration) == seconds(31, 25))
    #expect(try await asset.load(.durationQuality) == .exact)
    #expect(try await track.load(.sampleCount) == 15)
    #expect(abs(try await track.load(.nominalFrameRate) - 15 / 1.24) < 1e-5)
    #expect(try await track.load(.minFrameDuration) == seconds(1, 25))
    #expect(try await !track.load(.requiresFrameReordering))
  }

  /// B-frames without an edit list: zero stays where the container has it, so the first picture is at 0.08 s.
  @Test func reorderedWithoutEditList() async throws {
    let asset = try await asset("T3", "t3.mp4")
    let track = try #require(try await asset.loadTracks(withMediaType: .video).first)
    let range = try await track.load(.timeRange)
    #expect(range.start == seconds(2, 25) && range.duration == seconds(4, 1))
    #expect(try await asset.load(.duration) == seconds(102, 25))
    #expect(try await track.load(.minFrameDuration) == seconds(1, 25))
    #expect(try await track.load(.requiresFrameReordering))
  }

  @Test func emptyEditBeforeTheVideo() async throws {
    let asset = try await asset("T5", "t5.mp4")
    let track = try #require(try await asset.loadTracks(withMediaType: .video).first)
    #expect(try await track.load(.timeRange).start == seconds(1, 2))
    #expect(try await asset.load(.duration) >= seconds(5, 2))
    let segments = try await track.load(.segments)
    #expect(segments.count == 2 && segments[0].isEmpty && !segments[1].isEmpty)
    #expect(segments[0].timeMapping.target.duration == seconds(1, 2))
  }

  /// A clock that starts anywhere starts at 0 here.
  @Test func transportStreamClock() async throws {
    let asset = try await asset("T11", "t11.ts")
    #expect(try await asset.load(.duration) == seconds(4, 1))
    #expect(try await asset.load(.durationQuality) == .exact)
    let track = try #require(try await asset.loadTracks(withMediaType: .video).first)
    let range = try await track.load(.timeRange)
    #expect(range.start == .zero && range.duration == seconds(4, 1))
    #expect(try await track.load(.nominalFrameRate) == 25)
  }

  @Test func videoEndsBeforeTheSound() async throws {
    let asset = try await asset("T13", "t13.mp4")
    #expect(try await asset.load(.duration) == seconds(3, 1))
    let track = try #require(try await asset.loadTracks(withMediaType: .video).first)
    #expect(try await track.load(.timeRange).duration == seconds(2, 1))
  }

  @Test func exactNTSC() async throws {
    let asset = try await asset("T15", "t15.mp4")
    #expect(try await asset.load(.duration) == seconds(90_090, 30_000))
    let track = try #require(try await asset.loadTracks(withMediaType: .video).first)
    #expect(try await track.load(.nominalFrameDuration) == seconds(1001, 30_000))
    #expect(try await track.load(.minFrameDuration) == seconds(1001, 30_000))
    #expect(try await track.load(.naturalTimeScale) == 30_000)
  }

  /// Neither a duration nor an index: the packets are read through.
  @Test func streamedWebM() async throws {
    let asset = try await asset("D1", "d1.webm")
    #expect(try await asset.load(.duration) == seconds(3, 1))
    #expect(try await asset.load(.durationQuality) == .exact)
    #expect(try await asset.load(.container) == "webm")
  }

  @Test(arguments: [false, true]) func variableRateMP3(precise: Bool) async throws {
    let asset = try await asset("D3", "d3.mp3", precise: precise)
    #expect(abs(try await asset.load(.duration).seconds - 20.04) <= 0.03)
    #expect(try await asset.load(.durationQuality) == .exact)
    #expect(try await asset.load(.providesPreciseDurationAndTiming))
  }

  // MARK: - Geometry

  @Test(arguments: [(90, Orientation.left), (180, .down), (270, .right)])
  func quarterTurns(degrees: Int, orientation: Orientation) async throws {
    let track = try await video("G1", "g1_\(degrees).mp4")
    let (size, transform) = try await track.load(.naturalSize, .preferredTransform)
    #expect(size == PixelSize(width: 64, height: 48))
    #expect(transform.orientation == orientation)
    #expect(transform == orientation.transform(for: size))
    let turned = degrees == 180 ? size : size.transposed
    #expect(transform.applied(to: size) == turned)
  }

  /// The file's shift is zero; the picture's own follows from the turn and the size.
  @Test func wrongTranslation() async throws {
    let (size, transform) = try await video("G3", "g3.mp4").load(.naturalSize, .preferredTransform)
    #expect(size == PixelSize(width: 64, height: 48))
    #expect(transform == PictureTransform(a: 0, b: 1, c: -1, d: 0, tx: 48, ty: 0))
  }

  @Test func anamorphic() async throws {
    let format = try await format("G5", "g5.mpg")
    #expect(format.encodedSize == PixelSize(width: 720, height: 576))
    #expect(format.sampleAspectRatio == PixelAspectRatio(horizontal: 64, vertical: 45))
    #expect(format.naturalSize == PixelSize(width: 1024, height: 576))
  }

  @Test func oddSize() async throws {
    let format = try await format("G7", "g7.webm")
    #expect(format.encodedSize == PixelSize(width: 65, height: 49))
    #expect(format.naturalSize == PixelSize(width: 65, height: 49))
    #expect(format.pixelFormat == "yuv444p")
  }

  // MARK: - Colour

  @Test func taggedColour() async throws {
    let colour = try await format("C1", "c1.mp4").colour
    #expect(
      colour
        == ColourProperties(primaries: "bt709", transfer: "bt709", matrix: "bt709", range: .limited)
    )
  }

  @Test func untaggedColourStaysUntagged() async throws {
    let colour = try await format("C3", "c3.mp4").colour
    #expect(colour.primaries == nil && colour.transfer == nil && colour.matrix == nil)
  }

  @Test func fullRange() async throws {
    let format = try await format("C4", "c4.mp4")
    #expect(format.colour.range == .full && format.colour.matrix == "bt709")
    #expect(format.pixelFormat == "yuvj420p")
  }

  @Test func highDynamicRange() async throws {
    let format = try await format("C6", "c6.mp4")
    #expect(format.colour.primaries == "bt2020" && format.colour.transfer == "smpte2084")
    #expect(format.colour.matrix == "bt2020nc")
    #expect(format.pixelFormat == "yuv420p10le" && format.bitDepth == 10)
    let hdr = try #require(format.hdr)
    #expect(hdr.kind == .hdr10)
    #expect(hdr.maxContentLight == 1000 && hdr.maxFrameAverageLight == 400)
    let display = try #require(hdr.masteringDisplay)
    #expect(display.minimumLuminance == 0.0001 && display.maximumLuminance == 1000)
    // G(13250,34500) in steps of 0.00002.
    #expect(abs(display.primaries[2] - 0.265) < 1e-9 && abs(display.primaries[3] - 0.69) < 1e-9)
    let characteristics = try await video("C6", "c6.mp4").load(.mediaCharacteristics)
    #expect(characteristics.contains(.containsHDRVideo))
  }

  @Test func alphaBesideThePicture() async throws {
    let track = try await video("C8", "c8.webm")
    let format = try #require(try await track.load(.formatDescriptions).first?.video)
    #expect(format.hasAlpha)
    #expect(try await track.load(.mediaCharacteristics).contains(.containsAlphaChannel))
  }

  @Test func interlaced() async throws {
    let track = try await video("C10", "c10.mpg")
    let format = try #require(try await track.load(.formatDescriptions).first?.video)
    #expect(format.fieldOrder == .topFirst)
    #expect(try await track.load(.nominalFrameRate) == 25)
  }

  // MARK: - Streams

  @Test func coverIsNoVideo() async throws {
    let asset = try await asset("S1", "s1.mp3")
    #expect(try await asset.loadTracks(withMediaType: .video).isEmpty)
    #expect(try await asset.loadTracks(withMediaType: .audio).count == 1)
    #expect(try await asset.load(.duration) == seconds(1, 1))
    #expect(try await asset.load(.durationQuality) == .container)
  }

  @Test func twoProgrammes() async throws {
    let asset = try await asset("S3", "s3.ts")
    let videos = try await asset.loadTracks(withMediaType: .video)
    #expect(videos.count == 2)
    let sizes = try await [videos[0].load(.naturalSize), videos[1].load(.naturalSize)]
    let programmes = try await [videos[0].load(.programNumber), videos[1].load(.programNumber)]
    #expect(sizes == [PixelSize(width: 64, height: 48), PixelSize(width: 128, height: 96)])
    #expect(programmes == [1, 2])
    let sound = try await asset.loadTracks(withMediaType: .audio)
    #expect(sound.count == 1)
    let (picture, audio) = try await (
      asset.loadDefaultTrack(withMediaType: .video), asset.loadDefaultTrack(withMediaType: .audio)
    )
    #expect(picture?.trackID == videos[0].trackID)
    #expect(try await audio?.load(.programNumber) == 1)
  }

  @Test func unknownCodec() async throws {
    let asset = try await asset("S5", "s5.mp4")
    let track = try #require(try await asset.loadTracks(withMediaType: .video).first)
    let description = try #require(try await track.load(.formatDescriptions).first)
    #expect(description.codec == nil && description.fourCharacterCode == "zzzz")
    #expect(description.video?.encodedSize == PixelSize(width: 64, height: 48))
    #expect(try await !track.load(.isDecodable))
    let sound = try #require(try await asset.loadTracks(withMediaType: .audio).first)
    #expect(try await sound.load(.isDecodable))
    #expect(try await sound.load(.timeRange).duration == seconds(4, 1))
    #expect(try await asset.load(.isPlayable))
  }

  @Test func m5ManyChaptersOpenAtOnce() async throws {
    let asset = try await asset("M5", "m5.mp4")
    let start = ContinuousClock.now
    let (duration, tracks) = try await asset.load(.duration, .tracks)
    #expect(ContinuousClock.now - start < .within(.seconds(1)))
    #expect(duration == seconds(90, 1))
    // The text track that carries the chapters is none to be listed.
    #expect(tracks.map(\.mediaType) == [.video])
  }

  @Test func cutOffBeforeTheIndex() async throws {
    let asset = try await asset("R1", "r1.mp4")
    let start = ContinuousClock.now
    let error = await #expect(throws: MediaError.self) { try await asset.load(.tracks) }
    #expect(ContinuousClock.now - start < .within(.seconds(1)))
    #expect(error?.code == .fileFailedToParse)
    #expect(error?.reason.contains("moov") == true)
  }
}
