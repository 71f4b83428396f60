package import Foundation

/// A clip whose every frame is known before it is made: frame k of the source is flat grey with
/// luma 16 + 2k, 64 x 48, at 25 frames a second unless the kind says otherwise.
package struct GeneratedClip: Sendable {
  package let kind: Kind
  /// Do not change the file: other tests use it too.
  package let url: URL
  /// Every presented frame in order: its exact time on the asset's timeline (a clock that starts
  /// anywhere is shifted to 0) and its luma in limited range.
  package let frames: [LumaFrame]
  /// How long the clip lasts; `nil` where the file leaves the length of the last frame open.
  package let duration: ClipTime?

  /// How far a decoded luma may be off: the encoders are near lossless, ranges are converted.
  package static let tolerance = 2.0
  package static let width = 64
  package static let height = 48

  /// The frame on show at a time: the one whose interval contains it, clamped at both ends.
  package func frame(at time: ClipTime) -> LumaFrame {
    frames.last { $0.time <= time } ?? frames[0]
  }

  /// The grey value in full-range RGB that a limited-range luma stands for.
  package static func grey(luma: Double) -> Double { (luma - 16) * 255 / 219 }

  /// The number of the source frame with that luma.
  package static func index(luma: Double) -> Int { Int(((luma - 16) / 2).rounded()) }

  package static func make(_ kind: Kind) async throws -> GeneratedClip {
    let version = try await FFmpegVersion.current()
    let arguments = kind.arguments(version)
    let edits = kind.edits
    let ingredients =
      [version.text] + arguments + edits.map { "\($0.frames) \($0.start.map { "\($0)" } ?? "-")" }
    let folder = try await FixtureCache.shared.folder(
      named: "clip-\(kind.rawValue)", ingredients: ingredients
    ) { folder in
      let output = folder.appendingPathComponent(kind.fileName)
      try await MediaTool("ffmpeg").check(
        ["-nostdin", "-v", "error", "-y"] + arguments + ["file:" + output.path])
      if !edits.isEmpty { try await patch(output, edits) }
    }
    return GeneratedClip(
      kind: kind, url: folder.appendingPathComponent(kind.fileName), frames: kind.frames,
      duration: kind.duration)
  }

  /// Replaces the edit list of a file that was written without one.
  private static func patch(_ file: URL, _ edits: [Kind.Edit]) async throws {
    let packets = try await FFmpegJudge(file).packets()
    guard let base = packets.first?.timeBase, let first = packets.compactMap(\.presentation).min()
    else { throw MediaToolError.unexpected("\(file.path) has no packets.") }
    let patched = try EditListPatch.apply(
      edits.map { edit in
        // Half frames of 1/50 s; the movies of FFmpeg count in milliseconds.
        let media = edit.start.map { Int64(2 * $0) * base.timescale / (50 * base.value) }
        return EditListPatch.Edit(
          duration: UInt32(2 * edit.frames) * 20, mediaTime: media.map { Int32(first + $0) } ?? -1)
      }, to: [UInt8](try Data(contentsOf: file)))
    try Data(patched).write(to: file)
  }
}
