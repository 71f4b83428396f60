import LibAV

/// What reading packets of a source tells: where each stream really begins and ends.
struct PacketScan: Sendable {
  struct Stream: Sendable {
    var packets = 0
    var syncPackets = 0
    var bytes: Int64 = 0
    /// First and last presented moment in stored seconds, priming and padding left out.
    var start: Rational?
    var end: Rational?
    /// The shortest time between two neighbours in presentation order; nil for fewer than two.
    var shortestDuration: Rational?
  }

  var streams: [Int: Stream] = [:]
  /// Whether every packet was read.
  var isComplete = false

  /// How much is read.
  enum Extent: Sendable {
    case everything
    /// Until the first presented sample of every picture and sound stream is known, within bounds.
    case beginnings
  }

  /// Reads packets; memory stays flat.
  static func run(
    _ reader: any RandomAccessReader, extent: Extent, options: Demuxer.Options,
    needsStreamInfo: Bool, subject: String, interrupt: Interrupt
  ) throws -> PacketScan {
    var demuxer = try open(
      reader, options: options, needsStreamInfo: needsStreamInfo, subject: subject,
      interrupt: interrupt)
    return try scan(&demuxer, extent, subject: subject, interrupt: interrupt)
  }

  private static func open(
    _ reader: any RandomAccessReader, options: Demuxer.Options, needsStreamInfo: Bool,
    subject: String, interrupt: Interrupt
  ) throws -> Demuxer {
    var failure: (any Error)?
    do {
      var demuxer = try Demuxer.open(
        reader, options: options, interrupt: interrupt, readerFailure: &failure)
      guard needsStreamInfo else { return demuxer }
      try demuxer.findStreamInfo(
        probeSize: options.probeSize,
        analyzeMicroseconds: ContainerHeaderReader.analyzedMicroseconds)
      return demuxer
    } catch {
      throw MediaError.libav(error, operation: "read", subject: subject, underlying: failure)
    }
  }

  /// Packets and bytes after which a stream that has not begun is given up.
  private static let beginningPackets = 1000
  private static let beginningBytes: Int64 = 16 << 20
  /// Pictures after which none can be presented earlier: codecs reorder by at most 16 (H.264 A.3.1, HEVC A.4.2).
  private static let reorderDepth = 17

  private static func scan(
    _ demuxer: inout Demuxer, _ extent: Extent, subject: String, interrupt: Interrupt
  ) throws -> PacketScan {
    var sums: [Int: PacketSum] = [:]
    var (packets, bytes) = (0, Int64(0))
    var scan = PacketScan()
    var waiting: [Int: Int] = [:]
    if extent == .beginnings {
      for stream in demuxer.streams() where !stream.disposition.contains(.attachedPicture) {
        if stream.kind == .video { waiting[stream.index] = reorderDepth }
        if stream.kind == .audio { waiting[stream.index] = 1 }
      }
    }
    while true {
      guard let packet = try demuxer.readUntilDamage(subject: subject) else {
        scan.isComplete = true
        break
      }
      if interrupt.isRaised { throw CancellationError() }
      let index = packet.streamIndex
      if sums[index] == nil {
        sums[index] = PacketSum(demuxer.stream(index), isMovie: demuxer.formatName.hasPrefix("mov"))
      }
      sums[index]?.add(packet)
      guard extent == .beginnings else { continue }
      packets += 1
      bytes += Int64(packet.size)
      if let left = waiting[index] { waiting[index] = left > 1 ? left - 1 : nil }
      if waiting.isEmpty || packets >= beginningPackets || bytes >= beginningBytes { break }
    }
    for (index, sum) in sums { scan.streams[index] = sum.result() }
    return scan
  }

  /// Whether a packet is no sample: bytes behind the last frame of an MPEG audio file (tags, line ends) come as one.
  static func isJunk(_ packet: Packet, codec: String?) -> Bool {
    guard codec == "mp3" || codec == "mp2" else { return false }
    return packet.size < 4
      || packet.withBytes { span in
        MPEGAudioHeader.Frame([span[0], span[1], span[2], span[3]][...]) == nil
      }
  }
}

extension Demuxer {
  /// The next packet; nil at the end, and where a file breaks off in the middle. A source that fails is an error.
  mutating func readUntilDamage(subject: String) throws -> Packet? {
    do { return try read() } catch {
      let underlying = takeReaderFailure()
      if underlying == nil, error.isInvalidData { return nil }
      throw MediaError.libav(error, operation: "read", subject: subject, underlying: underlying)
    }
  }
}

/// Sums up one stream.
private struct PacketSum {
  private let stream: StreamInfo
  private let tick: Rational
  /// Whether packets last only as long as they are presented; FFmpeg 9 also states the rest of their last one.
  private let isMovie: Bool
  private var packets = 0
  private var syncPackets = 0
  private var bytes: Int64 = 0
  /// First presented moment, the samples that the packet says to skip left out.
  private var start: Rational?
  /// The end of the packet that is presented last.
  private var end: Int64?
  private var paddingAtEnd = 0
  private var lastDuration: Int64 = 0
  private var times: [Int64] = []
  private var shortest: Int64?

  init(_ stream: StreamInfo, isMovie: Bool) {
    self.stream = stream
    self.isMovie = isMovie
    tick = stream.tick
  }

  mutating func add(_ packet: Packet) {
    guard !PacketScan.isJunk(packet, codec: stream.codecName) else { return }
    // Elementary streams have no times: one packet follows the other.
    let time = packet.pts ?? packet.dts ?? end ?? 0
    packets += 1
    if packet.isKey { syncPackets += 1 }
    bytes += Int64(packet.size)
    if packet.duration > 0 { lastDuration = packet.duration }
    let skipped = packet.skippedSamples
    note(start: time, skipping: skipped?.start ?? 0)
    let packetEnd = time.addingReportingOverflow(
      packet.duration > 0 ? packet.duration : lastDuration
    ).partialValue
    if packetEnd >= end ?? .min {
      end = packetEnd
      paddingAtEnd = isMovie ? 0 : skipped?.end ?? 0
    }
    note(time)
  }

  private mutating func note(start time: Int64, skipping samples: Int) {
    var moment = tick * Rational(time)
    if samples > 0, stream.sampleRate > 0 {
      moment = moment + (Rational(Int64(samples), Int64(stream.sampleRate)) ?? .zero)
    }
    if let start, start <= moment { return }
    // Packets whose every sample is skipped present nothing, but the next one then does.
    start = moment
  }

  /// Distances between neighbours, from a window that holds every reordering.
  private mutating func note(_ time: Int64) {
    let index = times.lastIndex { $0 <= time }.map { $0 + 1 } ?? 0
    times.insert(time, at: index)
    if times.count > 33 { settle() }
  }

  private mutating func settle() {
    let distance = times[1].subtractingReportingOverflow(times[0])
    if !distance.overflow, distance.partialValue > 0 {
      shortest = Swift.min(shortest ?? .max, distance.partialValue)
    }
    times.removeFirst()
  }

  func result() -> PacketScan.Stream {
    var copy = self
    while copy.times.count > 1 { copy.settle() }
    var result = PacketScan.Stream(packets: packets, syncPackets: syncPackets, bytes: bytes)
    result.start = start
    result.end = end.map { tick * Rational($0) }
    if paddingAtEnd > 0, stream.sampleRate > 0, let end = result.end {
      result.end = end - (Rational(Int64(paddingAtEnd), Int64(stream.sampleRate)) ?? .zero)
    }
    result.shortestDuration = copy.shortest.map { tick * Rational($0) }
    return result
  }
}
