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
  var interrupt: Interrupt

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
    let movie = layout.movie.flatMap { try? MovieHeader.parse($0.bytes) }
    var options = Demuxer.Options(
      formatName: formatName, nameExtension: nameExtension, probeSize: policy.maximumProbeBytes,
      maximumStreams: policy.maximumStreams)
    // libav rounds edit lists to ticks and hides what they cut; they are applied here, exactly.
    if movie != nil { options.formatOptions["ignore_editlist"] = "1" }
    if policy.references == .forbidAll { options.formatOptions["enable_drefs"] = "0" }
    let source: any RandomAccessReader =
      layout.movie.map { PinnedReader(reader, pinned: $0.bytes, at: $0.offset) } ?? reader
    var demuxer: Demuxer
    do {
      demuxer = try Demuxer.open(
        source, options: options, interrupt: interrupt, openReference: openReference)
    } catch {
      throw translate(error)
    }
    return try describe(&demuxer, layout: layout, movie: movie, options: options)
  }

  private func scanBoxes() throws -> FileLayout {
    // One small read tells most other formats apart.
    let head = try bytes(at: 0, count: 12)
    guard reader.isSeekable, BoxSignature.isLikely(head) else { return FileLayout() }
    var limits = FileLayout.Limits()
    limits.movieBytes = policy.maximumHeaderBytes
    return try FileLayout.scan(size: reader.length, limits: limits) { offset, count in
      try bytes(at: offset, count: count)
    }
  }

  private func bytes(at offset: Int64, count: Int) throws -> [UInt8] {
    let wanted = reader.length.map { Int(min(Int64(count), max(0, $0 - offset))) } ?? count
    var failure: (any Error)?
    let bytes = [UInt8](unsafeUninitializedCapacity: wanted) { buffer, filled in
      do {
        while filled < wanted {
          let rest = UnsafeMutableRawBufferPointer(
            rebasing: UnsafeMutableRawBufferPointer(buffer)[filled...])
          let interrupt = interrupt
          let got = try reader.read(at: offset + Int64(filled), into: rest) { interrupt.isRaised }
          if got == 0 { break }
          filled += got
        }
      } catch { failure = error }
    }
    if let failure { throw failure }
    return bytes
  }

  private func translate(_ error: AVError) -> any Error {
    MediaError.libav(error, operation: "open", subject: subject)
  }

  private func describe(
    _ demuxer: inout Demuxer, layout: FileLayout, movie: MovieHeader?, options: Demuxer.Options
  ) throws -> ContainerHeader {
    var streams = demuxer.streams()
    let needsStreamInfo = streams.isEmpty || streams.contains(where: \.isIncomplete) && movie == nil
    if needsStreamInfo {
      do {
        try demuxer.findStreamInfo(
          probeSize: policy.maximumProbeBytes, analyzeMicroseconds: 5_000_000)
      } catch {
        throw MediaError.libav(
          error, operation: "probe", subject: subject, underlying: demuxer.takeReaderFailure())
      }
      streams = demuxer.streams()
    }
    let container = ContainerNames.container(
      demuxer: demuxer.formatName, brands: layout.brands,
      isWebM: try demuxer.formatName.hasPrefix("matroska") && isWebM())
    let builder = ContainerTrackBuilder(
      container: container, streams: streams, movie: movie, programs: demuxer.programs(),
      isFragmented: layout.firstFragment != nil)
    let origin = builder.origin
    var tracks = builder.tracks(origin: origin)
    let pictures = streams.filter { $0.disposition.contains(.attachedPicture) }.compactMap {
      stream in
      stream.codecName.map {
        AttachedPicture(codec: $0, bytes: demuxer.attachedPicture(stream.index))
      }
    }
    let (duration, quality) = builder.duration(
      &tracks, origin: origin, microseconds: demuxer.duration,
      isEstimated: demuxer.isDurationEstimated)
    return ContainerHeader(
      container: container,
      fileType: ContainerNames.fileType(container: container, brands: layout.brands),
      size: reader.length, tracks: tracks, pictures: pictures, origin: origin, duration: duration,
      durationQuality: quality, movie: movie, containsFragments: layout.firstFragment != nil,
      needsStreamInfo: needsStreamInfo, demuxerOptions: options, metadata: demuxer.metadata)
  }

  /// The EBML header's DocType lies within its first bytes (RFC 8794, 11.2.4).
  private func isWebM() throws -> Bool {
    let head = try bytes(at: 0, count: 64)
    let name: [UInt8] = [0x42, 0x82, 0x84, 0x77, 0x65, 0x62, 0x6D]  // DocType, length 4, "webm"
    return head.indices.contains { head[$0...].starts(with: name) }
  }
}

extension StreamInfo {
  /// Whether the header leaves out what every description needs.
  var isIncomplete: Bool {
    switch kind {
    case .video: codecName == nil || width == 0 || height == 0
    case .audio: codecName == nil || sampleRate == 0 || channels == 0
    default: false
    }
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

/// A reader with one range held in memory: `moov`, which was read already.
final class PinnedReader: RandomAccessReader {
  private let base: any RandomAccessReader
  private let pinned: [UInt8]
  private let offset: Int64

  init(_ base: any RandomAccessReader, pinned: [UInt8], at offset: Int64) {
    self.base = base
    self.pinned = pinned
    self.offset = offset
  }

  var length: Int64? { base.length }
  var isSeekable: Bool { base.isSeekable }

  func read(at position: Int64, into buffer: UnsafeMutableRawBufferPointer, interrupted: () -> Bool)
    throws -> Int
  {
    if position >= offset, position < offset + Int64(pinned.count) {
      let start = Int(position - offset)
      let count = min(buffer.count, pinned.count - start)
      pinned.withUnsafeBytes {
        buffer.copyMemory(from: UnsafeRawBufferPointer(rebasing: $0[start..<start + count]))
      }
      return count
    }
    // Stop at the pinned range, so that none of it is read twice.
    let room = position < offset ? min(Int64(buffer.count), offset - position) : Int64(buffer.count)
    let part = UnsafeMutableRawBufferPointer(rebasing: buffer[..<Int(room)])
    return try base.read(at: position, into: part, interrupted: interrupted)
  }
}
