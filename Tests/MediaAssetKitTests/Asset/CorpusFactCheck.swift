import FoundationEssentials
import LibAV
import MediaTestSupport

@testable import MediaAssetKit

/// Compares what an asset says with what others state of the same file.
struct CorpusFactCheck: Sendable {
  /// The answer to one fact.
  struct Verdict: Sendable, CustomStringConvertible {
    var fact: CorpusFact
    var holds: Bool
    /// What the asset says instead.
    var observed: String

    var description: String {
      "\(fact.file): \(CorpusFactCheck.name(fact.kind)) expected by \(fact.source), is \(observed)"
    }
  }

  let asset: MediaAsset
  let failure: (any Error)?
  private let tracks: [AssetTrack]

  init(_ url: URL) async {
    asset = MediaAsset(url: url)
    var found: [AssetTrack] = []
    var failure: (any Error)?
    do {
      found = try await asset.load(.tracks)
      _ = try await asset.load(.duration)
    } catch { failure = error }
    tracks = found
    self.failure = failure
  }

  /// The kind without its module's names.
  static func name(_ kind: CorpusFact.Kind) -> String {
    "\(kind)".replacing("MediaTestSupport.CorpusFact.", with: "")
      .replacing("Track(kind: ", with: "").replacing("TrackKind.", with: "")
      .replacing("number: ", with: "").replacing("Property.", with: "")
  }

  /// nil where the fact is not about this layer.
  func verdict(_ fact: CorpusFact) async -> Verdict? {
    func answer(_ holds: Bool, _ observed: Any) -> Verdict {
      Verdict(fact: fact, holds: holds, observed: "\(observed)")
    }
    switch fact.kind {
    case .chapterCount(let count):
      let found = try? await asset.loadChapterMetadataGroups(bestMatchingPreferredLanguages: [])
      return answer(found?.count == count, found?.count ?? -1)
    case .opens: return answer(failure == nil, failure.map { "\($0)" } ?? "open")
    case .failsToOpen: return answer(failure is MediaError, failure.map { "\($0)" } ?? "open")
    case .survives:
      return answer(failure == nil || failure is MediaError, failure.map { "\($0)" } ?? "open")
    default: break
    }
    if let failure {
      // Files that may open or not: what is stated of them holds when they open.
      return answer(false, failure)
    }
    do {
      switch fact.kind {
      case .duration(let seconds, let tolerance), .declaredDuration(let seconds, let tolerance):
        let (duration, quality) = try await asset.load(.duration, .durationQuality)
        return answer(
          abs(duration.seconds - seconds) <= tolerance, "\(duration.seconds) \(quality)")
      case .trackCount(let kind, let count):
        let found = try await asset.loadTracks(withMediaType: kind.mediaType).count
        return answer(found == count, found)
      case .track(let place, let property):
        let ofKind = tracks.filter { $0.mediaType == place.kind.mediaType }
        guard ofKind.indices.contains(place.number) else { return answer(false, "no such track") }
        let (holds, observed) = try await check(property, of: ofKind[place.number])
        return answer(holds, observed)
      default: return nil
      }
    } catch {
      return answer(false, error)
    }
  }

