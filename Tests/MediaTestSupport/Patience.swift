import Foundation

extension Duration {
  /// The longest that something may take: longer where MEDIA_TEST_PATIENCE says how many times slower this run is, as
  /// under a sanitizer.
  public static func within(_ limit: Duration) -> Duration {
    limit * max(1, ProcessInfo.processInfo.environment["MEDIA_TEST_PATIENCE"].flatMap { Int($0) } ?? 1)
  }
}
