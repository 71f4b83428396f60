import LibAV

/// A composition's pictures of which some parts are copied and some are drawn and encoded, in one stream.
struct CompositionSplice: Sendable {
  let composition: Composition
  let track: Composition.Track
  let parts: [ExportPlan.Part]
  let video: VideoComposition?
  let assets: CompositionAssets
  let coding: SplicedCoding

  /// Gives all samples in decode order, without decode times.
  ///
  /// - Parameter append: False ends it.
  func run(_ append: (SampleBuffer) async throws -> Bool) async throws {
    var isFirst = true
    var isBehindEncoded = false
    for part in parts {
      if part.isCopied {
        guard try await copy(part.timeRange, isBehindEncoded, append) else { return }
      } else {
        guard try await encode(part.timeRange, isFirst: isFirst, append) else { return }
        isFirst = false
      }
      isBehindEncoded = !part.isCopied
    }
  }

  private func copy(
    _ range: MediaTimeRange, _ isBehindEncoded: Bool, _ append: (SampleBuffer) async throws -> Bool
  ) async throws -> Bool {
    var (hasBegun, isOver) = (false, false)
    try await CopiedSegments(track, range: range, assets: assets).pictures { sample in
      var sample = sample
      if !hasBegun, isBehindEncoded, let packet = sample.stored?.packet {
        sample = SampleBuffer(
          content: .stored(StoredSample(packet: try coding.joined(packet))), presentationTime: sample.presentationTime,
          duration: sample.duration, isSync: sample.isSync)
      }
      hasBegun = true
      guard try await append(sample) else {
        isOver = true
        return false
      }
      return true
    }
    return !isOver
  }

  private func encode(
    _ range: MediaTimeRange, isFirst: Bool, _ append: (SampleBuffer) async throws -> Bool
  ) async throws -> Bool {
    guard var encoder = try await coding.encoder(isFirst: isFirst) else { return true }
    let output = try Reader.VideoCompositionOutput(
      composition: composition, timeRange: range, videoComposition: video, assetOptions: assets.options)
    for try await frame in output where frame.duration > .zero {
      for shown in frame.repeated() {
        for made in try await encoder.encode(shown, form: coding.form) where try await !append(made) { return false }
      }
    }
    for made in try await encoder.finish(form: coding.form) where try await !append(made) { return false }
    return true
  }
}
