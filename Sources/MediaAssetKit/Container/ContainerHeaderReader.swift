import ISOMedia
import LibAV

/// Reads a container's header: one read of `moov` serves this library and libav, nothing is decoded.
struct ContainerHeaderReader {
  var reader: any RandomAccessReader
  var subject: String
  var formatName: String?
  var nameExtension: String?
  var policy: ResourcePolicy
  var openReference: (@Sendable (String) -> (any RandomAccessReader)?)?
  /// Whether the policy lets the source refer to a place; nil where it may refer to nothing.
  var mayRefer: (@Sendable (String) -> Bool)?
  /// Opens what a URL leads to from the source; nil where it may refer to nothing.
  var openURL: (@Sendable (String) -> (any RandomAccessReader)?)?
  var interrupt: Interrupt

  /// Microseconds of media that libav may look at where a container does not describe its streams.
  static let analyzedMicroseconds: Int64 = 5_000_000

  func read() throws -> ContainerHeader {
    let layout = try scanBoxes()
    if layout.isRecognized, layout.movie == nil, layout.firstFragment == nil, !layout.isImage,
      formatName == nil
    {
      throw MediaError(
        .fileFailedToParse, operation: "open", subject: subject,
        reason: "the file is incomplete: its index (moov) is missing",
        remedy: "Fetch the file again; a recording that was cut off needs repair")
    }
    if let movie = layout.movie, movie.bytes.isEmpty {
      throw MediaError(
        .limitExceeded, operation: "open", subject: subject,
        reason:
          "its header (moov) has \(movie.size) bytes, more than the limit of \(policy.maximumHeaderBytes)",
        remedy: "Raise maximumHeaderBytes in the resource policy if the source is trusted")
    }
    if let box = layout.movie, let movie = try? MovieHeader.parse(box.bytes) {
      guard
        box.size <= box.bytes.count
          || movie.tracks.contains(where: { !$0.sampleDescriptions.isEmpty })
      else {
        throw MediaError(
          .fileFailedToParse, operation: "open", subject: subject,
          reason: "the file is incomplete: its index (moov) is cut off",
          remedy: "Fetch the file again; a recording that was cut off needs repair")
      }
      return try readMovie(movie, at: box.offset, layout: layout)
    }
    var options = options
    // Later FFmpegs take a playlist under another name for nothing, or for what the name says.
    if try isPlaylist() { options.nameExtension = "m3u8" }
    var demuxer = try open(reader, options, layout)
    return try describeStreams(&demuxer, options: options, layout: layout)
  }

  private var options: Demuxer.Options {
    var options = Demuxer.Options(
      formatName: formatName, nameExtension: nameExtension, probeSize: policy.maximumProbeBytes,
      maximumStreams: policy.maximumStreams)
    guard openReference != nil else {
      options.formatOptions["enable_drefs"] = "0"
      return options
    }
    options.openReference = openReference
    options.allowedFormats += "," + ReferenceOpener.referringFormats
    options.formatOptions.merge(ReferenceOpener.formatOptions) { _, own in own }
    return options
  }

  private func open(
    _ reader: any RandomAccessReader, _ options: Demuxer.Options, _ layout: FileLayout
  ) throws -> Demuxer {
    var failure: (any Error)?
    do {
      return try Demuxer.open(
        reader, options: options, interrupt: interrupt, readerFailure: &failure)
    } catch {
      if failure == nil, layout.isImage, error.isInvalidData {
        throw MediaError(
          .decoderNotFound, operation: "open", subject: subject,
          reason: "it is a still image (HEIF or AVIF), which this FFmpeg does not read",
          remedy: "Install a later FFmpeg", ffmpegCode: error.code, ffmpegLog: error.log)
      }
      if failure == nil, try isNoMedia(error, layout) {
        throw MediaError(
          .fileFormatNotRecognized, operation: "open", subject: subject,
          reason: "no container format recognises the bytes",
          remedy: "Check that the file is media and complete", ffmpegCode: error.code)
      }
      throw MediaError.libav(error, operation: "open", subject: subject, underlying: failure)
    }
  }

  /// Whether libav went by the name of something that is no media: a text, or a web page named `.mp4`.
  private func isNoMedia(_ error: AVError, _ layout: FileLayout) throws -> Bool {
    guard let log = error.log else { return false }
    if log.contains("moov atom not found") { return !layout.isRecognized && !layout.isImage }
    guard log.contains("not on whitelist"), formatName == nil, try !isPlaylist() else { return false }
    let head = try bytes(at: 0, count: 4096)
    return Formats.probe(head, nameExtension: nameExtension).map { !Formats.refersElsewhere($0) }
      ?? false
  }

