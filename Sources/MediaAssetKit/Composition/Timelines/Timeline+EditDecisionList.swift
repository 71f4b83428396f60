extension Timeline {
  /// A timeline from an edit decision list (CMX 3600, `.edl`): cuts and dissolves of pictures and sound, speeds.
  ///
  /// The list knows reels, not files: a file is what `* FROM CLIP NAME` says, else the reel's name. Times of a source count
  /// from its beginning; the film begins with the first record time. Wipes and keys are read as cuts.
  ///
  /// - Parameters:
  ///   - text: The list.
  ///   - frameRate: Pictures a second as a fraction; the list does not say. Drop-frame times are those of 30000/1001.
  ///   - files: The file of a clip name or reel; the name itself where it is missing.
  /// - Throws: ``MediaError`` with `fileFailedToParse`, which line and why; `invalidArgument` for an impossible rate.
  public init(
    editDecisionList text: String, frameRate: (Int32, Int32) = (25, 1), files: [String: String] = [:]
  ) throws {
    guard frameRate.0 > 0, frameRate.1 > 0, let rate = Rational(Int64(frameRate.0), Int64(frameRate.1)) else {
      throw EditDecisionList.refuse(.invalidArgument, nil, "\(frameRate) is no frame rate")
    }
    var list = EditDecisionList(rate: rate, files: files)
    try list.read(text)
    self.init(tracks: try list.tracks())
  }
}

private struct EditDecisionList {
  let rate: Rational
  let files: [String: String]

  private struct Event {
    var number: String
    var reel: String
    var channels: String
    var dissolve: Int64
    var source: (MediaTime, MediaTime)
    var record: (MediaTime, MediaTime)
    var name: String?
    var speed: Rational?
  }

  private var events: [Event] = []

  init(rate: Rational, files: [String: String]) {
    self.rate = rate
    self.files = files
  }

  static func refuse(_ code: MediaError.Code, _ line: Int?, _ reason: String) -> MediaError {
    MediaError(
      code, operation: "open", subject: "an edit decision list",
      reason: line.map { "line \($0): \(reason)" } ?? reason)
  }

  mutating func read(_ text: String) throws {
    for (index, line) in text.split(omittingEmptySubsequences: false, whereSeparator: \.isNewline).enumerated() {
      let words = line.split(whereSeparator: { $0 == " " || $0 == "\t" }).map(String.init)
      guard let first = words.first else { continue }
      if first == "*" || first.hasPrefix("*") {
        note(String(line))
      } else if first == "M2", words.count >= 3, let speed = Double(words[2]), !events.isEmpty {
        // The rate at which the source plays, in pictures a second.
        guard speed > 0, speed < 1e6 else {
          throw Self.refuse(
            .operationNotSupported, index + 1, "“\(words[2].prefix(20))” is no speed that can be played")
        }
        events[events.count - 1].speed = Rational(Int64((speed * 1000).rounded()), 1000)?.divided(by: rate)
      } else if first.utf8.allSatisfy({ (48...57).contains($0) }) {
        events.append(try event(words, line: index + 1))
      }
    }
    guard !events.isEmpty else { throw Self.refuse(.fileFailedToParse, nil, "it has no events") }
  }

  private mutating func note(_ line: String) {
    guard !events.isEmpty else { return }
    for (key, isIncoming) in [("FROM CLIP NAME:", false), ("TO CLIP NAME:", true)] {
      guard let range = line.firstRange(of: key) else { continue }
      let name = line[range.upperBound...].drop { $0 == " " }
      // A dissolve names what goes and what comes; its line is the one that comes.
      if isIncoming || events[events.count - 1].dissolve == 0 || events[events.count - 1].name == nil {
        events[events.count - 1].name = String(name)
      }
    }
  }

  private func event(_ words: [String], line: Int) throws -> Event {
    guard words.count >= 8 else { throw Self.refuse(.fileFailedToParse, line, "it has \(words.count) fields") }
    let times = try words.suffix(4).map { try time($0, line: line) }
    var dissolve: Int64 = 0
    if words[3].uppercased() == "D", words.count >= 9 { dissolve = Int64(words[4]) ?? 0 }
    guard times[1] >= times[0], times[3] >= times[2] else {
      throw Self.refuse(.fileFailedToParse, line, "it ends before it begins")
    }
    return Event(
      number: words[0], reel: words[1], channels: words[2].uppercased(), dissolve: dissolve,
      source: (times[0], times[1]), record: (times[2], times[3]))
  }

  private func time(_ text: String, line: Int) throws -> MediaTime {
    let fields = text.split(whereSeparator: { ":;.".contains($0) }).map { Int64($0) }
    guard fields.count == 4, let hours = fields[0], let minutes = fields[1], let seconds = fields[2],
      let frames = fields[3], (0..<100).contains(hours), (0..<60).contains(minutes), (0..<60).contains(seconds),
      let counted = rate.rounded(.up), (0..<counted).contains(frames)
    else { throw Self.refuse(.fileFailedToParse, line, "“\(text)” is no timecode") }
    var count = (hours * 3600 + minutes * 60 + seconds) * counted + frames
    if text.contains(";") {
      // Two numbers are left out every minute but each tenth, four at the double rate.
      let whole = hours * 60 + minutes
      count -= (whole - whole / 10) * (counted / 15)
    }
    return Rational(count).divided(by: rate).map { MediaTime($0) } ?? .invalid
  }

  func tracks() throws -> [Timeline.Track] {
    let origin = events.map(\.record.0).min() ?? .zero
    func cuts(_ isWanted: (String) -> Bool) throws -> TimelineCuts {
      var cuts = TimelineCuts()
      for event in events where isWanted(event.channels) && event.record.1 > event.record.0 {
        guard !["BL", "BLACK"].contains(event.reel.uppercased()) else { continue }
        let name = event.name ?? event.reel
        var clip = TimelineCuts.Clip(
          file: files[name] ?? files[event.reel] ?? name, source: event.source.0, start: event.record.0 - origin,
          end: event.record.1 - origin)
        if let speed = event.speed { clip.rate = speed }
        if event.dissolve > 0, let length = Rational(event.dissolve).divided(by: rate) {
          clip.dissolve = MediaTimeRange(start: clip.start, duration: MediaTime(length))
        }
        cuts.add(clip)
      }
      if let fault = cuts.fault { throw Self.refuse(.operationNotSupported, nil, fault) }
      return cuts
    }
    return try cuts { $0.contains("V") || $0 == "B" }.tracks(.video)
      + cuts { $0.hasPrefix("A") || $0 == "B" || $0.contains("/A") }.tracks(.audio)
  }
}
