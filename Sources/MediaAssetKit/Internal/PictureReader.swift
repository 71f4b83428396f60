import LibAV

/// One decoded picture and when it is on show, in the stream's ticks.
struct DecodedPicture: Sendable {
  var frame: Frame
  var time: Int64
  /// When the next picture takes its place; nil after the last one.
  var end: Int64?
  /// The number of its packet in decode order.
  var number: Int
}

/// Decodes pictures of one track: any picture by its time, key pictures, or all in order.
///
/// Every frame carries the number of its packet, so a picture is known by what was stored and not by guesses from time
/// stamps. Calls block; `VideoSession` runs them on a thread of their own.
struct PictureReader: ~Copyable {
  let opener: TrackOpener
  private let interrupt: Interrupt
  private let threads: Int
  var packets: TrackPackets
  private var decoder: Decoder
  /// Where decoding began; nil when the next access has to begin anew.
  private(set) var start: TrackPackets.Start?
  /// The picture last given out, and one that was decoded to know that.
  var current: DecodedPicture?
  var ahead: DecodedPicture?
  private var isDraining = false
  /// Whether the last picture was given out.
  private(set) var isFinished = false
  /// The last thing that the decoder refused, whether or not anything leans on it.
  private(set) var lastFailure: (any Error)?
  /// All that it refused.
  private(set) var damageCount = SampleDamage()
  private var unsent: TrackPackets.Picture?
  private var lastSent = -1
  private var packetsWithoutFrame = 0
  /// Packets sent so far; what an access costs.
  private(set) var packetsSent = 0
  private var damage: Damage?

  /// Packets that the decoder refused, and where the pictures that lean on them end.
  private struct Damage {
    var error: AVError
    var first: Int
    var end: Int?
  }

  init(opener: TrackOpener, threads: Int, interrupt: Interrupt) throws {
    self.opener = opener
    self.threads = threads
    self.interrupt = interrupt
    let packets = try TrackPackets(opener: opener, interrupt: interrupt)
    decoder = try packets.openDecoder(threads: threads)
    self.packets = packets
    start = .beginning
  }

  /// The next picture in order, from wherever the reader stands; nil at the end.
  mutating func next(skippingTo target: Int64? = nil) throws -> DecodedPicture? {
    if start == nil { try rewind() }
    if let picture = ahead {
      ahead = nil
      current = picture
      return picture
    }
    do {
      guard let picture = try advance(target: target, maySkip: target != nil) else { return nil }
      current = picture
      return picture
    } catch {
      start = nil
      throw error
    }
  }

  /// Goes to the beginning of the track.
  mutating func rewind() throws { begin(at: try packets.startAtBeginning()) }

  /// Goes to where the picture on show at `time` can be decoded; pictures before it may come first.
  mutating func seek(to time: Int64, before limit: Int64 = .max) throws {
    begin(at: try packets.start(for: time, before: limit))
  }

  /// Forgets what the decoder holds.
  private mutating func begin(at start: TrackPackets.Start) {
    decoder.flush()
    self.start = start
    current = nil
    ahead = nil
    isDraining = false
    isFinished = false
    unsent = nil
    lastSent = -1
    packetsWithoutFrame = 0
    damage = nil
  }

  /// The next access has to begin anew.
  mutating func invalidate() {
    decoder.flush()
    start = nil
    current = nil
    ahead = nil
  }

  // MARK: - Decoding

  /// Decodes one picture more; nil at the end. Of the pictures shown before `target` those that no other one needs may
  /// be left out.
  mutating func advance(target: Int64?, maySkip: Bool) throws -> DecodedPicture? {
    let validFrom = start?.time ?? .min
    while true {
      switch try receive() {
      case .frame(let frame):
        packetsWithoutFrame = 0
        try opener.checkSize(width: frame.width, height: frame.height)
        let number = frame.number.flatMap { Int(exactly: $0) } ?? lastSent
        guard let time = packets.time(of: number), time >= validFrom else { continue }
        return DecodedPicture(
          frame: frame, time: time, end: packets.successor(of: time), number: number)
      case .needsInput:
        if interrupt.isRaised { throw CancellationError() }
        try feed(target: maySkip && opener.maySkipNonReference ? target : nil, validFrom)
      case .finished:
        isFinished = true
        return nil
      }
    }
  }

