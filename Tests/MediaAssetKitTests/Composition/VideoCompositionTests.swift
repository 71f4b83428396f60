import Foundation
import MediaTestSupport
import Testing

@testable import MediaAssetKit

@Suite struct VideoCompositionTests {
  private func s(_ seconds: Int64) -> MediaTime { MediaTime(value: seconds, timescale: 1) }
  private func ms(_ value: Int64) -> MediaTime { MediaTime(value: value, timescale: 1000) }
  private var second: MediaTimeRange { MediaTimeRange(start: .zero, duration: s(1)) }
  private let size = PixelSize(width: 64, height: 48)

  /// Tracks of flat greys, all of a second; the numbers give the lumas.
  private func stack(_ numbers: [Int]) async throws -> (Composition, [Int32]) {
    var film = Composition()
    var ids: [Int32] = []
    for number in numbers {
      let url = try await greyClip(number)
      let track = try #require(try await MediaAsset(url: url).loadDefaultTrack(withMediaType: .video))
      let id = film.addMutableTrack(withMediaType: .video)
      try await film[id].insertTimeRange(second, of: track, at: .zero)
      ids.append(id)
    }
    return (film, ids)
  }

  private func luma(_ number: Int) -> Int { 40 + number * 15 }

  private func video(_ layers: [VideoComposition.LayerInstruction]) -> VideoComposition {
    VideoComposition(
      renderSize: size, frameDuration: MediaTime(value: 1, timescale: 25),
      instructions: [.init(timeRange: second, layerInstructions: layers)])
  }

  /// Pictures of clips one after another, with a gap: the sources' own times, black where nothing is.
  @Test func joinsAndGaps() async throws {
    let clips = [try await greyClip(1), try await greyClip(2)]
    var film = try await Composition.joined(clips)
    try film.insertEmptyTimeRange(MediaTimeRange(start: s(1), duration: ms(500)))
    let frames = try await film.composed()
    #expect(frames.count == 51)
    #expect(frames.map(\.time) == frames.map(\.time).sorted())
    #expect(frames[24].time == ms(960) && frames[25].time == s(1) && frames[26].time == ms(1500))
    #expect(frames[25].duration == ms(500))
    #expect(frames.last.map { $0.time + $0.duration } == ms(2500))
    #expect(frames[0].pixelBuffer.value(0, 5, 5) == luma(1))
    #expect(frames[25].pixelBuffer.value(0, 5, 5) == 16)
    #expect(frames[26].pixelBuffer.value(0, 5, 5) == luma(2))
  }

  @Test func dissolveIsTheMean() async throws {
    let (film, ids) = try await stack([0, 8])
    let instruction = try VideoComposition.Instruction.transition(
      .dissolve, from: (ids[0], .identity, size), to: (ids[1], .identity, size), timeRange: second, renderSize: size)
    var video = video([])
    video.instructions = [instruction]
    let frames = try await film.composed(video)
    #expect(frames.count == 25)
    for (index, frame) in frames.enumerated() {
      let share = Double(index) / 25
      let expected = Double(luma(0)) * (1 - share) + Double(luma(8)) * share
      #expect(abs(Double(frame.pixelBuffer.value(0, 31, 17)) - expected) <= 1)
      #expect(frame.pixelBuffer.value(1, 10, 10) == 128)
    }
  }

  /// A ramp of opacity at its start, in its middle and at its end, also before and behind it.
  @Test func opacityRamp() async throws {
    let (film, ids) = try await stack([0, 10])
    var top = VideoComposition.LayerInstruction(trackID: ids[1])
    try top.setOpacityRamp(
      fromStartOpacity: 0.2, toEndOpacity: 0.8, timeRange: MediaTimeRange(start: ms(200), end: ms(800)))
    let frames = try await film.composed(video([top, .init(trackID: ids[0])]))
    for (index, opacity) in [(0, 1.0), (4, 1.0), (5, 0.2), (10, 0.4), (20, 0.8), (24, 0.8)] {
      let expected = Double(luma(0)) + opacity * Double(luma(10) - luma(0))
      #expect(abs(Double(frames[index].pixelBuffer.value(0, 3, 3)) - expected) <= 1)
    }
  }

  /// Whole pixels, even and odd: the layer is exactly where it was put, and nothing else changes.
  @Test(arguments: [(10, 6), (11, 7), (-5, -3), (60, 44)]) func places(x: Int, y: Int) async throws {
    let (film, ids) = try await stack([0, 10])
    var top = VideoComposition.LayerInstruction(trackID: ids[1])
    try top.setTransform(.translation(x: Double(x), y: Double(y)), at: .zero)
    let picture = try await film.composed(video([top, .init(trackID: ids[0])]))[0].pixelBuffer
    for row in 0..<48 {
      for column in 0..<64 {
        let isInside = column >= x && column < x + 64 && row >= y && row < y + 48
        #expect(picture.value(0, column, row) == (isInside ? luma(10) : luma(0)))
      }
    }
  }