  /// Refuses what would make libav take memory without bytes that justify it.
  private func checkLimits(of movie: MovieHeader) throws {
    guard movie.tracks.count <= policy.maximumStreams else {
      throw MediaError(
        .limitExceeded, operation: "open", subject: subject,
        reason: "it has \(movie.tracks.count) tracks, more than the limit of \(policy.maximumStreams)",
        remedy: "Raise maximumStreams in the resource policy if the source is trusted")
    }
    // Samples of one size need no bytes in the header: a count costs nothing, libav's index of them much. PCM, whose
    // samples last one tick, is listed by chunks.
    let most = min(1 << 24, max(1 << 20, reader.length ?? .max))
    for track in movie.tracks where track.samples.fixedSize != nil {
      let count = Int64(track.samples.sampleCount)
      guard count > most else { continue }
      let timing = movie.timing(of: track)
      if track.handler == "soun", timing.entryCount == 1, timing.minimumDelta == 1 { continue }
      throw MediaError(
        .limitExceeded, operation: "open", subject: subject,
        reason: "track \(track.trackID) claims \(count) samples, more than the file can hold",
        remedy: "Fetch the file again if it was cut off")
    }
  }

  /// Refuses movies whose media lies in other files, where it may not be looked for there.
  private func checkReferences(of movie: MovieHeader) throws {
    for track in movie.tracks {
      guard let place = track.foreignReference else { continue }
      guard mayRefer?(place) == true else {
        throw MediaError(
          .referenceForbidden, operation: "open", subject: subject,
          reason: "the media of track \(track.trackID) lies in another file, \(place)",
          remedy: "Allow references in the resource policy if the source is trusted")
      }
    }
  }

  // MARK: - ISO media

  private func readMovie(_ movie: MovieHeader, at offset: Int64, layout: FileLayout) throws
    -> ContainerHeader
  {
    try checkReferences(of: movie)
    let referenced = try ReferencedMedia(movie, in: reader, subject: subject, open: openURL)
    let movie = referenced?.movie ?? movie
    var whole = self
    if let referenced { whole.reader = referenced.reader }
    try whole.checkLimits(of: movie)
    let reader = whole.reader
    var options = options
    // No need to try every demuxer on what has a movie header.
    if options.formatName == nil { options.formatName = "mov" }
    // libav rounds edit lists to ticks and hides what they cut; they are applied here, exactly.
    options.formatOptions["ignore_editlist"] = "1"
    var pinned = MovieMask.renamingPCM(movie) ?? movie.bytes
    var hidden: Set<UInt32> = []
    let demuxer: Demuxer
    do {
      demuxer = try open(PinnedReader(reader, pinned: pinned, at: offset), options, layout)
    } catch let error as MediaError {
      guard error.ffmpegCode != nil, let masked = MovieMask.hidingRefused(movie, in: pinned) else {
        throw error
      }
      (pinned, hidden) = (masked.bytes, masked.tracks)
      demuxer = try open(PinnedReader(reader, pinned: pinned, at: offset), options, layout)
    }
    let metadata = demuxer.metadata
    let builder = ISOTrackBuilder(
      movie: movie, streams: try whole.named(demuxer.streams(), in: movie),
      isFragmented: layout.firstFragment != nil,
      metadata: metadata, origin: try origin(of: movie, layout: layout), hidden: hidden)
    let tracks = builder.tracks()
    // libav takes the first picture of chapters for cover art.
    let chapterIDs = Set(builder.chapterTracks().map { Int($0.id) })
    let (duration, quality) = builder.duration(of: tracks, index: try wholeIndex(layout))
    let container = ContainerNames.container(
      demuxer: demuxer.formatName, brands: layout.brands, isWebM: false)
    return ContainerHeader(
      container: container,
      fileType: ContainerNames.fileType(container: container, brands: layout.brands),
      size: self.reader.length, tracks: tracks, chapterTracks: builder.chapterTracks(),
      pictures: Self.pictures(demuxer, builder.streams.filter { !chapterIDs.contains($0.id) }),
      origin: builder.origin, duration: duration, durationQuality: quality, movie: movie,
      firstFragment: layout.firstFragment?.offset, needsStreamInfo: false,
      demuxerOptions: options, pinnedMovie: (pinned, offset), joined: referenced?.reader, metadata: metadata)
  }

  /// The streams with the layer of MPEG audio, which the sample description leaves open: the first frame tells.
  private func named(_ streams: [StreamInfo], in movie: MovieHeader) throws -> [StreamInfo] {
    var streams = streams
    for index in streams.indices where streams[index].codecName == "mp3" {
      guard let track = movie.tracks.first(where: { Int($0.trackID) == streams[index].id }),
        let table = try? movie.sampleTable(of: track, maximumSamples: .max),
        let sample = table.first(where: { _ in true }), sample.size >= 4,
        let frame = MPEGAudioHeader.Frame(try bytes(at: sample.offset, count: 4)[...])
      else { continue }
      streams[index].codecName = frame.codecName
    }
    return streams
  }

