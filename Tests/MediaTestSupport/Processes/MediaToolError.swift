import Foundation

/// Why a command that a test ran did not serve.
package enum MediaToolError: Error, CustomStringConvertible {
  case notFound(String)
  case couldNotStart(String, code: Int32)
  case deadline(String, Duration, log: String)
  case failed(String, status: Int32, log: String)
  case unexpected(String)

  package var description: String {
    switch self {
    case .notFound(let name): "There is no command \(name) on PATH."
    case .couldNotStart(let command, let code):
      "Could not start \(command): \(String(cString: strerror(code)))."
    case .deadline(let command, let limit, let log):
      "\(command) did not end within \(limit) and was killed.\n\(log)"
    case .failed(let command, let status, let log):
      "\(command) ended with status \(status).\n\(log)"
    case .unexpected(let text): text
    }
  }
}