  @Test func cropRamp() async throws {
    let (film, ids) = try await stack([0, 10])
    var top = VideoComposition.LayerInstruction(trackID: ids[1])
    try top.setCropRectangleRamp(
      fromStartCropRectangle: PixelRect(x: 8, y: 8, width: 8, height: 8),
      toEndCropRectangle: PixelRect(x: 8, y: 8, width: 58, height: 8), timeRange: second)
    let frames = try await film.composed(video([top, .init(trackID: ids[0])]))
    for (index, right) in [(0, 16), (10, 36), (24, 64)] {
      let picture = frames[index].pixelBuffer
      #expect(picture.value(0, 8, 8) == luma(10) && picture.value(0, 7, 8) == luma(0))
      #expect(picture.value(0, right - 1, 15) == luma(10))
      if right < 64 { #expect(picture.value(0, right, 15) == luma(0)) }
      #expect(picture.value(0, 8, 16) == luma(0))
    }
  }

  /// Wipe and push, a quarter in: the edge is where arithmetic puts it.
  @Test(arguments: [VideoComposition.Instruction.Transition.wipe, .push])
  func edges(_ transition: VideoComposition.Instruction.Transition) async throws {
    let (film, ids) = try await stack([0, 10])
    var video = video([])
    video.frameDuration = MediaTime(value: 1, timescale: 16)
    video.instructions = [
      try .transition(
        transition, from: (ids[0], .identity, size), to: (ids[1], .identity, size), timeRange: second, renderSize: size)
    ]
    let frames = try await film.composed(video)
    #expect(frames.count == 16)
    let picture = frames[4].pixelBuffer
    if transition == .wipe {
      #expect(picture.value(0, 15, 20) == luma(10) && picture.value(0, 16, 20) == luma(0))
    } else {
      #expect(picture.value(0, 47, 20) == luma(0) && picture.value(0, 48, 20) == luma(10))
    }
  }

  /// Two halves, the left one darker, turned by the four right angles into a box of its own size.
  @Test(arguments: [Orientation.up, .right, .down, .left, .upMirrored]) func turns(_ turn: Orientation) async throws {
    let url = try await madeClip(
      "halves.mp4",
      [
        "-f", "lavfi", "-i", "color=black:s=64x48:r=25:d=0.2,format=yuv420p,geq='if(lt(X,32),60,180)':128:128", "-c:v",
        "libx264", "-qp", "0",
      ])
    var film = Composition()
    try await film.insertTimeRange(
      .init(start: .zero, duration: .positiveInfinity), of: MediaAsset(url: url), at: .zero)
    let target = turn.swapsDimensions ? PixelSize(width: 48, height: 64) : size
    var layer = VideoComposition.LayerInstruction(trackID: 1)
    try layer.setTransform(turn.transform(for: size), at: .zero)
    let video = VideoComposition(
      renderSize: target,
      instructions: [
        .init(timeRange: MediaTimeRange(start: .zero, duration: film.duration), layerInstructions: [layer])
      ])
    let picture = try await film.composed(video)[0].pixelBuffer
    #expect(picture.size == target)
    // Where the dark half's middle goes.
    let map = turn.transform(for: size)
    let (x, y) = (map.a * 16 + map.c * 24 + map.tx, map.b * 16 + map.d * 24 + map.ty)
    #expect(picture.value(0, Int(x), Int(y)) == 60)
    #expect(picture.value(0, target.width - 1 - Int(x), target.height - 1 - Int(y)) == 180)
  }

  /// Picture in picture at half size, and turned by 45 degrees: inside its own grey, outside the other's.
  @Test func scalesAndTurns() async throws {
    let (film, ids) = try await stack([0, 10])
    var small = VideoComposition.LayerInstruction(trackID: ids[1])
    try small.setTransform(.init(a: 0.5, b: 0, c: 0, d: 0.5, tx: 20, ty: 10), at: .zero)
    let half = try await film.composed(video([small, .init(trackID: ids[0])]))[0].pixelBuffer
    for (x, y, isInside) in [(20, 10, true), (51, 33, true), (19, 10, false), (52, 20, false), (30, 34, false)] {
      #expect(abs(half.value(0, x, y) - (isInside ? luma(10) : luma(0))) <= 2)
    }
    var turned = VideoComposition.LayerInstruction(trackID: ids[1])
    let r = 0.5.squareRoot() / 2
    // A half size picture turned around its middle, put at the middle.
    let map = PictureTransform.translation(x: -32, y: -24)
      .concatenating(.init(a: r, b: r, c: -r, d: r, tx: 32, ty: 24))
    try turned.setTransform(map, at: .zero)
    let picture = try await film.composed(video([turned, .init(trackID: ids[0])]))[0].pixelBuffer
    #expect(abs(picture.value(0, 32, 24) - luma(10)) <= 2)
    // Half of 32 and half of 24, along the diagonals.
    #expect(abs(picture.value(0, 32 + 10, 24 + 10) - luma(10)) <= 2)
    #expect(picture.value(0, 32 + 14, 24 + 14) == luma(0))
    #expect(picture.value(0, 32 + 14, 24 - 14) == luma(0))
    #expect(picture.value(0, 2, 2) == luma(0))
  }

  @Test func backgroundIsTheColour() async throws {
    let (film, ids) = try await stack([0])
    var layer = VideoComposition.LayerInstruction(trackID: ids[0])
    try layer.setOpacity(0, at: .zero)
    var video = video([layer])
    video.instructions[0].backgroundColor = .init(red: 1, green: 0, blue: 0)
    let picture = try await film.composed(video)[0].pixelBuffer
    // BT.601 in limited range.
    #expect(picture.value(0, 3, 3) == 81 && picture.value(1, 3, 3) == 90 && picture.value(2, 3, 3) == 240)
  }

  /// Ten bits stay ten bits, and a lone layer is not touched.
  @Test func tenBits() async throws {
    var film = Composition()
    for luma in [200, 800] {
      let url = try await madeClip(
        "ten-\(luma).mkv",
        [
          "-f", "lavfi", "-i", "color=black:s=64x48:r=25:d=0.2,format=yuv420p10,geq=\(luma):512:512", "-c:v", "ffv1",
        ])
      let id = film.addMutableTrack(withMediaType: .video)
      let track = try #require(try await MediaAsset(url: url).loadDefaultTrack(withMediaType: .video))
      try await film[id].insertTimeRange(
        MediaTimeRange(start: .zero, duration: ms(200)), of: track, at: .zero)
    }
    var top = VideoComposition.LayerInstruction(trackID: 2)
    try top.setOpacity(0.5, at: .zero)
    let video = VideoComposition(
      renderSize: size, frameDuration: ms(40),
      instructions: [
        .init(timeRange: MediaTimeRange(start: .zero, duration: ms(200)), layerInstructions: [top, .init(trackID: 1)])
      ])
    let picture = try await film.composed(video)[0].pixelBuffer
    #expect(picture.pixelFormat == "yuv420p10le")
    #expect(picture.deepValue(0, 9, 9) == 500 && picture.deepValue(1, 9, 9) == 512)
  }

  /// A watermark with alpha, in whole pixels.
  @Test func imageWithAlpha() async throws {
    let (base, _) = try await stack([4])
    var film = base
    let image = try await madeClip(
      "logo.png",
      [
        "-f", "lavfi", "-i", "color=white:s=8x8:d=0.04,format=rgba,geq=r=255:g=255:b=255:a='if(lt(X,4),255,0)'",
        "-frames:v", "1",
      ])
    let id = film.addMutableTrack(withMediaType: .video)
    try film[id].insertTimeRange(
      MediaTimeRange(start: .zero, duration: ms(40)), of: .init(url: image, trackID: 1), at: .zero)
    try film[id].scaleTimeRange(MediaTimeRange(start: .zero, duration: ms(40)), toDuration: s(1))
    var logo = VideoComposition.LayerInstruction(trackID: id)
    try logo.setTransform(.translation(x: 40, y: 30), at: .zero)
    let frames = try await film.composed(video([logo, .init(trackID: 1)]))
    #expect(frames.count == 25)
    for frame in [frames[0], frames[24]] {
      #expect(frame.pixelBuffer.value(0, 40, 30) == 235 && frame.pixelBuffer.value(0, 43, 37) == 235)
      #expect(frame.pixelBuffer.value(0, 44, 30) == luma(4) && frame.pixelBuffer.value(0, 39, 30) == luma(4))
    }
  }

  /// Of two fields the first is drawn: here the lower one.
  @Test func fieldsBecomeWhole() async throws {
    let url = try await madeClip(
      "fields.mp4",
      [
        "-f", "lavfi", "-i",
        "color=black:s=64x48:r=25:d=0.2,format=yuv420p,geq='if(mod(Y,2),180,60)':128:128,setfield=bff",
        "-c:v", "libx264", "-qp", "0", "-flags", "+ilme+ildct", "-x264-params", "bff=1",
      ])
    let picture = try await Composition.joined([url]).composed()[0].pixelBuffer
    for row in [1, 10, 11, 24, 45] { #expect(abs(picture.value(0, 30, row) - 180) <= 2) }
  }

  @Test func validationNamesWhatIsWrong() async throws {
    let (film, ids) = try await stack([0])
    var broken = video([.init(trackID: 99)])
    broken.renderSize = .zero
    broken.instructions[0].timeRange = MediaTimeRange(start: .zero, duration: ms(300))
    broken.instructions.append(.init(timeRange: MediaTimeRange(start: ms(400), duration: ms(100))))
    let defects = broken.defects(for: film).map(\.description)
    #expect(defects.count == 4)
    #expect(defects[0].contains("render size"))
    #expect(defects[1].hasPrefix("instruction 1 at") && defects[1].contains("track 99"))
    #expect(defects[2].hasPrefix("instruction 2 begins at") && defects[2].contains("gap"))
    #expect(defects[3].hasPrefix("instruction 2 ends at"))
    #expect(video([.init(trackID: ids[0])]).defects(for: film).isEmpty)
    let error = #expect(throws: MediaError.self) {
      try Reader.VideoCompositionOutput(composition: film, videoComposition: broken)
    }
    #expect(error?.code == .invalidVideoComposition && error?.reason == defects.joined(separator: "; "))
  }

  /// A closure for each picture, and its failure.
  @Test func customCompositors() async throws {
    let (film, ids) = try await stack([0, 10])
    let video = video([.init(trackID: ids[1]), .init(trackID: ids[0])])
    let handler = VideoCompositionHandler(pixelFormat: .yuv420p) { request in
      #expect(request.sourceTrackIDs == ids)
      #expect(request.renderSize == PixelSize(width: 64, height: 48))
      guard request.compositionTime < ms(200), let frame = request.sourceFrame(byTrackID: ids[0]) else {
        throw MediaError(.unknown, operation: "compose", subject: "a test", reason: "enough")
      }
      return frame
    }
    var count = 0
    let error = await #expect(throws: MediaError.self) {
      for try await frame in try Reader.VideoCompositionOutput(
        composition: film, videoComposition: video, compositor: handler)
      {
        #expect(frame.pixelBuffer.value(0, 1, 1) == luma(0))
        count += 1
      }
    }
    #expect(count == 5 && error?.reason == "enough")
  }

