import Foundation
import MediaTestSupport
import Testing

@testable import MediaAssetKit

/// Image files: what `ffmpeg` reads back from them, their tags, and how they come to lie on the disk.
@Suite struct ImageFileTests {
  /// A picture of smooth colours with some edges.
  private static func picture(
    _ width: Int = 96, _ height: Int = 64, bits: Int = 8, alpha: Bool = false,
    space: MediaImage.ColorSpace = .sRGB
  ) throws -> MediaImage {
    var image = try MediaImage(
      width: width, height: height, bitsPerComponent: bits, colorSpace: space,
      fill: alpha ? .clear : .white)
    let unit = bits / 8
    for y in 0..<height {
      try image.withMutableRow(y) { row in
        for x in 0..<width {
          let values = [
            40 + 160 * x / width, 60 + 120 * y / height, 200 - 100 * x / width,
            alpha ? (x < width / 4 ? 0 : x < width / 2 ? 128 : 255) : 255,
          ]
          for channel in 0..<4 {
            for byte in 0..<unit { row[(4 * x + channel) * unit + byte] = UInt8(values[channel]) }
          }
        }
      }
    }
    return image
  }

  /// A file's picture as RGBA, by `ffmpeg`.
  private static func decode(_ url: URL) async throws -> BytePlane {
    try await FFmpegJudge(url).picture()
  }

  private static func plane(_ image: MediaImage) -> BytePlane {
    BytePlane(
      image.withBytes { $0.withUnsafeBytes { Array($0) } }, width: 4 * image.width, height: image.height,
      bytesPerRow: image.bytesPerRow)
  }

  @Test(arguments: [(96, 64), (65, 49), (1, 1), (3, 500)])
  func pngIsLossless(_ width: Int, _ height: Int) async throws {
    for alpha in [false, true] {
      let image = try Self.picture(width, height, alpha: alpha)
      try await withTemporaryFolder { folder in
        let url = folder.appendingPathComponent("a.png")
        try await image.write(to: url)
        #expect(try await Self.decode(url).largestDifference(to: Self.plane(image)) == 0)
        let probe = try await FFmpegJudge(url).probe()
        #expect(probe["streams"]?.elements.first?["pix_fmt"]?.text == (alpha ? "rgba" : "rgb24"))
      }
    }
  }

  @Test func pngKeepsSixteenBits() async throws {
    let image = try Self.picture(bits: 16)
    try await withTemporaryFolder { folder in
      let url = folder.appendingPathComponent("a.png")
      try await image.write(to: url)
      let probe = try await FFmpegJudge(url).probe()
      #expect(probe["streams"]?.elements.first?["pix_fmt"]?.text == "rgb48be")
      var generator = ImageGenerator(asset: MediaAsset(url: url))
      generator.dynamicRangePolicy = .matchSource
      let back = try await generator.image(at: .zero).image
      #expect(back.bitsPerComponent == 16)
      for x in stride(from: 0, to: 96, by: 5) {
        #expect(back.pixel16(x: x, y: 30) == image.pixel16(x: x, y: 30))
      }
    }
  }

  @Test(arguments: [
    ("jpg", 1.0, 42.0), ("jpg", 0.85, 36.0), ("jpg", 0.0, 24.0), ("webp", 1.0, 38.0), ("webp", 0.85, 34.0),
    ("webp", 0.0, 24.0),
  ])
  func lossyFilesStayNear(_ type: String, _ quality: Double, _ decibels: Double) async throws {
    let image = try Self.picture(320, 240)
    try await withTemporaryFolder { folder in
      let url = folder.appendingPathComponent("a.\(type)")
      try await image.write(to: url, quality: quality)
      let back = try await Self.decode(url)
      let ratio = try #require(back.peakSignalToNoiseRatio(to: Self.plane(image)))
      #expect(ratio >= decibels, "\(ratio) dB")
    }
  }

  @Test(arguments: [(1, 1), (65, 49), (121, 500)], ["jpg", "webp"])
  func lossyFilesOfOddSizes(_ size: (Int, Int), _ type: String) async throws {
    let image = try Self.picture(size.0, size.1)
    try await withTemporaryFolder { folder in
      let url = folder.appendingPathComponent("a.\(type)")
      try await image.write(to: url, quality: 1)
      let back = try await Self.decode(url)
      #expect(back.width == 4 * size.0 && back.height == size.1)
      let difference = try #require(back.largestDifference(to: Self.plane(image)))
      #expect(difference <= 24, "\(difference)")
    }
  }

