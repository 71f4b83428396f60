import FoundationEssentials
import ISOMedia

/// The assets that a composition's segments name, made once each. What is kept is bounded, in number and in bytes of
/// headers: a film of a thousand clips holds those that were used last.
final class CompositionAssets: Sendable {
  /// As many as a film's passes from planning to writing should not open again and again.
  static let capacity = 128
  private static let maximumBytes = 64 << 20
  /// However large their headers are.
  private static let minimum = 8

  private struct State {
    var assets: [URL: MediaAsset] = [:]
    /// The one used last at the end.
    var order: [URL] = []
  }

  let options: MediaAsset.Options
  private let state = Monitor(State())

  init(options: MediaAsset.Options) { self.options = options }

  func asset(_ url: URL) -> MediaAsset {
    state.withLock { state in
      state.order.removeAll { $0 == url }
      state.order.append(url)
      if let asset = state.assets[url] { return asset }
      let asset = MediaAsset(url: url, options: options)
      state.assets[url] = asset
      var bytes = state.assets.values.reduce(0) { $0 + ($1.loadedHeader?.movie?.bytes.count ?? 0) }
      while state.order.count > Self.capacity || bytes > Self.maximumBytes && state.order.count > Self.minimum {
        let dropped = state.assets.removeValue(forKey: state.order.removeFirst())
        bytes -= dropped?.loadedHeader?.movie?.bytes.count ?? 0
      }
      return asset
    }
  }

  /// - Throws: ``MediaError``: `noSourceTrack` when the asset has no such track of the kind; what opening throws.
  func track(_ source: Composition.Segment.Source, _ mediaType: MediaType) async throws -> AssetTrack {
    let asset = asset(source.url)
    guard let track = try await asset.loadTrack(withTrackID: source.trackID), track.mediaType == mediaType else {
      throw MediaError(
        .noSourceTrack, operation: "compose", subject: asset.subject,
        reason: "it has no track \(source.trackID) of the kind \(mediaType)")
    }
    return track
  }
}

extension Composition {
  /// Checks that every track's segments join, before anything is rendered.
  func validate() throws {
    for track in tracks { try track.validateSegments(track.segments) }
    let numbers = tracks.map(\.id)
    guard Set(numbers).count == numbers.count else {
      throw MediaError(
        .invalidArgument, operation: "compose", subject: "a composition", reason: "two tracks have the same number")
    }
  }

  /// Only these tracks are seen and heard; nil: all.
  func choosing(_ trackIDs: Set<Int32>?) -> Composition {
    guard let trackIDs else { return self }
    var chosen = self
    for track in tracks where !trackIDs.contains(track.id) { chosen[track.id].isEnabled = false }
    return chosen
  }

  /// The tracks of a kind that are seen or heard.
  func shownTracks(_ mediaType: MediaType) -> [Track] {
    tracks.filter { $0.mediaType == mediaType && $0.isEnabled && !$0.segments.isEmpty }
  }
}

extension Composition.Segment {
  /// Why samples of a scaled segment don't go on as stored.
  var reasonAgainstCopying: String { isReversed ? "a segment plays backwards" : "a segment plays at another speed" }
}

extension Composition.Track {
  /// The tracks of assets in it, in the order of their first use.
  var sources: [Composition.Segment.Source] {
    var seen: Set<Composition.Segment.Source> = []
    return segments.compactMap(\.source).filter { seen.insert($0).inserted }
  }
}
