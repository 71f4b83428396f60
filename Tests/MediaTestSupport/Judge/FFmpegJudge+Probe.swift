import Foundation

extension FFmpegJudge {
  /// The report of `ffprobe`: `format`, `streams`, `chapters`, `programs`.
  package func probe(_ more: [String] = []) async throws -> JSONValue {
    let arguments =
      ["-v", "error", "-show_format", "-show_streams", "-show_chapters", "-show_programs"] + more
      + ["-of", "json"] + inputOptions + ["file:" + file.path]
    let output = try await MediaTool("ffprobe").check(arguments)
    return try JSONValue(parsing: Data(output.standardOutput))
  }

  /// The stored time of every decoded frame in output order, in seconds; nothing is guessed for frames that come late.
  package func storedTimes(_ stream: Stream = .firstVideo) async throws -> [ClipTime] {
    let arguments = [
      "-v", "quiet", "-select_streams", stream.selected, "-show_frames", "-show_entries",
      "frame=pts:stream=time_base", "-of", "json",
    ]
    let output = try await MediaTool("ffprobe").check(arguments + inputOptions + ["file:" + file.path])
    let report = try JSONValue(parsing: Data(output.standardOutput))
    let base = try timeBase(report, stream)
    return (report["frames"]?.elements ?? []).compactMap { $0["pts"]?.integer }.map { base * Int64($0) }
  }

  private func timeBase(_ report: JSONValue, _ stream: Stream) throws -> ClipTime {
    let base = (report["streams"]?.elements.first?["time_base"]?.text ?? "").split(separator: "/")
      .compactMap { Int64($0) }
    guard base.count == 2, base[1] != 0 else {
      throw MediaToolError.unexpected("\(file.path) has no stream \(stream.selected).")
    }
    return ClipTime(base[0], base[1])
  }

  /// Every packet of a stream in file order, with the hash of its bytes.
  package func packets(_ stream: Stream = .firstVideo) async throws -> [JudgedPacket] {
    let arguments = [
      "-v", "error", "-select_streams", stream.selected, "-show_packets", "-show_data_hash", "md5",
      "-show_entries", "packet=pts,dts,duration,size,pos,flags,data_hash:stream=time_base", "-of",
      "json",
    ]
    let output = try await MediaTool("ffprobe").check(
      arguments + inputOptions + ["file:" + file.path])
    let report = try JSONValue(parsing: Data(output.standardOutput))
    let base = try timeBase(report, stream)
    return (report["packets"]?.elements ?? []).map { packet in
      let flags = packet["flags"]?.text ?? ""
      let hash = packet["data_hash"]?.text ?? ""
      return JudgedPacket(
        presentation: packet["pts"]?.integer.map { Int64($0) },
        decoding: packet["dts"]?.integer.map { Int64($0) },
        duration: packet["duration"]?.integer.map { Int64($0) },
        timeBase: base, size: packet["size"]?.integer ?? 0,
        position: packet["pos"]?.integer.map { Int64($0) }, isKey: flags.contains("K"),
        isDiscarded: flags.contains("D"), hash: String(hash.drop { $0 != ":" }.dropFirst()))
    }
  }
}
