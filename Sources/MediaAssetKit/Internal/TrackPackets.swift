import LibAV

/// One track's packets in decode order, each with its picture's time: a demuxer, and what is learnt on the way.
///
/// Pictures are numbered in decode order: by their place in the track where an index exists, else from wherever
/// reading began, never twice between two starts.
struct TrackPackets: ~Copyable {
  /// A packet and what is known of its picture.
  struct Picture: Sendable {
    var packet: Packet
    var number: Int
    var time: Int64
    /// False for packets that give no picture (hidden reference pictures).
    var isShown = true
  }

  let opener: TrackOpener
  private let interrupt: Interrupt
  private var demuxer: Demuxer
  private var parser: PictureParser?
  private var decodeOrderTimes: DecodeOrderTimes<Packet>?
  private var timesDelay: (delay: Int, offset: Int64)?
  private var elapsedTicks: Int64 = 0
  private var queue: [Picture] = []
  private var queueHead = 0
  private var order: PresentationOrder
  /// Packets that could not be read.
  private(set) var damage = SampleDamage()
  private var nextNumber = 0
  private var isFinished = false
  /// Packets with stored times that must pass before those between can be trusted.
  private var untrusted = 0
  /// Whether packets are still those of the page that a seek led to, and where that lies; see `timesDifferAfterSeek`.
  private var isOnFirstPage = false
  private var firstPage: Int64?
  /// Whether all packets from the beginning of the track on were or will be read.
  private(set) var isFromBeginning = true
  /// Key pictures found by reading from the beginning, for demuxers that can't seek; and up to when.
  var scannedKeys: [PresentationOrder.Entry] = []
  var scannedTime: Int64 = .min
  /// Sync samples that the container lists and that decoding can't begin at.
  var unusableSyncs: Set<Int> = []

  /// How many packets may wait; twice the fields that a codec may reorder.
  static var lookAheadLimit: Int { 64 }

  init(opener: TrackOpener, interrupt: Interrupt) throws {
    self.opener = opener
    self.interrupt = interrupt
    demuxer = try opener.openDemuxer(interrupt: interrupt)
    order = PresentationOrder(
      reorderLimit: opener.reorderLimit, trustsDecodeTimes: opener.trustsDecodeTimes)
    prepareTimes()
  }

  func openDecoder(threads: Int) throws -> Decoder {
    let stream = demuxer.stream(opener.streamIndex)
    try opener.checkSize(width: stream.width, height: stream.height)
    do {
      return try demuxer.openDecoder(
        stream: opener.streamIndex,
        options: Decoder.Options(
          threads: threads, decoderName: opener.decoderName, maximumPixels: opener.maximumPixels,
          minimumReorderDelay: opener.reorderDelay))
    } catch {
      throw MediaError.libav(error, operation: "decode", subject: opener.subject)
    }
  }

  // MARK: - What is known of the pictures

  /// The picture on show at `time` as far as packets were read.
  func picture(onShowAt time: Int64) -> PresentationOrder.Entry? {
    guard let index = opener.index else { return order.picture(onShowAt: time) }
    return index.rank(onShowAt: time).map { rank in
      PresentationOrder.Entry(time: index.time(rank: rank), number: index.position(rank: rank))
    }
  }

  /// Whether no unread packet can change what `picture(onShowAt:)` says.
  func isSettled(_ time: Int64) -> Bool { opener.index != nil || order.isSettled(time) }

  /// The time of the next picture as far as packets were read; the end for the last one where it is known.
  func successor(of time: Int64) -> Int64? {
    guard let index = opener.index else { return order.successor(of: time) }
    return index.successor(of: time) ?? index.end
  }

  func time(of number: Int) -> Int64? {
    guard let index = opener.index else { return order.time(of: number) }
    return index.times.indices.contains(number) ? index.times[number] : nil
  }

  /// The number of the packet that `next` gives next.
  var position: Int { queueHead < queue.count ? queue[queueHead].number : nextNumber }

  /// Whether nothing was read since the beginning.
  var isUntouched: Bool { isFromBeginning && nextNumber == 0 && queue.isEmpty && !isFinished }

  // MARK: - Reading

  /// The next packet; nil at the end.
  mutating func next() throws -> Picture? {
    if queueHead < queue.count {
      let picture = queue[queueHead]
      queueHead += 1
      if queueHead > 64 || queueHead == queue.count {
        queue.removeFirst(queueHead)
        queueHead = 0
      }
      return picture
    }
    return try readPicture()
  }

  /// Reads one packet more than was taken; false at the end, and when enough are waiting.
  mutating func lookAhead() throws -> Bool {
    guard queue.count - queueHead < Self.lookAheadLimit,
      let picture = try readPicture()
    else { return false }
    queue.append(picture)
    return true
  }

  /// The next packet of the track, with its picture's time as soon as that is known.
  private mutating func readPicture() throws -> Picture? {
    while true {
      if let (packet, time) = decodeOrderTimes?.popFirst() { return note(packet, time: time) }
      guard !isFinished else {
        order.finish()
        return nil
      }
      guard let packet = try readPacket() else {
        isFinished = true
        decodeOrderTimes?.finish()
        continue
      }
      if decodeOrderTimes == nil {
        return note(packet, time: packet.pts ?? packet.dts ?? (lastTime &+ opener.pictureTicks))
      }
      let description = parser?.describe(packet)
      let duration = packet.duration > 0 ? packet.duration : opener.pictureTicks
      // Elementary streams have no clock at all.
      let tick = opener.canSeek ? packet.dts ?? packet.pts ?? elapsedTicks : elapsedTicks
      let place = place(packet, description)
      decodeOrderTimes?.append(
        packet, tick: tick, duration: duration,
        time: opener.timing == .partlyStored ? packet.pts : nil, place: place)
      elapsedTicks = tick &+ duration
    }
  }

