public import FoundationEssentials
import ISOMedia
import LibAV

/// A QuickTime or MPEG-4 file whose header is edited: its media is neither read nor encoded.
///
/// Cuts, gaps, repetitions and other rates become edit lists, which say when what is shown; track settings and metadata
/// are changed on the way. Media that is no longer shown stays in the file.
///
/// ```swift
/// var movie = try await Movie(MediaAsset(url: url))
/// try movie.removeTimeRange(MediaTimeRange(start: .zero, end: MediaTime(value: 10, timescale: 1)))
/// movie.metadata.set(.commonIdentifierTitle, to: "Without the beginning")
/// try await movie.write(to: cut)
/// ```
///
/// Times are exact: the movie's timescale becomes one in which every edit is a whole number of ticks, as far as 31 bits
/// reach. Media begins at a tick of its own clock, rounded down.
///
/// Unlike AVFoundation's `AVMutableMovie` a movie is a value, appends no samples (that is what ``Writer`` does), and describes
/// them as the file does: a description that no longer fits its samples helps nobody. The start of a timecode is a sample too, and written
/// by exporting. A header in memory is read as an asset of data (``MediaAsset/init(data:options:)``), which has no place
/// from which it could refer to files.
public struct Movie: Sendable {
  /// The settings of a track.
  public struct Track: Sendable, Hashable, Identifiable {
    /// The container's number of the track.
    public let id: Int32
    /// The kind of media.
    public let mediaType: MediaType
    /// Whether the track takes part in normal play.
    public var isEnabled: Bool
    /// Tracks of one group other than 0 are alternatives of each other.
    public var alternateGroupID: Int16
    /// 0 to 1, and above where the sound is to be louder.
    public var preferredVolume: Float
    /// Which of several pictures is in front: the one with the lowest number.
    public var layer: Int16
    /// Turns, mirrors and moves the picture; its numbers are kept to 1/65,536.
    public var preferredTransform: PictureTransform
    /// ISO 639-2/T; nil for none.
    public var languageCode: String?
    /// BCP 47; nil for none.
    public var extendedLanguageTag: String?
  }

  /// The asset whose header is edited; it is read, never written.
  public let asset: MediaAsset
  /// Tracks with settings to change, in the file's order; other tracks, as those of chapters, only follow the edits of time.
  public var tracks: [Track]
  /// The natural rate of play, kept to 1/65,536.
  public var preferredRate: Float
  /// The natural volume, 0 to 1, kept to 1/256.
  public var preferredVolume: Float
  /// The matrix of the whole movie; players apply it behind those of its tracks, and many not at all.
  public var preferredTransform: PictureTransform
  /// Ticks a second of the movie's own clock, in which edits are stored; nil for one that is exact for them.
  ///
  /// Edits that are no whole number of these ticks are rounded down.
  public var timescale: Int32?
  /// What else the file is to say: items to set and to remove, chapters, and whether files are overwritten.
  public var metadata: MetadataEditor

  /// With the tracks of other movies that were inserted.
  var header: MovieHeader
  /// Where the media of inserted movies lies.
  var joins = MovieJoins()
  /// What the movie's own media is read from.
  let reader: any RandomAccessReader
  private let original: [Track]
  var edits: [UInt32: MovieTrackEdits]
  private(set) var isCut = false
  private var times: [Rational] = []

  /// Reads the header.
  ///
  /// - Throws: ``MediaError``: `operationNotSupported` for other containers and for files in fragments, whose times are not
  ///   in their header; what opening throws.
  public init(_ asset: MediaAsset) async throws {
    let (container, tracks) = (try await asset.header(), try await asset.load(.tracks))
    guard let header = container.movie, header.timescale > 0 else {
      throw Self.unsupported(asset, "it is no QuickTime or MPEG-4 file", "Export it as one first")
    }
    guard !container.containsFragments, header.movieExtends == nil else {
      throw Self.unsupported(asset, "it is stored in fragments", "Export it with the passthrough preset first")
    }
    self.asset = asset
    self.header = header
    reader = try await asset.opened().reader
    metadata = MetadataEditor(asset)
    preferredRate = Float(header.preferredRate) / 65_536
    preferredVolume = Float(header.preferredVolume) / 256
    preferredTransform = PictureTransform(header.matrix)
    edits = [:]
    for track in header.tracks { edits[track.trackID] = MovieTrackEdits(track, of: header) }
    original = tracks.compactMap { track in track.track.iso.map { Track($0, track.mediaType) } }
    self.tracks = original
  }