  /// A picture of the compositor's own, in its format.
  @Test func compositorsMakePictures() async throws {
    let (film, ids) = try await stack([0])
    let handler = VideoCompositionHandler(pixelFormat: .bgra) { request in
      var picture = try request.makePixelBuffer()
      #expect(picture.pixelFormat == .bgra && picture.size == request.renderSize)
      picture.withMutablePlane(0) { bytes, plane in
        for offset in 0..<bytes.byteCount { bytes.storeBytes(of: 77, toByteOffset: offset, as: UInt8.self) }
      }
      return picture.publish()
    }
    let frames = try await film.composed(video([.init(trackID: ids[0])]), compositor: handler)
    #expect(frames.count == 25 && frames[7].pixelBuffer.pixelFormat == .bgra)
    #expect(try frames[7].pixelBuffer.withPackedBytes { $0[100] } == 77)
  }

  /// The times of one track's pictures, drawn or not.
  @Test(arguments: [true, false]) func timesFollowATrack(isDrawn: Bool) async throws {
    let (base, ids) = try await stack([0])
    var film = base
    let slow = try #require(
      try await MediaAsset(url: try await greyClip(5, name: "slow.mp4", rate: "10")).loadDefaultTrack(
        withMediaType: .video))
    let id = film.addMutableTrack(withMediaType: .video)
    try await film[id].insertTimeRange(second, of: slow, at: .zero)
    var video = video(isDrawn ? [.init(trackID: id), .init(trackID: ids[0])] : [.init(trackID: ids[0])])
    video.sourceTrackIDForFrameTiming = id
    let frames = try await film.composed(video)
    #expect(frames.map(\.time) == (0..<10).map { ms($0 * 100) })
    #expect(frames[3].pixelBuffer.value(0, 3, 3) == luma(isDrawn ? 5 : 0))
    #expect(try JSONDecoder().decode(VideoComposition.self, from: JSONEncoder().encode(video)) == video)
    video.sourceTrackIDForFrameTiming = 99
    #expect(video.defects(for: film).contains { $0.description.contains("track 99") })
  }

  @Test func propertiesOfTracks() async throws {
    let (film, ids) = try await stack([0, 1])
    let video = try await VideoComposition(propertiesOf: film)
    #expect(video.renderSize == size)
    #expect(video.frameDuration == MediaTime(value: 1, timescale: 25))
    #expect(video.instructions.count == 1)
    #expect(video.instructions[0].layerInstructions.map(\.trackID) == ids.reversed())
    let single = try await VideoComposition(propertiesOf: try await Composition.joined([try await greyClip(1)]))
    #expect(!single.frameDuration.isValid)
    #expect(try await VideoComposition(propertiesOf: Composition()).instructions.isEmpty)
  }
}
