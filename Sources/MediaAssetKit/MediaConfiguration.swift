public import FoundationEssentials

/// Bounds that hold for the whole process: threads, memory and the temporary folder.
///
/// Set ``current`` once, before the first asset is used; what already runs keeps the bounds it started with.
public struct MediaConfiguration: Sendable, Hashable {
  /// Threads that decode and convert at the same time; the number of cores by default, at least 1.
  public var threadBudget: Int
  /// Bytes that one batch of images may hold in pictures that nobody has taken yet; 256 MiB by default.
  public var imageMemoryBudget: Int
  /// Bytes of a local source whose packets are read through when its header does not tell its duration; 256 MiB by default.
  public var scanLimit: Int64
  /// Where sources that can't seek are spooled; the system's temporary folder by default.
  public var temporaryDirectory: URL

  /// The default bounds.
  public init() {
    threadBudget = max(1, ProcessInfo.processInfo.activeProcessorCount)
    imageMemoryBudget = 256 << 20
    scanLimit = 256 << 20
    temporaryDirectory = FileManager.default.temporaryDirectory
  }

  private static let storage = Monitor<MediaConfiguration?>(nil)

  /// The bounds in force.
  public static var current: MediaConfiguration {
    get {
      storage.withLock { stored in
        if let stored { return stored }
        let configuration = MediaConfiguration()
        stored = configuration
        return configuration
      }
    }
    set { storage.withLock { $0 = newValue } }
  }
}
