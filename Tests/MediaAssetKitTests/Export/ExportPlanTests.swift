import Foundation
import MediaTestSupport
import Testing

@testable import MediaAssetKit

/// Plans from facts alone: no media is touched.
@Suite struct ExportPlanTests {
  private static let second = MediaTime(value: 1, timescale: 1)
  private static let all = MediaTimeRange(start: .zero, duration: .positiveInfinity)

  private static func picture(
    _ codec: String = "h264", _ size: PixelSize = PixelSize(width: 1920, height: 1080),
    ratio: PixelAspectRatio = .square, natural: PixelSize? = nil, _ change: (inout ExportFacts.Track) -> Void = { _ in }
  ) -> ExportFacts.Track {
    var track = ExportFacts.Track(
      id: 1, mediaType: .video, codec: codec,
      timeRange: MediaTimeRange(start: .zero, duration: MediaTime(value: 10, timescale: 1)))
    track.video = VideoFormat(
      encodedSize: size, cleanAperture: PixelRect(size), naturalSize: natural ?? size, sampleAspectRatio: ratio,
      pixelFormat: "yuv420p", bitDepth: 8, fieldOrder: .progressive)
    track.frameDuration = MediaTime(value: 1, timescale: 25)
    change(&track)
    return track
  }

  private static func sound(
    _ codec: String = "aac", rate: Int64? = 128_000, _ change: (inout ExportFacts.Track) -> Void = { _ in }
  ) -> ExportFacts.Track {
    var track = ExportFacts.Track(
      id: 2, mediaType: .audio, codec: codec,
      timeRange: MediaTimeRange(start: .zero, duration: MediaTime(value: 10, timescale: 1)))
    track.audio = AudioFormat(sampleRate: 48_000, channels: 2, layout: "stereo", sampleFormat: "fltp")
    track.bitRate = rate
    change(&track)
    return track
  }

  private static func plan(
    _ tracks: [ExportFacts.Track], _ preset: ExportPreset, _ type: FileType, start: Int64 = 0, end: Int64 = 10,
    _ change: (inout ExportSession.Options) -> Void = { _ in }
  ) throws -> ExportPlan {
    var options = ExportSession.Options()
    change(&options)
    let facts = ExportFacts(
      subject: "test", duration: MediaTime(value: 10, timescale: 1),
      timeRange: MediaTimeRange(
        start: MediaTime(value: start, timescale: 1), end: MediaTime(value: end, timescale: 1)),
      isCutAtEnd: end < 10, fileSize: nil, tracks: tracks)
    return try ExportPlanner(facts, preset, options, fileType: type).makePlan()
  }

  // MARK: Copied, encoded, dropped

  @Test(arguments: [
    (FileType.mp4, ["copy", "copy"]), (.mov, ["copy", "copy"]), (.mkv, ["copy", "copy"]), (.mpegTS, ["copy", "copy"]),
    (.webm, ["encode", "encode"]), (.m4a, ["drop", "copy"]), (.wav, ["drop", "encode"]), (.gif, ["encode", "drop"]),
  ])
  func whatCanBeCopiedIs(_ type: FileType, _ actions: [String]) throws {
    let plan = try Self.plan([Self.picture(), Self.sound()], .automatic, type)
    #expect(plan.tracks.map(\.action.rawValue) == actions)
    #expect(plan.tracks.allSatisfy { !$0.reason.isEmpty })
    if type == .webm { #expect(plan.tracks.map(\.codec) == ["vp9", "opus"]) }
  }

  @Test func passthroughLeavesOutWhatTheFileTypeCannotHold() throws {
    let plan = try Self.plan([Self.picture(), Self.sound("opus")], .passthrough, .webm)
    #expect(plan.dropped.map(\.trackID) == [1])
    #expect(plan.dropped[0].reason.contains("h264"))
    #expect(!plan.dropped[0].isDropIntended)
    #expect(plan.isPassthrough)
  }

  @Test func nothingLeftIsAnErrorWithReasons() {
    #expect {
      _ = try Self.plan([Self.picture()], .appleM4A, .m4a)
    } throws: { error in
      (error as? MediaError)?.code == .operationNotSupported && "\(error)".contains("keeps no pictures")
    }
  }

  /// Sound that is coded as the preset asks is copied, unless its rate is far above.
  @Test(arguments: [(Int64(128_000), "copy"), (192_000, "copy"), (320_000, "encode")])
  func soundOfThePresetsCodec(_ rate: Int64, _ action: String) throws {
    let plan = try Self.plan([Self.picture(), Self.sound(rate: rate)], .size1280x720, .mp4)
    #expect(plan.tracks[0].action == .encode)
    #expect(plan.tracks[1].action.rawValue == action)
  }

  @Test func undecodableTracks() throws {
    let broken = Self.picture { $0.isDecodable = false }
    let plan = try Self.plan([broken, Self.sound()], .highestQuality, .mp4)
    #expect(plan.tracks[0].action == .drop)
    #expect(plan.tracks[0].reason.contains("no decoder"))
    #expect(try Self.plan([broken, Self.sound()], .passthrough, .mp4).tracks[0].action == .copy)
  }

