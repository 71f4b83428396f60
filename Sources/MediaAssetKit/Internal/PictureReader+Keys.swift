import LibAV

extension PictureReader {
  /// The key picture nearest to `time`, ties to the earlier one; behind the end the last picture, and the exact one where
  /// key pictures can't be had alone.
  ///
  /// `twice` is the double of the time that is meant, rounded up, for times between two ticks.
  mutating func keyPicture(near time: Int64, twice: Int64) throws -> DecodedPicture? {
    do {
      if let index = opener.index { return try keyPicture(near: time, index) }
      guard opener.randomAccess.hasStarts, let key = try nearestKey(to: time, twice: twice) else {
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

  private mutating func keyPicture(near time: Int64, _ index: VideoIndex) throws -> DecodedPicture? {
    let sync = index.nearestSync(to: time)
    let start = index.time(sync: sync)
    // A key sample may be no picture by itself: a field, or a step of a gradual refresh.
    if opener.hasWholePictures, try packets.stand(at: sync, index), let key = try packets.next(),
      let frame = try decodeAlone(key)
    {
      return DecodedPicture(
        frame: frame, time: start, end: index.successor(of: start), number: key.number)
    }
    invalidate()
    return try exactPicture(onShowAt: start)
  }

  /// The nearest key packet, by reading packets only; nil behind the end and where there is none.
  private mutating func nearestKey(to time: Int64, twice: Int64) throws -> TrackPackets.Picture? {
    invalidate()
    _ = try packets.start(for: max(time, opener.startTime))
    var best: TrackPackets.Picture?
    var last = (time: Int64.min, length: Int64(0))
    while let picture = try packets.next() {
      if picture.time > last.time {
        // Where packets don't tell how long they last, their distance does.
        let distance =
          last.time == .min ? 0 : picture.time.subtractingReportingOverflow(last.time).partialValue
        last = (
          picture.time, picture.packet.duration > 0 ? picture.packet.duration : distance
        )
      }
      guard picture.time > time else {
        if isStart(picture) { best = picture }
        continue
      }
      guard let earlier = best else {
        if isStart(picture) { return picture }
        continue
      }
      // As far behind as the earlier one lies before: what comes is no nearer.
      let (sum, overflow) = earlier.time.addingReportingOverflow(picture.time)
      if overflow || sum >= twice { return earlier }
      if isStart(picture) { return picture }
    }
    let (end, overflow) = last.time.addingReportingOverflow(max(1, last.length))
    return overflow || end <= time ? nil : best
  }
}
