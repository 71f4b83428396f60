import ISOMedia

/// What a track shows when: its edit list in exact time, to be cut and put together anew.
struct MovieTrackEdits: Hashable, Sendable {
  struct Piece: Hashable, Sendable {
    /// On the movie's timeline.
    var duration: Rational
    /// Where the media begins, in seconds; nil shows nothing.
    var source: Rational?
    /// Media time for each second of the movie; zero dwells on one picture.
    var rate: Rational = .one
  }

  private(set) var pieces: [Piece]

  var duration: Rational { pieces.reduce(.zero) { $0 + $1.duration } }

  /// As the header has it; nil where the track's times can't be told.
  init?(_ track: TrackHeader, of movie: MovieHeader) {
    guard track.mediaTimescale > 0, let movieTick = Rational(1, Int64(movie.timescale)),
      let mediaTick = Rational(1, Int64(track.mediaTimescale))
    else { return nil }
    let length = mediaTick * Rational(Int64(clamping: movie.timing(of: track).totalDuration))
    guard let edits = track.edits, !edits.isEmpty else {
      pieces = length > .zero ? [Piece(duration: length, source: .zero)] : []
      return
    }
    pieces = edits.map { edit in
      Piece(
        duration: movieTick * Rational(Int64(clamping: edit.segmentDuration)),
        source: edit.isEmpty ? nil : mediaTick * Rational(edit.mediaTime),
        rate: edit.isEmpty ? .one : Rational(Int64(edit.mediaRate), 0x10000) ?? .one)
    }
  }

  /// Makes a piece begin at a time; returns its index, or how many pieces there are where all end before it.
  private mutating func split(at time: Rational) -> Int {
    var start = Rational.zero
    for index in pieces.indices {
      if time <= start { return index }
      let end = start + pieces[index].duration
      if time < end {
        let head = time - start
        var tail = pieces[index]
        tail.duration = end - time
        tail.source = tail.source.map { $0 + head * tail.rate }
        pieces[index].duration = head
        pieces.insert(tail, at: index + 1)
        return index + 1
      }
      start = end
    }
    return pieces.count
  }

  mutating func remove(_ start: Rational, _ end: Rational) {
    let first = split(at: start)
    let last = split(at: end)
    pieces.removeSubrange(first..<last)
    settle()
  }

  /// What follows moves back; a track that ends before `start` stays.
  mutating func insertEmpty(at start: Rational, _ length: Rational) {
    guard start < duration else { return }
    pieces.insert(Piece(duration: length), at: split(at: start))
    settle()
  }

  /// A range of the track once more at another time; what follows moves back by the range's length.
  mutating func insert(_ start: Rational, _ end: Rational, at time: Rational) {
    var copy = self
    let first = copy.split(at: start)
    let last = copy.split(at: end)
    var new = Array(copy.pieces[first..<last])
    let missing = end - start - new.reduce(.zero) { $0 + $1.duration }
    let length = duration
    guard time < length || !new.isEmpty else { return }
    if missing > .zero { new.append(Piece(duration: missing)) }
    if time > length { new.insert(Piece(duration: time - length), at: 0) }
    pieces.insert(contentsOf: new, at: split(at: time))
    settle()
  }

  /// A range of another track, whose media follows this one's from `offset` on; what stood from `time` on moves back.
  mutating func insert(
    _ other: MovieTrackEdits, _ start: Rational, _ end: Rational, mediaOffset: Rational, at time: Rational
  ) {
    var copy = other
    let first = copy.split(at: start)
    let last = copy.split(at: end)
    var new = copy.pieces[first..<last].map { piece in
      Piece(duration: piece.duration, source: piece.source.map { $0 + mediaOffset }, rate: piece.rate)
    }
    let missing = end - start - new.reduce(.zero) { $0 + $1.duration }
    if missing > .zero { new.append(Piece(duration: missing)) }
    let length = duration
    if time > length { new.insert(Piece(duration: time - length), at: 0) }
    pieces.insert(contentsOf: new, at: split(at: time))
    settle()
  }

  mutating func scale(_ start: Rational, _ end: Rational, by factor: Rational) {
    let first = split(at: start)
    for index in first..<split(at: end) {
      pieces[index].duration = pieces[index].duration * factor
      if pieces[index].source != nil { pieces[index].rate = pieces[index].rate / factor }
    }
    settle()
  }

  /// Joins what goes on where it was cut, and drops what shows nothing at the end.
  private mutating func settle() {
    var settled: [Piece] = []
    for piece in pieces where piece.duration > .zero {
      guard let last = settled.last, piece.rate == last.rate else {
        settled.append(piece)
        continue
      }
      let continues =
        switch (last.source, piece.source) {
        case (nil, nil): true
        case (let source?, let next?): source + last.duration * last.rate == next
        default: false
        }
      if continues {
        settled[settled.count - 1].duration = last.duration + piece.duration
      } else {
        settled.append(piece)
      }
    }
    while let last = settled.last, last.source == nil { settled.removeLast() }
    pieces = settled
  }

  /// The edit list: boundaries at whole ticks of the movie, sources at whole ticks of the media, both rounded down.
  ///
  /// - Parameter total: The movie's duration: a track without content gets one empty edit, since none shows all of it.
  func entries(timescale: UInt32, mediaTimescale: UInt32, total: Rational) -> [EditListEntry] {
    let tick = Rational(1, Int64(timescale)) ?? .one
    let mediaTick = Rational(1, Int64(mediaTimescale)) ?? .one
    var time = Rational.zero
    var position: Int64 = 0
    let pieces = pieces.isEmpty ? [Piece(duration: total)] : pieces
    return pieces.compactMap { piece in
      time = time + piece.duration
      let end = Rational.floor(time, in: tick)
      defer { position = end }
      guard end > position else { return nil }
      let rate = (piece.rate * Rational(0x10000)).rounded() ?? 0x10000
      return EditListEntry(
        segmentDuration: UInt64(end - position),
        mediaTime: piece.source.map { max(0, Rational.floor($0, in: mediaTick)) } ?? -1,
        mediaRate: piece.source == nil ? 0x10000 : Int32(clamping: rate))
    }
  }
}
