import MediaAssetKit

#if canImport(Glibc)
  import Glibc
#elseif canImport(Darwin)
  import Darwin
#endif

/// `mediakit VERB …`: each verb is a file of its own, and a sample of the library's use.
@main
enum Program {
  static let version = "0.1.0"
  static let verbs: [Verb] = [
    .info, .image, .images, .frames, .samples, .audio, .subtitles, .waveform, .export, .concat, .compose, .presets,
    .hls, .metadata,
    .chapters, .list,
  ]

  static func main() {
    StandardStreams.open()
    // SVT-AV1 tells standard error all about itself, past FFmpeg's log.
    setenv("SVT_LOG", "0", 0)
    Signals.block()
    let work = Task.detached {
      let status = await run(Array(CommandLine.arguments.dropFirst()))
      // Not exit(): threads of the library may still be at work, and nothing here needs tearing down.
      _exit(status.rawValue)
    }
    Signals.wait { work.cancel() }
  }

  /// Runs one command line and says how it ended.
  private static func run(_ words: [String]) async -> ExitStatus {
    do {
      guard let first = words.first else { throw UsageError("a verb is missing") }
      switch first {
      case "--version":
        try StandardOutput.print("mediakit \(version)\n")
        return .done
      case "--help", "-h", "help":
        let name = words.dropFirst().first
        if let name, !verbs.contains(where: { $0.name == name }) {
          throw UsageError("\(name.quoted) is no verb")
        }
        try StandardOutput.print(help(for: name))
        return .done
      default:
        guard let verb = verbs.first(where: { $0.name == first }) else {
          throw UsageError("\(first.quoted) is no verb")
        }
        return try await run(verb, Array(words.dropFirst()))
      }
    } catch {
      return report(error, usage: overview)
    }
  }

  private static func run(_ verb: Verb, _ words: [String]) async throws -> ExitStatus {
    do {
      let arguments = try Arguments(words, options: verb.options)
      if arguments.has("--help") {
        try StandardOutput.print(verb.help)
        return .done
      }
      let status = try await verb.run(arguments)
      try StandardOutput.flush()
      return status
    } catch {
      // What was printed before the failure stays said.
      try? StandardOutput.flush()
      return report(error, usage: verb.usage)
    }
  }

  private static func report(_ error: any Error, usage: String) -> ExitStatus {
    switch error {
    case let error as UsageError:
      StandardError.line("mediakit: \(error.reason)")
      StandardError.write(usage)
      return .usage
    case is CancellationError:
      StandardError.line("mediakit: cancelled")
      return .cancelled
    default:
      StandardError.line("mediakit: \(error)")
      return .failed
    }
  }

  private static func help(for name: String?) -> String {
    verbs.first { $0.name == name }?.help
      ?? overview + "\n"
      + verbs.map { "  \($0.name.padded(to: 9))\($0.brief)\n" }.joined()
      + "\n`mediakit VERB --help` tells a verb's options; exit codes: 0 done, 1 failed, 2 wrong usage,"
      + " 130 cancelled.\n"
  }

  private static let overview = """
    usage: mediakit VERB [OPTION…] [--] FILE
           mediakit --help | --version

    """
}

/// How the process ends.
enum ExitStatus: Int32 {
  case done = 0
  case failed = 1
  case usage = 2
  case cancelled = 130
}

/// One thing that mediakit can do.
struct Verb: Sendable {
  let name: String
  /// What comes after the name.
  let synopsis: String
  let summary: String
  let options: [Option]
  let run: @Sendable (Arguments) async throws -> ExitStatus

  init(
    _ name: String, _ synopsis: String, _ summary: String, options: [Option],
    run: @escaping @Sendable (Arguments) async throws -> ExitStatus
  ) {
    self.name = name
    self.synopsis = synopsis
    self.summary = summary
    self.options = options + [Option("--help", short: "-h", "this text")]
    self.run = run
  }

  /// The first sentence of the summary.
  var brief: String {
    let line = summary.split(separator: "\n").joined(separator: " ")
    guard let end = line.firstRange(of: ". ") else { return line }
    return line[..<end.lowerBound] + "."
  }

  var usage: String { "usage: mediakit \(name) \(synopsis)\n" }

  var help: String {
    let lines = options.map { "  \($0.title.padded(to: 28))\($0.help)\n" }
    return "\(usage)\n\(summary)\n\n\(lines.joined())"
  }
}
