import Foundation
import LibAV
import MediaTestSupport
import Testing

@testable import MediaAssetKit

/// What a video composition says of itself: ramps, defects, prototypes, instructions that pass a track through.
@Suite struct VideoCompositionRuleTests {
  private func ms(_ value: Int64) -> MediaTime { MediaTime(value: value, timescale: 1000) }
  private func range(_ start: Int64, _ end: Int64) -> MediaTimeRange {
    MediaTimeRange(start: ms(start), end: ms(end))
  }

  /// The change that holds: none before the first, the last one behind its end.
  @Test func rampsAreFound() throws {
    var layer = VideoComposition.LayerInstruction(trackID: 1)
    let (moved, whole) = (PictureTransform.translation(x: 8, y: 4), PixelRect(x: 0, y: 0, width: 64, height: 48))
    let half = PixelRect(x: 32, y: 0, width: 32, height: 48)
    try layer.setOpacityRamp(fromStartOpacity: 1, toEndOpacity: 0, timeRange: range(200, 400))
    try layer.setOpacity(0.5, at: ms(600))
    try layer.setTransformRamp(fromStart: .identity, toEnd: moved, timeRange: range(200, 400))
    try layer.setCropRectangleRamp(fromStartCropRectangle: whole, toEndCropRectangle: half, timeRange: range(200, 400))
    #expect(layer.opacityRamp(at: ms(199)) == nil)
    for time in [200, 300, 400, 599] as [Int64] {
      let opacity = layer.opacityRamp(at: ms(time))
      #expect(opacity?.start == 1 && opacity?.end == 0 && opacity?.timeRange == range(200, 400))
      #expect(layer.transformRamp(at: ms(time))?.end == moved)
      #expect(layer.cropRectangleRamp(at: ms(time))?.end == half)
    }
    #expect(layer.opacityRamp(at: ms(600))?.end == 0.5)
    #expect(layer.transformRamp(at: .zero) == nil && layer.cropRectangleRamp(at: ms(100)) == nil)
    // Values: the defaults before, the middle halfway, the end behind.
    #expect(layer.opacity(at: ms(100)) == 1 && layer.opacity(at: ms(300)) == 0.5 && layer.opacity(at: ms(500)) == 0)
    #expect(layer.transform(at: ms(100)) == .identity && layer.transform(at: ms(300)).tx == 4)
    #expect(layer.cropRectangle(at: ms(100)) == nil)
    #expect(layer.cropRectangle(at: ms(300)) == PixelRect(x: 16, y: 0, width: 48, height: 48))
    #expect(throws: MediaError.self) {
      try layer.setOpacityRamp(fromStartOpacity: 0, toEndOpacity: 1, timeRange: range(399, 500))
    }
  }

  /// Every defect comes in turn, with its instruction and time, until the look is ended.
  @Test func defectsComeInTurn() async throws {
    let stack = try await LayerStack(greys: [0])
    let id = stack.ids[0]
    let layers = [VideoComposition.LayerInstruction(trackID: id)]
    var video = VideoComposition(
      renderSize: PixelSize(width: 0, height: 48), frameDuration: .zero,
      instructions: [
        .init(timeRange: range(100, 300), layerInstructions: layers),
        .init(timeRange: range(300, 300), layerInstructions: layers),
        .init(timeRange: range(250, 400), layerInstructions: [.init(trackID: 77)]),
        .init(timeRange: range(500, 700), layerInstructions: layers),
      ])
    video.sourceTrackIDForFrameTiming = 66
    video.sourceSampleDataTrackIDs = [id]
    video.instructions[3].requiredSourceSampleDataTrackIDs = [55]
    video.instructions[3].passthroughTrackID = 44
    var found: [VideoComposition.Defect] = []
    #expect(
      !video.isValid(for: stack.film) {
        found.append($0); return true
      })
    #expect(
      found.map(\.kind) == [
        .renderSize, .frameDuration, .trackID, .trackID, .invalidTimeRange, .overlap, .trackID, .emptyTimeRange,
        .trackID,
        .trackID, .emptyTimeRange, .emptyTimeRange,
      ])
    #expect(found.map(\.instructionIndex) == [nil, nil, nil, nil, 1, 2, 2, 3, 3, 3, 0, 3])
    #expect(
      found.map(\.time) == [nil, nil, nil, nil, nil, ms(250), ms(250), ms(400), ms(500), ms(500), .zero, ms(700)])
    #expect(found.map(\.trackID) == [nil, nil, 66, id, nil, nil, 77, nil, 44, 55, nil, nil])
    #expect(found.allSatisfy { !$0.description.isEmpty })
    #expect(found == video.defects(for: stack.film))
    var count = 0
    #expect(
      !video.isValid(for: stack.film) { _ in
        count += 1; return count < 3
      })
    #expect(count == 3)
    #expect(!video.isValid(for: stack.film))
    #expect(stack.video().isValid(for: stack.film) { _ in false })
    // Of an asset, and of a part of the time.
    let asset = MediaAsset(url: try await greyClip(0))
    let own = try await VideoComposition(propertiesOf: asset)
    #expect(try await own.isValid(for: asset))
    var part = stack.video()
    part.instructions[0].timeRange = range(200, 600)
    #expect(part.isValid(for: stack.film, timeRange: range(200, 600)))
    #expect(!part.isValid(for: stack.film, timeRange: range(200, 601)))
  }

  /// A prototype gives what is neither layout nor time.
  @Test func prototypesAreTaken() async throws {
    let stack = try await LayerStack(greys: [0, 1])
    var prototype = VideoComposition.Instruction(
      timeRange: .invalid, backgroundColor: .init(red: 0, green: 1, blue: 0),
      layerInstructions: [.init(trackID: 99)])
    prototype.enablePostProcessing = false
    let plain = try await VideoComposition(propertiesOf: stack.film)
    let made = try await VideoComposition(propertiesOf: stack.film, prototypeInstruction: prototype)
    #expect(made.instructions.count == 1 && plain.instructions.count == 1)
    #expect(made.instructions[0].timeRange == stack.range)
    #expect(made.instructions[0].layerInstructions == plain.instructions[0].layerInstructions)
    #expect(made.instructions[0].backgroundColor.green == 1 && !made.instructions[0].enablePostProcessing)
    #expect(plain.instructions[0].backgroundColor == .black && plain.instructions[0].enablePostProcessing)
    #expect(made.isValid(for: stack.film))
    let asset = MediaAsset(url: try await greyClip(0))
    #expect(
      try await VideoComposition(propertiesOf: asset, prototypeInstruction: prototype).instructions[0]
        .backgroundColor.green == 1)
  }

  /// The union of what tracks show, turned; the composition's own size before that.
  @Test func sizeIsTheUnion() async throws {
    var stack = try await LayerStack(greys: [0])
    try await stack.add(try await greyClip(3, name: "tall.mp4", size: "32x96"))
    #expect(try await VideoComposition(propertiesOf: stack.film).renderSize == PixelSize(width: 64, height: 96))
    stack.film[stack.ids[1]].preferredTransform = Orientation.right.transform(for: PixelSize(width: 32, height: 96))
    #expect(try await VideoComposition(propertiesOf: stack.film).renderSize == PixelSize(width: 96, height: 48))
    stack.film.naturalSize = PixelSize(width: 100, height: 50)
    #expect(try await VideoComposition(propertiesOf: stack.film).renderSize == PixelSize(width: 100, height: 50))
  }

  /// Old files know nothing of what came later.
  @Test func instructionsAreReadAndWritten() throws {
    var instruction = VideoComposition.Instruction(timeRange: range(0, 1000))
    (instruction.passthroughTrackID, instruction.enablePostProcessing) = (3, false)
    instruction.requiredSourceSampleDataTrackIDs = [4, 5]
    var video = VideoComposition(renderSize: PixelSize(width: 2, height: 2), instructions: [instruction])
    video.sourceSampleDataTrackIDs = [4, 5]
    let data = try JSONEncoder().encode(video)
    #expect(try JSONDecoder().decode(VideoComposition.self, from: data) == video)
    #expect(instruction.requiredSourceTrackIDs == [3] && !instruction.containsTweening)
    let plain = VideoComposition.Instruction(timeRange: range(0, 1000))
    var object = try #require(
      try JSONSerialization.jsonObject(with: JSONEncoder().encode(plain)) as? [String: Any])
    for key in ["enablePostProcessing", "requiredSourceSampleDataTrackIDs", "passthroughTrackID"] {
      object.removeValue(forKey: key)
    }
    let old = try JSONSerialization.data(withJSONObject: object)
    #expect(try JSONDecoder().decode(VideoComposition.Instruction.self, from: old) == plain)
  }

  /// Filter and overlays lie over the pictures of the instructions that let them.
  @Test func postProcessing() async throws {
    let stack = try await LayerStack(greys: [2])
    var video = stack.video()
    video.filter = try VideoFilter("lutyuv=y=255-val")
    let layers = video.instructions[0].layerInstructions
    video.instructions = [
      .init(timeRange: range(0, 400), layerInstructions: layers),
      .init(timeRange: range(400, 1000), layerInstructions: layers),
    ]
    video.instructions[1].enablePostProcessing = false
    let values = try await stack.film.composed(video).map { $0.pixelBuffer.value(0, 20, 20) }
    #expect(values == Array(repeating: 255 - 70, count: 10) + Array(repeating: 70, count: 15))
  }

  /// The source's own pictures come, not copied, and no compositor is asked for them.
  @Test(arguments: [true, false]) func passthrough(isCustom: Bool) async throws {
    let stack = try await LayerStack(greys: [0, 10])
    var video = stack.video()
    let layers = video.instructions[0].layerInstructions
    video.instructions = [
      .init(timeRange: range(0, 400), layerInstructions: layers),
      .init(timeRange: range(400, 1000), layerInstructions: layers),
    ]
    video.instructions[1].passthroughTrackID = stack.ids[0]
    let asked = Monitor<[MediaTime]>([])
    let last = Monitor<PixelBuffer?>(nil)
    let handler = VideoCompositionHandler { request in
      asked.withLock { $0.append(request.compositionTime) }
      let frame = try #require(request.sourceFrame(byTrackID: stack.ids[1]))
      last.withLock { $0 = frame }
      return frame
    }
    let run = CompositionRun(
      try Reader.VideoCompositionOutput(
        composition: stack.film, videoComposition: video, compositor: isCustom ? handler : nil), video)
    var count = 0
    while let frame = try await run.next() {
      if count < 10 {
        #expect(frame.pixelBuffer.value(0, 9, 9) == 190)
        if !isCustom {
          // A lone layer that hides all others is not copied, whatever its instruction says.
          let source = try #require(try await run.sources[stack.ids[1]]?.picture(at: frame.time)).picture
          #expect(frame.pixelBuffer.frame === source.frame)
        }
        // What a compositor hands on is not copied either.
        if isCustom { #expect(frame.pixelBuffer.frame === last.withLock { $0 }?.frame) }
      } else {
        #expect(frame.pixelBuffer.value(0, 9, 9) == 40)
        // The decoder's own picture, at its own address.
        let source = try #require(try await run.sources[stack.ids[0]]?.picture(at: frame.time)).picture
        #expect(frame.pixelBuffer.frame === source.frame)
        #expect(frame.pixelBuffer.frame.planeAddress(0) == source.frame.planeAddress(0))
      }
      count += 1
    }
    #expect(count == 25)
    #expect(asked.withLock { $0 } == (isCustom ? (0..<10).map { ms($0 * 40) } : []))
  }

  /// Of another size it is brought to the render size, whole; a track without a picture shows the background.
  @Test func passthroughFits() async throws {
    var stack = try await LayerStack(greys: [0])
    let wide = MediaAsset(url: try await greyClip(10, name: "wide.mp4", size: "128x32"))
    let track = try #require(try await wide.loadDefaultTrack(withMediaType: .video))
    let id = stack.film.addMutableTrack(withMediaType: .video)
    try await stack.film[id].insertTimeRange(range(0, 400), of: track, at: .zero)
    var video = stack.video()
    video.instructions[0].passthroughTrackID = id
    let frames = try await stack.film.composed(video)
    for (x, y) in [(0, 0), (63, 47), (30, 20)] {
      #expect(abs(frames[3].pixelBuffer.value(0, x, y) - 190) <= 1)
      #expect(frames[20].pixelBuffer.value(0, x, y) == 16)
    }
    #expect(frames.allSatisfy { $0.pixelBuffer.size == video.renderSize })
  }
}
