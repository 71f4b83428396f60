import LibAV

/// What FFmpeg has to say, handed to the service's own logger; nothing is written to stderr.
///
/// ```swift
/// MediaLog.handler = { level, message in
///   logger.log(level: level == .error ? .error : .debug, "\(message)")
/// }
/// ```
public enum MediaLog {
  /// How grave a line is.
  public enum Level: String, Sendable, Hashable {
    /// Something failed; the failing call's error quotes the line too.
    case error
    /// Something is odd and was coped with.
    case warning
    /// For information.
    case info
    /// For people who debug FFmpeg.
    case debug
  }

  /// Takes every line at or above ``level``; called from any thread, must not block. Nil, the default, drops them.
  public static var handler: (@Sendable (Level, String) -> Void)? {
    get { state.withLock { $0.handler } }
    set {
      state.withLock { $0.handler = newValue }
      install()
    }
  }

  /// The least grave level that is handed on; `.warning` by default.
  public static var level: Level {
    get { state.withLock { $0.level } }
    set {
      state.withLock { $0.level = newValue }
      install()
    }
  }

  private static let state = Monitor<(handler: (@Sendable (Level, String) -> Void)?, level: Level)>(
    (nil, .warning))

  private static func install() {
    let (handler, level) = state.withLock { $0 }
    let threshold: Log.Level =
      switch level {
      case .error: .error;
      case .warning: .warning;
      case .info: .info;
      case .debug: .debug
      }
    guard let handler else { return Log.setHandler(threshold, nil) }
    Log.setHandler(threshold) { grave, line in
      let level: Level =
        switch grave {
        case .panic, .fatal, .error: .error
        case .warning: .warning
        case .info: .info
        case .verbose, .debug: .debug
        }
      handler(level, line)
    }
  }
}
