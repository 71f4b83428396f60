import FoundationEssentials

/// What ties the moments of a playlist to its timeline: the segments' lengths and `EXT-X-PROGRAM-DATE-TIME`.
struct PlaylistClock: Sendable {
  /// Segments from one stated moment to the next.
  struct Run: Sendable, Hashable {
    /// On the asset's timeline.
    var start: Rational
    /// Seconds since 1970 at the start.
    var moment: Rational
    /// Seconds on the timeline.
    var length: Rational
  }

  private(set) var runs: [Run] = []
  /// The length of all segments.
  private(set) var end = Rational.zero

  init(_ playlist: PlaylistText) {
    var stated: Rational?
    var length: Rational?
    for line in playlist.lines {
      switch line {
      case .tag("EXT-X-PROGRAM-DATE-TIME", let text): stated = Self.moment(text)
      case .tag("EXTINF", let text): length = Rational(decimal: text.prefix { $0 != "," }) ?? .zero
      case .address:
        guard let seconds = length else { continue }
        if let stated {
          // Segments before the first stated moment count backwards from it.
          let first = runs.isEmpty ? end : .zero
          runs.append(Run(start: end - first, moment: stated - first, length: seconds + first))
        } else if !runs.isEmpty {
          runs[runs.count - 1].length = runs[runs.count - 1].length + seconds
        }
        end = end + seconds
        (stated, length) = (nil, nil)
      default: break
      }
    }
  }

  /// Where a moment lies on the timeline; nil in a playlist that states no moment.
  ///
  /// A moment between two runs, when there were no segments, lies where the later one begins; others outside lie before
  /// zero or after the end.
  func time(of moment: Rational) -> Rational? {
    guard let first = runs.first else { return nil }
    let index = runs.lastIndex { $0.moment <= moment } ?? 0
    let run = index < runs.count ? runs[index] : first
    let offset = moment - run.moment
    return run.start + (index + 1 < runs.count ? min(offset, run.length) : offset)
  }

  /// Seconds since 1970 of a date, to the microsecond, which is what a `Date` of these years can hold.
  static func seconds(of date: Date) -> Rational? {
    let microseconds = (date.timeIntervalSince1970 * 1_000_000).rounded()
    return abs(microseconds) < 1e17 ? Rational(Int64(microseconds), 1_000_000) : nil
  }

  private static func moment(_ text: String) -> Rational? { MetadataDate(text).flatMap { seconds(of: $0.date) } }
}
