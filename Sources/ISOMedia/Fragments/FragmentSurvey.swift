/// The times of all fragments of a file, found by walking its top-level boxes.
package struct FragmentSurvey: Sendable {
  /// By track ID: from the first to the last sample in fragments.
  package var spans: [UInt32: SampleSpan] = [:]
  package var fragmentCount = 0
  /// Whether the walk saw the whole file; false at damage or at a limit.
  package var isComplete = false
  /// Whether a box reaches past the end of the file.
  package var isTruncated = false
  package var problems: [ISOMediaError] = []

  package init() {}

  package struct Limits: Sendable {
    package var boxes = 65_536
    package var fragmentBytes = 16 << 20
    /// Bytes of all `moof` boxes together.
    package var totalBytes: Int64 = 256 << 20

    package init() {}
  }

  /// Walks the boxes from `offset` and reads every `moof`, no media data.
  ///
  /// Costs one read for each fragment (two where it is larger than 4 KiB) and one for each other
  /// box that is not near.
  ///
  /// - Parameters:
  ///   - offset: Of a top-level box: that of the first fragment.
  ///   - size: The file's size; nil when unknown.
  ///   - defaults: `trex` of the tracks.
  ///   - decodeTimes: Where a track's fragments start that have no `tfdt`: the end of its samples
  ///     in `moov`.
  ///   - read: As for `FileLayout.scan`.
  package static func survey(
    from offset: Int64, size: Int64?, defaults: [TrackExtends],
    decodeTimes: [UInt32: Int64] = [:], limits: Limits = Limits(),
    read: (_ offset: Int64, _ count: Int) throws -> [UInt8]
  ) rethrows -> FragmentSurvey {
    var survey = FragmentSurvey()
    var times = decodeTimes
    var position = offset
    var totalBytes: Int64 = 0
    for _ in 0..<limits.boxes {
      if let size, position >= size {
        survey.isComplete = true
        survey.isTruncated = position > size
        return survey
      }
      // A fragment of some seconds fits, and then needs no second read.
      let wanted = size.map { min(4096, $0 - position) } ?? 4096
      var bytes = try read(position, Int(wanted))
      guard bytes.count >= 8 else {
        survey.isComplete = true
        return survey
      }
      var boxes = BoxSequence(bytes)
      guard let box = boxes.next(), let length = claimedSize(bytes) else {
        survey.report(.malformed, "", position)
        return survey
      }
      let end = length == 0 ? nil : position.addingReportingOverflow(length)
      if let end, end.overflow {
        survey.report(.malformed, "\(box.type)", position)
        return survey
      }
      if box.type == .moof {
        let claimed = length == 0 ? (size ?? .max) - position : length
        totalBytes &+= claimed
        guard claimed <= Int64(limits.fragmentBytes), totalBytes <= limits.totalBytes else {
          survey.report(.limit, "moof", position)
          return survey
        }
        if Int64(bytes.count) < claimed, bytes.count == Int(wanted) {
          let available = size.map { min(claimed, $0 - position) } ?? claimed
          bytes = try read(position, Int(available))
        }
        survey.isTruncated = Int64(bytes.count) < claimed
        survey.note(bytes, at: position, defaults, &times)
      }
      guard let end else {
        survey.isComplete = true
        return survey
      }
      position = end.partialValue
    }
    survey.report(.limit, "", position)
    return survey
  }

  private mutating func note(
    _ bytes: [UInt8], at position: Int64, _ defaults: [TrackExtends],
    _ times: inout [UInt32: Int64]
  ) {
    do {
      let fragment = try MovieFragment.parse(bytes, at: position, defaults: defaults)
      fragmentCount += 1
      for problem in fragment.problems {
        report(problem.kind, problem.path, position &+ problem.offset)
      }
      for track in fragment.tracks {
        guard let span = track.span(in: bytes, from: times[track.trackID] ?? 0) else { continue }
        times[track.trackID] = span.decodeEnd
        if spans[track.trackID] == nil {
          spans[track.trackID] = span
        } else {
          spans[track.trackID]?.formUnion(span)
        }
      }
    } catch {
      report(error.kind, error.path, position &+ error.offset)
    }
  }

  /// The size in a box header, 0 for "to the end"; nil when it cannot be.
  private static func claimedSize(_ bytes: [UInt8]) -> Int64? {
    let size = bytes.bigEndianUInt32(at: 0)
    guard size == 1 else { return size == 0 || size >= 8 ? Int64(size) : nil }
    guard bytes.count >= 16 else { return nil }
    let wide = Int64(truncatingIfNeeded: bytes.bigEndianUInt64(at: 8))
    return wide >= 16 ? wide : nil
  }

  private mutating func report(_ kind: ISOMediaError.Kind, _ path: String, _ offset: Int64) {
    guard problems.count < ParseState.maximumProblems else { return }
    problems.append(ISOMediaError(kind, path: path, offset: offset))
  }
}