  private var lastTime: Int64 {
    nextNumber > 0 ? time(of: nextNumber - 1) ?? opener.startTime : opener.startTime
  }

  private mutating func note(_ packet: Packet, time: Int64) -> Picture {
    if let index = opener.index {
      align(packet, index)
      let number = nextNumber
      nextNumber += 1
      return Picture(packet: packet, number: number, time: self.time(of: number) ?? time)
    }
    guard opener.randomAccess.isShown(packet) else {
      return Picture(packet: packet, number: nextNumber - 1, time: time, isShown: false)
    }
    let number = nextNumber
    nextNumber += 1
    order.append(
      time, number: number, decodeTime: packet.dts)
    return Picture(packet: packet, number: number, time: time)
  }

  /// Steps over samples that the demuxer leaves out.
  private mutating func align(_ packet: Packet, _ index: VideoIndex) {
    guard let time = packet.pts, nextNumber < index.count, index.times[nextNumber] != time else {
      return
    }
    let end = min(index.count, nextNumber + 32)
    if let found = index.times[nextNumber..<end].firstIndex(of: time) { nextNumber = found }
  }

  /// The next packet of this track that holds anything.
  private mutating func readPacket() throws -> Packet? {
    while true {
      if interrupt.isRaised { throw CancellationError() }
      guard let packet = try demuxer.readPastDamage(subject: opener.subject, &damage) else { return nil }
      // An empty packet would end the decoder's stream.
      if packet.streamIndex == opener.streamIndex, packet.size > 0, isTrusted(packet) {
        return packet
      }
    }
  }

  /// Whether a packet after a seek has the time that it has in reading on.
  ///
  /// After a seek into a programme stream the demuxer gives the rest of a picture the time of the next one, and counts on
  /// from there; only what begins a packet of the container has a time of its own.
  private mutating func isTrusted(_ packet: Packet) -> Bool {
    if isOnFirstPage {
      if let position = packet.position, firstPage == nil || firstPage == position {
        firstPage = position
        return false
      }
      isOnFirstPage = false
    }
    if untrusted > 0, packet.position != nil, packet.pts != nil { untrusted -= 1 }
    return untrusted == 0
  }

  // MARK: - Moving

  /// Stands at the beginning of the track.
  mutating func restart() throws {
    demuxer = try opener.openDemuxer(interrupt: interrupt)
    forget()
    isFromBeginning = true
    prepareTimes()
  }

  /// Sends the demuxer to `time`: a hint, what comes next must be looked at. False when it failed.
  mutating func seek(to time: Int64) throws -> Bool {
    do { try demuxer.seek(stream: opener.streamIndex, to: time) } catch {
      if error.isInterruption { throw CancellationError() }
      if let failure = demuxer.takeReaderFailure() {
        throw MediaError.libav(
          error, operation: "seek", subject: opener.subject, underlying: failure)
      }
      return false
    }
    forget()
    isFromBeginning = false
    untrusted = opener.timing == .partlyStored ? 2 : 0
    isOnFirstPage = opener.timesDifferAfterSeek
    prepareTimes()
    return true
  }

  /// Says which picture of the index comes next.
  mutating func setPosition(_ position: Int) { nextNumber = position }

  /// Puts pictures back that were read, before anything else is.
  mutating func putBack(_ pictures: [Picture]) {
    queue = pictures + queue[queueHead...]
    queueHead = 0
  }

  private mutating func forget() {
    queue.removeAll()
    queueHead = 0
    order.reset()
    nextNumber = 0
    isFinished = false
    elapsedTicks = 0
    untrusted = 0
    isOnFirstPage = false
    firstPage = nil
  }

  private mutating func prepareTimes() {
    guard opener.timing != .stored else { return }
    // Without a parser pictures are taken as stored in the order they are shown in.
    parser = try? PictureParser.open(demuxer, stream: opener.streamIndex)
    if timesDelay == nil {
      let delay = demuxer.stream(opener.streamIndex).reorderDelay
      // Without a clock the first picture keeps the first packet's time, whatever the delay.
      let ticks = demuxer.indexEntries(stream: opener.streamIndex, keysOnly: false)
        .prefix(delay + 1).map(\.time)
      let isListed = opener.canSeek && ticks.count == delay + 1
      let lag = isListed ? ticks[delay] &- ticks[0] : opener.pictureTicks &* Int64(delay)
      timesDelay = (delay, opener.timing == .decodeOrder ? lag : 0)
    }
    let (delay, offset) = timesDelay ?? (0, 0)
    decodeOrderTimes = DecodeOrderTimes(delay: delay, offset: offset)
  }

  private func place(_ packet: Packet, _ description: PictureParser.Description?)
    -> DecodeOrderTimes<Packet>.Place
  {
    guard let description else { return .anchor }
    guard opener.randomAccess.countsPictures else {
      return description.kind == .bidirectional ? .bidirectional : .anchor
    }
    return .counted(
      Int64(description.outputNumber),
      isReset: description.isKey && opener.randomAccess.start(at: packet) == .closed)
  }
}
