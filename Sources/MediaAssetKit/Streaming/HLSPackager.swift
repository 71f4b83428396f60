public import FoundationEssentials
import LibAV

/// Makes a folder for HTTP Live Streaming of an asset: segments of fragmented MPEG-4 (CMAF) with their playlists.
///
/// ```swift
/// let package = try await HLSPackager(asset: asset).package(to: folder)
/// print(package.masterPlaylist.text)
/// ```
///
/// `master.m3u8` names the pictures (`video.m3u8`) and every sound track (`audio.m3u8`, `audio-2.m3u8`, …); beside each lie
/// its segments (`video-init.mp4`, `video-00001.m4s`, …) and, for pictures, `video-iframes.m3u8` for fast playback. Bit
/// rates are those of the segments as they are; codecs, sizes and rates those of the media.
///
/// Every track of text becomes WebVTT (`subtitles.m3u8`, `subtitles-00001.vtt`, …), cut where the pictures are; a cue stands
/// in every segment in whose time it is on show. Subtitles that are pictures are left out.
///
/// What players of HLS take is copied (H.264, HEVC and AV1; AAC, AC-3, E-AC-3, MP3, ALAC and FLAC), the rest is encoded as
/// H.264 and AAC; pictures that an edit list lets begin between two sync samples are encoded too. Copied pictures are cut at
/// the sync samples that they have, so segments may be longer than asked.
public struct HLSPackager: Sendable {
  /// How a package is made.
  public struct Options: Sendable, Hashable {
    /// How long segments are: the first sync sample behind each multiple begins one; 6 seconds by default.
    public var segmentDuration = MediaTime(value: 6, timescale: 1)
    /// Encodes the pictures in several sizes, the source's and smaller ones, with sync samples at the same times.
    public var makesLadder = false
    /// The part of the asset's time; nil by default: all. The package begins at zero, sound and pictures exactly where the
    /// range does: they are encoded where that is not at a sync sample.
    public var timeRange: MediaTimeRange?
    /// The tracks to package, by number; nil: all.
    public var trackIDs: Set<Int32>?
    /// Replaces the package in a folder that is not empty; other files stay. False by default.
    public var overwritesExisting = false

    /// The default options.
    public init() {}
  }

  /// What was made.
  public struct Package: Sendable {
    /// The playlist to play.
    public private(set) var masterPlaylist: HLSMasterPlaylist
    /// The playlists of the media, in the order of the master playlist, by their names.
    public private(set) var mediaPlaylists: [(name: String, playlist: HLSMediaPlaylist)]
    /// Tracks that are not in it, with the reason.
    public let droppedTracks: [(trackID: Int32, reason: String)]

    fileprivate mutating func add(_ subtitles: HLSSubtitles, _ playlist: HLSMediaPlaylist) {
      let rendition = subtitles.rendition
      mediaPlaylists.append((subtitles.name, playlist))
      // Sizes and rates of a variant are those of the richest that a user may choose.
      let known = subtitleRates
      let now = (peak: max(known.peak, playlist.peakBandwidth), average: max(known.average, playlist.averageBandwidth))
      for index in masterPlaylist.variants.indices {
        masterPlaylist.variants[index].subtitleGroup = rendition.group
        masterPlaylist.variants[index].peakBandwidth += now.peak - known.peak
        masterPlaylist.variants[index].averageBandwidth += now.average - known.average
      }
      subtitleRates = now
      masterPlaylist.subtitles.append(rendition)
    }

    private var subtitleRates = (peak: 0, average: 0)

    fileprivate init(
      masterPlaylist: HLSMasterPlaylist, mediaPlaylists: [(name: String, playlist: HLSMediaPlaylist)],
      droppedTracks: [(trackID: Int32, reason: String)]
    ) {
      self.masterPlaylist = masterPlaylist
      self.mediaPlaylists = mediaPlaylists
      self.droppedTracks = droppedTracks
    }
  }

  /// The asset.
  public let asset: MediaAsset
  /// How it is packaged.
  public let options: Options

  /// A packager for an asset. Reads nothing by itself.
  public init(asset: MediaAsset, options: Options = .init()) {
    self.asset = asset
    self.options = options
  }

  /// Makes the package.
  ///
  /// A folder that does not exist appears when it is complete; into an empty one, or where overwriting is asked for, files
  /// are moved at the end, playlists last. A failure or cancellation leaves nothing. `progress` gets the time of the media
  /// that was written, from any task.
  ///
  /// - Throws: ``MediaError``: `fileAlreadyExists` for a folder that is not empty, `noSourceTrack` without pictures and
  ///   sound, what reading, encoding and writing throw; `CancellationError`.
  public func package(
    to folder: URL, progress: (@Sendable (MediaTime) -> Void)? = nil
  ) async throws -> Package {
    guard folder.isFileURL else { throw refuse("this is no file URL", subject: folder.absoluteString) }
    guard options.segmentDuration.isNumeric, options.segmentDuration > .zero else {
      throw refuse("a segment's duration has to be above 0", subject: folder.path)
    }
    let overwrites = options.overwritesExisting
    let place = folder.path
    let plan = try await HLSPlan(asset: asset, options: options)
    let encodes = plan.sources.contains { !$0.copies && $0.track.mediaType == .video }
    let permits = encodes ? try await WorkPermits.encoding.acquire(upTo: 1) : 0
    defer { WorkPermits.encoding.release(permits) }
    let files = try await WorkerPool.writing.run { try HLSFolder(path: place, overwrites: overwrites) }
    do {
      let (results, renditions) = try await run(plan, files, progress)
      var package = try summarize(plan, renditions, results)
      if let cuts = results.first?.playlist.segments.map(\.duration) {
        for subtitles in plan.subtitles {
          package.add(subtitles, try await subtitles.write(along: cuts, to: files))
        }
      }
      let playlist = package.masterPlaylist
      try await WorkerPool.writing.run {
        try files.write(Array(playlist.text.utf8), as: HLSFolder.masterName)
      }
      try Task.checkCancellation()
      try await WorkerPool.writing.run { try files.publish() }
      return package
    } catch {
      try? await WorkerPool.writing.run { files.discard() }
      throw error
    }
  }

