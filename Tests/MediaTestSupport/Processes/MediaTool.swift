package import Foundation
import Synchronization

/// Runs a command (`ffmpeg`, `ffprobe`, `python3`, …) without a shell and with a deadline.
package struct MediaTool: Sendable {
  /// What a command left.
  package struct Output: Sendable {
    /// The exit status; 128 + the signal when a signal ended it.
    package var status: Int32
    package var standardOutput: [UInt8]
    package var standardError: [UInt8]

    package var text: String { String(decoding: standardOutput, as: UTF8.self) }
    package var errorText: String { String(decoding: standardError, as: UTF8.self) }
    package var lines: [String] {
      text.split(whereSeparator: \.isNewline).map { String($0) }
    }
  }

  /// The path of the executable.
  package let path: String

  /// Finds a command: an absolute path, or a name on `PATH`.
  package init(_ name: String) throws {
    if name.hasPrefix("/") {
      path = name
    } else {
      let folders = ProcessInfo.processInfo.environment["PATH"] ?? "/usr/local/bin:/usr/bin:/bin"
      let candidates = folders.split(separator: ":").map { $0 + "/" + name }
      guard let found = candidates.first(where: { access($0, X_OK) == 0 }) else {
        throw MediaToolError.notFound(name)
      }
      path = String(found)
    }
  }

  /// Runs the command to its end, whatever its status is.
  ///
  /// It is killed, with all that it started, at the deadline (an error) and when the task is
  /// cancelled. A few commands run at once, the others wait; the deadline counts from the start.
  /// Set `waitsForTurn` to `false` for one that mostly waits itself, such as a server.
  package func run(
    _ arguments: [String], in directory: URL? = nil, environment: [String: String] = [:],
    standardInput: URL? = nil, deadline: Duration = .seconds(120), waitsForTurn: Bool = true
  ) async throws -> Output {
    let process = ChildProcess(
      executable: path, arguments: arguments,
      environment: ProcessInfo.processInfo.environment.merging(environment) { $1 },
      directory: directory?.path, standardInput: standardInput?.path ?? "/dev/null",
      deadline: deadline)
    if waitsForTurn { try await ProcessGate.shared.enter() }
    let ending: Result<ChildProcess.Ending, any Error>
    do {
      ending = .success(try await MediaTool.onOwnThread(process))
    } catch {
      ending = .failure(error)
    }
    if waitsForTurn { await ProcessGate.shared.leave() }
    let ended = try ending.get()
    let output = Output(
      status: ended.status, standardOutput: ended.output, standardError: ended.errors)
    if ended.wasCancelled { throw CancellationError() }
    if ended.passedDeadline {
      throw MediaToolError.deadline(
        MediaTool.describe(path, arguments), deadline, log: output.errorText)
    }
    return output
  }

  /// Runs the command and throws what it wrote when its status is not 0.
  @discardableResult
  package func check(
    _ arguments: [String], in directory: URL? = nil, environment: [String: String] = [:],
    standardInput: URL? = nil, deadline: Duration = .seconds(120), waitsForTurn: Bool = true
  ) async throws -> Output {
    let output = try await run(
      arguments, in: directory, environment: environment, standardInput: standardInput,
      deadline: deadline, waitsForTurn: waitsForTurn)
    guard output.status == 0 else {
      let printed = output.errorText.isEmpty ? output.text : output.errorText
      throw MediaToolError.failed(
        MediaTool.describe(path, arguments), status: output.status, log: printed)
    }
    return output
  }

  private static func onOwnThread(_ process: ChildProcess) async throws -> ChildProcess.Ending {
    let cancelled = CancellationFlag()
    return try await withTaskCancellationHandler {
      try await withCheckedThrowingContinuation { continuation in
        Thread.detachNewThread {
          continuation.resume(with: Result { try process.run { cancelled.isSet } })
        }
      }
    } onCancel: {
      cancelled.set()
    }
  }

  private static func describe(_ path: String, _ arguments: [String]) -> String {
    ([path] + arguments).map { $0.contains(where: { " '\"".contains($0) }) ? "'\($0)'" : $0 }
      .joined(separator: " ")
  }
}

private final class CancellationFlag: Sendable {
  private let flag = Mutex(false)
  var isSet: Bool { flag.withLock { $0 } }
  func set() { flag.withLock { $0 = true } }
}
