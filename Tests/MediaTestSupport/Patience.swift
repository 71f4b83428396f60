import Foundation

extension Duration {
  /// How many times slower this run is, as under a sanitizer: MEDIA_TEST_PATIENCE.
  public static let patience = max(
    1, ProcessInfo.processInfo.environment["MEDIA_TEST_PATIENCE"].flatMap { Int($0) } ?? 1)

  /// The longest that something may take: longer where this run is slower.
  public static func within(_ limit: Duration) -> Duration { limit * patience }
}
