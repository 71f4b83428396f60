import LibAV

/// The scaler of the last picture, kept as long as the next one has the same geometry and colour.
struct ScalerCache: ~Copyable {
  private var scaler: Scaler?

  init() {}

  /// Converts a part of `frame` with a scaler for exactly `key`, made anew when the key changes.
  mutating func run(
    _ key: Scaler.Key, _ frame: Frame, x: Int, y: Int, into target: UnsafeMutableRawBufferPointer,
    bytesPerRow: Int
  ) throws(AVError) {
    if scaler?.key != key { scaler = try Scaler.make(key) }
    try scaler?.run(frame, x: x, y: y, into: target, bytesPerRow: bytesPerRow)
  }
}
