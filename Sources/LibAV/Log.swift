internal import CFFmpeg
import Synchronization

/// libav's log: nothing goes to stderr; a handler may take the lines, and errors quote the last one.
package enum Log {
  package enum Level: Int32, Sendable {
    case panic = 0, fatal = 8, error = 16, warning = 24, info = 32, verbose = 40, debug = 48
  }

  private static let handler = Mutex<(@Sendable (Level, String) -> Void)?>(nil)
  private static let installed: Bool = {
    install(level: AV_LOG_ERROR)
    return true
  }()

  /// Takes over libav's log once for the process; cheap afterwards.
  package static func start() { _ = installed }

  /// Sends lines up to `level` to `handler`; nil stops it.
  package static func setHandler(_ level: Level, _ newHandler: (@Sendable (Level, String) -> Void)?) {
    start()
    handler.withLock { $0 = newHandler }
    install(level: newHandler == nil ? AV_LOG_ERROR : max(AV_LOG_ERROR, level.rawValue))
  }

  static func clear() { cff_log_clear() }

  static func lastErrorLine() -> String? {
    guard let text = unsafe cff_log_text() else { return nil }
    let line = unsafe String(cString: text)
    return line.isEmpty ? nil : withoutContext(line)
  }

  /// Drops libav's `[mov,mp4 @ 0x55…] ` prefix: an address tells a reader nothing.
  static func withoutContext(_ line: String) -> String {
    var rest = line[...]
    while rest.first == "[", let end = rest.firstIndex(of: "]"), rest[..<end].contains("@ 0x") {
      rest = rest[rest.index(after: end)...].drop { $0 == " " }
    }
    return String(rest)
  }

  private static func install(level: Int32) {
    unsafe cff_log_install(
      { level, line in
        guard let line = unsafe line, let current = Log.handler.withLock({ $0 }) else { return }
        let known = Level(rawValue: level & ~7) ?? .debug
        current(known, unsafe Log.withoutContext(String(cString: line)))
      }, level)
  }
}
