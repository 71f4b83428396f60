import LibAV

extension PictureReader {
  /// The key picture nearest to `time`, ties to the earlier one; the exact picture where keys can't be had alone.
  mutating func keyPicture(near time: Int64) throws -> DecodedPicture? {
    do {
      if let index = opener.index { return try keyPicture(near: time, index) }
      guard opener.randomAccess.hasStarts else {
        return try exactPicture(onShowAt: max(time, opener.startTime))
      }
      guard let key = try nearestKey(to: time) else {
        return try exactPicture(onShowAt: max(time, opener.startTime))
      }
      if opener.hasWholePictures, let frame = try decodeAlone(key) {
        return DecodedPicture(frame: frame, time: key.time, end: nil, number: key.number)
      }
      return try exactPicture(onShowAt: key.time)
    } catch {
      invalidate()
      throw error
    }
  }

  private mutating func keyPicture(near time: Int64, _ index: VideoIndex) throws -> DecodedPicture?
  {
    let sync = index.nearestSync(to: time)
    let start = index.time(sync: sync)
    // A key sample may be no picture by itself: a field, or a step of a gradual refresh.
    if opener.hasWholePictures, try packets.stand(at: sync, index), let key = try packets.next(),
      isPictureByItself(key.packet), let frame = try decodeAlone(key)
    {
      return DecodedPicture(
        frame: frame, time: start, end: index.successor(of: start), number: key.number)
    }
    invalidate()
    return try exactPicture(onShowAt: start)
  }

  private func isPictureByItself(_ packet: Packet) -> Bool {
    switch opener.randomAccess.start(at: packet) {
    case .closed, .clean: true
    case .gradual, .none: false
    }
  }

  /// The nearest key packet, by reading packets only.
  private mutating func nearestKey(to time: Int64) throws -> TrackPackets.Picture? {
    let goal = opener.keyTimes.min {
      $0.distanceMagnitude(to: time) < $1.distanceMagnitude(to: time)
    }
    invalidate()
    _ = try packets.start(for: max(goal ?? time, opener.startTime))
    var best: TrackPackets.Picture?
    while let picture = try packets.next() {
      let distance = picture.time.distanceMagnitude(to: time)
      if picture.packet.isKey, isPictureByItself(picture.packet),
        best.map({ distance < $0.time.distanceMagnitude(to: time) }) ?? true
      {
        best = picture
      }
      guard picture.time >= time, let best else { continue }
      if distance >= best.time.distanceMagnitude(to: time) { break }
    }
    return best
  }
}
