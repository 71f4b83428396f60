import LibAV

/// One decoded picture and when it is on show, in the stream's ticks.
struct DecodedPicture: Sendable {
  var frame: Frame
  var time: Int64
  /// When the next picture takes its place; nil after the last one.
  var end: Int64?
}

/// Decodes pictures of one track: any picture by its time, key pictures, or all in order.
///
/// Owns a demuxer and a decoder and runs on its own strand. Seeks are hints: what arrives is checked, and when
/// decoding began too late the session steps back, at worst to the start.
actor VideoSession {
  private let executor: StrandExecutor
  nonisolated var unownedExecutor: UnownedSerialExecutor { executor.asUnownedSerialExecutor() }

  private let opener: TrackOpener
  private let threads: Int
  private let interrupt = Interrupt()
  private var demuxer: Demuxer?
  private var decoder: Decoder?
  private var order: PresentationOrder<Packet>
  /// The picture last given out, and pictures that the decoder gave before anyone asked.
  private var current: DecodedPicture?
  private var pending: [Frame] = []
  private var outputCount: (time: Int64, count: Int) = (.min, 0)
  private var isDrained = false
  private var isAtStart = true
  /// Pictures before this time lean on a group that was not decoded.
  private var validFrom = Int64.min
  /// Decode position of the next packet; only where an index exists.
  private var nextPosition = 0
  private var damage: AVError?
  /// Output order gives the times where packets have none.
  private var queuedTimes: [Int64] = []
  private var scalers = ScalerCache()

  init(opener: TrackOpener, threads: Int) {
    self.opener = opener
    self.threads = threads
    executor = StrandExecutor(pool: opener.isRemote ? .network : .decoding)
    order = PresentationOrder(trustsDecodeTimes: opener.trustsDecodeTimes)
  }

  /// Runs `body` with the picture on show at `time`, on this session's thread; nil when none is.
  func withPicture<R: Sendable>(
    onShowAt time: Int64, _ body: @Sendable (DecodedPicture, inout ScalerCache) throws -> R
  ) async throws -> R? {
    try await interruptible { session in
      guard let picture = try session.exactPicture(onShowAt: time) else { return nil }
      return try body(picture, &session.scalers)
    }
  }

  /// Runs `body` with the key picture nearest to `time`, ties to the earlier; behind the end with the last picture.
  ///
  /// `twice` is the double of the time that is meant, rounded up, for times between two ticks.
  func withKeyPicture<R: Sendable>(
    near time: Int64, twice: Int64? = nil,
    _ body: @Sendable (DecodedPicture, inout ScalerCache) throws -> R
  ) async throws -> R? {
    try await interruptible { session in
      let twice = twice ?? time.multipliedReportingOverflow(by: 2).partialValue
      guard let picture = try session.keyPicture(near: time, twice: twice) else { return nil }
      return try body(picture, &session.scalers)
    }
  }

  /// The picture on show at `time`, after which `nextPicture` goes on; nil when none is.
  func picture(onShowAt time: Int64) async throws -> DecodedPicture? {
    try await interruptible { session in try session.exactPicture(onShowAt: time) }
  }

  /// Runs `body` with the track's first picture.
  func withFirstPicture<R: Sendable>(
    _ body: @Sendable (DecodedPicture, inout ScalerCache) throws -> R
  ) async throws -> R? {
    try await interruptible { session in
      if session.demuxer == nil { try session.open() } else { try session.seekToStart() }
      guard let picture = try session.advance(target: nil) else { return nil }
      return try body(picture, &session.scalers)
    }
  }

  /// The next picture in order, from wherever the session stands; nil at the end.
  func nextPicture() async throws -> DecodedPicture? {
    try await interruptible { session in try session.advance(target: nil) }
  }

  /// Sends the session to the start of the track.
  func rewind() async throws {
    try await interruptible { session in
      if session.demuxer == nil { return try session.open() }
      try session.seekToStart()
    }
  }

  /// Runs one blocking piece of work; cancelling the calling task interrupts this piece and no other.
  private func interruptible<R: Sendable>(_ work: (isolated VideoSession) throws -> R) async throws
    -> R
  {
    try Task.checkCancellation()
    interrupt.reset()
    let interrupt = interrupt
    return try await withTaskCancellationHandler {
      try work(self)
    } onCancel: {
      interrupt.raise()
    }
  }

  // MARK: - Exact pictures

  private func exactPicture(onShowAt time: Int64) throws -> DecodedPicture? {
    if let current, current.time <= time, current.end.map({ time < $0 }) ?? isDrained {
      return current
    }
    if demuxer == nil { try open() }
    if let index = opener.index {
      guard let rank = index.rank(onShowAt: time) else { return nil }
      let sync = index.syncIndex(forPosition: index.position(rank: rank))
      if !canContinue(to: time, syncPosition: index.syncPositions[sync]) {
        try seek(sync: sync, index: index)
      }
      return try run(to: time)
    }
    if opener.hasTimes {
      if !canContinue(to: time) { try seekBack(from: time) }
    } else if (current?.time ?? .max) > time {
      // Times come from the order of output, which is known from the start only.
      try seekToStart()
    }
    return try run(to: time)
  }

  /// Decodes until the picture on show at `time` is certain.
  private func run(to time: Int64) throws -> DecodedPicture? {
    while true {
      if let current, current.time <= time {
        if let end = current.end {
          if time < end, isLastOfItsTime(current) { return try checked(current, for: time) }
        } else if isDrained {
          return try checked(current, for: time)
        }
      }
      if let current, current.time > time { return nil }
      guard try advance(target: time) != nil else {
        guard let current, current.time <= time else { return nil }
        return try checked(current, for: time)
      }
    }
  }

  /// Never hands out another time's picture because the right one is damaged.
  private func checked(_ picture: DecodedPicture, for time: Int64) throws -> DecodedPicture {
    guard let damage else { return picture }
    let expected =
      opener.index.flatMap { index in index.rank(onShowAt: time).map { index.time(rank: $0) } }
      ?? order.last(atOrBefore: time)
    guard let expected, expected > picture.time else { return picture }
    throw MediaError.libav(damage, operation: "decode", subject: opener.subject)
  }

  private func isLastOfItsTime(_ picture: DecodedPicture) -> Bool {
    guard outputCount.time == picture.time else { return true }
    return outputCount.count
      >= (opener.index?.multiplicity(of: picture.time) ?? order.multiplicity(of: picture.time))
  }

  private func canContinue(to time: Int64, syncPosition: Int) -> Bool {
    guard !isDrained || current?.end == nil else { return false }
    if let current, current.time > time { return false }
    if validFrom > time { return false }
    return nextPosition >= syncPosition && !(isDrained && current == nil)
  }

  private func canContinue(to time: Int64) -> Bool {
    guard let current else {
      return isAtStart && order.last(atOrBefore: time) == nil && !isDrained
        && time <= opener.nearStart
    }
    guard current.time <= time, validFrom <= time else { return false }
    if isDrained { return current.end == nil }
    return time - current.time <= opener.secondTicks * 4
      && !opener.hasKey(after: current.time, upTo: time)
  }

  // MARK: - Key pictures

  private func keyPicture(near time: Int64, twice: Int64) throws -> DecodedPicture? {
    if demuxer == nil { try open() }
    if let index = opener.index {
      let sync = index.nearestSync(to: time)
      let start = index.time(sync: sync)
      try seek(sync: sync, index: index)
      if let packet = try read(), let picture = try decode(packet), picture.time == start {
        return DecodedPicture(frame: picture.frame, time: start, end: index.successor(of: start))
      }
      // A key sample that is no picture by itself (a field, a hidden frame): decode on from it.
      try seek(sync: sync, index: index)
      return try run(to: start)
    }
    guard opener.hasTimes else { return try exactPicture(onShowAt: max(time, opener.startTime)) }
    guard let key = try nearestKey(to: time, twice: twice) else {
      return try exactPicture(onShowAt: time)
    }
    // Seeks land where they like: what lies before the key packet is passed over.
    try seekBack(from: key)
    while let packet = try read() {
      guard packet.isKey, let found = packet.pts ?? packet.dts, found >= key else { continue }
      if found == key, let picture = try decode(packet) { return picture }
      break
    }
    try seekBack(from: key)
    return try run(to: key)
  }

  /// The nearest key packet's time, by reading packets only; nil behind the end and where there is none.
  private func nearestKey(to time: Int64, twice: Int64) throws -> Int64? {
    try seekBack(from: time)
    var best: Int64?
    var last = (time: Int64.min, length: Int64(0))
    while let packet = try read() {
      guard let found = packet.pts ?? packet.dts else { continue }
      if found > last.time {
        // Where packets don't tell how long they last, their distance does.
        let distance =
          last.time == .min ? 0 : found.subtractingReportingOverflow(last.time).partialValue
        last = (found, packet.duration > 0 ? packet.duration : distance)
      }
      guard packet.isKey else { continue }
      if let earlier = best, found > time {
        let (sum, overflow) = earlier.addingReportingOverflow(found)
        return !overflow && sum < twice ? found : earlier
      }
      if found > time { return found }
      best = found
    }
    let (end, overflow) = last.time.addingReportingOverflow(max(1, last.length))
    return overflow || end <= time ? nil : best
  }

  /// Decodes one packet alone: no waiting for the codec's reorder delay.
  private func decode(_ packet: Packet) throws -> DecodedPicture? {
    defer {
      decoder?.flush()
      isDrained = true
      current = nil
      // The decoder has been drained, so what follows must seek.
      validFrom = .max
    }
    do {
      decoder?.setSkipsNonReferenceFrames(false)
      guard try decoder?.send(packet) == true, try decoder?.send(nil) == true else { return nil }
      guard case .frame(let frame)? = try decoder?.receive() else { return nil }
      try checkSize(frame)
      guard let time = frame.pts ?? frame.bestEffortTime ?? packet.pts ?? packet.dts else {
        return nil
      }
      return DecodedPicture(frame: frame, time: time, end: nil)
    } catch let error as AVError {
      throw MediaError.libav(error, operation: "decode", subject: opener.subject)
    }
  }

  // MARK: - Moving

  private func open() throws {
    let opened = try opener.openDemuxer(interrupt: interrupt)
    demuxer = consume opened
    isAtStart = true
    forget()
    guard decoder == nil else {
      decoder?.flush()
      return
    }
    do {
      decoder = try openDecoder()
    } catch {
      throw MediaError.libav(error, operation: "decode", subject: opener.subject)
    }
  }

  private func openDecoder() throws(AVError) -> Decoder? {
    try demuxer?.openDecoder(
      stream: opener.streamIndex,
      options: Decoder.Options(
        threads: threads, decoderName: opener.decoderName, maximumPixels: opener.maximumPixels))
  }

  private func forget() {
    order.reset()
    current = nil
    pending = []
    outputCount = (.min, 0)
    isDrained = false
    validFrom = .min
    damage = nil
    queuedTimes = []
    nextPosition = 0
  }

  private func seek(sync: Int, index: VideoIndex) throws {
    do { try demuxer?.seek(stream: opener.streamIndex, to: index.seekTime(sync: sync)) } catch {
      throw MediaError.libav(
        error, operation: "seek", subject: opener.subject, underlying: demuxer?.takeReaderFailure())
    }
    decoder?.flush()
    forget()
    nextPosition = index.syncPositions[sync]
    validFrom = sync == 0 ? .min : index.time(sync: sync)
    isAtStart = sync == 0
  }

  private func seekToStart() throws {
    if isAtStart, current == nil, nextPosition == 0, order.last(atOrBefore: .max) == nil, !isDrained {
      return
    }
    demuxer = nil
    try open()
  }

  /// Stands at a key packet whose picture is shown at or before `time`, or at the start.
  private func seekBack(from time: Int64) throws {
    var distance: Int64 = 0
    while true {
      let (goal, overflow) = time.subtractingReportingOverflow(distance)
      if overflow || goal <= opener.startTime && distance > 0 { return try seekToStart() }
      do { try demuxer?.seek(stream: opener.streamIndex, to: goal) } catch {
        if error.isInterruption { throw CancellationError() }
        return try seekToStart()
      }
      decoder?.flush()
      forget()
      isAtStart = false
      // A key packet is looked for before anything is decoded.
      while let packet = try readPacket() {
        guard packet.isKey, let key = packet.pts ?? packet.dts else { continue }
        if key <= time {
          validFrom = key
          return enqueue(packet)
        }
        break
      }
      distance = max(opener.secondTicks, distance.multipliedReportingOverflow(by: 2).partialValue)
    }
  }

  // MARK: - Decoding

  /// One picture further; nil at the end. Pictures that `target` does not need may be left out undecoded.
  private func advance(target: Int64?) throws -> DecodedPicture? {
    if demuxer == nil { try open() }
    while true {
      switch try receive() {
      case .frame(let frame):
        guard let time = time(of: frame) else { continue }
        if time < validFrom { continue }
        try checkSize(frame)
        outputCount = outputCount.time == time ? (time, outputCount.count + 1) : (time, 1)
        let picture = DecodedPicture(frame: frame, time: time, end: successor(of: time))
        current = picture
        return picture
      case .needsInput:
        if interrupt.isRaised { throw CancellationError() }
        try feed(target: target)
      case .finished:
        isDrained = true
        return nil
      }
    }
  }

  /// Sends the next packet, or drains the decoder at the end of the stream.
  private func feed(target: Int64?) throws {
    while true {
      if let (packet, time) = order.next() {
        if opener.index != nil { nextPosition += 1 }
        let end = successor(of: time)
        let isUnneeded =
          target.map { target in (end ?? .max) <= target || time < validFrom } ?? false
        decoder?.setSkipsNonReferenceFrames(isUnneeded && opener.maySkipNonReference)
        return try send(packet)
      }
      if order.isFinished {
        isDrained = true
        return try send(nil)
      }
      if let packet = try readPacket() { enqueue(packet) } else { order.finish() }
    }
  }

  private func enqueue(_ packet: Packet) {
    // With an index nothing needs to be looked ahead for, but the queue keeps one way of working.
    let time = packet.pts ?? packet.dts ?? (order.last(atOrBefore: .max) ?? 0) + 1
    if !opener.hasTimes { queuedTimes.append(time) }
    order.append(packet, time: time, decodeTime: opener.index == nil ? packet.dts : .max)
  }

  private func send(_ packet: Packet?) throws {
    do {
      while try decoder?.send(packet) == false {
        guard case .frame(let frame)? = try decoder?.receive() else { break }
        pending.append(frame)
      }
    } catch  where error.isInvalidData || error.isPatchWelcome {
      // Damaged packets are skipped; `checked` sees to it that no other picture takes their place.
      damage = error
    } catch {
      throw MediaError.libav(error, operation: "decode", subject: opener.subject)
    }
  }

  /// What the decoder has; a damaged picture is passed over, a bounded number of times.
  private func receive() throws -> Decoder.Outcome {
    if !pending.isEmpty { return .frame(pending.removeFirst()) }
    for _ in 0..<1000 {
      do { return try decoder?.receive() ?? .finished } catch
        where error.isInvalidData || error.isPatchWelcome
      {
        damage = error
        if !isDrained { return .needsInput }
      } catch {
        throw MediaError.libav(error, operation: "decode", subject: opener.subject)
      }
    }
    return .finished
  }

  private func time(of frame: Frame) -> Int64? {
    if opener.hasTimes { return frame.pts ?? frame.bestEffortTime }
    return queuedTimes.isEmpty ? nil : queuedTimes.removeFirst()
  }

  private func successor(of time: Int64) -> Int64? {
    if let index = opener.index { return index.successor(of: time) ?? index.end }
    return order.successor(of: time)
  }

  private func checkSize(_ frame: Frame) throws {
    guard Int64(frame.width) * Int64(frame.height) <= opener.maximumPixels else {
      throw MediaError(
        .limitExceeded, operation: "decode", subject: opener.subject,
        reason:
          "a picture of \(frame.width)x\(frame.height) exceeds the limit of \(opener.maximumPixels) pixels",
        remedy: "Raise maximumPixels in the resource policy if the source is trusted")
    }
  }

  /// The next packet in the file's order, whether or not its picture's end is known.
  private func read() throws -> Packet? {
    if let (packet, _) = order.next() { return packet }
    order.finish()
    if let (packet, _) = order.next() { return packet }
    return try readPacket()
  }

  /// The next packet of this track.
  private func readPacket() throws -> Packet? {
    while true {
      if interrupt.isRaised { throw CancellationError() }
      guard let packet = try demuxer?.readUntilDamage(subject: opener.subject) else { return nil }
      if packet.streamIndex == opener.streamIndex { return packet }
    }
  }
}
