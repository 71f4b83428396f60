import LibAV

/// Renders pictures on a thread of its own while the decoder works on the next ones.
///
/// Worth it for one run of a decoder with many threads only: those wait for packets as long as their session renders.
actor Painter {
  private let executor = StrandExecutor(pool: .decoding)
  nonisolated var unownedExecutor: UnownedSerialExecutor { executor.asUnownedSerialExecutor() }
  private var scalers = ScalerCache()

  func render(_ frame: Frame, with renderer: PictureRenderer) throws -> MediaImage {
    try renderer.render(frame, &scalers)
  }
}
