import Foundation
import MediaTestSupport
import Testing

@testable import MediaAssetKit

@Suite struct OverlayTests {
  private func ms(_ value: Int64) -> MediaTime { MediaTime(value: value, timescale: 1000) }

  private func block(_ size: String = "8x6") async throws -> URL {
    try await madeClip(
      "block-\(size).png", ["-f", "lavfi", "-i", "color=white:s=\(size),format=rgba", "-frames:v", "1"])
  }

  /// An image exactly at its pixels, while it moves, and only in its time.
  @Test func imageMoves() async throws {
    let stack = try await LayerStack(greys: [2])
    var video = stack.video()
    var overlay = VideoComposition.Overlay(image: try await block())
    overlay.timeRange = MediaTimeRange(start: ms(200), end: ms(800))
    try overlay.position.setRamp(
      from: .init(x: 5, y: 3), to: .init(x: 35, y: 33), timeRange: MediaTimeRange(start: ms(200), end: ms(800)))
    video.overlays = [overlay]
    let frames = try await stack.film.composed(video)
    for (index, place) in [(4, nil), (5, 5), (10, 15), (15, 25), (20, nil)] as [(Int, Int?)] {
      let picture = frames[index].pixelBuffer
      for y in 0..<48 {
        for x in 0..<64 {
          let isInside = place.map { x >= $0 && x < $0 + 8 && y >= $0 - 2 && y < $0 + 4 } ?? false
          #expect(picture.value(0, x, y) == (isInside ? 235 : 70))
        }
      }
    }
  }

  @Test func fadesAndGrows() async throws {
    let stack = try await LayerStack(greys: [2])
    var video = stack.video()
    var overlay = VideoComposition.Overlay(image: try await block())
    overlay.position = .init(.init(x: 28, y: 21))
    try overlay.opacity.setRamp(from: 0, to: 1, timeRange: MediaTimeRange(start: .zero, end: ms(400)))
    try overlay.scale.setRamp(from: 1, to: 3, timeRange: MediaTimeRange(start: ms(400), end: ms(800)))
    try overlay.rotation.set(90, at: ms(900))
    video.overlays = [overlay]
    let frames = try await stack.film.composed(video)
    for (index, opacity) in [(0, 0.0), (5, 0.5), (10, 1)] {
      #expect(abs(Double(frames[index].pixelBuffer.value(0, 31, 24)) - (70 + opacity * 165)) <= 2)
    }
    // Twice the size around (32, 24), then three times, then turned.
    for (index, width, height) in [(15, 16, 12), (20, 24, 18), (24, 18, 24)] {
      let picture = frames[index].pixelBuffer
      #expect(picture.value(0, 32 - width / 2, 24) == 235 && picture.value(0, 32 - width / 2 - 1, 24) == 70)
      #expect(picture.value(0, 32, 24 + height / 2 - 1) == 235 && picture.value(0, 32, 24 + height / 2) == 70)
    }
  }

  /// Over what a custom compositor draws, too.
  @Test func overCustomCompositors() async throws {
    let stack = try await LayerStack(greys: [2])
    var video = stack.video()
    video.overlays = [.init(image: try await block())]
    let id = stack.ids[0]
    let handler = VideoCompositionHandler { request in
      try #require(request.sourceFrame(byTrackID: id))
    }
    let picture = try await stack.film.composed(video, compositor: handler)[0].pixelBuffer
    #expect(picture.value(0, 7, 5) == 235 && picture.value(0, 8, 5) == 70)
  }