  @Test func samplesWithoutTimesAreEncoded() throws {
    let track = Self.picture { $0.hasTimes = false }
    #expect(try Self.plan([track], .automatic, .mp4).tracks[0].action == .encode)
    #expect(throws: MediaError.self) { try Self.plan([track], .passthrough, .mp4) }
  }

  @Test func encryptedAndEmptyTracksAreLeftOut() throws {
    let tracks = [
      Self.picture { $0.isProtected = true },
      Self.sound(),
      Self.sound {
        $0.id = 3
        $0.isEmpty = true
      },
    ]
    let plan = try Self.plan(tracks, .passthrough, .mp4)
    #expect(plan.kept.map(\.trackID) == [2])
    #expect(plan.tracks[0].reason.contains("encrypted"))
    #expect(plan.tracks[2].reason.contains("no samples"))
  }

  /// Alternatives: copies keep all, encoders the default one unless all were asked for.
  @Test func alternatives() throws {
    let tracks = [
      Self.picture(),
      Self.sound {
        $0.alternateGroup = 1; $0.isDefault = false
      },
      Self.sound {
        $0.id = 3
        $0.alternateGroup = 1
      },
    ]
    #expect(try Self.plan(tracks, .passthrough, .mp4).kept.map(\.trackID) == [1, 2, 3])
    #expect(try Self.plan(tracks, .highestQuality, .mp4).kept.map(\.trackID) == [1, 3])
    let all = try Self.plan(tracks, .highestQuality, .mp4) { $0.audioTrackGroupHandling = .preserveAlternateTracks }
    #expect(all.kept.map(\.trackID) == [1, 2, 3])
    #expect(try Self.plan(tracks, .appleM4A, .m4a).kept.map(\.trackID) == [3])
    #expect(try Self.plan(tracks, .passthrough, .mp4) { $0.trackIDs = [1, 2] }.kept.map(\.trackID) == [1, 2])
  }

  // MARK: Cuts

  @Test func editListsMakeCopiesExact() throws {
    let track = Self.picture { $0.syncStart = MediaTime(value: 4, timescale: 1) }
    let plan = try Self.plan([track], .passthrough, .mp4, start: 5, end: 8)
    #expect(plan.isCutExact)
    #expect(plan.presentedRange.start == MediaTime(value: 5, timescale: 1))
  }