  @Test func qualityDecidesTheSize() async throws {
    var image = try Self.picture(320, 240)
    var random = SeededGenerator(seed: 1)
    for y in 0..<240 {
      try image.withMutableRow(y) { row in
        for x in row.indices where x % 4 != 3 { row[x] = row[x] &+ UInt8.random(in: 0...40, using: &random) }
      }
    }
    for format in [MediaImage.FileFormat.jpeg, .webp] {
      var sizes: [Int] = []
      for quality in [0, 0.3, 0.6, 0.85, 1] {
        sizes.append(try await image.encoded(as: format, quality: quality).count)
      }
      #expect(sizes == sizes.sorted() && sizes[0] * 2 < sizes[4], "\(sizes)")
      // Outside of the range the nearer end counts; not a number is the best.
      #expect(try await image.encoded(as: format, quality: -3).count == sizes[0])
      #expect(try await image.encoded(as: format, quality: 7).count == sizes[4])
      #expect(try await !image.encoded(as: format, quality: .nan).isEmpty)
    }
  }

  @Test func webpKeepsAlphaAndJPEGLaysOverBlack() async throws {
    let image = try Self.picture(alpha: true)
    try await withTemporaryFolder { folder in
      let webp = folder.appendingPathComponent("a.webp")
      try await image.write(to: webp)
      let back = try await Self.decode(webp)
      #expect(back.bytes[32 * back.bytesPerRow + 4 * 10 + 3] == 0)
      #expect(abs(Int(back.bytes[32 * back.bytesPerRow + 4 * 30 + 3]) - 128) <= 2)
      #expect(back.bytes[32 * back.bytesPerRow + 4 * 80 + 3] == 255)
      let jpeg = folder.appendingPathComponent("a.jpeg")
      try await image.write(to: jpeg, quality: 1)
      let flat = try await Self.decode(jpeg)
      let row = 32 * flat.bytesPerRow
      #expect((0..<3).allSatisfy { flat.bytes[row + 4 * 10 + $0] <= 6 })
      for channel in 0..<3 {
        let pixel = image.pixel(x: 36, y: 32)
        let value = [pixel.red, pixel.green, pixel.blue][channel]
        #expect(abs(Int(flat.bytes[row + 4 * 36 + channel]) - Int(value) * 128 / 255) <= 6)
      }
    }
  }

  // MARK: - Colour tags

  private struct Chunk { var type: String; var body: [UInt8] }

  private static func chunks(_ png: [UInt8]) -> [Chunk] {
    var chunks: [Chunk] = []
    var position = 8
    while position + 12 <= png.count {
      let length = png[position..<position + 4].reduce(0) { $0 << 8 | Int($1) }
      chunks.append(
        Chunk(
          type: String(decoding: png[position + 4..<position + 8], as: UTF8.self),
          body: Array(png[position + 8..<position + 8 + length])))
      position += 12 + length
    }
    return chunks
  }

  @Test func pngSaysWideAndHighRangeColour() async throws {
    let kinds: [(MediaImage.ColorSpace, [UInt8])] = [
      (.bt2020PQ, [9, 16, 0, 1]), (.bt2020HLG, [9, 18, 0, 1]), (.bt2020, [9, 14, 0, 1]),
      (.displayP3, [12, 13, 0, 1]),
    ]
    for (space, body) in kinds {
      let png = try await Self.picture(bits: 16, space: space).pngData()
      let chunks = Self.chunks(png)
      let types = chunks.map(\.type)
      #expect(types.first == "IHDR" && types.last == "IEND")
      #expect(chunks.filter { $0.type == "cICP" }.map(\.body) == [body], "\(space)")
      let place = try #require(types.firstIndex(of: "cICP"))
      #expect(place < (types.firstIndex(of: "IDAT") ?? 0))
      // Every chunk's checksum, by a decoder that stops at wrong ones.
      try await withTemporaryFolder { folder in
        let url = folder.appendingPathComponent("a.png")
        try Data(png).write(to: url)
        try await MediaTool("ffmpeg").check(
          ["-nostdin", "-v", "error", "-xerror", "-err_detect", "crccheck+explode", "-i", url.path, "-f", "null", "-"])
      }
    }
    for space in [
      MediaImage.ColorSpace.sRGB, .bt709, MediaImage.ColorSpace(primaries: "smpte170m", transfer: "smpte170m"),
    ] {
      let types = Self.chunks(try await Self.picture(space: space).pngData()).map(\.type)
      #expect(!types.contains("cICP") && !types.contains("gAMA") && !types.contains("cHRM"), "\(types)")
    }
  }