  static func unsupported(_ asset: MediaAsset, _ reason: String, _ remedy: String) -> MediaError {
    MediaError(
      .operationNotSupported, operation: "edit the header of", subject: asset.subject, reason: reason, remedy: remedy)
  }

  /// The end of the longest track, edits included.
  public var duration: MediaTime { MediaTime(length) }

  private var length: Rational { edits.values.map(\.duration).max() ?? .zero }

  /// What a track shows when, edits included; empty for a number that no track has.
  public func segments(ofTrack id: Int32) -> [AssetTrackSegment] {
    var start = Rational.zero
    return (edits[UInt32(bitPattern: id)]?.pieces ?? []).map { piece in
      defer { start = start + piece.duration }
      return AssetTrackSegment(
        .init(start: start, duration: piece.duration, source: piece.source, rate: piece.rate), end: nil)
    }
  }

  // MARK: - Time

  /// Takes a range out of all tracks; what follows moves forward.
  ///
  /// - Throws: ``MediaError`` with `invalidArgument` for a range without times or before zero.
  public mutating func removeTimeRange(_ range: MediaTimeRange) throws {
    let (start, end) = try bounds(range)
    for id in edits.keys { edits[id]?.remove(start, end) }
    note(start, end)
  }

  /// Shows nothing for a range; what stood from its start on moves back.
  ///
  /// - Throws: As ``removeTimeRange(_:)``.
  public mutating func insertEmptyTimeRange(_ range: MediaTimeRange) throws {
    let (start, end) = try bounds(range)
    for id in edits.keys { edits[id]?.insertEmpty(at: start, end - start) }
    note(start, end)
  }

  /// Shows a range of the movie, as it is now, once more at a time; what stood from there on moves back.
  ///
  /// - Throws: As ``removeTimeRange(_:)``.
  public mutating func insertTimeRange(_ range: MediaTimeRange, at time: MediaTime) throws {
    let (start, end) = try bounds(range)
    let (place, _) = try bounds(MediaTimeRange(start: time, duration: .zero))
    for id in edits.keys { edits[id]?.insert(start, end, at: place) }
    note(start, end, place)
  }

  /// Shows a range faster or slower, so that it lasts `duration`; what follows moves.
  ///
  /// A rate is stored in steps of 1/65,536, so that the media that is shown may be off by that part of its length.
  /// - Throws: As ``removeTimeRange(_:)``, and for an empty range or duration.
  public mutating func scaleTimeRange(_ range: MediaTimeRange, toDuration duration: MediaTime) throws {
    let (start, end) = try bounds(range)
    guard let length = duration.rational, length > .zero, end > start else {
      throw invalid("the range or its new duration is empty", "Give both a length, or remove the range")
    }
    let factor = length / (end - start)
    for id in edits.keys { edits[id]?.scale(start, end, by: factor) }
    note(start, end, start + length)
  }

  func bounds(_ range: MediaTimeRange) throws -> (Rational, Rational) {
    guard let start = range.start.rational, let length = range.duration.rational, start >= .zero, length >= .zero else {
      throw invalid("\(range) is no range of times from zero on", "Use numeric times")
    }
    return (start, start + length)
  }

  func invalid(_ reason: String, _ remedy: String) -> MediaError {
    MediaError(
      .invalidArgument, operation: "edit the header of", subject: asset.subject, reason: reason, remedy: remedy)
  }

  mutating func note(_ times: Rational...) {
    isCut = true
    self.times += times
  }

  // MARK: - Writing

  /// Writes the file with the new header and all of its media; returns when it is complete.
  ///
  /// Costs copying the media. The file appears under its name when it is complete, and never otherwise.
  /// - Returns: What could not be written, of ``metadata``.
  /// - Throws: As ``MetadataEditor/write(to:)``; `invalidArgument` where nothing would be left to show.
  @discardableResult
  public func write(to url: URL) async throws -> MetadataEditor.Report {
    var editor = metadata
    var edit = MovieHeaderEdit(edit: try headerEdit(), dropsNeroChapters: isCut && metadata.chapterLists == nil)
    if !joins.isEmpty { edit.header = header.bytes }
    editor.movieEdit = edit
    editor.joinedReader = try joins.reader(behind: reader, subject: asset.subject)
    return try await editor.write(to: url)
  }

