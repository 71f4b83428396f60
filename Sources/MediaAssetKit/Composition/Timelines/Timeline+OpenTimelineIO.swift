public import FoundationEssentials

extension Timeline {
  /// A timeline from OpenTimelineIO's JSON (`.otio`): tracks of clips and gaps, dissolves, constant speeds.
  ///
  /// Clips name files by path or `file` URL; a clip without one is a gap. Effects other than a constant speed, markers and
  /// metadata are not taken over; neither are disabled clips and tracks.
  ///
  /// - Throws: ``MediaError`` with `fileFailedToParse` for anything else than such a timeline, `operationNotSupported` for
  ///   stacks within tracks and frozen pictures.
  public init(openTimelineIO data: Data) throws {
    let root: OTIOItem
    do { root = try JSONDecoder().decode(OTIOItem.self, from: data) } catch {
      throw OTIOItem.refuse(.fileFailedToParse, "this is no OpenTimelineIO: \(error.jsonReason(in: data))")
    }
    let stack = root.schema.hasPrefix("Timeline.") ? root.tracks : root
    guard let stack, stack.schema.hasPrefix("Stack.") else {
      throw OTIOItem.refuse(.fileFailedToParse, "its top is \(root.schema), and no timeline")
    }
    self.init(tracks: [])
    for track in stack.children ?? [] where track.isEnabled {
      guard track.schema.hasPrefix("Track.") else {
        throw OTIOItem.refuse(.operationNotSupported, "\(track.schema) lies where a track was expected")
      }
      guard let media = track.kind.flatMap({ Track.Media(rawValue: $0.lowercased()) }) else { continue }
      let cuts = try track.cuts()
      if let fault = cuts.fault { throw OTIOItem.refuse(.operationNotSupported, fault) }
      tracks += cuts.tracks(media)
    }
  }
}

/// Any object of a file.
private final class OTIOItem: Decodable {
  let schema: String
  let kind: String?
  let children: [OTIOItem]?
  let tracks: OTIOItem?
  let sourceRange: OTIORange?
  let availableRange: OTIORange?
  let targetURL: String?
  private let reference: OTIOItem?
  private let references: [String: OTIOItem]?
  private let activeReference: String?
  private let effects: [OTIOItem]?
  private let timeScalar: Double?
  private let inOffset: OTIOTime?
  private let outOffset: OTIOTime?
  private let enabled: Bool?

  private enum CodingKeys: String, CodingKey {
    case schema = "OTIO_SCHEMA"
    case sourceRange = "source_range"
    case availableRange = "available_range"
    case targetURL = "target_url"
    case reference = "media_reference"
    case references = "media_references"
    case activeReference = "active_media_reference_key"
    case timeScalar = "time_scalar"
    case inOffset = "in_offset"
    case outOffset = "out_offset"
    case kind, children, tracks, effects, enabled
  }

  var isEnabled: Bool { enabled ?? true }

  /// The media of a clip; nil where there is no file.
  private var media: OTIOItem? {
    let item = reference ?? references?[activeReference ?? "DEFAULT_MEDIA"]
    return item?.targetURL == nil ? nil : item
  }

  static func refuse(_ code: MediaError.Code, _ reason: String) -> MediaError {
    MediaError(code, operation: "open", subject: "a timeline of OpenTimelineIO", reason: reason)
  }

  /// The clips of a track.
  func cuts() throws -> TimelineCuts {
    var cuts = TimelineCuts()
    var time = MediaTime.zero
    var dissolve: (before: MediaTime, behind: MediaTime)?
    for item in children ?? [] {
      if item.schema.hasPrefix("Transition.") {
        let offsets = (item.inOffset?.time ?? .zero, item.outOffset?.time ?? .zero)
        guard offsets.0 >= .zero, offsets.1 >= .zero else {
          throw Self.refuse(.fileFailedToParse, "the offsets of the transition at \(time.seconds) s are below zero")
        }
        dissolve = offsets
        continue
      }
      let range = item.sourceRange ?? item.media?.availableRange
      guard let range, range.duration.time >= .zero else {
        throw Self.refuse(.fileFailedToParse, "\(item.schema) at \(time.seconds) s has no length")
      }
      let end = time + range.duration.time
      if item.schema.hasPrefix("Clip."), item.isEnabled, let media = item.media, let target = media.targetURL {
        // Times of the media count from its own timecode.
        let origin = media.availableRange?.start.time ?? .zero
        var clip = TimelineCuts.Clip(
          file: Self.path(target), source: max(.zero, range.start.time - origin), start: time, end: end)
        clip.rate = try item.rate()
        if let dissolve, dissolve.before + dissolve.behind > .zero {
          // From black there may be less before the film begins.
          let start = cuts.clips.isEmpty ? max(.zero, time - dissolve.before) : time - dissolve.before
          clip.dissolve = MediaTimeRange(start: start, end: time + dissolve.behind)
        }
        if clip.end > clip.start { cuts.add(clip) }
      } else if item.schema.hasPrefix("Stack.") || item.schema.hasPrefix("Track.") {
        throw Self.refuse(.operationNotSupported, "at \(time.seconds) s a \(item.schema) lies in a track")
      }
      dissolve = nil
      time = end
    }
    return cuts
  }

  private func rate() throws -> Rational {
    guard let scalar = effects?.compactMap(\.timeScalar).first else { return .one }
    guard scalar > 0, scalar < 1e6, let value = Rational(Int64((scalar * 1_000_000).rounded()), 1_000_000),
      value > .zero
    else { throw Self.refuse(.operationNotSupported, "a clip plays at \(scalar) times its speed") }
    return value
  }

  private static func path(_ target: String) -> String {
    guard target.hasPrefix("file:"), let url = URL(string: target) else { return target }
    return url.path
  }
}

private struct OTIORange: Decodable {
  let start: OTIOTime
  let duration: OTIOTime
  private enum CodingKeys: String, CodingKey {
    case start = "start_time"
    case duration
  }
}

/// A count at a rate, both as decimal numbers in the file.
private struct OTIOTime: Decodable {
  let time: MediaTime

  private enum CodingKeys: String, CodingKey {
    case value, rate
  }

  init(from decoder: any Decoder) throws {
    let values = try decoder.container(keyedBy: CodingKeys.self)
    let value = try values.decode(Double.self, forKey: .value)
    let rate = try values.decode(Double.self, forKey: .rate)
    guard value.isFinite, abs(value) < 1e12, let rate = Rational(frameRate: rate) else {
      throw DecodingError.dataCorrupted(
        .init(codingPath: decoder.codingPath, debugDescription: "it is no count of a rate above 0"))
    }
    let count =
      value == value.rounded()
      ? Rational(Int64(value)) : Rational(Int64((value * 1000).rounded()), 1000) ?? .zero
    time = count.divided(by: rate).map { MediaTime($0) } ?? .invalid
  }
}

extension Rational {
  /// The rate that a decimal number stands for: whole, or the thousandth part of 1001 less, or to the millionth.
  init?(frameRate: Double) {
    guard frameRate.isFinite, frameRate > 0, frameRate < 1e9 else { return nil }
    let whole = frameRate.rounded()
    if abs(frameRate - whole) < 1e-6 {
      self.init(Int64(whole), 1)
      return
    }
    let dropped = (frameRate * 1.001).rounded()
    if abs(dropped / 1.001 - frameRate) < 0.0015, dropped < 1e6 {
      self.init(Int64(dropped) * 1000, 1001)
      return
    }
    self.init(Int64((frameRate * 1_000_000).rounded()), 1_000_000)
  }
}
