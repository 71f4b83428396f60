import ISOMedia
import LibAV

/// What follows from a track's samples: read from the sample tables when asked, never while opening.
extension AssetTrack {
  /// The number of samples, where the container lists them or they were counted.
  func sampleCount() async throws -> Int? {
    if let count = track.sampleCount { return count }
    return try await asset.countedTiming(asset.header()).counts[track.id]
  }

  /// Pictures a second: samples over the media's duration, else the header's nominal rate.
  func frameRate() async throws -> Rational? {
    guard mediaType == .video else { return nil }
    let header = try await asset.header()
    if let iso = track.iso, let movie = header.movie {
      let timing = movie.timing(of: iso)
      if !header.containsFragments {
        let duration = timing.totalDuration > 0 ? timing.totalDuration : iso.mediaDuration ?? 0
        return rate(of: Int(iso.samples.sampleCount), ticks: duration, scale: iso.mediaTimescale)
          ?? track.nominalFrameRate
      }
      let counted = try await asset.countedTiming(header)
      if let count = counted.counts[track.id], let ticks = counted.ticks[track.id] {
        return rate(of: count, ticks: ticks, scale: iso.mediaTimescale) ?? track.nominalFrameRate
      }
    }
    return track.nominalFrameRate
  }

  private func rate(of samples: Int, ticks: UInt64, scale: UInt32) -> Rational? {
    guard samples > 0, ticks > 0, scale > 0 else { return nil }
    return Rational(reducing: Int128(samples) * Int128(scale), over: Int128(ticks))
  }

  /// The shortest time between two pictures in presentation order.
  func shortestFrame() async throws -> Rational? {
    guard mediaType == .video else { return nil }
    let header = try await asset.header()
    if let iso = track.iso, let movie = header.movie, !header.containsFragments {
      let tick = Rational(1, Int64(max(1, iso.mediaTimescale))) ?? .one
      // Without composition offsets the decode times are the presentation times.
      guard iso.samples.compositionOffsets != nil else {
        return movie.timing(of: iso).minimumDelta.flatMap {
          $0 > 0 ? tick * Rational(Int64($0)) : nil
        }
      }
      guard
        let table = try? movie.sampleTable(
          of: iso, maximumSamples: ISOTrackBuilder.maximumWalkedSamples)
      else { return nil }
      return Self.shortestDistance(table.map(\.presentationTime)).map { tick * Rational($0) }
    }
    if let shortest = try await asset.timing().shortest[track.id] { return shortest }
    return try await frameRate()?.reciprocal
  }

  static func shortestDistance(_ times: [Int64]) -> Int64? {
    let sorted = times.sorted()
    return zip(sorted.dropFirst(), sorted).compactMap { later, earlier in
      let distance = later.subtractingReportingOverflow(earlier)
      return distance.overflow || distance.partialValue <= 0 ? nil : distance.partialValue
    }.min()
  }

  /// Bits a second: stated by the header, else stored bytes over the duration.
  func bitRate() async throws -> Double? {
    if let rate = track.statedBitRate { return rate }
    let header = try await asset.header()
    if let iso = track.iso, let movie = header.movie, !header.containsFragments {
      let ticks = movie.timing(of: iso).totalDuration
      let bytes = movie.totalSampleSize(of: iso)
      guard ticks > 0, bytes > 0 else { return nil }
      return Double(bytes) * 8 * Double(iso.mediaTimescale) / Double(ticks)
    }
    let timing = try await asset.timing()
    guard let bytes = timing.bytes[track.id], let end = timing.ends[track.id] else { return nil }
    let seconds = (end - (timing.starts[track.id] ?? .zero)).doubleValue
    return seconds > 0 ? Double(bytes) * 8 / seconds : nil
  }
}