  @Test func noFileOfStandardRangeKeepsTagsOfHighRange() async throws {
    let url = try await AcceptanceCase.file("C6", "c6.mp4")
    let image = try await ImageGenerator(asset: MediaAsset(url: url)).image(at: .zero).image
    #expect(!Self.chunks(try await image.pngData()).contains { $0.type == "cICP" })
    var generator = ImageGenerator(asset: MediaAsset(url: url))
    generator.dynamicRangePolicy = .matchSource
    let deep = try await generator.image(at: .zero).image
    try await withTemporaryFolder { folder in
      // JPEG can't say HDR, so it gets the tone-mapped picture.
      let jpeg = folder.appendingPathComponent("a.jpg")
      try await deep.write(to: jpeg, quality: 1)
      let flat = try await Self.decode(jpeg)
      let white = flat.bytes[20 * flat.bytesPerRow + 4 * 48]
      #expect(abs(Int(white) - 215) <= 4, "\(white)")
      let png = folder.appendingPathComponent("a.png")
      try await deep.write(to: png)
      #expect(Self.chunks([UInt8](try Data(contentsOf: png))).contains { $0.type == "cICP" })
    }
  }

  // MARK: - Names and failures

  @Test func existingFilesStayUnlessTold() async throws {
    let image = try Self.picture()
    try await withTemporaryFolder { folder in
      let url = folder.appendingPathComponent("a.png")
      let old = Data("precious".utf8)
      try old.write(to: url)
      #expect(await errorCode { try await image.write(to: url) } == .fileAlreadyExists)
      #expect(try Data(contentsOf: url) == old)
      try await image.write(to: url, overwrite: true)
      let encoded = try await image.pngData()
      #expect(try [UInt8](Data(contentsOf: url)) == encoded)
      // A link that leads nowhere is a name too.
      let link = folder.appendingPathComponent("link.png")
      try FileManager.default.createSymbolicLink(at: link, withDestinationURL: folder.appendingPathComponent("none"))
      #expect(await errorCode { try await image.write(to: link) } == .fileAlreadyExists)
      #expect(try FileManager.default.contentsOfDirectory(atPath: folder.path).sorted() == ["a.png", "link.png"])
    }
  }

  @Test func wrongNamesAreTypedErrors() async throws {
    let image = try Self.picture()
    try await withTemporaryFolder { folder in
      func code(_ url: URL?) async -> MediaError.Code? {
        await errorCode { if let url { try await image.write(to: url) } }
      }
      #expect(await code(folder.appendingPathComponent("none/a.png")) == .fileNotFound)
      #expect(await code(folder.appendingPathComponent("a.bmp")) == .invalidArgument)
      #expect(await code(folder.appendingPathComponent("noextension")) == .invalidArgument)
      #expect(await code(URL(string: "https://example.org/a.png")) == .invalidArgument)
      try Data().write(to: folder.appendingPathComponent("file"))
      #expect(await code(folder.appendingPathComponent("file/a.png")) == .fileNotFound)
      try FileManager.default.createDirectory(
        at: folder.appendingPathComponent("folder.png"), withIntermediateDirectories: true)
      #expect(await code(folder.appendingPathComponent("folder.png")) == .fileAlreadyExists)
      let overwriting = await errorCode {
        try await image.write(to: folder.appendingPathComponent("folder.png"), overwrite: true)
      }
      #expect(overwriting == .writeFailed)
      #expect(throws: MediaError.self) { try AtomicFile.write([1], to: folder.path + "/a\0b", overwrite: true) }
      // The longest name that the system takes.
      let longest = String(repeating: "n", count: 251) + ".png"
      #expect(await code(folder.appendingPathComponent(longest)) == nil)
      #expect(
        try FileManager.default.contentsOfDirectory(atPath: folder.path).sorted() == ["file", "folder.png", longest])
    }
  }

  @Test(.enabled(if: TinyVolume.isAvailable))
  func fullDiskLeavesNothing() async throws {
    var image = try MediaImage(width: 400, height: 400, fill: .white)
    var random = SeededGenerator(seed: 1)
    for y in 0..<400 {
      try image.withMutableRow(y) { row in
        for x in row.indices where x % 4 != 3 { row[x] = UInt8.random(in: 0...255, using: &random) }
      }
    }
    let noise = image
    try await TinyVolume.with(kilobytes: 64) { folder in
      let url = folder.appendingPathComponent("a.png")
      #expect(await errorCode { try await noise.write(to: url) } == .writeFailed)
      #expect(try FileManager.default.contentsOfDirectory(atPath: folder.path).isEmpty)
      let old = Data("precious".utf8)
      try old.write(to: url)
      #expect(await errorCode { try await noise.write(to: url, overwrite: true) } == .writeFailed)
      #expect(try Data(contentsOf: url) == old)
      #expect(try FileManager.default.contentsOfDirectory(atPath: folder.path) == ["a.png"])
    }
  }

  @Test func sizesBeyondTheFormatAreTyped() async throws {
    let wide = try MediaImage(width: 17_000, height: 2, fill: .white)
    #expect(await errorCode { _ = try await wide.webpData() } == .encodeFailed)
    #expect(try await !wide.pngData().isEmpty)
  }
}
