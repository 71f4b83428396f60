import LibAV

/// What reading every packet of a source tells: where each stream really begins and ends.
struct PacketScan: Sendable {
  struct Stream: Sendable {
    var packets = 0
    var bytes: Int64 = 0
    /// First and last presented moment in stored seconds, priming and padding left out.
    var start: Rational?
    var end: Rational?
    /// The shortest time between two neighbours in presentation order; nil for fewer than two.
    var shortestDuration: Rational?
  }

  var streams: [Int: Stream] = [:]

  /// Reads all packets; memory stays flat.
  static func run(
    _ reader: any RandomAccessReader, options: Demuxer.Options, needsStreamInfo: Bool,
    subject: String, interrupt: Interrupt
  ) throws -> PacketScan {
    do {
      var demuxer = try Demuxer.open(reader, options: options, interrupt: interrupt)
      if needsStreamInfo {
        try demuxer.findStreamInfo(probeSize: options.probeSize, analyzeMicroseconds: 5_000_000)
      }
      return try scan(&demuxer, subject: subject, interrupt: interrupt)
    } catch let error as AVError {
      throw MediaError.libav(error, operation: "read", subject: subject)
    }
  }

  private static func scan(_ demuxer: inout Demuxer, subject: String, interrupt: Interrupt) throws
    -> PacketScan
  {
    var accumulators: [Int: Accumulator] = [:]
    while let packet = try demuxer.readUntilDamage(subject: subject) {
      if interrupt.isRaised { throw CancellationError() }
      let index = packet.streamIndex
      if accumulators[index] == nil { accumulators[index] = Accumulator(demuxer.stream(index)) }
      accumulators[index]?.add(packet)
    }
    var scan = PacketScan()
    for (index, accumulator) in accumulators { scan.streams[index] = accumulator.result() }
    return scan
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
private struct Accumulator {
  private let stream: StreamInfo
  private let tick: Rational
  private var packets = 0
  private var bytes: Int64 = 0
  private var first: Int64?
  private var last: Int64?
  /// The end of the packet that is presented last.
  private var end: Int64?
  private var skippedAtStart = 0
  private var skippedAtEnd = 0
  private var lastDuration: Int64 = 0
  private var times: [Int64] = []
  private var shortest: Int64?

  init(_ stream: StreamInfo) {
    self.stream = stream
    tick = stream.tick
  }

  mutating func add(_ packet: Packet) {
    guard let time = packet.pts ?? packet.dts ?? end else { return }
    packets += 1
    bytes += Int64(packet.size)
    first = Swift.min(first ?? time, time)
    last = Swift.max(last ?? time, time)
    if packet.duration > 0 { lastDuration = packet.duration }
    let packetEnd = time.addingReportingOverflow(
      packet.duration > 0 ? packet.duration : lastDuration
    ).partialValue
    end = Swift.max(end ?? packetEnd, packetEnd)
    if let skipped = packet.skippedSamples {
      skippedAtStart += skipped.start
      skippedAtEnd += skipped.end
    }
    note(time)
  }

  /// Distances between neighbours, from a window that holds every reordering.
  private mutating func note(_ time: Int64) {
    let index = times.firstIndex { $0 > time } ?? times.count
    times.insert(time, at: index)
    if times.count > 33 { settle() }
  }

  private mutating func settle() {
    let distance = times[1] - times[0]
    if distance > 0 { shortest = Swift.min(shortest ?? distance, distance) }
    times.removeFirst()
  }

  func result() -> PacketScan.Stream {
    var copy = self
    while copy.times.count > 1 { copy.settle() }
    var stream = PacketScan.Stream(packets: packets, bytes: bytes)
    let sample = Rational(1, Int64(max(1, self.stream.sampleRate))) ?? .one
    stream.start = first.map { tick * Rational($0) + sample * Rational(Int64(skippedAtStart)) }
    stream.end = end.map { tick * Rational($0) - sample * Rational(Int64(skippedAtEnd)) }
    stream.shortestDuration = copy.shortest.map { tick * Rational($0) }
    return stream
  }
}