  private func scanBoxes() throws -> FileLayout {
    // One small read tells most other formats apart.
    let head = try bytes(at: 0, count: 12)
    guard !head.isEmpty else {
      throw MediaError(
        .fileFormatNotRecognized, operation: "open", subject: subject,
        reason: "there is not a byte in it",
        remedy: "Check that the file was written or fetched to its end")
    }
    guard reader.isSeekable, BoxSignature.isLikely(head) else { return FileLayout() }
    var limits = FileLayout.Limits()
    limits.movieBytes = policy.maximumHeaderBytes
    return try FileLayout.scan(size: reader.length, limits: limits) { offset, count in
      try bytes(at: offset, count: count)
    }
  }

  /// Where the clock of fragments without edit lists starts, when that is later than ten seconds: pieces of a live
  /// stream carry its clock.
  private func origin(of movie: MovieHeader, layout: FileLayout) throws -> Rational {
    guard let fragment = layout.firstFragment,
      movie.tracks.allSatisfy({ $0.edits?.isEmpty ?? true && $0.samples.sampleCount == 0 })
    else { return .zero }
    var limits = FragmentSurvey.Limits()
    // A fragment for each track, each with its data and an index before it.
    limits.boxes = 4 * max(1, min(movie.tracks.count, 64))
    let survey = try FragmentSurvey.survey(
      from: fragment.offset, size: reader.length, defaults: movie.movieExtends?.tracks ?? [],
      limits: limits
    ) { offset, count in try bytes(at: offset, count: count) }
    let starts = movie.tracks.compactMap { track in
      survey.spans[track.trackID].flatMap {
        Rational($0.presentationStart, Int64(max(1, track.mediaTimescale)))
      }
    }
    guard let first = starts.min(), first > Rational(10) else { return .zero }
    return first
  }

  /// The index before the fragments, when it covers all of them.
  private func wholeIndex(_ layout: FileLayout) throws -> SegmentIndex? {
    guard let box = layout.segmentIndex, let end = box.end, end - box.offset <= 16 << 20,
      let index = try? SegmentIndex.parse(
        try bytes(at: box.offset, count: Int(end - box.offset)))
    else { return nil }
    let media = index.references.reduce(UInt64(0)) { $0 + UInt64($1.size) }
    let covered = Int64(
      clamping: UInt64(end).addingReportingOverflow(index.firstOffset).partialValue
    )
    .addingReportingOverflow(Int64(clamping: media))
    guard !covered.overflow, let size = reader.length else { return nil }
    guard covered.partialValue < size else { return index }
    // What follows may be an appendix, but no further media.
    let next = try bytes(at: covered.partialValue, count: 8)
    let type = String(decoding: next.suffix(4), as: UTF8.self)
    return ["mfra", "free", "skip", "uuid", "udta", "meta"].contains(type) ? index : nil
  }

  // MARK: - Other containers

  private func describeStreams(
    _ demuxer: inout Demuxer, options: Demuxer.Options, layout: FileLayout
  ) throws -> ContainerHeader {
    var streams = demuxer.streams()
    for index in streams.indices { streams[index].complete() }
    let formatName = demuxer.formatName
    let audioHeader =
      formatName == "mp3"
      ? try MPEGAudioHeader { offset, count in try bytes(at: offset, count: count) } : nil
    if let audioHeader {
      for index in streams.indices where streams[index].kind == .audio {
        streams[index].complete(audioHeader)
      }
    }
    let needsStreamInfo = streams.isEmpty || streams.contains(where: \.isIncomplete)
    if needsStreamInfo { streams = try probe(&demuxer) }
    let isMatroska = formatName.hasPrefix("matroska")
    let container = ContainerNames.container(
      demuxer: formatName, brands: layout.brands, isWebM: try isMatroska && isWebM())
    let matroska =
      isMatroska ? try MatroskaTracks { offset, count in try bytes(at: offset, count: count) } : nil
    let listed = streams.filter { container == "avi" || $0.frameCount > 0 && container == "gif" }
      .map {
        (
          $0.index,
          max(
            demuxer.indexEntryCount(stream: $0.index), container == "gif" ? Int($0.frameCount) : 0)
        )
      }
    let builder = StreamTrackBuilder(
      container: container, streams: streams, programs: demuxer.programs(),
      audioHeader: audioHeader, matroska: matroska,
      listedSamples: Dictionary(listed.filter { $0.1 > 0 }) { first, _ in first })
    let origin = builder.origin
    let tracks = builder.tracks(origin: origin)
    let (duration, quality) = builder.duration(
      of: tracks, microseconds: demuxer.duration, isEstimated: demuxer.isDurationEstimated)
    return ContainerHeader(
      container: container,
      fileType: ContainerNames.fileType(container: container, brands: layout.brands),
      size: reader.length, tracks: tracks, pictures: Self.pictures(demuxer, streams),
      origin: origin, duration: duration, durationQuality: quality, movie: nil,
      firstFragment: nil, needsStreamInfo: needsStreamInfo, demuxerOptions: options,
      pinnedMovie: nil, metadata: demuxer.metadata)
  }

