import FoundationEssentials
import MediaAssetKit

/// Jobs on compositions of one file, which is put into them again and again.
enum CompositionJobs {
  static let all: [String: @Sendable (URL, Int) async throws -> Int] = [
    "mix_tracks": { url, seconds in try await mix(try await tracks(url, seconds)) },
    // What the mix can't do without: every track decoded, one after another.
    "mix_floor": { url, seconds in
      var samples = 0
      for segment in try await tracks(url, seconds).tracks.flatMap(\.segments) {
        guard let source = segment.source,
          let track = try await MediaAsset(url: source.url).loadTrack(withTrackID: source.trackID)
        else { continue }
        for try await buffer in track.audio(in: segment.timeMapping.source) { samples += buffer.sampleCount }
      }
      return samples
    },
    "segments_sound": { url, count in try await mix(try await segments(url, .audio, count)) },
    "segments_pictures": { url, count in
      var pictures = 0
      let output = try Reader.VideoCompositionOutput(composition: try await segments(url, .video, count))
      for try await _ in output { pictures += 1 }
      return pictures
    },
  ]

  /// Sixteen tracks of so many seconds each, from different places of the file.
  private static func tracks(_ url: URL, _ seconds: Int) async throws -> Composition {
    let asset = MediaAsset(url: url)
    var film = Composition()
    guard let source = try await asset.loadDefaultTrack(withMediaType: .audio) else { return film }
    for number in 0..<16 {
      let id = film.addMutableTrack(withMediaType: .audio)
      let range = MediaTimeRange(
        start: MediaTime(value: Int64(number * seconds), timescale: 1),
        duration: MediaTime(value: Int64(seconds), timescale: 1))
      try await film[id].insertTimeRange(range, of: source, at: .zero)
    }
    return film
  }

  /// One track of so many segments of a fifth of a second, each from another place than the one before.
  private static func segments(_ url: URL, _ mediaType: MediaType, _ count: Int) async throws -> Composition {
    let asset = MediaAsset(url: url)
    var film = Composition()
    guard let source = try await asset.loadDefaultTrack(withMediaType: mediaType) else { return film }
    let id = film.addMutableTrack(withMediaType: mediaType)
    let whole = try await source.load(.timeRange)
    let places = max(1, Int64(whole.duration.seconds * 5) - 1)
    for number in 0..<Int64(count) {
      let range = MediaTimeRange(
        start: whole.start + MediaTime(value: number * 7 % places, timescale: 5),
        duration: MediaTime(value: 1, timescale: 5))
      try await film[id].insertTimeRange(range, of: source, at: .invalid)
    }
    return film
  }

  private static func mix(_ composition: Composition) async throws -> Int {
    var samples = 0
    for try await buffer in try Reader.AudioMixOutput(composition: composition) { samples += buffer.sampleCount }
    return samples
  }
}