  @Test(arguments: [FileType.mkv, .mpegTS])
  func otherContainersSayTheRealRange(_ type: FileType) throws {
    let track = Self.picture { $0.syncStart = MediaTime(value: 4, timescale: 1) }
    let plan = try Self.plan([track], .passthrough, type, start: 5, end: 8)
    #expect(!plan.isCutExact)
    #expect(
      plan.presentedRange
        == MediaTimeRange(start: MediaTime(value: 4, timescale: 1), end: MediaTime(value: 8, timescale: 1)))
    let exact = try Self.plan([track], .passthrough, type, start: 5, end: 8) { $0.cut = .exact }
    #expect(exact.isCutExact)
    #expect(exact.tracks[0].action == .encode)
    #expect(exact.presentedRange.start == MediaTime(value: 5, timescale: 1))
  }

  @Test func tracksOutsideTheRangeAreLeftOut() throws {
    let late = Self.sound {
      $0.timeRange = MediaTimeRange(start: MediaTime(value: 6, timescale: 1), end: MediaTime(value: 9, timescale: 1))
    }
    let plan = try Self.plan([Self.picture(), late], .passthrough, .mp4, start: 1, end: 5)
    #expect(plan.kept.map(\.trackID) == [1])
  }

  // MARK: Pictures

  /// Never larger, never another shape; both sides even.
  @Test(arguments: [
    (PixelSize(width: 1920, height: 1080), PixelSize(width: 1280, height: 720)),
    (PixelSize(width: 640, height: 360), PixelSize(width: 640, height: 360)),
    (PixelSize(width: 1080, height: 1920), PixelSize(width: 404, height: 720)),
    (PixelSize(width: 4096, height: 1716), PixelSize(width: 1280, height: 536)),
    (PixelSize(width: 65, height: 49), PixelSize(width: 64, height: 48)),
    (PixelSize(width: 1281, height: 1), PixelSize(width: 1280, height: 2)),
  ])
  func boxes(_ source: PixelSize, _ wanted: PixelSize) throws {
    let plan = try Self.plan([Self.picture("vp9", source)], .size1280x720, .mp4)
    #expect(plan.tracks[0].size == wanted)
  }

  /// 720 × 576 at 64:45 is 1024 × 576: scaled pictures have square pixels, others keep theirs.
  @Test func pixelShapes() throws {
    let pal = Self.picture(
      "mpeg2video", PixelSize(width: 720, height: 576), ratio: PixelAspectRatio(horizontal: 64, vertical: 45),
      natural: PixelSize(width: 1024, height: 576))
    let small = try Self.plan([pal], .size640x480, .mp4).tracks[0]
    #expect(small.size == PixelSize(width: 640, height: 360))
    #expect(small.video?.pixelAspectRatio == .square)
    let same = try Self.plan([pal], .highestQuality, .mp4).tracks[0]
    #expect(same.size == PixelSize(width: 720, height: 576))
    #expect(same.video?.pixelAspectRatio == PixelAspectRatio(horizontal: 64, vertical: 45))
  }

  @Test func turns() throws {
    let size = PixelSize(width: 1920, height: 1080)
    let turned = Self.picture { $0.transform = Orientation.right.transform(for: size) }
    let movie = try Self.plan([turned], .size1280x720, .mp4).tracks[0]
    #expect(movie.size == PixelSize(width: 1280, height: 720))
    #expect(movie.transform == Orientation.right.transform(for: PixelSize(width: 1280, height: 720)))
    let web = try Self.plan([turned], .webM, .webm).tracks[0]
    #expect(web.drawnOrientation == .right)
    #expect(web.size == PixelSize(width: 1080, height: 1920))
    #expect(web.transform == .identity)
  }

  /// Fields stay, marked, where rows stay and the codec can say so; else they become whole pictures.
  @Test func fields() throws {
    let interlaced = Self.picture("mpeg2video") { $0.video?.fieldOrder = .topFirst }
    let same = try Self.plan([interlaced], .highestQuality, .mp4).tracks[0]
    #expect(same.deinterlacing == .off)
    #expect(same.video?.fieldOrder == .topFirst)
    #expect(try Self.plan([interlaced], .size1280x720, .mp4).tracks[0].deinterlacing == .on)
    #expect(try Self.plan([interlaced], .webM, .webm).tracks[0].deinterlacing == .on)
    var preset = ExportPreset.highestQuality
    preset.deinterlacing = .fields
    #expect(try Self.plan([interlaced], preset, .mp4).tracks[0].video?.fieldOrder == .progressive)
  }

  @Test func hdrIsNeverPutIntoEightBits() throws {
    let pq = Self.picture("hevc") {
      $0.video?.pixelFormat = "yuv420p10le"
      $0.video?.colour = ColourProperties(primaries: "bt2020", transfer: "smpte2084", matrix: "bt2020nc")
      $0.video?.hdr = HDRProperties(kind: .hdr10, maxContentLight: 1000, maxFrameAverageLight: 400)
    }
    let avc = try Self.plan([pq], .highestQuality, .mp4).tracks[0]
    #expect(avc.video?.pixelFormat == "yuv420p10le")
    #expect(avc.video?.colour.transfer == "smpte2084")
    let hevc = try Self.plan([pq], try #require(.named("HEVCHighestQuality")), .mp4).tracks[0]
    #expect(hevc.video?.encoderOptions["x265-params"]?.contains("max-cll=1000,400") == true)
  }

  // MARK: Values

  @Test func plansAreCodable() throws {
    let plan = try Self.plan([Self.picture(), Self.sound("opus")], .size1280x720, .mp4, start: 1, end: 4)
    let decoded = try JSONDecoder().decode(ExportPlan.self, from: JSONEncoder().encode(plan))
    #expect(decoded == plan)
    for preset in ExportPreset.all {
      #expect(try JSONDecoder().decode(ExportPreset.self, from: JSONEncoder().encode(preset)) == preset)
    }
  }

  @Test func presetNames() {
    #expect(ExportPreset.named("1280X720") == .size1280x720)
    #expect(ExportPreset.named("AVAssetExportPresetHighestQuality") == .highestQuality)
    #expect(ExportPreset.named("passthrough") == .passthrough)
    #expect(ExportPreset.named("320x240") == nil)
    #expect(Set(ExportPreset.all.map(\.name)).count == ExportPreset.all.count)
    // As AVFoundation's list, it leaves out what does not encode.
    #expect(!ExportPreset.all.contains(.passthrough))
  }

  /// The names of AVFoundation that mean something here, from its headers.
  @Test(arguments: [
    "LowQuality", "MediumQuality", "HighestQuality", "HEVCHighestQuality", "640x480", "960x540", "1280x720",
    "1920x1080",
    "3840x2160", "HEVC1920x1080", "HEVC3840x2160", "HEVC4320x2160", "HEVC7680x4320", "AppleM4A", "Passthrough",
    "AppleProRes422LPCM", "AppleProRes4444LPCM", "AppleM4VCellular", "AppleM4ViPod", "AppleM4V480pSD",
    "AppleM4VAppleTV",
    "AppleM4VWiFi", "AppleM4V720pHD", "AppleM4V1080pHD",
  ])
  func namesOfAVFoundation(_ name: String) throws {
    let preset = try #require(ExportPreset.named("AVAssetExportPreset" + name))
    #expect(preset.reasonAgainst == nil)
  }
}
