import Foundation
import MediaTestSupport
import Testing

/// A short clip whose every picture differs, in one of the ways that make random access hard.
struct CodedClip: Sendable, CustomTestStringConvertible {
  var name: String
  var file: String
  var source = CodedClip.pattern
  var options: [String]
  /// A second run of the command over the first one's file.
  var copy: [String]?
  /// How many pictures it has; nil where the encoder may store less.
  var frames: Int? = 100

  var testDescription: String { name }

  static let pattern = "testsrc2=s=64x48:r=25:d=4,format=yuv420p"

  func make() async throws -> URL {
    let version = try await FFmpegVersion.current()
    let folder = try await FixtureCache.shared.folder(
      named: "coded-" + name, ingredients: [version.text, source, file] + options + (copy ?? ["-"])
    ) { folder in
      let output = folder.appendingPathComponent(file).path
      let first = copy == nil ? output : folder.appendingPathComponent("first.mkv").path
      let quiet = ["-nostdin", "-v", "error", "-y"]
      try await MediaTool("ffmpeg").check(
        quiet + ["-f", "lavfi", "-i", source] + options + ["file:" + first])
      if let copy {
        try await MediaTool("ffmpeg").check(
          quiet + ["-i", "file:" + first, "-c", "copy"] + copy + ["file:" + output])
      }
    }
    return folder.appendingPathComponent(file)
  }

  private static let x264 = ["-c:v", "libx264", "-crf", "12"]
  private static let closed =
    x264 + ["-x264-params", "keyint=12:min-keyint=12:bframes=3:b-adapt=0:scenecut=0"]
  private static let open =
    x264 + ["-x264-params", "open-gop=1:keyint=12:min-keyint=12:bframes=3:b-adapt=0:scenecut=0"]
  private static let x265 = ["-c:v", "libx265", "-crf", "30", "-x265-params"]
  private static let openHEVC =
    x265 + ["log-level=error:open-gop=1:keyint=12:min-keyint=12:bframes=3:scenecut=0"]
  private static let interlaced =
    x264 + ["-x264-params", "tff=1:keyint=12:min-keyint=12:bframes=2:scenecut=0"]
  private static let refresh =
    x264 + ["-x264-params", "intra-refresh=1:keyint=12:bframes=0:scenecut=0"]
  private static let mpeg2 = ["-c:v", "mpeg2video", "-bf", "2", "-g", "12", "-qscale:v", "4"]
  private static let mpeg4 = ["-c:v", "mpeg4", "-bf", "2", "-g", "12", "-qscale:v", "4"]
  private static let uneven = [
    "-vf", "settb=1/1000,setpts='40*N+11*mod(N,3)'", "-fps_mode", "passthrough",
    "-enc_time_base", "1/1000",
  ]

