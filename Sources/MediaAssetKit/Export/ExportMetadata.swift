import LibAV

/// What an asset says about itself, on its way into the new file: tags, chapters, cover art. By libav's names.
struct ExportMetadata: Sendable {
  var tags: [String: String] = [:]
  var chapters: [Chapter] = []
  var pictures: [AttachedPicture] = []
  /// Whether nothing personal goes on.
  var isShared = false

  /// What describes the old file, not the media.
  private static let technical: Set<String> = [
    "major_brand", "minor_version", "compatible_brands", "encoder", "encoded_by", "handler_name", "vendor_id",
    "duration",
    "bps", "number_of_frames", "number_of_bytes", "source_id", "itunsmpb", "itunnorm", "software-version",
    "writing_app",
    "muxing_app", "alpha_mode", "rotate", "language", "timecode", "reel_name", "gapless_playback", "variant_bitrate",
    "metadatacreator", "metadatadate", "hasaudio", "hasvideo", "hasmetadata", "framerate", "videodatarate", "filesize",
    "audiodatarate", "audiosamplerate", "audiosamplesize", "videocodecid", "audiocodecid", "lasttimestamp",
    "canseektoend", "stereo", "width", "height", "creationdate_flv",
  ]

  private static func isTechnical(_ key: String) -> Bool {
    let key = key.lowercased()
    // Ogg's own chapters: CHAPTER001, CHAPTER001URL, …
    let isChapter = key.hasPrefix("chapter") && key.dropFirst(7).prefix(3).allSatisfy(\.isWholeNumber) && key.count > 7
    return isChapter || technical.contains(key) || key.hasPrefix("_statistics") || key.hasPrefix("id3v2_priv")
      || key.hasPrefix("com.android.") || technical.contains(String(key.prefix { $0 != "-" })) && key.contains("-eng")
  }

  /// Tells where, with what and by whom.
  private static func isPersonal(_ key: String) -> Bool {
    let key = key.lowercased()
    return [
      "location", "gps", "author", "artist.owner", ".make", ".model", ".software", "owner", "user", "camera", "xmp",
    ]
    .contains { key.contains($0) } || ["make", "model", "comment", "creation_time", "date"].contains(key)
      || key.contains("creationdate") || key.contains("content.identifier")
  }

  static func load(
    _ asset: MediaAsset, plan: ExportPlan, options: ExportSession.Options
  ) async throws -> ExportMetadata {
    var carried = ExportMetadata()
    let header = try await asset.header()
    if !options.metadataFilter.keepsNothing {
      let refused = try await RefusedMetadata(asset, options.metadataFilter)
      carried.isShared = options.metadataFilter.isForSharing
      var own = header.metadata
      // Ogg's tags are those of its streams.
      if header.container == "ogg" {
        for stream in header.tracks.compactMap(\.stream) { own.merge(stream.metadata) { first, _ in first } }
      }
      carried.tags = own.filter { key, value in
        !isTechnical(key) && !value.isEmpty && !refused.refuses(key) && !(carried.isShared && isPersonal(key))
      }
      if let container = WritableContainer.container(for: plan.fileType), container.holdsCovers,
        !refused.refusesArtwork
      {
        carried.pictures = header.pictures.filter { ["png", "mjpeg", "bmp"].contains($0.codec) && !$0.bytes.isEmpty }
      }
      carried.chapters = Self.clip(try await chapters(of: asset, header), to: plan, origin: header.origin)
    }
    if let list = options.chapterList {
      let end = try await asset.load(.duration).rational
      carried.chapters = Self.clip(list.libavChapters(endingAt: end), to: plan, origin: .zero)
    }
    for (key, value) in options.metadataTags { carried.tags[key] = value.isEmpty ? nil : value }
    return carried
  }

