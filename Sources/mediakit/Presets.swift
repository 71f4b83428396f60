import MediaAssetKit

extension Verb {
  static let presets = Verb(
    "presets", "[FILE] [--json]",
    """
    The presets of `mediakit export`, a line each: name, usual type of file, what it gives. With FILE what it gives for
    FILE; those that don't work follow with the reason.
    """,
    options: [Option("--json", "an array of {\"name\", \"summary\", \"fileTypes\", \"works\", \"reason\", …}")]
      + Input.options
  ) { arguments in
    let presets = ExportPreset.all + [.passthrough, .automatic]
    guard !arguments.operands.isEmpty else {
      try list(presets.map { Answer(preset: $0, reason: $0.reasonAgainst) }, arguments)
      return .done
    }
    let asset = try Input.asset(arguments)
    // What is wrong with FILE itself is told once, not with every preset.
    _ = try await asset.load(.tracks)
    let own = try await asset.load(.fileType)
    var answers: [Answer] = []
    for preset in presets {
      answers.append(try await answer(preset, asset, own))
    }
    try list(answers, arguments)
    return .done
  }

  private struct Answer {
    var preset: ExportPreset
    var reason: String?
    var plan: ExportPlan?

    var type: FileType? { plan?.fileType ?? preset.fileTypes.first }
    var size: PixelSize? { plan?.kept.first { $0.mediaType == .video }?.size }
  }

  /// The first type of file for which the preset works.
  private static func answer(_ preset: ExportPreset, _ asset: MediaAsset, _ own: FileType?) async throws -> Answer {
    let session = ExportSession(asset: asset, preset: preset)
    var types = preset.fileTypes
    if types.isEmpty { types = [own, .mp4, .mov, .mkv].compactMap(\.self) }
    var reason: String?
    for type in types {
      do { return Answer(preset: preset, plan: try await session.plan(for: type)) } catch let error as MediaError {
        reason = reason ?? error.reason
      }
    }
    return Answer(preset: preset, reason: reason ?? "no type of file suits")
  }

  private static func list(_ answers: [Answer], _ arguments: Arguments) throws {
    if arguments.has("--json") {
      try StandardOutput.write(JSON.array(answers.map(json)).document)
      return
    }
    for answer in answers where answer.reason == nil {
      let type = answer.type.map { $0 == .hls ? "DIR" : $0.preferredFileExtension ?? "any" } ?? "any"
      let made = answer.plan.map { plan in
        plan.kept.map { "\($0.mediaType) \($0.action.rawValue) \($0.codec ?? "?")\($0.size.map { " \($0)" } ?? "")" }
          .joined(separator: ", ")
      }
      try StandardOutput.line(
        "\(answer.preset.name.padded(to: 21))\(type.padded(to: 6))\(made ?? answer.preset.summary)")
    }
    for answer in answers {
      guard let reason = answer.reason else { continue }
      try StandardOutput.line("\(answer.preset.name.padded(to: 21))no: \(reason)")
    }
  }

  private static func json(_ answer: Answer) -> JSON {
    .object([
      ("name", .string(answer.preset.name)), ("summary", .string(answer.preset.summary)),
      ("fileTypes", .array(answer.preset.fileTypes.map { .string($0.rawValue) })),
      ("works", .bool(answer.reason == nil)), ("reason", .text(answer.reason)),
      ("size", answer.size.map { .array([.integer(Int64($0.width)), .integer(Int64($0.height))]) } ?? .null),
      ("expectedFileLength", .count(answer.plan?.expectedFileLength)),
    ])
  }
}
