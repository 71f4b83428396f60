import Foundation
import MediaTestSupport
import Testing

@testable import MediaAssetKit

/// Stored codes to pixels, for every matrix, range, depth and kind of pixel, against the standards' formulas.
@Suite struct ColourTests {
  struct Case: Sendable, CustomStringConvertible {
    var format: String
    var matrix: String
    var isFull: Bool
    var description: String { "\(format) \(matrix) \(isFull ? "full" : "limited")" }
  }

  static let formats = [
    "yuv420p", "yuv422p", "yuv444p", "yuv411p", "yuva420p", "yuva444p", "yuv420p10le",
    "yuv422p10le",
    "yuv444p10le", "yuv420p12le", "yuv444p12le", "yuv444p16le", "yuva444p10le",
  ]

  static let cases: [Case] =
    ColourOracle.matrices.flatMap { matrix in
      [true, false].map { Case(format: "yuv444p", matrix: matrix.name, isFull: $0) }
    }
    + formats.flatMap { format in
      [true, false].map { Case(format: format, matrix: "bt709", isFull: $0) }
    }
    + ["yuv420p", "yuv420p10le"].flatMap { format in
      ["smpte170m", "bt2020nc"].map { Case(format: format, matrix: $0, isFull: false) }
    }

  static func tags(
    matrix: String? = nil, range: String? = nil, primaries: String? = nil, transfer: String? = nil
  ) -> [String] {
    let values = [
      ("colorspace", "colorspace", matrix), ("color_range", "range", range),
      ("color_primaries", "color_primaries", primaries), ("color_trc", "color_trc", transfer),
    ].compactMap { option, parameter, value in value.map { (option, parameter, $0) } }
    guard !values.isEmpty else { return [] }
    // From FFmpeg 7 on an option that differs from the pictures' own tags asks for a conversion, and an encoder that
    // lists limited range only is fed that unless the option says otherwise: both say the same.
    return ["-vf", "setparams=" + values.map { "\($1)=\($2)" }.joined(separator: ":")]
      + values.flatMap { option, _, value in ["-" + option, value] }
  }

  static func image(
    _ url: URL, _ policy: DynamicRangePolicy = .forceSDR
  ) async throws -> MediaImage {
    var generator = ImageGenerator(asset: MediaAsset(url: url))
    generator.dynamicRangePolicy = policy
    return try await generator.image(at: .zero).image
  }

