import Foundation
import LibAV
import MediaTestSupport
import Testing

@testable import MediaAssetKit

/// Pictures in an asked format and size.
@Suite struct PixelOutputTests {
  /// A clip of colour bars and noise with odd details, lossless.
  private static func clip(
    _ name: String, pixelFormat: String = "yuv420p", size: String = "128x96", tags: [String] = []
  ) async throws -> URL {
    let folder = try await FixtureCache.shared.folder(
      named: "pixels-\(name)", ingredients: [pixelFormat, size] + tags + ["4"]
    ) { folder in
      try await MediaTool("ffmpeg").check(
        [
          "-nostdin", "-v", "error", "-y", "-f", "lavfi", "-i", "testsrc2=s=\(size):r=25:d=0.4", "-vf",
          // Tags of the frames as well: those of the encoder alone would make later FFmpegs convert.
          (["format=\(pixelFormat)"] + tags.map { "setparams=\($0)" }).joined(separator: ","), "-c:v", "ffv1",
        ] + tags.flatMap { Self.encoderOptions($0) } + ["file:" + folder.appendingPathComponent("clip.mkv").path])
    }
    return folder.appendingPathComponent("clip.mkv")
  }

  /// A frame's tag as the encoder's option.
  private static func encoderOptions(_ tag: String) -> [String] {
    let parts = tag.split(separator: "=").map(String.init)
    return ["-" + (parts[0] == "range" ? "color_range" : parts[0]), parts[1]]
  }

