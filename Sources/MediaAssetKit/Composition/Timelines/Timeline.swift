public import FoundationEssentials

/// A described film as a file: tracks of clips and images with their places, opacities, volumes and transitions.
///
/// What `mediakit compose` reads. Times are text: seconds (`"2.5"`) or fractions of one (`"1001/30000"`), exactly; plain
/// numbers are taken as they are written. <doc:Timelines> shows a whole one.
public struct Timeline: Sendable, Hashable, Codable {
  /// Width and height of the pictures; nil: those of the first clip, upright, with even sides.
  public var renderSize: [Int]?
  /// The time of one picture; nil: the sources' own times of a single track, the highest rate of several.
  public var frameDuration: Time?
  /// What lies behind everything, as `#rrggbb`; nil: black.
  public var background: String?
  /// The tracks; of pictures the first lies at the bottom.
  public var tracks: [Track]
  /// Images and texts over everything, the last on top.
  public var overlays: [Overlay]?
  /// What the composed pictures go through before the overlays are drawn: an FFmpeg description, as of ``VideoFilter``.
  public var filter: String?
  /// Whether peaks of the mixed sound are limited.
  public var limitsPeaks: Bool?
  /// The longest that a film of a timeline may last, and the latest time that may stand in one: a week. What is later is a
  /// wrong number, whose silence would be written for hours.
  public static let maximumDuration = MediaTime(value: 604_800, timescale: 1)
  /// The shortest ``frameDuration``.
  public static let minimumFrameDuration = MediaTime(value: 1, timescale: 1000)

  /// The folder that paths count from; not part of the file.
  var folder: URL?

  private enum CodingKeys: String, CodingKey {
    case renderSize, frameDuration, background, tracks, overlays, filter, limitsPeaks
  }

  /// A timeline of tracks.
  public init(tracks: [Track]) { self.tracks = tracks }

  /// One track.
  public struct Track: Sendable, Hashable, Codable {
    /// `video` or `audio`.
    public var media: Media
    /// What it shows, in any order; where two overlap the later one in the list wins.
    public var segments: [Segment]
    /// Where its pictures go; nil: as large as they fit, in the middle.
    public var place: Place?
    /// Changes of its opacity, 0 to 1.
    public var opacity: [Change]?
    /// Changes of its volume; 1 leaves it as it is.
    public var volume: [Change]?
    /// How its pictures' colours and those below become one; nil: they hide them.
    public var blend: BlendMode?
    /// What its pictures go through before they are drawn.
    public var filter: String?
    /// Whether the pitch follows the speed of scaled segments; nil: it stays.
    public var varispeed: Bool?

    /// A track of segments.
    public init(media: Media, segments: [Segment]) { (self.media, self.segments) = (media, segments) }

    /// The kind of media.
    public enum Media: String, Sendable, Hashable, Codable {
      /// Pictures.
      case video
      /// Sound.
      case audio

      var type: MediaType { self == .video ? .video : .audio }
    }
  }

  /// A stretch of a file.
  public struct Segment: Sendable, Hashable, Codable {
    /// The file: a path or a URL.
    public var file: String
    /// The number of its track; nil: the default one.
    public var track: Int32?
    /// From this time of the file; nil: its beginning.
    public var from: Time?
    /// Before this time of the file; nil: its end.
    public var to: Time?
    /// When it is shown; nil: behind the segment before.
    public var at: Time?
    /// How long it is shown, faster or slower; nil: as long as it is. What an image needs.
    public var duration: Time?
    /// Whether it is played from its end to its beginning, pictures and sound.
    public var reversed: Bool?

    /// A whole file behind the segment before.
    public init(file: String) { self.file = file }
  }

  /// A change: at once (`at` and `value`), or even from `from` to `to` (`start` and `end`).
  public struct Change: Sendable, Hashable, Codable {
    /// When it changes at once.
    public var at: Time?
    /// To what.
    public var value: Double?
    /// When an even change begins.
    public var from: Time?
    /// When it ends.
    public var to: Time?
    /// What it begins with.
    public var start: Double?
    /// What it ends with.
    public var end: Double?

    /// A change at once.
    public init(at: Time, value: Double) { (self.at, self.value) = (at, value) }
    /// An even change.
    public init(from: Time, to: Time, start: Double, end: Double) {
      (self.from, self.to, self.start, self.end) = (from, to, start, end)
    }
  }

  /// Where pictures go: the upright picture scaled, turned around its middle, its box's corner put at a place.
  public struct Place: Sendable, Hashable, Codable {
    /// The left edge, in pixels of the output.
    public var x: Double?
    /// The top edge.
    public var y: Double?
    /// The width, above 0; nil: as the height says, or as large as it is.
    public var width: Double?
    /// The height, above 0; nil: as the width says, or as large as it is.
    public var height: Double?
    /// Degrees clockwise.
    public var rotation: Double?

