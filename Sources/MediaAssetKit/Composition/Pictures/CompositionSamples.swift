/// The samples of a track that is neither drawn nor heard, by the composition's time.
final class CompositionSamples {
  private var iterator: CompositionTrackOutput.Iterator
  private var current: SampleBuffer?
  private var ahead: SampleBuffer?
  private var isAtEnd = false

  init(_ track: Composition.Track, range: MediaTimeRange, assets: CompositionAssets) {
    let settings: TrackOutput.Settings =
      switch track.mediaType {
      case .metadata: .metadata
      case .timecode: .timecode
      default: track.mediaType.holdsText ? .text : .stored
      }
    iterator = CompositionTrackOutput(track: track, settings: settings, timeRange: range, assets: assets)
      .makeAsyncIterator()
  }

  /// What holds at a time, of several the last that began; nil when nothing does. Times never fall.
  func sample(at time: MediaTime) async throws -> SampleBuffer? {
    while true {
      if ahead == nil, !isAtEnd {
        ahead = try await iterator.next()
        isAtEnd = ahead == nil
      }
      guard let following = ahead, !(following.presentationTime > time) else { break }
      current = following
      ahead = nil
    }
    guard let current else { return nil }
    guard current.duration.isNumeric else { return current }
    return time < current.presentationTime + current.duration ? current : nil
  }
}