  private func refuse(_ reason: String, subject: String) -> MediaError {
    MediaError(.invalidArgument, operation: "package", subject: subject, reason: reason)
  }

  // MARK: Writing

  private func run(
    _ plan: HLSPlan, _ files: HLSFolder, _ progress: (@Sendable (MediaTime) -> Void)?
  ) async throws -> ([HLSRendition.Result], [HLSRendition]) {
    var renditions: [[HLSRendition]] = []
    for source in plan.sources {
      var made: [HLSRendition] = []
      for (name, input) in try await source.inputs() {
        made.append(
          try HLSRendition(name: name, input: input, interval: options.segmentDuration, folder: files))
      }
      renditions.append(made)
    }
    let all = renditions.flatMap(\.self)
    do {
      for rendition in all {
        try await rendition.writer.start()
        try rendition.writer.startSession(at: plan.start)
        if let end = plan.end { try rendition.writer.endSession(at: end) }
      }
      let results = try await withThrowingTaskGroup(of: (Int, HLSRendition.Result)?.self) { group in
        for (index, rendition) in all.enumerated() { group.addTask { (index, try await rendition.collect()) } }
        for (index, (source, targets)) in zip(plan.sources, renditions).enumerated() {
          group.addTask {
            try await source.feed(targets, progress: index == 0 ? progress : nil)
            return nil
          }
        }
        var results: [Int: HLSRendition.Result] = [:]
        for try await case let (index, result)? in group { results[index] = result }
        return all.indices.compactMap { results[$0] }
      }
      return (results, all)
    } catch {
      for rendition in all { await rendition.writer.cancel() }
      throw error
    }
  }

  // MARK: Playlists

  private func summarize(
    _ plan: HLSPlan, _ renditions: [HLSRendition], _ results: [HLSRendition.Result]
  ) throws -> Package {
    var master = HLSMasterPlaylist()
    let made = Array(zip(renditions, results))
    let sounds = made.filter { $0.0.mediaType == .audio }
    let pictures = made.filter { $0.0.mediaType == .video }
    let soundPeak = sounds.map { $0.1.playlist.peakBandwidth }.max() ?? 0
    let soundAverage = sounds.map { $0.1.playlist.averageBandwidth }.max() ?? 0
    var soundCodecs: [String] = []
    for sound in sounds where !soundCodecs.contains(sound.1.description.codec) {
      soundCodecs.append(sound.1.description.codec)
    }
    let hasGroup = !sounds.isEmpty && (!pictures.isEmpty || sounds.count > 1)
    if hasGroup {
      let tracks = plan.sources.filter { $0.track.mediaType == .audio }
      for (index, (source, sound)) in zip(tracks, sounds).enumerated() {
        var rendition = HLSMasterPlaylist.AudioRendition(
          group: "audio", name: source.title, isDefault: index == 0, uri: sound.0.name + ".m3u8")
        rendition.language = source.language
        rendition.channels = sound.1.description.channels
        master.audio.append(rendition)
      }
    }
    for (rendition, result) in pictures.isEmpty ? Array(sounds.prefix(1)) : pictures {
      let isPicture = rendition.mediaType == .video
      var variant = HLSMasterPlaylist.Variant(
        uri: rendition.name + ".m3u8",
        peakBandwidth: isPicture ? result.playlist.peakBandwidth + soundPeak : soundPeak,
        averageBandwidth: isPicture ? result.playlist.averageBandwidth + soundAverage : soundAverage,
        codecs: ((isPicture ? [result.description.codec] : []) + soundCodecs).filter { !$0.isEmpty })
      variant.resolution = result.description.size
      variant.frameDuration = isPicture ? plan.frameDuration : nil
      variant.videoRange = result.description.videoRange
      variant.audioGroup = hasGroup ? "audio" : nil
      master.variants.append(variant)
      if let iFrames = result.iFrames {
        master.iFrames.append(
          .init(
            uri: rendition.name + "-iframes.m3u8", peakBandwidth: iFrames.peakBandwidth,
            averageBandwidth: iFrames.averageBandwidth, codecs: [result.description.codec].filter { !$0.isEmpty },
            resolution: result.description.size))
      }
    }
    return Package(
      masterPlaylist: master, mediaPlaylists: made.map { ($0.0.name, $0.1.playlist) }, droppedTracks: plan.dropped)
  }
}