  func headerEdit() throws -> MovieEdit {
    var edit = MovieEdit()
    let total = length
    let isCut = isCut || timescale.map { UInt32(bitPattern: $0) != header.timescale } ?? false
    if isCut {
      guard total > .zero else { throw invalid("nothing would be left to show", "Keep a range") }
      guard timescale ?? 1 > 0 else { throw invalid("its timescale is not positive", "Use ticks a second") }
      edit.timescale = timescale.map { UInt32(bitPattern: $0) } ?? exactTimescale
    }
    let (rate, volume) = (Self.fixed(preferredRate, 65_536), Self.fixed(preferredVolume, 256))
    if rate != Int64(header.preferredRate) { edit.preferredRate = Int32(clamping: rate) }
    if volume != Int64(header.preferredVolume) { edit.preferredVolume = Int16(clamping: volume) }
    if preferredTransform != PictureTransform(header.matrix) { edit.matrix = preferredTransform.stored }
    for track in header.tracks {
      var change = TrackEdit()
      if isCut, let timescale = edit.timescale, let list = edits[track.trackID] {
        change.edits = list.entries(
          timescale: timescale, mediaTimescale: max(1, track.mediaTimescale), total: total)
      }
      let id = Int32(bitPattern: track.trackID)
      if let new = tracks.first(where: { $0.id == id }), let old = original.first(where: { $0.id == id }) {
        if new.isEnabled != old.isEnabled { change.isEnabled = new.isEnabled }
        if new.alternateGroupID != old.alternateGroupID { change.alternateGroup = new.alternateGroupID }
        if new.preferredVolume != old.preferredVolume {
          change.volume = Int16(clamping: Self.fixed(max(0, new.preferredVolume), 256))
        }
        if new.layer != old.layer { change.layer = new.layer }
        if new.preferredTransform != old.preferredTransform { change.matrix = new.preferredTransform.stored }
        if new.languageCode != old.languageCode { change.language = new.languageCode ?? "und" }
        if new.extendedLanguageTag != old.extendedLanguageTag {
          change.extendedLanguage = new.extendedLanguageTag ?? "und"
        }
      }
      edit.tracks[track.trackID] = change
    }
    return edit
  }

  /// A number in fixed point; of no number zero.
  private static func fixed(_ value: Float, _ one: Float) -> Int64 {
    value.isFinite ? Int64(max(-32_768, min(32_767, value)) * one + (value < 0 ? -0.5 : 0.5)) : 0
  }

  /// Ticks in which every boundary is whole, as long as they fit; else the movie's own.
  private var exactTimescale: UInt32 {
    var scale = Int64(header.timescale)
    for time in edits.values.flatMap(\.pieces).map(\.duration) {
      let divisor = Int64(WideArithmetic.greatestCommonDivisor(scale.magnitude, time.denominator.magnitude))
      let (product, overflow) = (scale / max(1, divisor)).multipliedReportingOverflow(by: time.denominator)
      // Players compute with 31 bits.
      guard !overflow, product <= Int64(Int32.max) else { return header.timescale }
      scale = product
    }
    return UInt32(scale)
  }
}

extension Movie.Track {
  fileprivate init(_ track: TrackHeader, _ mediaType: MediaType) {
    self.init(
      id: Int32(bitPattern: track.trackID), mediaType: mediaType, isEnabled: track.flags.contains(.enabled),
      alternateGroupID: track.alternateGroup, preferredVolume: Float(track.volume) / 256, layer: track.layer,
      preferredTransform: PictureTransform(track.matrix), languageCode: track.language,
      extendedLanguageTag: track.extendedLanguage)
  }
}

/// The part of a header's edit that is not metadata.
struct MovieHeaderEdit: Sendable {
  var edit: MovieEdit
  /// Nero's list of chapters states times of its own, which no longer hold.
  var dropsNeroChapters = false
  /// Writes no media.
  var isHeaderOnly = false
  /// The header with tracks of other movies, in place of the file's own.
  var header: [UInt8]?

  func applied(to stored: [UInt8]) throws -> [UInt8] {
    let header = header ?? stored
    var rewriter = MovieRewriter(header, edit: edit)
    do throws(ISOMediaError) { return try rewriter.rewritten() } catch {
      throw EditingFailure.damaged("the movie header is damaged: \(error)")
    }
  }
}
