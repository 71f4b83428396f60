package import Foundation

/// The independent truth of the tests: what the `ffmpeg` and `ffprobe` commands say of a file.
///
/// Nothing here goes through the library that is tested. Where the commands are known to be wrong,
/// the test has to take its truth from elsewhere.
package struct FFmpegJudge: Sendable {
  /// Which stream is meant.
  package enum Stream: Sendable {
    case index(Int)
    case firstVideo
    case firstAudio

    var mapped: String {
      switch self {
      case .index(let index): "0:\(index)"
      case .firstVideo: "0:V:0"
      case .firstAudio: "0:a:0"
      }
    }

    var selected: String { String(mapped.dropFirst(2)) }
  }

  package var file: URL
  /// Options before the input: `["-ignore_editlist", "1"]`, `["-f", "png_pipe"]`, …
  package var inputOptions: [String]
  /// A decoder other than FFmpeg's first choice, such as `libvpx-vp9` for alpha.
  package var decoder: String?
  /// Whether pictures are turned as the file asks.
  package var turnsPictures: Bool

  package init(
    _ file: URL, inputOptions: [String] = [], decoder: String? = nil, turnsPictures: Bool = false
  ) {
    self.file = file
    self.inputOptions = inputOptions
    self.decoder = decoder
    self.turnsPictures = turnsPictures
  }

  /// Every decoded frame with the hash of its pixels, in output order.
  ///
  /// `pixelFormat` converts first (`rgba`, `yuv420p`); `nil` keeps the stream's own format.
  package func frameHashes(
    _ stream: Stream = .firstVideo, pixelFormat: String? = nil, filters: String? = nil
  ) async throws -> [JudgedFrame] {
    let output = try await decode(stream, pixelFormat: pixelFormat, filters: filters)
    return try FrameHashReport.parse(output.text)
  }

  /// Every frame with the mean of its luma plane (8 bits, limited range), in output order.
  package func luma(_ stream: Stream = .firstVideo) async throws -> [LumaFrame] {
    let key = "lavfi.signalstats.YAVG"
    // The range has to be named: from FFmpeg 7 on a format alone converts none.
    let filters = "scale=out_range=tv,format=yuv420p,signalstats,metadata=print:key=\(key):file='pipe\\:2'"
    let output = try await decode(stream, pixelFormat: nil, filters: filters)
    let frames = try FrameHashReport.parse(output.text)
    let means = output.errorText.split(whereSeparator: \.isNewline).compactMap { line in
      line.hasPrefix(key + "=") ? Double(line.dropFirst(key.count + 1)) : nil
    }
    guard means.count == frames.count else {
      throw MediaToolError.unexpected("\(file.path): \(means.count) means, \(frames.count) frames.")
    }
    return zip(frames, means).map { LumaFrame(time: $0.time, luma: $1) }
  }

  private func decode(
    _ stream: Stream, pixelFormat: String?, filters: String?
  ) async throws -> MediaTool.Output {
    let version = try await FFmpegVersion.current()
    var arguments = input + ["-map", stream.mapped] + version.passthroughOptions
    arguments += version.inputTimeBaseOptions + ["-noautoscale"]
    if let filters { arguments += ["-vf", filters] }
    if let pixelFormat { arguments += ["-pix_fmt", pixelFormat] }
    return try await MediaTool("ffmpeg").check(arguments + ["-f", "framemd5", "pipe:1"])
  }

  /// Every chunk of decoded audio with its hash, in the decoder's own sample format.
  package func audioHashes(_ stream: Stream = .firstAudio) async throws -> [JudgedFrame] {
    let arguments = input + ["-map", stream.mapped, "-f", "framemd5", "pipe:1"]
    return try FrameHashReport.parse(try await MediaTool("ffmpeg").check(arguments).text)
  }

  /// The red, green, blue and alpha of one pixel of the frame with that number.
  package func pixel(
    _ x: Int, _ y: Int, frame: Int = 0, of stream: Stream = .firstVideo
  ) async throws -> [UInt8] {
    let picture = try await picture(frame: frame, of: stream)
    let start = y * picture.bytesPerRow + 4 * x
    guard start >= 0, start + 4 <= picture.bytes.count, 4 * x < picture.bytesPerRow else {
      throw MediaToolError.unexpected("\(file.path) has no pixel \(x),\(y).")
    }
    return Array(picture.bytes[start..<start + 4])
  }

  /// A whole frame as RGBA; the plane's width is 4 bytes a pixel.
  package func picture(
    frame: Int = 0, of stream: Stream = .firstVideo
  ) async throws -> BytePlane {
    let version = try await FFmpegVersion.current()
    // PAM says its size in front of the pixels, so that no second command has to ask for it.
    let arguments =
      input + ["-map", stream.mapped] + version.passthroughOptions
      + ["-vf", "select=eq(n\\,\(frame))", "-frames:v", "1", "-pix_fmt", "rgba", "-c:v", "pam"]
    let bytes = try await MediaTool("ffmpeg").check(arguments + ["-f", "image2pipe", "pipe:1"])
      .standardOutput
    let mark = Array("ENDHDR\n".utf8)
    guard let end = bytes.indices.first(where: { bytes[$0...].starts(with: mark) }) else {
      throw MediaToolError.unexpected("\(file.path) has no frame \(frame).")
    }
    let header = String(decoding: bytes[..<end], as: UTF8.self)
    func number(_ name: String) -> Int {
      header.split(separator: "\n").first { $0.hasPrefix(name + " ") }
        .flatMap { Int($0.dropFirst(name.count + 1)) } ?? 0
    }
    let width = number("WIDTH")
    let height = number("HEIGHT")
    return BytePlane(Array(bytes[(end + mark.count)...]), width: 4 * width, height: height)
  }

  /// Decoded audio as interleaved samples of `format` (`s16le`, `f32le`, …).
  package func samples(
    _ format: String, of stream: Stream = .firstAudio, rate: Int? = nil, channels: Int? = nil
  ) async throws -> [UInt8] {
    var arguments = input + ["-map", stream.mapped]
    if let rate { arguments += ["-ar", String(rate)] }
    if let channels { arguments += ["-ac", String(channels)] }
    return try await MediaTool("ffmpeg").check(arguments + ["-f", format, "pipe:1"]).standardOutput
  }

  /// Decoded audio as interleaved 16-bit samples.
  package func samples16(
    of stream: Stream = .firstAudio, rate: Int? = nil, channels: Int? = nil
  ) async throws -> [Int16] {
    let bytes = try await samples("s16le", of: stream, rate: rate, channels: channels)
    return stride(from: 0, to: bytes.count - 1, by: 2).map {
      Int16(truncatingIfNeeded: Int(bytes[$0]) | Int(bytes[$0 + 1]) << 8)
    }
  }

  private var input: [String] {
    var arguments = ["-nostdin", "-v", "error", "-copyts"]
    if !turnsPictures { arguments.append("-noautorotate") }
    if let decoder { arguments += ["-c:v", decoder] }
    return arguments + inputOptions + ["-i", "file:" + file.path]
  }
}