  private static func pictures(
    _ url: URL, _ settings: VideoOutputSettings?
  ) async throws -> [PixelBuffer] {
    let track = try #require(try await MediaAsset(url: url).loadDefaultTrack(withMediaType: .video))
    var list: [PixelBuffer] = []
    for try await sample in try Reader(asset: track.asset).output(for: track, settings: .video(settings)) {
      list.append(try #require(sample.pixelBuffer))
    }
    return list
  }

  private static func bytes(_ picture: PixelBuffer) throws -> [UInt8] {
    try picture.withPackedBytes { span in span.withUnsafeBytes { Array($0) } }
  }

  /// Formats with the same subsampling hold the same values in another order: FFmpeg's hash is ours.
  @Test(arguments: ["nv12", "nv21", "yuv420p"])
  func rearrangedFormatsAreExact(_ format: String) async throws {
    let url = try await Self.clip("bars")
    let ours = try await Self.pictures(url, VideoOutputSettings(pixelFormat: PixelFormat(rawValue: format)))
    let judged = try await MediaTool("ffmpeg").check(
      ["-v", "error", "-i", url.path, "-pix_fmt", format, "-f", "rawvideo", "-"])
    #expect(try ours.flatMap(Self.bytes) == judged.standardOutput)
    #expect(ours.allSatisfy { $0.pixelFormat?.rawValue == format })
  }

  /// Flat patches of known colours: what a BGRA pixel must be follows from the matrix (H.273) by arithmetic.
  @Test(
    arguments: [
      ("bt709", "tv", 96), ("smpte170m", "tv", 96), ("bt2020nc", "tv", 96), ("bt709", "pc", 96), (nil, nil, 96),
      (nil, nil, 720),
    ] as [(String?, String?, Int)])
  func bgraFollowsTheMatrix(_ matrix: String?, _ range: String?, _ lines: Int) async throws {
    let colour = (y: 81, u: 90, v: 200)
    let folder = try await FixtureCache.shared.folder(
      named: "patch-\(matrix ?? "none")-\(range ?? "none")-\(lines)", ingredients: ["4"]
    ) { folder in
      let tags = [matrix.map { "colorspace=\($0)" }, range.map { "range=\($0)" }].compactMap(\.self)
      let arguments =
        [
          "-nostdin", "-v", "error", "-y", "-f", "lavfi", "-i",
          "color=black:s=160x\(lines):r=25:d=0.04,format=yuv420p,geq=lum=\(colour.y):cb=\(colour.u):cr=\(colour.v)"
            + tags.map { ",setparams=\($0)" }.joined(),
          "-c:v", "ffv1",
        ] + tags.flatMap { Self.encoderOptions($0) }
      try await MediaTool("ffmpeg").check(arguments + [folder.appendingPathComponent("clip.mkv").path])
    }
    let url = folder.appendingPathComponent("clip.mkv")
    let picture = try #require(try await Self.pictures(url, VideoOutputSettings(pixelFormat: .bgra)).first)
    #expect(picture.planeCount == 1 && picture.colour.matrix == "gbr" && picture.colour.range == .full)
    let (kr, kb) =
      switch matrix ?? (lines < 720 ? "smpte170m" : "bt709") {
      case "bt709": (0.2126, 0.0722)
      case "bt2020nc": (0.2627, 0.0593)
      default: (0.299, 0.114)
      }
    let isFull = range == "pc"
    let y = isFull ? Double(colour.y) / 255 : Double(colour.y - 16) / 219
    let cb = Double(colour.u - 128) / (isFull ? 255 : 224)
    let cr = Double(colour.v - 128) / (isFull ? 255 : 224)
    let red = y + 2 * (1 - kr) * cr
    let blue = y + 2 * (1 - kb) * cb
    let green = (y - kr * red - kb * blue) / (1 - kr - kb)
    let pixel = picture.withPlane(0) { span, plane in
      let offset = plane.bytesPerRow * (lines / 2) + 4 * 80
      return (0..<4).map { span.unsafeLoad(fromByteOffset: offset + $0, as: UInt8.self) }
    }
    for (value, wanted) in zip(pixel, [blue, green, red, 1]) {
      // Three table entries and their sum, each rounded.
      #expect(abs(Double(value) - min(max(wanted, 0), 1) * 255) <= 1)
    }
  }

  /// White and black stay white and black in every format that AVFoundation's users ask for.
  @Test(arguments: [
    "bgra", "rgba", "argb", "rgb24", "rgba64le", "rgb48le", "yuv444p", "yuv422p", "nv12", "p010le", "yuv420p10le",
    "uyvy422",
    "gray", "gray16le", "gbrp", "gbrp10le", "gbrp16le", "yuvj420p",
  ])
  func whiteAndBlack(_ format: String) async throws {
    let folder = try await FixtureCache.shared.folder(named: "white", ingredients: ["2"]) { folder in
      try await MediaTool("ffmpeg").check(
        [
          "-nostdin", "-v", "error", "-y", "-f", "lavfi", "-i",
          "color=black:s=64x64:r=25:d=0.04,format=yuv420p,geq=lum=if(lt(X\\,32)\\,235\\,16):cb=128:cr=128",
          "-c:v", "ffv1", "-color_range", "tv", folder.appendingPathComponent("clip.mkv").path,
        ])
    }
    let url = folder.appendingPathComponent("clip.mkv")
    let picture = try #require(
      try await Self.pictures(url, VideoOutputSettings(pixelFormat: PixelFormat(rawValue: format))).first)
    let identifier = picture.frame.format
    let depth = try #require(identifier.bitDepth)
    let isFull = picture.colour.range == .full
    #expect(isFull == (identifier.isRGB || format.hasPrefix("yuvj")))
    let top = (1 << depth) - 1
    let (white, black) = isFull ? (top, 0) : (235 << (depth - 8), 16 << (depth - 8))
    let isWide = depth > 8
    // The first component of a pixel in the first plane; uyvy begins with Cb, argb with alpha.
    let first = ["uyvy422": 1, "argb": 1][format] ?? 0
    let step = picture.plane(0).rowBytes / 64
    let shift = format.hasPrefix("p010") ? 6 : 0
    let values = picture.withPlane(0) { span, plane in
      [8, 56].map { column -> Int in
        let offset = plane.bytesPerRow * 32 + column * step + first
        return isWide
          ? Int(span.unsafeLoadUnaligned(fromByteOffset: offset, as: UInt16.self)) >> shift
          : Int(span.unsafeLoad(fromByteOffset: offset, as: UInt8.self))
      }
    }
    let slack = isWide ? 1 << max(0, depth - 12) : 0
    #expect(abs(values[0] - white) <= slack && abs(values[1] - black) <= slack, "\(values) for \(white), \(black)")
  }

