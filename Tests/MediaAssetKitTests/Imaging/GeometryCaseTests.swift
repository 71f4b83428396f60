import Foundation
import MediaTestSupport
import Testing

@testable import MediaAssetKit

/// The image halves of the acceptance cases about geometry, and what goes with them.
@Suite struct GeometryCaseTests {
  private static let red = (253, 0, 0)
  private static let lime = (0, 253, 0)
  private static let blue = (0, 0, 254)
  private static let white = (255, 255, 255)
  private typealias Color = (Int, Int, Int)

  /// The four corners in reading order.
  private static func expectCorners(
    _ image: MediaImage, _ colors: [(Int, Int, Int)], _ location: SourceLocation = #_sourceLocation
  ) {
    let (x, y) = (image.width - 5, image.height - 5)
    for (point, color) in zip([(4, 4), (x, 4), (4, y), (x, y)], colors) {
      #expect(
        image.isNear(point.0, point.1, color, by: 4),
        "\(image.pixel(x: point.0, y: point.1)) at \(point) of \(image.size)",
        sourceLocation: location)
    }
  }

  @Test(arguments: [90, 180, 270])
  func g1RightAngles(_ turn: Int) async throws {
    let asset = MediaAsset(url: try await AcceptanceCase.file("G1", "g1_\(turn).mp4"))
    var generator = ImageGenerator(asset: asset)
    let (image, _) = try await generator.image(at: .zero)
    let (size, corners): (PixelSize, [Color]) =
      switch turn {
      case 90: (PixelSize(width: 48, height: 64), [Self.lime, Self.white, Self.red, Self.blue])
      case 180: (PixelSize(width: 64, height: 48), [Self.white, Self.blue, Self.lime, Self.red])
      default: (PixelSize(width: 48, height: 64), [Self.blue, Self.red, Self.white, Self.lime])
      }
    #expect(image.size == size)
    Self.expectCorners(image, corners)

    generator.maximumSize = PixelSize(width: 24, height: 0)
    let (small, _) = try await generator.image(at: .zero)
    #expect(
      small.size
        == (turn == 180 ? PixelSize(width: 24, height: 18) : PixelSize(width: 24, height: 32)))
    Self.expectCorners(small, corners)

    generator.maximumSize = .zero
    generator.appliesPreferredTrackTransform = false
    let (stored, _) = try await generator.image(at: .zero)
    #expect(stored.size == PixelSize(width: 64, height: 48))
    Self.expectCorners(stored, [Self.red, Self.lime, Self.blue, Self.white])
    let track = try #require(try await asset.loadDefaultTrack(withMediaType: .video))
    #expect(try await track.load(.naturalSize) == PixelSize(width: 64, height: 48))
  }

  @Test func g3WrongTranslation() async throws {
    let generator = ImageGenerator(
      asset: MediaAsset(url: try await AcceptanceCase.file("G3", "g3.mp4")))
    let (image, _) = try await generator.image(at: .zero)
    #expect(image.size == PixelSize(width: 48, height: 64))
    Self.expectCorners(image, [Self.blue, Self.red, Self.white, Self.lime])
  }

  @Test func g5AnamorphicPAL() async throws {
    var generator = ImageGenerator(
      asset: MediaAsset(url: try await AcceptanceCase.file("G5", "g5.mpg")))
    #expect(try await generator.image(at: .zero).image.size == PixelSize(width: 1024, height: 576))
    generator.maximumSize = PixelSize(width: 512, height: 512)
    #expect(try await generator.image(at: .zero).image.size == PixelSize(width: 512, height: 288))
    generator.maximumSize = .zero
    generator.apertureMode = .encodedPixels
    #expect(try await generator.image(at: .zero).image.size == PixelSize(width: 720, height: 576))
  }

  @Test func g7OddSizes() async throws {
    let url = try await AcceptanceCase.file("G7", "g7.webm")
    let (image, _) = try await ImageGenerator(asset: MediaAsset(url: url)).image(at: .zero)
    #expect(image.size == PixelSize(width: 65, height: 49))
    #expect(image.isNear(64, 20, (254, 0, 0)))
    #expect(image.isNear(30, 48, (0, 0, 255)))
    #expect(image.isNear(30, 20, (128, 128, 128), by: 2))
    #expect(image.bytesPerRow >= 65 * 4)
    let (again, _) = try await ImageGenerator(asset: MediaAsset(url: url)).image(at: .zero)
    // Every byte, the padding of the rows too.
    #expect(
      image.withBytes { $0.withUnsafeBytes { Array($0) } }
        == again.withBytes { $0.withUnsafeBytes { Array($0) } })
  }

  // MARK: - More

  /// Each of the eight orientations, with and without mirroring, by the matrix of the track header.
  @Test(arguments: Orientation.allCases)
  func allOrientations(_ orientation: Orientation) async throws {
    let quad = try await AcceptanceCase.file("G3", "quad.mp4")
    let matrix = orientation.transform(for: PixelSize(width: 64, height: 48))
    try await withTemporaryFolder { folder in
      let url = folder.appendingPathComponent("turned.mp4")
      let script = try await AcceptanceCase.file("G3", "patchtkhd.py")
      let numbers = [matrix.a, matrix.b, matrix.c, matrix.d, matrix.tx, matrix.ty].map { "\($0)" }
      try await MediaTool("python3").check([script.path, quad.path, url.path] + numbers)
      var generator = ImageGenerator(asset: MediaAsset(url: url))
      // Where each stored corner goes, by the matrix itself.
      let size = matrix.applied(to: PixelSize(width: 64, height: 48))
      let stored: [(Double, Double, Color)] = [
        (16, 12, Self.red), (48, 12, Self.lime), (16, 36, Self.blue), (48, 36, Self.white),
      ]
      for maximum in [PixelSize.zero, PixelSize(width: 32, height: 32)] {
        generator.maximumSize = maximum
        let (image, _) = try await generator.image(at: .zero)
        let scale = Double(image.width) / Double(size.width)
        #expect(image.size == PixelFitting.fit(size, within: maximum))
        for (x, y, color) in stored {
          let to = (
            (matrix.a * x + matrix.c * y + matrix.tx) * scale,
            (matrix.b * x + matrix.d * y + matrix.ty) * scale
          )
          #expect(image.isNear(Int(to.0), Int(to.1), color, by: 4), "\(orientation) at \(to)")
        }
      }
    }
  }

  /// 720x576 of 64:45 with a matrix of a quarter turn and a clean aperture of 704x560: all at once.
  @Test func turnAspectAndApertureTogether() async throws {
    let plain = try await madeFile(
      "aspect.mov",
      [
        "-f", "lavfi", "-i",
        "color=red:s=720x576:r=25:d=0.2,drawbox=0:0:8:576:lime:fill,drawbox=712:0:8:576:lime:fill,setsar=64/45",
        "-c:v", "mpeg4", "-qscale:v", "2", "-pix_fmt", "yuv420p",
      ])
    var bytes = [UInt8](try Data(contentsOf: plain))
    // A `clap` box in place of the entry's last box would need other sizes: the header's matrix and a box appended.
    try Self.appendCleanAperture(to: &bytes, width: 704, height: 560)
    Self.setMatrix(of: &bytes, [0, 1, -1, 0])
    try await withTemporaryFolder { folder in
      let url = folder.appendingPathComponent("all.mov")
      try Data(bytes).write(to: url)
      var generator = ImageGenerator(asset: MediaAsset(url: url))
      // 704 wide at 64:45 is 1001 (1001.24), 560 high; a quarter turn makes it 560x1001.
      let (image, _) = try await generator.image(at: .zero)
      #expect(image.size == PixelSize(width: 560, height: 1001))
      // The green edges lie outside of the aperture.
      #expect(
        image.isNear(280, 3, (253, 0, 0), by: 8) && image.isNear(280, 997, (253, 0, 0), by: 8))
      generator.maximumSize = PixelSize(width: 0, height: 500)
      // 560 · 500 / 1001 = 279.7
      #expect(try await generator.image(at: .zero).image.size == PixelSize(width: 280, height: 500))
      generator.maximumSize = .zero
      generator.apertureMode = .productionAperture
      #expect(
        try await generator.image(at: .zero).image.size == PixelSize(width: 576, height: 1024))
      generator.apertureMode = .encodedPixels
      #expect(try await generator.image(at: .zero).image.size == PixelSize(width: 576, height: 720))
      generator.appliesPreferredTrackTransform = false
      #expect(try await generator.image(at: .zero).image.size == PixelSize(width: 720, height: 576))
    }
  }

  /// Adds a box to the sample description of the only track; the movie box comes last in the file.
  private static func appendCleanAperture(to bytes: inout [UInt8], width: UInt32, height: UInt32)
    throws
  {
    func number(_ value: UInt32) -> [UInt8] {
      [24, 16, 8, 0].map { UInt8(truncatingIfNeeded: value >> UInt32($0)) }
    }
    let box =
      number(40) + Array("clap".utf8) + number(width) + number(1) + number(height) + number(1)
      + number(0) + number(1) + number(0) + number(1)
    func find(_ type: String) throws -> Int {
      let mark = Array(type.utf8)
      return try #require((0..<bytes.count - 4).last { bytes[$0..<$0 + 4].elementsEqual(mark) }) - 4
    }
    func grow(_ start: Int) {
      let size = bytes[start..<start + 4].reduce(0) { $0 << 8 | UInt32($1) } + 40
      bytes.replaceSubrange(start..<start + 4, with: number(size))
    }
    let entry = try find("mp4v")
    let end = entry + Int(bytes[entry..<entry + 4].reduce(0) { $0 << 8 | UInt32($1) })
    for type in ["moov", "trak", "mdia", "minf", "stbl", "stsd"] { grow(try find(type)) }
    grow(entry)
    bytes.insert(contentsOf: box, at: end)
  }

  private static func setMatrix(of bytes: inout [UInt8], _ turn: [Int32]) {
    let mark = Array("tkhd".utf8)
    guard let place = (0..<bytes.count - 4).first(where: { bytes[$0..<$0 + 4].elementsEqual(mark) })
    else { return }
    let offset = place + 4 + 20 + 20
    let values: [Int32] = [
      turn[0] << 16, turn[1] << 16, 0, turn[2] << 16, turn[3] << 16, 0, 0, 0, 1 << 30,
    ]
    for (index, value) in values.enumerated() {
      for byte in 0..<4 {
        bytes[offset + 4 * index + byte] = UInt8(truncatingIfNeeded: value >> Int32(24 - 8 * byte))
      }
    }
  }

  /// H.264 in a transport stream that changes from 64x48 to 96x64 in the middle.
  @Test func sizeChangesInMidStream() async throws {
    func part(_ name: String, _ source: String, _ offset: String) async throws -> Data {
      try Data(
        contentsOf: try await madeFile(
          name,
          [
            "-f", "lavfi", "-i", source, "-c:v", "libx264", "-g", "5", "-bf", "0", "-pix_fmt",
            "yuv420p",
            "-output_ts_offset", offset, "-f", "mpegts",
          ]))
    }
    let first = try await part("change1.ts", "color=red:s=64x48:r=25:d=1", "0")
    let second = try await part("change2.ts", "color=blue:s=96x64:r=25:d=1", "1")
    try await withTemporaryFolder { folder in
      let url = folder.appendingPathComponent("change.ts")
      try (first + second).write(to: url)
      var generator = ImageGenerator.exact(url)
      let (before, _) = try await generator.image(at: .ms(480))
      #expect(
        before.size == PixelSize(width: 64, height: 48) && before.isNear(30, 20, (253, 0, 0), by: 4)
      )
      let (after, _) = try await generator.image(at: .ms(1480))
      #expect(
        after.size == PixelSize(width: 96, height: 64) && after.isNear(30, 20, (0, 0, 254), by: 4))
      generator.maximumSize = PixelSize(width: 48, height: 48)
      var sizes: [PixelSize] = []
      for await element in generator.images(for: [.ms(80), .ms(1880), .ms(120)]) {
        sizes.append(try element.image.size)
      }
      #expect(
        sizes == [
          PixelSize(width: 48, height: 36), PixelSize(width: 48, height: 32),
          PixelSize(width: 48, height: 36),
        ])
    }
  }
}