  static let all: [CodedClip] = [
    CodedClip(name: "h264", file: "a.mp4", options: closed),
    CodedClip(name: "h264-matroska", file: "a.mkv", options: closed),
    CodedClip(name: "h264-ts", file: "a.ts", options: closed),
    CodedClip(name: "h264-flv", file: "a.flv", options: closed),
    CodedClip(name: "h264-avi", file: "a.avi", options: closed),
    CodedClip(name: "h264-raw", file: "a.h264", options: closed),
    CodedClip(
      name: "h264-fragments", file: "a.mp4",
      options: closed + ["-movflags", "frag_keyframe+empty_moov+default_base_moof"]),
    CodedClip(name: "h264-no-edit-list", file: "a.mp4", options: closed + ["-use_editlist", "0"]),
    CodedClip(
      name: "h264-negative-offsets", file: "a.mp4", options: closed + ["-movflags", "negative_cts_offsets"]),
    CodedClip(name: "h264-open", file: "a.mp4", options: open),
    CodedClip(name: "h264-open-matroska", file: "a.mkv", options: open),
    CodedClip(name: "h264-open-ts", file: "a.ts", options: open),
    CodedClip(name: "h264-open-avi", file: "a.avi", options: open),
    CodedClip(name: "h264-open-raw", file: "a.h264", options: open),
    CodedClip(name: "h264-open-flv", file: "a.flv", options: open),
    // Without a duration of its own the last picture is 40 or 0 ms long, as the muxer's version has it: 100 or 99 are shown.
    CodedClip(name: "h264-uneven", file: "a.mp4", options: uneven + closed, frames: nil),
    CodedClip(name: "h264-uneven-matroska", file: "a.mkv", options: uneven + open),
    CodedClip(name: "h264-interlaced", file: "a.mp4", options: interlaced),
    CodedClip(name: "h264-interlaced-ts", file: "a.ts", options: interlaced),
    CodedClip(name: "h264-interlaced-matroska", file: "a.mkv", options: interlaced),
    CodedClip(name: "h264-refresh", file: "a.mp4", options: refresh),
    CodedClip(name: "h264-refresh-ts", file: "a.ts", options: refresh),
    CodedClip(name: "h264-refresh-matroska", file: "a.mkv", options: refresh),
    CodedClip(name: "h264-one-key", file: "a.mp4", options: x264 + ["-g", "1000", "-bf", "2"]),
    CodedClip(name: "h264-one-key-ts", file: "a.ts", options: x264 + ["-g", "1000", "-bf", "2"]),
    CodedClip(
      name: "h264-pyramid", file: "a.ts",
      options: x264 + ["-x264-params", "keyint=30:bframes=7:b-pyramid=normal:ref=5"]),
    CodedClip(name: "hevc", file: "a.mp4", options: x265 + ["log-level=error:open-gop=0:keyint=12"]),
    CodedClip(name: "hevc-open", file: "a.mp4", options: openHEVC),
    CodedClip(name: "hevc-open-matroska", file: "a.mkv", options: openHEVC),
    CodedClip(name: "hevc-open-ts", file: "a.ts", options: openHEVC),
    CodedClip(name: "hevc-open-raw", file: "a.hevc", options: openHEVC),
    CodedClip(
      name: "hevc-layers", file: "a.mp4",
      options: x265 + ["log-level=error:temporal-layers=1:keyint=12:bframes=4:b-pyramid=1"]),
    CodedClip(
      name: "vp9", file: "a.webm",
      options: [
        "-c:v", "libvpx-vp9", "-g", "12", "-auto-alt-ref", "1", "-lag-in-frames", "8", "-b:v", "40k",
        "-cpu-used", "8",
      ]),
    CodedClip(
      name: "vp9-mp4", file: "a.mp4",
      options: [
        "-c:v", "libvpx-vp9", "-g", "12", "-auto-alt-ref", "1", "-lag-in-frames", "8", "-b:v", "40k",
        "-cpu-used", "8",
      ]),
    CodedClip(
      name: "vp8-hidden", file: "a.webm",
      options: [
        "-c:v", "libvpx", "-g", "25", "-auto-alt-ref", "1", "-lag-in-frames", "12", "-b:v", "60k",
      ]),
    CodedClip(
      name: "vp8-no-cues", file: "a.webm",
      options: ["-c:v", "libvpx", "-g", "12", "-b:v", "100k", "-live", "1"]),
    CodedClip(
      name: "av1", file: "a.mp4", options: ["-c:v", "libaom-av1", "-g", "12", "-cpu-used", "8"]),
    CodedClip(
      name: "av1-matroska", file: "a.mkv",
      options: ["-c:v", "libaom-av1", "-g", "12", "-cpu-used", "8"]),
    CodedClip(name: "mpeg2-ts", file: "a.ts", options: mpeg2),
    CodedClip(name: "mpeg2-ps", file: "a.mpg", options: mpeg2),
    CodedClip(name: "mpeg2-matroska", file: "a.mkv", options: mpeg2),
    CodedClip(name: "mpeg2-raw", file: "a.m2v", options: mpeg2),
    CodedClip(
      name: "mpeg2-interlaced-ts", file: "a.ts", options: mpeg2 + ["-vf", "setfield=tff", "-flags", "+ildct+ilme"]),
    CodedClip(name: "mpeg1-ps", file: "a.mpg", options: ["-c:v", "mpeg1video", "-bf", "2", "-g", "12"]),
    CodedClip(name: "mpeg4", file: "a.mp4", options: mpeg4),
    CodedClip(name: "mpeg4-avi", file: "a.avi", options: mpeg4),
    CodedClip(name: "mpeg4-matroska", file: "a.mkv", options: mpeg4),
    CodedClip(name: "mpeg4-raw", file: "a.m4v", options: mpeg4),
    CodedClip(name: "msmpeg4-avi", file: "a.avi", options: ["-c:v", "msmpeg4", "-g", "12"]),
    CodedClip(name: "wmv2-asf", file: "a.wmv", options: ["-c:v", "wmv2", "-g", "12"]),
    CodedClip(name: "flv1", file: "a.flv", options: ["-c:v", "flv", "-g", "12"]),
    CodedClip(name: "theora", file: "a.ogv", options: ["-c:v", "libtheora", "-g", "12", "-q:v", "5"], frames: nil),
    CodedClip(
      name: "mjpeg-avi", file: "a.avi", options: ["-c:v", "mjpeg", "-pix_fmt", "yuvj420p"]),
    CodedClip(
      name: "mjpeg-mov", file: "a.mov", options: ["-c:v", "mjpeg", "-pix_fmt", "yuvj420p"]),
    CodedClip(name: "ffv1", file: "a.mkv", options: ["-c:v", "ffv1", "-g", "5"]),
    CodedClip(name: "gif", file: "a.gif", options: ["-vf", "format=rgb8"]),
    CodedClip(name: "apng", file: "a.apng", options: ["-plays", "0"]),
    CodedClip(name: "png", file: "a.png", options: ["-frames:v", "1"], frames: 1),
    CodedClip(name: "jpeg", file: "a.jpg", options: ["-frames:v", "1"], frames: 1),
    CodedClip(name: "webp", file: "a.webp", options: ["-frames:v", "1"], frames: 1),
  ]
}