  private static func expect(
    _ image: MediaImage, bits: Int, _ matrix: ColourOracle.Matrix, isFull: Bool,
    within tolerance: Double = 2,
    _ note: String, convert: (([Double]) -> [Double])? = nil,
    _ location: SourceLocation = #_sourceLocation
  ) {
    for (number, code) in PatchClip.codes.enumerated() {
      let unit = 1 << (bits - 8)
      let components = ColourOracle.components(
        code.0 * unit, code.1 * unit, code.2 * unit, bits: bits, matrix: matrix, isFullRange: isFull
      )
      let levels = convert?(components) ?? components.map { 255 * $0 }
      let pixel = image.pixel(x: PatchClip.patch * number + 8, y: image.height / 2)
      let found = [pixel.red, pixel.green, pixel.blue].map { Double($0) }
      #expect(
        zip(levels, found).allSatisfy { abs($0 - $1) <= tolerance },
        "\(note), patch \(number) \(code): \(found), not \(levels.map { $0.rounded() })",
        sourceLocation: location)
    }
  }

  @Test(arguments: cases)
  func codesToPixels(_ item: Case) async throws {
    let clip = PatchClip(
      pixelFormat: item.format,
      tags: Self.tags(
        matrix: item.matrix, range: item.isFull ? "pc" : "tv", primaries: "bt709", transfer: "bt709"
      ))
    let image = try await Self.image(try await clip.make())
    Self.expect(
      image, bits: clip.bits, ColourOracle.matrix(item.matrix), isFull: item.isFull, "\(item)")
    #expect(image.bitsPerComponent == 8)
    #expect(image.colorSpace == .bt709)
    if item.format.hasPrefix("yuva") {
      #expect(image.alphaMode == .straight)
      for number in PatchClip.codes.indices {
        let alpha = Int(image.pixel(x: 16 * number + 8, y: 8).alpha)
        #expect(abs(alpha - PatchClip.alpha(number)) <= 1, "alpha of patch \(number)")
      }
    } else {
      #expect(image.alphaMode == .opaque)
    }
  }

  @Test(arguments: [
    (16, "smpte170m"), (576, "smpte170m"), (718, "smpte170m"), (720, "bt709"), (1080, "bt709"),
  ])
  func untaggedFollowsTheNumberOfLines(_ lines: Int, _ matrix: String) async throws {
    let clip = PatchClip(pixelFormat: "yuv420p", height: lines)
    let image = try await Self.image(try await clip.make())
    Self.expect(image, bits: 8, ColourOracle.matrix(matrix), isFull: false, "\(lines) lines")
    let track = try #require(
      try await MediaAsset(url: try await clip.make()).loadDefaultTrack(withMediaType: .video))
    let described = try await track.load(.formatDescriptions).first?.video
    #expect(described?.colour.matrix == nil)
  }

  @Test func primariesOfBT2020ImplyItsMatrix() async throws {
    let clip = PatchClip(
      pixelFormat: "yuv420p10le", tags: Self.tags(primaries: "bt2020", transfer: "bt2020-10"))
    let oracle = ToneMapOracle(curve: .bt1886, primaries: ToneMapOracle.bt2020)
    Self.expect(
      try await Self.image(try await clip.make()), bits: 10, ColourOracle.matrix("bt2020nc"),
      isFull: false,
      "bt2020", convert: oracle.levels)
  }

  @Test(arguments: ["yuvj420p", "yuvj422p", "yuvj444p"])
  func formatsThatNameFullRange(_ format: String) async throws {
    // Motion JPEG says nothing else than the format's name; at this quality flat patches come through.
    let clip = PatchClip(
      pixelFormat: format, container: "mov", codec: "mjpeg", options: ["-qscale:v", "1"])
    let image = try await Self.image(try await clip.make())
    Self.expect(
      image, bits: 8, ColourOracle.matrix("bt470bg"), isFull: true, within: 5, format)
  }

  @Test func greyVideoIsLimitedAndGreyStillsAreFull() async throws {
    // AVI has no place for tags: from FFmpeg 7 on its command tags grey as full range wherever there is one.
    let video = PatchClip(pixelFormat: "gray", container: "avi")
    Self.expectGreys(try await Self.image(try await video.make()), isFull: false)
    let tagged = PatchClip(pixelFormat: "gray", tags: Self.tags(range: "pc"))
    Self.expectGreys(try await Self.image(try await tagged.make()), isFull: true)
    let deep = PatchClip(pixelFormat: "gray16le", container: "avi")
    Self.expectGreys(try await Self.image(try await deep.make()), isFull: false)
    // Scaled too, which takes another way.
    for (clip, isFull) in [(video, false), (tagged, true)] {
      var generator = ImageGenerator(asset: MediaAsset(url: try await clip.make()))
      generator.maximumSize = PixelSize(width: 128, height: 0)
      let small = try await generator.image(at: .zero).image
      let level = isFull ? 126.0 : 110 * 255 / 219.0
      #expect(abs(Double(small.pixel(x: 20, y: 4).green) - level) <= 1)
    }
    let bytes = PatchClip.codes.flatMap { code in Array(repeating: UInt8(code.0), count: 16) }
    let raw = try await rawFile((0..<16).flatMap { _ in bytes })
    let still = try await madeFile(
      "grey.png",
      [
        "-f", "rawvideo", "-pix_fmt", "gray", "-s", "256x16", "-i", "file:" + raw.path, "-frames:v",
        "1", "-update", "1",
      ])
    Self.expectGreys(try await Self.image(still), isFull: true)
  }

  private static func expectGreys(
    _ image: MediaImage, isFull: Bool, _ location: SourceLocation = #_sourceLocation
  ) {
    for (number, code) in PatchClip.codes.enumerated() {
      let level = isFull ? Double(code.0) : min(max(Double(code.0 - 16) * 255 / 219, 0), 255)
      let pixel = image.pixel(x: 16 * number + 8, y: 8)
      #expect(
        [pixel.red, pixel.green, pixel.blue].allSatisfy { abs(Double($0) - level) <= 1 },
        "\(pixel), not \(level)", sourceLocation: location)
    }
  }

  /// RGB of several layouts comes through unchanged; palettes keep their transparency.
  @Test(arguments: ["rgb24", "bgr24", "rgba", "gbrp", "gbrap", "rgb48le", "pal8"])
  func sourcesInRGB(_ format: String) async throws {
    let codec =
      ["gbrp", "gbrap"].contains(format) ? "ffv1" : format == "bgr24" ? "rawvideo" : "png"
    let name =
      codec == "png" ? "\(format).png" : format == "bgr24" ? "\(format).nut" : "\(format).mkv"
    let source =
      "color=0xC83C28@0.5:s=64x48:r=25:d=0.1,format=rgba,geq=r='if(lt(X,32),200,20)':g='if(lt(X,32),60,130)':b='if(lt(X,32),40,250)':a='if(lt(X,32),255,0)'"
    let filter =
      format == "pal8"
      ? ",split[a][b];[a]palettegen=reserve_transparent=1[p];[b][p]paletteuse=dither=none:alpha_threshold=128"
      : ""
    let url = try await madeFile(
      name,
      ["-filter_complex", source + filter, "-pix_fmt", format, "-c:v", codec, "-frames:v", "1"]
        + (codec == "png" ? ["-update", "1"] : []))
    let image = try await Self.image(url)
    #expect(image.isNear(10, 20, (200, 60, 40), by: 1), "\(image.pixel(x: 10, y: 20))")
    let hasAlpha = ["rgba", "gbrap", "pal8"].contains(format)
    #expect(image.alphaMode == (hasAlpha ? .straight : .opaque))
    #expect(image.pixel(x: 10, y: 20).alpha == 255)
    #expect(image.pixel(x: 50, y: 20).alpha == (hasAlpha ? 0 : 255))
    if format != "pal8" {
      #expect(image.isNear(50, 20, (20, 130, 250), by: 1), "\(image.pixel(x: 50, y: 20))")
    }
  }

  @Test(arguments: [("gbrp10le", 10), ("gbrp12le", 12), ("gbrp16le", 16)])
  func deepSourcesInRGB(_ format: String, _ bits: Int) async throws {
    // Planes G, B, R of one colour: 60, 40, 200 in 8-bit terms.
    let bytes = [60, 40, 200].flatMap { level -> [UInt8] in
      let value = level * ((1 << bits) - 1) / 255
      return (0..<64 * 48).flatMap { _ in
        [UInt8(truncatingIfNeeded: value), UInt8(truncatingIfNeeded: value >> 8)]
      }
    }
    let raw = try await rawFile(bytes)
    let url = try await madeFile(
      "deep.mkv",
      [
        "-f", "rawvideo", "-pix_fmt", format, "-s", "64x48", "-i", "file:" + raw.path, "-c:v",
        "ffv1",
      ])
    #expect(try await Self.image(url).isNear(10, 20, (200, 60, 40), by: 1))
    let deep = try await Self.image(url, .matchSource)
    #expect(deep.bitsPerComponent == 16)
    let pixel = deep.pixel16(x: 10, y: 20)
    #expect(abs(Int(pixel.x) - 200 * 257) <= 128 && abs(Int(pixel.y) - 60 * 257) <= 128, "\(pixel)")
  }

  /// JPEG is BT.601 whatever its size (JFIF), as are the single pictures of other codecs.
  @Test(arguments: ["jpg", "webp"])
  func stillsOfManyLinesAreBT601(_ type: String) async throws {
    let url = try await madeFile(
      "tall.\(type)",
      [
        "-f", "lavfi", "-i",
        "color=0xC83C28:s=960x960,format=gbrp,scale=out_color_matrix=smpte170m:out_range=\(type == "jpg" ? "pc" : "tv"),format=\(type == "jpg" ? "yuvj420p" : "yuv420p")",
        "-frames:v", "1", "-update", "1",
      ] + (type == "jpg" ? ["-qscale:v", "1"] : ["-c:v", "libwebp", "-quality", "100"]))
    let image = try await Self.image(url)
    #expect(image.isNear(500, 500, (200, 60, 40), by: 4), "\(image.pixel(x: 500, y: 500))")
  }

  // MARK: - Wide colour and HDR

  struct Wide: Sendable, CustomStringConvertible {
    var primaries: String
    var transfer: String
    var matrix: String
    var curve: ToneMapOracle.Curve
    var description: String { "\(primaries) \(transfer)" }
    var oracle: ToneMapOracle {
      ToneMapOracle(
        curve: curve, primaries: primaries == "bt2020" ? ToneMapOracle.bt2020 : ToneMapOracle.p3)
    }
  }

  static let wide = [
    Wide(primaries: "bt2020", transfer: "smpte2084", matrix: "bt2020nc", curve: .pq),
    Wide(primaries: "bt2020", transfer: "arib-std-b67", matrix: "bt2020nc", curve: .hlg),
    Wide(primaries: "bt2020", transfer: "bt2020-10", matrix: "bt2020nc", curve: .bt1886),
    Wide(primaries: "smpte432", transfer: "bt709", matrix: "bt709", curve: .bt1886),
    Wide(primaries: "smpte432", transfer: "iec61966-2-1", matrix: "bt709", curve: .sRGB),
  ]

  @Test(arguments: wide, ["yuv444p10le", "yuv420p", "yuv444p12le"])
  func wideColourBecomesBT709(_ item: Wide, _ format: String) async throws {
    let clip = PatchClip(
      pixelFormat: format,
      tags: Self.tags(
        matrix: item.matrix, range: "tv", primaries: item.primaries, transfer: item.transfer))
    let image = try await Self.image(try await clip.make())
    #expect(
      image.bitsPerComponent == 8 && !image.colorSpace.isHDR
        && image.colorSpace.primaries == "bt709")
    Self.expect(
      image, bits: clip.bits, ColourOracle.matrix(item.matrix), isFull: false, within: 2,
      "\(item) \(format)",
      convert: item.oracle.levels)
  }

  @Test(arguments: wide)
  func matchingTheSourceKeepsDepthAndTags(_ item: Wide) async throws {
    let clip = PatchClip(
      pixelFormat: "yuv444p10le",
      tags: Self.tags(
        matrix: item.matrix, range: "tv", primaries: item.primaries, transfer: item.transfer))
    let image = try await Self.image(try await clip.make(), .matchSource)
    #expect(image.bitsPerComponent == 16)
    #expect(
      image.colorSpace == MediaImage.ColorSpace(primaries: item.primaries, transfer: item.transfer))
    for (number, code) in PatchClip.codes.enumerated() {
      let components = ColourOracle.components(
        code.0 * 4, code.1 * 4, code.2 * 4, bits: 10, matrix: ColourOracle.matrix(item.matrix),
        isFullRange: false)
      let pixel = image.pixel16(x: 16 * number + 8, y: 8)
      for channel in 0..<3 {
        // Two levels of ten bits.
        #expect(
          abs(Double(pixel[channel]) - components[channel] * 65535) <= 128,
          "patch \(number): \(pixel)")
      }
    }
  }

  @Test(arguments: DynamicRangePolicy.allPolicies)
  func alphaOfDeepPictures(_ policy: DynamicRangePolicy) async throws {
    let clip = PatchClip(
      pixelFormat: "yuva444p10le",
      tags: Self.tags(matrix: "bt2020nc", range: "tv", primaries: "bt2020", transfer: "smpte2084"))
    let image = try await Self.image(try await clip.make(), policy)
    #expect(image.alphaMode == .straight)
    for number in PatchClip.codes.indices {
      let alpha = Double(image.pixel16(x: 16 * number + 8, y: 8).w) / 257
      // Ten bits of alpha end at 1020 here: four times 255.
      #expect(abs(alpha - Double(PatchClip.alpha(number) * 4) * 255 / 1023) <= 1, "patch \(number): \(alpha)")
    }
  }

  @Test func matchingTheSourceKeepsEightBits() async throws {
    let clip = PatchClip(
      pixelFormat: "yuv444p",
      tags: Self.tags(matrix: "bt709", range: "tv", primaries: "bt709", transfer: "bt709"))
    let image = try await Self.image(try await clip.make(), .matchSource)
    #expect(image.bitsPerComponent == 8 && image.colorSpace == .bt709)
  }

  // MARK: - Acceptance cases

  @Test func c1TaggedHD() async throws {
    let image = try await Self.image(try await AcceptanceCase.file("C1", "c1.mp4"))
    #expect(image.isNear(9, 9, (200, 60, 40), by: 3))
  }

  @Test func c3UntaggedHD() async throws {
    let image = try await Self.image(try await AcceptanceCase.file("C3", "c3.mp4"))
    #expect(image.isNear(9, 9, (200, 60, 40), by: 3))
  }

  @Test func c4FullRange() async throws {
    let image = try await Self.image(try await AcceptanceCase.file("C4", "c4.mp4"))
    for (x, grey) in [(10, 28), (48, 130), (80, 232)] {
      #expect(image.isNear(x, 20, (grey, grey, grey), by: 1), "\(image.pixel(x: x, y: 20))")
    }
  }

  @Test func c6HDR10() async throws {
    let url = try await AcceptanceCase.file("C6", "c6.mp4")
    let image = try await Self.image(url)
    let patches = [10, 48, 80].map { image.pixel(x: $0, y: 20) }
    for patch in patches {
      let values = [patch.red, patch.green, patch.blue].map { Int($0) }
      #expect((values.max() ?? 0) - (values.min() ?? 0) <= 2, "\(patch)")
    }
    #expect(patches[0].green <= 3)
    #expect(
      (180...255).contains(patches[1].green) && abs(Int(patches[1].green) - 215) <= 4,
      "\(patches[1])")
    #expect(
      patches[2].green >= patches[1].green && abs(Int(patches[2].green) - 249) <= 4, "\(patches[2])"
    )
    let kept = try await Self.image(url, .matchSource)
    #expect(kept.colorSpace == .bt2020PQ && kept.bitsPerComponent == 16)
  }

  @Test func c8AlphaBesideThePicture() async throws {
    let asset = MediaAsset(url: try await AcceptanceCase.file("C8", "c8.webm"))
    let (image, _) = try await ImageGenerator(asset: asset).image(at: .zero)
    #expect(image.alphaMode == .straight)
    #expect(image.pixel(x: 4, y: 4).alpha == 0)
    #expect(image.pixel(x: 32, y: 24).alpha == 255 && image.isNear(32, 24, (253, 0, 0), by: 3))
  }
}

extension DynamicRangePolicy {
  fileprivate static let allPolicies = [DynamicRangePolicy.forceSDR, .matchSource]
}
