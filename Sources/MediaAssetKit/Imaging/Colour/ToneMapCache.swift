/// The tone maps in use: their tables take some milliseconds to make, so the last few are kept.
final class ToneMapCache: Sendable {
  static let shared = ToneMapCache()

  private struct Key: Hashable {
    var space: MediaImage.ColorSpace
    var peak: Double?
  }

  private static let limit = 4
  private let entries = Monitor<[(key: Key, map: ToneMap)]>([])

  /// The conversion, or nil when pictures of this kind need none.
  func toneMap(from space: MediaImage.ColorSpace, contentPeak: Double?) -> ToneMap? {
    // Peaks below the default make no difference.
    let peak = contentPeak.flatMap { $0 > ToneMap.defaultPeak ? $0 : nil }
    let key = Key(space: space, peak: peak)
    if let map = entries.withLock({ $0.first { $0.key == key }?.map }) { return map }
    guard let map = ToneMap(from: space, contentPeak: peak) else { return nil }
    entries.withLock { entries in
      entries.removeAll { $0.key == key }
      entries.append((key, map))
      if entries.count > Self.limit { entries.removeFirst() }
    }
    return map
  }
}
