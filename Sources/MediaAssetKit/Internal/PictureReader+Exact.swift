import LibAV

extension PictureReader {
  private enum Outcome {
    case found(DecodedPicture)
    /// No picture is on show that early.
    case nothing
    /// The stored picture with this number did not come out; the one before it may stand in.
    case missing(number: Int, before: DecodedPicture?)
  }

  /// The picture on show at `time`, after which `next` goes on; nil when none is.
  mutating func exactPicture(onShowAt time: Int64) throws -> DecodedPicture? {
    do {
      if opener.index != nil, packets.picture(onShowAt: time) == nil { return nil }
      if !canContinue(to: time) { try seek(to: time) }
      var isRetry = false
      while true {
        let start = start ?? .beginning
        switch try run(to: time, maySkip: !isRetry) {
        case .found(let picture):
          return picture
        case .nothing:
          return nil
        case .missing(let number, let before):
          if start.isBeginning || isRetry {
            if let error = failure(of: number, isAlone: before == nil) { throw error }
            // No picture of its own: hidden, or not coded because it is the same as the one before.
            if start.isBeginning || before != nil { return before }
          }
          isRetry = true
          try seek(to: time, before: start.time)
        }
      }
    } catch {
      invalidate()
      throw error
    }
  }

  /// Decodes until the picture on show at `time` is certain.
  private mutating func run(to time: Int64, maySkip: Bool) throws -> Outcome {
    while true {
      if let picture = try certain(at: time) { return .found(picture) }
      if let ahead, ahead.time > time { return decide(time) }
      guard let picture = try takeAhead() ?? advance(target: time, maySkip: maySkip) else {
        return decide(time)
      }
      if picture.time > time {
        ahead = picture
        let outcome = decide(time)
        if case .missing(let number, _) = outcome, let picture = try find(number) {
          return .found(picture)
        }
        return outcome
      }
      current = picture
    }
  }

  /// The current picture if packets prove that it is on show at `time`.
  private mutating func certain(at time: Int64) throws -> DecodedPicture? {
    guard let picture = current, picture.time <= time,
      packets.picture(onShowAt: time)?.number == picture.number
    else { return nil }
    // Packets are cheaper than pictures: read on rather than decode on.
    while !packets.isSettled(time) {
      guard try packets.lookAhead() else { break }
      guard packets.picture(onShowAt: time)?.number == picture.number else { return nil }
    }
    return packets.isSettled(time) ? finished(picture) : nil
  }

  /// What is on show when the decoder has passed `time`.
  private mutating func decide(_ time: Int64) -> Outcome {
    guard let expected = packets.picture(onShowAt: time) else { return .nothing }
    guard let picture = current, picture.time <= time else {
      return .missing(number: expected.number, before: nil)
    }
    let isSecondField = !opener.hasWholePictures && expected.number == picture.number + 1
    if expected.number == picture.number || isSecondField { return .found(finished(picture)) }
    return .missing(number: expected.number, before: finished(picture))
  }

  /// Where stored times and the decoder's order disagree, a picture may come out after later ones.
  private mutating func find(_ number: Int) throws -> DecodedPicture? {
    var found: DecodedPicture?
    var hasPassed = false
    while found == nil, packets.position <= number + TrackPackets.lookAheadLimit,
      let picture = try advance(target: nil, maySkip: false)
    {
      hasPassed = true
      if picture.number == number { found = finished(picture) }
    }
    // What was passed over is lost for going on in order.
    if hasPassed { invalidate() }
    return found
  }

  private mutating func takeAhead() -> DecodedPicture? {
    defer { ahead = nil }
    return ahead
  }

  private mutating func finished(_ picture: DecodedPicture) -> DecodedPicture {
    var picture = picture
    picture.end = packets.successor(of: picture.time)
    current = picture
    return picture
  }

  /// Whether decoding on leads to `time`, and sooner than a seek.
  private func canContinue(to time: Int64) -> Bool {
    guard let start, start.time <= time else { return false }
    if let current, current.time > time { return false }
    if let ahead, ahead.time > time, packets.picture(onShowAt: time)?.number != current?.number {
      return false
    }
    if let index = opener.index {
      guard let expected = packets.picture(onShowAt: time) else { return false }
      if expected.number == current?.number { return true }
      let sync = index.syncIndex(forPosition: expected.number)
      return !isFinished && packets.position >= index.syncPositions[sync]
    }
    guard let current else {
      return packets.isUntouched
        && time <= opener.startTime.addingReportingOverflow(opener.secondTicks).partialValue
    }
    if isFinished { return packets.picture(onShowAt: time)?.number == current.number }
    let (distance, overflow) = time.subtractingReportingOverflow(current.time)
    return !overflow && distance / 4 <= opener.secondTicks
      && !opener.hasKey(after: current.time, upTo: time)
  }
}
