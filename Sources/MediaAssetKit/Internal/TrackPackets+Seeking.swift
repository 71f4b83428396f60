import LibAV

extension TrackPackets {
  /// Where decoding begins, and from when on pictures are right.
  struct Start: Sendable {
    /// Pictures shown before are incomplete; `Int64.min` at the beginning of the track.
    var time: Int64
    var isBeginning: Bool { time == .min }

    static let beginning = Start(time: .min)
  }

  /// Stands at the last packet found from which the picture on show at `time` can be decoded, and before `limit`.
  ///
  /// Seeks are hints. What arrives is checked, and when it is too late the demuxer is sent further back, at worst to the
  /// beginning.
  mutating func start(for time: Int64, before limit: Int64 = .max) throws -> Start {
    if let index = opener.index { return try start(for: time, before: limit, index) }
    guard opener.randomAccess.hasStarts else { return try startAtBeginning() }
    if !opener.canSeek { return try startByScanning(for: time, before: limit) }
    var distance: Int64 = 0
    let nearest = min(time, limit == .max ? .max : limit &- 1)
    while true {
      let (goal, overflow) = nearest.subtractingReportingOverflow(distance)
      if overflow || distance > 0 && goal <= opener.startTime { return try startAtBeginning() }
      guard try seek(to: goal) else { return try startByScanning(for: time, before: limit) }
      if let start = try findStart(for: time, before: limit) { return start }
      distance =
        distance == 0 ? opener.secondTicks : distance.addingReportingOverflow(distance).partialValue
      if distance < 0 { return try startAtBeginning() }
    }
  }

  mutating func startAtBeginning() throws -> Start {
    if !isFromBeginning || !isUntouched { try restart() }
    return .beginning
  }

  /// Reads on from where a seek led, up to the last usable key picture at or before `time`; nil when there is none.
  private mutating func findStart(for time: Int64, before limit: Int64) throws -> Start? {
    var held: [Picture] = []
    var start: Start?
    var later = 0
    var bytes = 0
    while let picture = try next() {
      let isStart =
        picture.packet.isKey && opener.randomAccess.start(at: picture.packet) != .none
      if isStart, picture.time <= time, picture.time < limit {
        start = Start(time: picture.time)
        held.removeAll()
        bytes = 0
      } else if isStart {
        held.append(picture)
        break
      }
      if start != nil { held.append(picture) }
      bytes += picture.packet.size
      // Behind the goal, or a long way before it: the key picture at hand has to do.
      later = picture.time > time ? later + 1 : 0
      if later > opener.reorderLimit { break }
      if start != nil, held.count >= 512 || bytes >= 32 << 20 { break }
    }
    guard let start else { return nil }
    putBack(held)
    return start
  }

  // MARK: - By index

  private mutating func start(for time: Int64, before limit: Int64, _ index: VideoIndex) throws
    -> Start
  {
    guard let rank = index.rank(onShowAt: time) else { return try startAtBeginning() }
    var sync = index.syncIndex(forPosition: index.position(rank: rank))
    while sync > 0, index.time(sync: sync) >= limit { sync -= 1 }
    while sync > 0 {
      if !unusableSyncs.contains(sync), try stand(at: sync, index) {
        return Start(time: index.time(sync: sync))
      }
      sync -= 1
    }
    return try startAtBeginning()
  }

  /// Stands at a sync sample; false when decoding can't begin there.
  mutating func stand(at sync: Int, _ index: VideoIndex) throws -> Bool {
    let position = index.syncPositions[sync]
    var first: Picture?
    if try seek(to: index.seekTime(sync: sync)) {
      setPosition(position)
      first = try next()
    }
    if first?.packet.pts != index.times[position] {
      // The demuxer's list differs from the file's: count from the beginning.
      try restart()
      while self.position < position, try next() != nil {}
      first = try next()
    }
    guard let first else { return false }
    guard opener.randomAccess.start(at: first.packet) != .none else {
      unusableSyncs.insert(sync)
      return false
    }
    putBack([first])
    return true
  }

  // MARK: - Without seeking

  /// Finds key pictures by reading packets from the beginning, and goes back to the right one without decoding.
  private mutating func startByScanning(for time: Int64, before limit: Int64) throws -> Start {
    if time > scannedTime {
      try restart()
      scannedKeys = []
      var later = 0
      while later <= opener.reorderLimit, let picture = try next() {
        if picture.packet.isKey, opener.randomAccess.start(at: picture.packet) != .none {
          scannedKeys.append(.init(time: picture.time, number: picture.number))
        }
        later = picture.time > time ? later + 1 : 0
      }
      scannedTime = later > 0 ? time : .max
    }
    guard let key = scannedKeys.last(where: { $0.time <= time && $0.time < limit }),
      key.number > 0
    else { return try startAtBeginning() }
    try restart()
    while position < key.number, try next() != nil {}
    return Start(time: key.time)
  }
}