  /// The ink of letters lies in the box that was asked for, is as dark as full opacity, and takes its colour.
  @Test func textIsDrawn() async throws {
    let stack = try await LayerStack(greys: [0])
    var video = stack.video()
    // A full block fills its whole cell.
    var text = TextOverlay("\u{2588}\u{2588}", size: 20)
    text.font = "DejaVu Sans Mono"
    text.color = .init(.init(red: 1, green: 0, blue: 0))
    var overlay = VideoComposition.Overlay(text: text)
    overlay.position = .init(.init(x: 10, y: 8))
    video.overlays = [overlay]
    let picture = try await stack.film.composed(video)[0].pixelBuffer
    // Red of BT.601 in limited range.
    for (x, y) in [(16, 16), (20, 20), (28, 24)] {
      #expect(abs(picture.value(0, x, y) - 81) <= 2)
      #expect(abs(picture.value(1, x / 2, y / 2) - 90) <= 2 && abs(picture.value(2, x / 2, y / 2) - 240) <= 2)
    }
    // Two cells of 12.04 pixels.
    for (x, y) in [(8, 16), (36, 16), (16, 4), (16, 44)] { #expect(picture.value(0, x, y) == 40) }
  }

  @Test func textIsWrappedAndBoxed() throws {
    func draw(_ change: (inout TextOverlay) -> Void) throws -> TextRenderer.Drawn {
      var text = TextOverlay("some words that are wrapped", size: 20)
      text.font = "DejaVu Sans"
      change(&text)
      return try TextRenderer(overlay: text, maximumPixels: 1 << 24).draw()
    }
    let line = try draw { _ in }
    let wrapped = try draw { $0.width = 120 }
    #expect(wrapped.box.width == 120 && wrapped.box.height > 2 * line.box.height - 4)
    let boxed = try draw { $0.background = .init(color: .init(.black), padding: 7) }
    #expect(boxed.box == PixelSize(width: line.box.width + 14, height: line.box.height + 14))
    let outlined = try draw { $0.outline = .init(width: 3) }
    #expect(outlined.box == line.box && outlined.picture.width >= line.picture.width)
    // Never markup unless asked.
    let plain = try draw { $0.text = "<b>x</b>" }
    let marked = try draw { ($0.text, $0.isMarkup) = ("<b>x</b>", true) }
    #expect(plain.box.width > 4 * marked.box.width)
    // From right to left: what is short lies at the right edge.
    let hebrew = try draw { ($0.text, $0.width) = ("\u{05D0}\u{05D1}", 200) }
    #expect(ink(hebrew.picture, 0..<100) == 0 && ink(hebrew.picture, 150..<200) > 0)
    let latin = try draw { ($0.text, $0.width) = ("ab", 200) }
    #expect(ink(latin.picture, 0..<50) > 0 && ink(latin.picture, 100..<200) == 0)
  }

  /// How many pixels of some columns are painted.
  private func ink(_ picture: PixelBuffer, _ columns: Range<Int>) -> Int {
    picture.withPlane(0) { bytes, plane in
      var count = 0
      for y in 0..<plane.height {
        for x in columns where bytes.unsafeLoad(fromByteOffset: y * plane.bytesPerRow + 4 * x + 3, as: UInt8.self) > 64
        {
          count += 1
        }
      }
      return count
    }
  }

  @Test(
    arguments: [
      ("", 20.0, nil), (String(repeating: "x", count: 10_001), 20, nil), ("a\u{0}b", 20, nil), ("x", 0, nil),
      ("x", 9000, nil),
      ("x", 20, 0), (String(repeating: "x", count: 5000), 500, nil),
    ] as [(String, Double, Int?)])
  func textIsBounded(text: String, size: Double, width: Int?) {
    var overlay = TextOverlay(text, size: size)
    overlay.width = width
    let error = #expect(throws: MediaError.self) { try TextRenderer(overlay: overlay, maximumPixels: 1 << 24).draw() }
    #expect(error?.code == .invalidArgument)
  }

  /// Scripts with and without a font here, marks that lie over letters, right to left: ink inside the place that was asked
  /// for, nothing outside.
  @Test(arguments: [
    "\u{1F600}\u{1F3F3}\u{FE0F}\u{200D}\u{1F308}", "\u{5E9}\u{5DC}\u{5D5}\u{5DD}", "\u{627}\u{644}\u{633}",
    "\u{6F22}\u{5B57}", "\u{928}\u{92E}\u{938}\u{94D}\u{924}\u{947}", "a\u{301}\u{308}\u{323}",
    "a \u{5E9}\u{5DC} b", "\u{E123}", "\u{FFFD}", "\u{200F}\u{202E}x",
  ])
  func scriptsAreDrawn(text: String) async throws {
    let stack = try await LayerStack(greys: [0])
    var video = stack.video()
    var overlay = VideoComposition.Overlay(text: TextOverlay(text, size: 14))
    overlay.position = .init(.init(x: 12, y: 10))
    video.overlays = [overlay]
    let drawn = try TextRenderer(overlay: TextOverlay(text, size: 14), maximumPixels: 1 << 20).draw()
    let picture = try await stack.film.composed(video)[0].pixelBuffer
    // What letters reach beyond their lines' box belongs to them.
    let (left, top) = (12 - drawn.corner.x, 10 - drawn.corner.y)
    var inked = 0
    for y in 0..<48 {
      for x in 0..<64 where picture.value(0, x, y) != 40 {
        inked += 1
        #expect(x >= left && x < left + drawn.picture.width && y >= top && y < top + drawn.picture.height)
      }
    }
    #expect(inked > 4)
  }

  /// Marks take no place of their own, and both ways to write a letter are one.
  @Test func marksLieOverLetters() throws {
    func width(_ text: String) throws -> Int {
      var overlay = TextOverlay(text, size: 40)
      overlay.font = "DejaVu Sans"
      return try TextRenderer(overlay: overlay, maximumPixels: 1 << 20).draw().box.width
    }
    #expect(try width("e\u{301}e\u{301}") == width("\u{E9}\u{E9}"))
    #expect(try width("e\u{301}") == width("e"))
  }

  /// Where no font is installed, the error says so: the library's boxes would be no text, and of any size.
  @Test func noFontIsSaid() async throws {
    let clip = try await greyClip(2)
    try await MediaKitCommand.withFolder { folder in
      let (fonts, timeline) = (folder.appendingPathComponent("fonts.conf"), folder.appendingPathComponent("t.json"))
      try Data("<fontconfig><dir>/nowhere</dir></fontconfig>".utf8).write(to: fonts)
      let json =
        #"{"tracks":[{"media":"video","segments":[{"file":"\#(clip.path)"}]}],"#
        + #""overlays":[{"text":{"string":"A\u6f22\ud83d\ude00","size":20},"place":{"x":8,"y":8}}]}"#
      try Data(json.utf8).write(to: timeline)
      let output = folder.appendingPathComponent("o.mp4")
      let result = try await MediaTool(MediaKitCommand.path).run(
        ["compose", timeline.path, "-o", output.path], environment: ["FONTCONFIG_FILE": fonts.path])
      #expect(result.status == 1)
      #expect(result.errorText.contains("no font is installed") && result.errorText.contains("fonts-dejavu-core"))
      #expect(!FileManager.default.fileExists(atPath: output.path))
    }
  }

  @Test func markupIsChecked() {
    var overlay = TextOverlay("<b>x")
    overlay.isMarkup = true
    let error = #expect(throws: MediaError.self) { try TextRenderer(overlay: overlay, maximumPixels: 1 << 24).draw() }
    #expect(error?.reason.contains("markup") == true)
  }

  @Test func defectsAreNamed() async throws {
    let stack = try await LayerStack(greys: [0])
    var video = stack.video()
    var overlay = VideoComposition.Overlay(text: TextOverlay("x"))
    overlay.opacity = .init(1.5)
    video.overlays = [overlay]
    #expect(video.defects(for: stack.film).first?.description.hasPrefix("overlay 1") == true)
    #expect(throws: MediaError.self) { try overlay.scale.setRamp(from: 1, to: 2, timeRange: .invalid) }
  }
}