  /// Decodes one packet by itself, without waiting for the codec's reorder delay; nil when it gives no picture.
  mutating func decodeAlone(_ picture: TrackPackets.Picture) throws -> Frame? {
    begin(at: .beginning)
    defer { invalidate() }
    decoder.setSkipsNonReferenceFrames(false)
    try send(picture)
    guard damage == nil else { return nil }
    try drain()
    guard case .frame(let frame) = try receive() else { return nil }
    try opener.checkSize(width: frame.width, height: frame.height)
    return frame
  }

  /// Sends the next packet, or drains the decoder at the end of the stream.
  private mutating func feed(target: Int64?, _ validFrom: Int64) throws {
    let waiting = unsent
    unsent = nil
    guard let picture = try waiting ?? packets.next() else { return try drain() }
    packetsWithoutFrame += 1
    guard packetsWithoutFrame <= opener.maximumPacketsWithoutFrame else {
      throw MediaError(
        .limitExceeded, operation: "decode", subject: opener.subject,
        reason: "\(opener.maximumPacketsWithoutFrame) packets gave no picture",
        remedy:
          "Raise maximumPacketsWithoutFrame in the resource policy if the source is trusted")
    }
    let isUnneeded = target.map { target in
      picture.time < validFrom
        || picture.time <= target && packets.picture(onShowAt: target)?.number != picture.number
    }
    decoder.setSkipsNonReferenceFrames(isUnneeded ?? false)
    try send(picture)
  }

  private mutating func send(_ picture: TrackPackets.Picture) throws {
    packetsSent += 1
    do {
      guard try decoder.send(picture.packet, number: Int64(picture.number)) else {
        unsent = picture
        return
      }
      lastSent = max(lastSent, picture.number)
      if damage != nil, damage?.end == nil, isStart(picture), picture.number > damage?.first ?? 0 {
        damage?.end = picture.number
      }
    } catch {
      lastSent = max(lastSent, picture.number)
      try note(error)
    }
  }

  /// Whether decoding can begin at a picture.
  func isStart(_ picture: TrackPackets.Picture) -> Bool {
    picture.packet.isKey && opener.randomAccess.start(at: picture.packet) != .none
  }

  private mutating func drain() throws {
    isDraining = true
    do { _ = try decoder.send(nil) } catch { try note(error) }
  }

  /// What the decoder has; damaged pictures are passed over.
  private mutating func receive() throws -> Decoder.Outcome {
    while true {
      do { return try decoder.receive() } catch {
        try note(error)
        packetsWithoutFrame += 1
        // A decoder that is drained reports each picture in its threads once.
        if !isDraining || packetsWithoutFrame > opener.maximumPacketsWithoutFrame {
          return isDraining ? .finished : .needsInput
        }
      }
    }
  }

  /// Damaged packets are remembered, so that no other picture takes the place of theirs.
  private mutating func note(_ error: AVError) throws {
    if error.isInterruption || error.isOutOfMemory {
      throw MediaError.libav(error, operation: "decode", subject: opener.subject)
    }
    let failure = MediaError.libav(error, operation: "decode", subject: opener.subject)
    lastFailure = failure
    damageCount.note(failure)
    // Threads report late: any of the packets at work may be meant.
    let first = max(0, lastSent - (threads > 1 ? threads : 0))
    if let damage, damage.end == nil || first < damage.end ?? 0 {
      self.damage?.end = nil
    } else {
      damage = Damage(error: error, first: first, end: nil)
    }
  }

  /// Why a stored picture did not come out; nil where packets without a picture are nothing unusual.
  ///
  /// No picture of another time may take its place. `isAlone`: there is none that could.
  func failure(of number: Int, isAlone: Bool) -> (any Error)? {
    if let damage, number >= damage.first, number < damage.end ?? .max {
      return MediaError.libav(damage.error, operation: "decode", subject: opener.subject)
    }
    guard !isAlone, opener.givesEveryPicture else { return nil }
    return MediaError(
      .decodeFailed, operation: "decode", subject: opener.subject,
      reason: "the picture at this time is damaged", remedy: "Ask for another time")
  }
}