  /// What a composition says: its own chapters, and those of its sources that are seen or heard in its first track.
  static func load(
    _ composition: Composition, _ assets: CompositionAssets, plan: ExportPlan, options: ExportSession.Options
  ) async throws -> ExportMetadata {
    var carried = ExportMetadata()
    var list = options.chapterList
    if list == nil {
      list = try await composition.chapterList(assets, keepsSources: !options.metadataFilter.keepsNothing)
    }
    if let list, !list.chapters.isEmpty {
      let end = composition.duration.rational
      carried.chapters = Self.clip(list.libavChapters(endingAt: end), to: plan, origin: .zero)
    }
    carried.tags = options.metadataTags.filter { !$0.value.isEmpty }
    return carried
  }

  private static func chapters(of asset: MediaAsset, _ header: ContainerHeader) async throws -> [Chapter] {
    let opened = try await asset.opened()
    return try await OpeningSession(isRemote: opened.isRemote).run { interrupt in
      do {
        let demuxer = try Demuxer.open(
          header.reader(over: opened.reader), options: header.demuxerOptions, interrupt: interrupt)
        return demuxer.chapters()
      } catch let error as AVError {
        throw MediaError.libav(error, operation: "open", subject: asset.subject)
      }
    }
  }

  /// Chapters in the new file's time: cut to the range, those outside left out.
  private static func clip(_ chapters: [Chapter], to plan: ExportPlan, origin: Rational) -> [Chapter] {
    let start = plan.presentedRange.start.rational ?? .zero
    let end = plan.presentedRange.end.rational
    var kept: [Chapter] = []
    for chapter in chapters {
      let tick =
        Rational(Int64(chapter.timeBase.numerator), Int64(max(1, chapter.timeBase.denominator))) ?? .one
      var first = Rational(chapter.start) * tick - origin - start
      var last = Rational(chapter.end) * tick - origin - start
      first = max(first, .zero)
      if let end { last = min(last, end - start) }
      guard last > first else { continue }
      // Microseconds, which every container's own clock is made of at best.
      let unit = Rational(1, 1_000_000) ?? .one
      var new = chapter
      new.id = Int64(kept.count + 1)
      new.timeBase = (1, 1_000_000)
      new.start = Rational.floor(first, in: unit)
      new.end = Rational.floor(last, in: unit)
      new.metadata = chapter.metadata.filter { !isTechnical($0.key) }
      kept.append(new)
    }
    return kept
  }

  func apply(to options: inout Writer.Options, fileType: FileType) {
    options.metadata = tags
    options.chapters = chapters
    options.pictures = pictures
    guard WritableContainer.container(for: fileType)?.isMovie == true else { return }
    // QuickTime's keys have names of their own, which the older boxes can't hold.
    if tags.keys.contains(where: { $0.hasPrefix("com.") }) { options.muxerOptions["movflags"] = "use_metadata_tags" }
  }

  /// What a track says about itself. `isStored`: its pictures are not turned, and the file has no matrix that does it.
  func tags(of track: AssetTrack, isStored: Bool) -> [String: String] {
    (track.track.stream?.metadata ?? [:]).filter { key, value in
      ["title", "comment", "creation_time"].contains(key) && !value.isEmpty && !(isShared && Self.isPersonal(key))
        // A name that is a turn: said twice, it would be made twice.
        && (isStored || !value.hasPrefix("htc_video_rot"))
    }
  }
}

extension ChapterList {
  /// The chapters as FFmpeg's muxers take them, in microseconds.
  func libavChapters(endingAt end: Rational?) -> [Chapter] {
    let unit = Rational(1, 1_000_000) ?? .one
    return closed(at: end).flattened.enumerated().map { index, chapter in
      Chapter(
        id: Int64(index + 1), timeBase: (1, 1_000_000), start: Rational.floor(chapter.start, in: unit),
        end: Rational.floor(chapter.end ?? chapter.start, in: unit),
        metadata: ["title": chapter.titles.first?.text ?? ""])
    }
  }
}

extension WritableContainer {
  /// Whether FFmpeg's muxer writes cover art beside the tracks.
  var holdsCovers: Bool { [FileType.mp4, .m4a, .m4v, .mp3, .flac].contains(type) }
}