    /// A place.
    public init(
      x: Double? = nil, y: Double? = nil, width: Double? = nil, height: Double? = nil, rotation: Double? = nil
    ) {
      (self.x, self.y, self.width, self.height, self.rotation) = (x, y, width, height, rotation)
    }
  }

  /// A time as text.
  public struct Time: Sendable, Hashable, Codable, ExpressibleByStringLiteral {
    /// The time.
    public var time: MediaTime

    /// A time.
    public init(_ time: MediaTime) { self.time = time }
    /// Seconds or a fraction; text that is neither is no time.
    public init(stringLiteral value: String) { time = Self.parse(value) ?? .invalid }

    /// Reads text or a number.
    public init(from decoder: any Decoder) throws {
      let value = try decoder.singleValueContainer()
      let text: String
      if let words = try? value.decode(String.self) {
        text = words
      } else if let number = try? value.decode(Decimal.self) {
        // All digits as they are written; a binary fraction would be another time.
        text = "\(number)"
      } else {
        text = "\(try value.decode(Double.self))"
      }
      do { time = try Self.read(text) } catch {
        throw DecodingError.dataCorruptedError(in: value, debugDescription: error.reason)
      }
    }

    /// Writes a fraction.
    public func encode(to encoder: any Encoder) throws {
      var container = encoder.singleValueContainer()
      try container.encode(time.rationalText ?? "")
    }

    static func parse(_ text: String) -> MediaTime? { try? read(text) }

    /// Why a text is no time.
    struct Fault: Error { var reason: String }

    /// - Throws: ``Fault`` for what is no number of seconds or fraction, below zero, or no time can hold exactly.
    static func read(_ text: String) throws(Fault) -> MediaTime {
      let shown = text.bounded(to: 40)
      func digits(_ text: some StringProtocol) -> Int128? {
        text.utf8.allSatisfy { (48...57).contains($0) } ? Int128(text) : nil
      }
      let parts = text.split(separator: "/", omittingEmptySubsequences: false)
      let (value, scale): (Int128?, Int128?)
      if parts.count == 2 {
        (value, scale) = (digits(parts[0]), digits(parts[1]))
      } else {
        var fields = text.split(separator: ".", omittingEmptySubsequences: false)
        while fields.count == 2, fields[1].last == "0" { fields[1].removeLast() }
        let decimals = fields.count == 2 ? fields[1].utf8.count : 0
        value = fields[0].isEmpty || fields.count > 2 ? nil : digits(fields.joined())
        scale = decimals <= 31 ? (0..<decimals).reduce(Int128(1)) { scale, _ in scale * 10 } : nil
      }
      guard let value, let scale, scale > 0 else {
        throw Fault(
          reason: text.hasPrefix("-")
            ? "\(shown) is below zero; times begin there"
            : "“\(shown)” is no time: seconds such as 2.5, or a fraction such as 1001/30000")
      }
      let time = MediaTime(reducing: value, over: scale)
      guard time.isNumeric, !time.hasBeenRounded else {
        throw Fault(
          reason: "“\(shown)” can't be held exactly: a time is a fraction of numbers up to \(Int64.max)/\(Int32.max)")
      }
      return time
    }
  }

  /// A timeline from a file: OpenTimelineIO by its extension `otio`, an edit decision list by `edl`, else a timeline's own
  /// JSON. Paths count from the file's folder.
  ///
  /// - Parameters:
  ///   - url: The file.
  ///   - frameRate: Of an edit decision list, which does not say: pictures a second as a fraction.
  /// - Throws: ``MediaError``: `fileNotFound`, `readFailed`, `fileFailedToParse` with what is wrong where; a field that no
  ///   timeline has is wrong.
  public init(contentsOf url: URL, frameRate: (Int32, Int32) = (25, 1)) throws {
    let data: Data
    do { data = try Data(contentsOf: url) } catch {
      let exists = FileManager.default.fileExists(atPath: url.path)
      throw MediaError(
        exists ? .readFailed : .fileNotFound, operation: "open", subject: url.path,
        reason: exists ? "it is no file that can be read" : "there is no such file", remedy: "Check the path")
    }
    self = try Self.decoded(data, url, frameRate)
    folder = url.deletingLastPathComponent()
  }

  private static func decoded(_ data: Data, _ url: URL, _ frameRate: (Int32, Int32)) throws -> Timeline {
    switch url.pathExtension.lowercased() {
    case "otio": return try Timeline(openTimelineIO: data)
    case "edl": return try Timeline(editDecisionList: String(decoding: data, as: UTF8.self), frameRate: frameRate)
    default: break
    }
    func refuse(_ reason: String) -> MediaError {
      MediaError(.fileFailedToParse, operation: "open", subject: url.path, reason: "this is no timeline: \(reason)")
    }
    do {
      // Fields that nothing reads are misspelt ones: a decoder would pass over them.
      try shape.check(data)
      return try JSONDecoder().decode(Timeline.self, from: data)
    } catch let fault as JSONShape.Fault {
      throw refuse(fault.text)
    } catch {
      throw refuse(error.jsonReason(in: data))
    }
  }
}