  /// Lets libav read packets where the header does not describe the streams. What stays unknown is listed all the same.
  private func probe(_ demuxer: inout Demuxer) throws -> [StreamInfo] {
    do {
      try demuxer.findStreamInfo(
        probeSize: policy.maximumProbeBytes, analyzeMicroseconds: Self.analyzedMicroseconds)
    } catch {
      let underlying = demuxer.takeReaderFailure()
      // What libav can't make out of the packets does not hide what the header says.
      guard underlying == nil, !error.isInterruption, !error.isOutOfMemory, demuxer.streamCount > 0
      else {
        throw MediaError.libav(
          error, operation: "probe", subject: subject, underlying: underlying)
      }
    }
    var streams = demuxer.streams()
    guard streams.contains(where: { $0.kind == .audio && $0.sampleRate == 0 }) else {
      return streams
    }
    // A frame that is cut off tells libav nothing, but its first bytes do.
    for _ in 0..<256 {
      guard let packet = try? demuxer.read() else { break }
      let index = packet.streamIndex
      guard streams.indices.contains(index), streams[index].sampleRate == 0 else { continue }
      streams[index].complete(
        fromPacket: packet.withBytes { span in (0..<min(16, span.count)).map { span[$0] } })
    }
    return streams
  }

  private static func pictures(_ demuxer: borrowing Demuxer, _ streams: [StreamInfo])
    -> [AttachedPicture]
  {
    var pictures: [AttachedPicture] = []
    for stream in streams where stream.disposition.contains(.attachedPicture) {
      guard let codec = stream.codecName else { continue }
      pictures.append(AttachedPicture(codec: codec, bytes: demuxer.attachedPicture(stream.index)))
    }
    return pictures
  }

  /// The EBML header's DocType lies within its first bytes (RFC 8794, 11.2.4).
  private func isWebM() throws -> Bool {
    let head = try bytes(at: 0, count: 64)
    let name: [UInt8] = [0x42, 0x82, 0x84, 0x77, 0x65, 0x62, 0x6D]  // DocType, length 4, "webm"
    return head.indices.contains { head[$0...].starts(with: name) }
  }

  /// The first line of a playlist of HTTP Live Streaming (RFC 8216, 4.3.1.1).
  private func isPlaylist() throws -> Bool {
    try bytes(at: 0, count: 12).starts(with: "#EXTM3U".utf8)
  }

  private func bytes(at offset: Int64, count: Int) throws -> [UInt8] {
    try reader.bytes(at: offset, count: count, interrupt: interrupt)
  }
}

extension RandomAccessReader {
  /// Bytes at an offset, fewer only where the source ends.
  func bytes(at offset: Int64, count: Int, interrupt: Interrupt) throws -> [UInt8] {
    guard offset >= 0, count > 0 else { return [] }
    let wanted = length.map { Int(min(Int64(count), max(0, $0 - offset))) } ?? count
    var failure: (any Error)?
    let bytes = [UInt8](unsafeUninitializedCapacity: wanted) { buffer, filled in
      do {
        while filled < wanted {
          let rest = UnsafeMutableRawBufferPointer(
            rebasing: UnsafeMutableRawBufferPointer(buffer)[filled...])
          let got = try read(at: offset + Int64(filled), into: rest) { interrupt.isRaised }
          if got == 0 { break }
          filled += got
        }
      } catch { failure = error }
    }
    if let failure { throw failure }
    return bytes
  }
}

/// The first box of an ISO or QuickTime file has one of these types.
enum BoxSignature {
  private static let types: Set<String> = [
    "ftyp", "styp", "moov", "mdat", "free", "skip", "wide", "pnot", "moof", "sidx", "uuid", "emsg",
    "prft",
  ]

  static func isLikely(_ head: [UInt8]) -> Bool {
    guard head.count >= 8 else { return false }
    return types.contains(String(decoding: head[4..<8], as: UTF8.self))
  }
}