  private func check(_ property: CorpusFact.Property, of track: AssetTrack) async throws -> (
    Bool, String
  ) {
    func equal<Value: Equatable>(_ expected: Value, _ observed: Value?) -> (Bool, String) {
      (observed == expected, observed.map { "\($0)" } ?? "nil")
    }
    func near(_ expected: Double, _ observed: Double?, _ tolerance: Double) -> (Bool, String) {
      (observed.map { abs($0 - expected) <= tolerance } ?? false, observed.map { "\($0)" } ?? "nil")
    }
    let description = try await track.load(.formatDescriptions).first
    let (video, audio) = (description?.video, description?.audio)
    switch property {
    case .codec("pcm"):
      return (description?.codec?.hasPrefix("pcm_") == true, description?.codec ?? "nil")
    case .codec(let name): return equal(name, description?.codec)
    case .codecString(let text): return equal(text, description?.codecString)
    case .fourCharacterCode(let text): return equal(text, description?.fourCharacterCode)
    case .size(let width, let height):
      return equal(PixelSize(width: width, height: height), video?.encodedSize)
    case .displaySize(let width, let height):
      let (size, transform) = try await track.load(.naturalSize, .preferredTransform)
      return equal(PixelSize(width: width, height: height), transform.applied(to: size))
    case .rotation(let degrees):
      let transform = try await track.load(.preferredTransform)
      guard let orientation = transform.orientation else { return (false, "\(transform)") }
      if let clockwise = orientation.clockwiseRotation { return equal(degrees, clockwise) }
      // The peer states the turn of a mirrored picture with the mirror taken out.
      return (
        Self.turns(of: orientation).contains(degrees),
        "\(orientation), so \(Self.turns(of: orientation))"
      )
    case .mirrored:
      let orientation = try await track.load(.preferredTransform).orientation
      return (orientation.map { $0.clockwiseRotation == nil } ?? false, "\(orientation as Any)")
    case .sampleAspectRatio(let horizontal, let vertical):
      return equal(
        PixelAspectRatio(horizontal: horizontal, vertical: vertical), video?.sampleAspectRatio)
    case .frameRate(let rate, let tolerance):
      return near(rate, Double(try await track.load(.nominalFrameRate)), tolerance + 1e-5)
    case .meanFrameRate(let rate, let tolerance):
      let samples = try await StoredSamples(track)
      return near(rate, samples.meanRate, tolerance)
    case .shortestFrameDuration(let seconds, let tolerance):
      return near(seconds, try await track.load(.minFrameDuration).seconds, tolerance)
    case .language(let tag):
      return equal(
        LanguageName.terminological(tag) ?? "nil", try await track.load(.languageCode) ?? "nil")
    case .channels(let count): return equal(count, audio?.channels)
    case .sampleRate(let rate): return equal(rate, audio?.sampleRate)
    case .sampleCount(let count):
      if let listed = try await track.load(.sampleCount) { return equal(count, listed) }
      return equal(count, try await StoredSamples(track).sizes.count)
    case .syncSampleCount(let count): return equal(count, try await StoredSamples(track).syncCount)
    case .firstSampleSizes(let sizes):
      return equal(sizes, Array(try await StoredSamples(track).sizes.prefix(sizes.count)))
    case .firstTime(let seconds, let tolerance):
      let origin = try await track.asset.header().origin
      let range = try await track.load(.timeRange)
      return near(seconds, (range.start + MediaTime(origin)).seconds, tolerance)
    case .duration(let seconds, let tolerance):
      return near(seconds, try await track.load(.timeRange).duration.seconds, tolerance)
    case .bitDepth(let depth): return equal(depth, video?.bitDepth ?? audio?.bitDepth)
    case .fullRange(let isFull):
      // Every peer that says limited also says so where nothing is tagged.
      return isFull
        ? equal(.full, video?.colour.range)
        : (video?.colour.range != .full, "\(video?.colour.range as Any)")
    case .colourPrimaries(let code):
      return equal(
        ColourDescription(primariesCode: code, transferCode: 2, matrixCode: 2, isFullRange: nil)
          .primaries ?? "nil", video?.colour.primaries)
    case .transferCharacteristics(let code):
      return equal(
        ColourDescription(primariesCode: 2, transferCode: code, matrixCode: 2, isFullRange: nil)
          .transfer ?? "nil", video?.colour.transfer)
    case .matrixCoefficients(let code):
      return equal(
        ColourDescription(primariesCode: 2, transferCode: 2, matrixCode: code, isFullRange: nil)
          .matrix ?? "nil", video?.colour.matrix)
    case .noColour:
      return (video?.colour == ColourProperties(), "\(video?.colour as Any)")
    case .hasAlpha: return equal(true, video?.hasAlpha)
    case .encoderDelay(let samples): return equal(samples, track.track.gapless?.delay)
    case .encoderPadding(let samples): return equal(samples, track.track.gapless?.padding)
    }
  }

  private static func turns(of orientation: Orientation) -> [Int] {
    switch orientation {
    case .upMirrored: [0]
    case .downMirrored: [180]
    case .leftMirrored: [90, 270]
    case .rightMirrored: [90, 270]
    default: []
    }
  }
}

/// The stored samples of a track as libav's demuxer hands them out.
struct StoredSamples: Sendable {
  var sizes: [Int] = []
  var times: [Int64] = []
  var syncCount = 0
  var tick: Rational

  init(_ track: AssetTrack) async throws {
    let header = try await track.asset.header()
    let reader = try await track.asset.opened().reader
    guard let stream = track.track.stream else {
      tick = .one
      return
    }
    tick = stream.tick
    var demuxer = try Demuxer.open(
      header.reader(over: reader), options: header.demuxerOptions, interrupt: Interrupt())
    if header.needsStreamInfo {
      try demuxer.findStreamInfo(probeSize: 5_000_000, analyzeMicroseconds: 5_000_000)
    }
    while let packet = try demuxer.readUntilDamage(subject: "test") {
      guard packet.streamIndex == stream.index, !PacketScan.isJunk(packet, codec: stream.codecName)
      else { continue }
      sizes.append(packet.size)
      if packet.isKey { syncCount += 1 }
      if let time = packet.pts { times.append(time) }
    }
  }

  /// Intervals over the time between the first and the last sample.
  var meanRate: Double? {
    guard times.count > 1, let first = times.min(), let last = times.max(), last > first else {
      return nil
    }
    return Double(times.count - 1) / (Double(last - first) * tick.doubleValue)
  }
}

extension CorpusFact.TrackKind {
  var mediaType: MediaType {
    switch self {
    case .video: .video
    case .audio: .audio
    case .subtitle: .subtitle
    case .caption: .closedCaption
    case .timecode: .timecode
    }
  }
}
