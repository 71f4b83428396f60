import LibAV

/// A stored picture, as far as a cut is concerned.
struct CutSample: Sendable, Hashable {
  /// When it is shown, in seconds of the asset.
  var time: Rational
  /// When it is decoded; nil where the container does not say.
  var decodeTime: Rational?
  /// Whether decoding can begin here.
  var isSync: Bool
  /// Whether copies can follow encoded pictures here.
  var isJoint: Bool
}

/// Which pictures of a range have to be encoded, so that the others can be copied and nothing else is there. Pure
/// arithmetic.
///
/// Copies begin at a sync sample, and end where everything that was decoded so far is shown before everything else:
/// at the end that is a few pictures before the range's, at most as many as the codec reorders.
struct CutPlanner: Sendable {
  let start: Rational
  /// nil: nothing is cut off at the end.
  let end: Rational?

  /// Where copies begin.
  struct Beginning: Sendable, Hashable {
    /// When the first copied picture is shown; before the range's start where it lasts into it.
    var time: Rational
    /// Whether pictures before it are encoded.
    var hasHead: Bool
    /// How far decoding runs ahead of showing.
    var delay: Rational
  }

  /// Where copies end.
  struct End: Sendable, Hashable {
    /// The first picture that is not copied is shown then, or the range is over.
    var time: Rational
    /// Whether pictures from there on are encoded.
    var hasTail: Bool
  }

  /// - Parameter samples: In decode order, from a sync sample at or before the range's start on, until behind the joint.
  /// - Returns: nil where copies can begin nowhere within the range.
  func beginning(_ samples: [CutSample]) -> Beginning? {
    var latest: Rational?
    for (index, sample) in samples.enumerated() {
      defer { latest = latest.map { max($0, sample.time) } ?? sample.time }
      guard sample.isSync else { continue }
      if let end, sample.time >= end { return nil }
      if sample.time <= start {
        // Another picture takes over before the range begins.
        if samples.contains(where: { $0.time > sample.time && $0.time <= start }) { continue }
        return Beginning(time: sample.time, hasHead: false, delay: delay(samples[index...]))
      }
      // Pictures that were decoded before are all shown before.
      if let latest, latest > sample.time { continue }
      let hasHead = samples.contains { $0.time < sample.time && (index > 0 || $0.time >= start) }
      if hasHead, !sample.isJoint { continue }
      return Beginning(time: sample.time, hasHead: hasHead, delay: delay(samples[index...]))
    }
    return nil
  }

  /// - Parameters:
  ///   - samples: In decode order, from a sync sample on that is copied, to the last one that is shown within the range.
  ///   - first: When the first copied picture is shown.
  /// - Returns: nil where nothing would be copied.
  func end(_ samples: [CutSample], first: Rational) -> End? {
    guard let end else { return nil }
    // What is shown before the joint went into the encoded part.
    let times = samples.map(\.time).filter { $0 >= first }
    if times.isEmpty { return first < end ? End(time: end, hasTail: false) : nil }
    var rest = [Rational?](repeating: nil, count: times.count + 1)
    for index in times.indices.reversed() {
      rest[index] = rest[index + 1].map { min($0, times[index]) } ?? times[index]
    }
    var shown = [Rational?](repeating: nil, count: times.count + 1)
    for index in times.indices { shown[index + 1] = shown[index].map { max($0, times[index]) } ?? times[index] }
    for count in stride(from: times.count, through: 0, by: -1) {
      if let last = shown[count] {
        if last >= end { continue }
        if let next = rest[count], next <= last { continue }
      }
      let next = rest[count].flatMap { $0 < end ? $0 : nil }
      if let next, next <= first { return nil }
      return End(time: next ?? end, hasTail: next != nil)
    }
    return nil
  }

  /// How far a sample is decoded ahead of when it is shown, at most: so that decode times can rise at the same pace.
  private func delay(_ samples: ArraySlice<CutSample>) -> Rational {
    guard let first = samples.first else { return .zero }
    let shown = samples.filter { $0.time >= first.time }.map(\.time)
    let stated = first.decodeTime.map { max(.zero, first.time - $0) } ?? .zero
    return zip(shown.sorted(), shown).reduce(stated) { max($0, $1.0 - $1.1) }
  }
}