  @Test func sizesAndPassing() async throws {
    let url = try await Self.clip("bars")
    let stored = try await Self.pictures(url, nil)
    let same = try await Self.pictures(
      url, VideoOutputSettings(pixelFormat: .yuv420p, size: PixelSize(width: 128, height: 96)))
    #expect(try stored.map(Self.bytes) == same.map(Self.bytes))
    let small = try await Self.pictures(url, VideoOutputSettings(size: PixelSize(width: 61, height: 33)))
    #expect(small.count == 10)
    for picture in small {
      #expect(picture.size == PixelSize(width: 61, height: 33) && picture.pixelFormat == .yuv420p)
      #expect(picture.planeCount == 3 && picture.plane(1).width == 31 && picture.plane(1).height == 17)
      #expect(picture.colour.matrix == "smpte170m" && picture.colour.range == .limited)
    }
    let judged = try await MediaTool("ffmpeg").check(
      ["-v", "error", "-i", url.path, "-sws_flags", "bilinear+accurate_rnd", "-s", "61x33", "-f", "rawvideo", "-"])
    let own = try small.flatMap(Self.bytes)
    #expect(own.count == judged.standardOutput.count)
    let worst = zip(own, judged.standardOutput).map { abs(Int($0) - Int($1)) }.max() ?? 255
    #expect(worst <= 12)
  }

  /// Codings that no matrix of Y'CbCr describes are refused, as stills and as read frames, and still read as stored.
  @Test(arguments: ["ycgco", "bt2020c", "ictcp"])
  func otherCodingsAreRefused(_ matrix: String) async throws {
    let url = try await Self.clip("matrix-\(matrix)", tags: ["colorspace=\(matrix)"])
    #expect(try await Self.pictures(url, nil).count == 10)
    #expect(try await Self.pictures(url, VideoOutputSettings(pixelFormat: .nv12)).count == 10)
    await #expect { try await Self.pictures(url, VideoOutputSettings(pixelFormat: .bgra)) } throws: {
      ($0 as? MediaError)?.code == .operationNotSupported
    }
    await #expect { try await ImageGenerator(asset: MediaAsset(url: url)).image(at: .zero) } throws: {
      ($0 as? MediaError)?.code == .operationNotSupported
    }
  }

  @Test func impossibleSettingsAreRefused() async throws {
    let url = try await Self.clip("bars")
    let track = try #require(try await MediaAsset(url: url).loadDefaultTrack(withMediaType: .video))
    let reader = Reader(asset: track.asset)
    let wishes: [(VideoOutputSettings, MediaError.Code)] = [
      (VideoOutputSettings(pixelFormat: "nonsense"), .invalidArgument),
      (VideoOutputSettings(pixelFormat: "vaapi"), .operationNotSupported),
      (VideoOutputSettings(size: PixelSize(width: 0, height: 10)), .invalidArgument),
      (VideoOutputSettings(size: PixelSize(width: 1 << 20, height: 10)), .invalidArgument),
      (VideoOutputSettings(size: PixelSize(width: 1 << 16, height: 1 << 16)), .limitExceeded),
    ]
    for (settings, code) in wishes {
      #expect(reader.reasonAgainst(track, settings: .video(settings))?.code == code)
    }
  }

  /// Memory is used again: a long run of large pictures takes what a few of them take.
  @Test func memoryIsPooled() async throws {
    let pool = try PixelBufferPool(pixelFormat: .bgra, size: PixelSize(width: 640, height: 480))
    var addresses: Set<UInt> = []
    for _ in 0..<100 {
      let picture = try pool.makeBuffer().publish()
      picture.withPlane(0) { span, _ in
        _ = span.withUnsafeBytes { addresses.insert(UInt(bitPattern: $0.baseAddress)) }
      }
    }
    #expect(addresses.count == 1)
  }
}
