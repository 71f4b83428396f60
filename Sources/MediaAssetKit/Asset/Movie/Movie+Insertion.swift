import FoundationEssentials
import ISOMedia
import LibAV

extension Movie {
  /// Inserts a range of another movie at a time; what stood from there on moves back.
  ///
  /// Each track of the other movie goes into the first one here of its kind and coding that is not taken yet; tracks here
  /// without a counterpart show nothing for the range. The other movie's samples join those of the track, with their own
  /// descriptions, and nothing is encoded anew.
  ///
  /// - Parameters:
  ///   - range: Of the other movie, its edits included.
  ///   - other: Another movie; its settings and metadata stay behind.
  ///   - time: Where it begins here.
  ///   - copySampleData: Whether ``write(to:)`` copies the other file into the new one. Otherwise the new movie refers to it
  ///     by URL, and is read where ``ReferenceRestrictions`` allow that.
  /// - Throws: ``MediaError``: `invalidArgument` as ``removeTimeRange(_:)``; `operationNotSupported` for a track of the other
  ///   movie that has no counterpart here, for clocks that have no common one, for more than eight million samples of a
  ///   track, for movies that refer to other files themselves, and for other movies without a URL that are not copied.
  public mutating func insertTimeRange(
    _ range: MediaTimeRange, of other: Movie, at time: MediaTime, copySampleData: Bool = true
  ) throws {
    let (start, end) = try bounds(range)
    let (place, _) = try bounds(MediaTimeRange(start: time, duration: .zero))
    let joined = try joins.place(of: other, copying: copySampleData) ?? join(other, copying: copySampleData)
    for id in edits.keys {
      if let partner = joined.partners[id], let added = other.edits[partner.otherID] {
        edits[id]?.insert(added, start, end, mediaOffset: partner.offset, at: place)
      } else {
        edits[id]?.insertEmpty(at: place, end - start)
      }
    }
    note(start, end, place, place + (end - start))
  }

  /// Adds the samples of another movie to the tracks, none of which shows them yet.
  private mutating func join(_ other: Movie, copying: Bool) throws -> MovieJoins.Join {
    guard other.joins.isEmpty, other.header.tracks.allSatisfy(\.isSelfContained) else {
      throw Self.unsupported(other.asset, "its media is in several files", "Write it as a movie of its own first")
    }
    var partners: [UInt32: MovieJoins.Partner] = [:]
    for added in other.tracks {
      let id = UInt32(bitPattern: added.id)
      guard let track = other.header.track(withID: id), !track.sampleDescriptions.isEmpty else { continue }
      let own = tracks.first { candidate in
        let header = header.track(withID: UInt32(bitPattern: candidate.id))
        return candidate.mediaType == added.mediaType && partners[UInt32(bitPattern: candidate.id)] == nil
          && header?.sampleDescriptions.first?.format == track.sampleDescriptions.first?.format
      }
      guard let own, let target = header.track(withID: UInt32(bitPattern: own.id)), target.mediaTimescale > 0 else {
        throw Self.unsupported(
          other.asset, "no track here takes its track \(added.id) (\(added.mediaType), \(track.codecName))",
          "Compose and export both")
      }
      let length = Rational(Int64(clamping: header.timing(of: target).totalDuration))
      let tick = Rational(1, Int64(target.mediaTimescale)) ?? .one
      partners[target.trackID] = MovieJoins.Partner(otherID: id, offset: tick * length)
    }
    let shift = copying ? try joins.shift(for: other, behind: reader) : 0
    var reference: [UInt8]?
    if !copying {
      guard let url = other.asset.url else {
        throw Self.unsupported(other.asset, "it has no URL to refer to", "Copy its samples")
      }
      reference = MediaReference.url(url.absoluteString)
    }
    let tracks = partners.map { TrackJoin(trackID: $0.key, otherID: $0.value.otherID) }
    do throws(ISOMediaError) {
      header = try MovieHeader.parse(
        header.joining(other.header, tracks: tracks, shift: shift, reference: reference))
    } catch {
      throw Self.unsupported(
        other.asset, "its samples can't be put behind those of \(asset.subject): \(error)", "Compose and export both")
    }
    return joins.add(other, partners: partners, copying: copying)
  }
}

extension TrackHeader {
  fileprivate var codecName: String { sampleDescriptions.first?.format.description ?? "no coding" }
}

/// Movies whose samples were added to another one's tracks.
struct MovieJoins: Sendable {
  struct Partner: Sendable {
    var otherID: UInt32
    /// Where its media begins in that of the track, in seconds.
    var offset: Rational
  }

  struct Join: Sendable {
    let asset: MediaAsset
    let isCopied: Bool
    /// By the numbers of the tracks that they were added to.
    let partners: [UInt32: Partner]
  }

  private var joins: [Join] = []
  private var copied: [any RandomAccessReader] = []

  var isEmpty: Bool { joins.isEmpty }

  /// Where a movie's samples are already.
  func place(of movie: Movie, copying: Bool) -> Join? {
    joins.first { $0.asset === movie.asset && $0.isCopied == copying }
  }

  mutating func add(_ movie: Movie, partners: [UInt32: Partner], copying: Bool) -> Join {
    let join = Join(asset: movie.asset, isCopied: copying, partners: partners)
    joins.append(join)
    if copying { copied.append(movie.reader) }
    return join
  }

  /// Where a movie's file will lie behind the first one.
  func shift(for movie: Movie, behind first: any RandomAccessReader) throws -> Int64 {
    let joined = JoinedReader(first, media: copied + [movie.reader])
    guard let joined else {
      throw Movie.unsupported(movie.asset, "its size is not known, or it is not read in any order", "Save it to a file")
    }
    return joined.start(ofMedia: copied.count)
  }

  /// The first movie's file with those of the copied ones behind it; nil where nothing is copied.
  func reader(behind first: any RandomAccessReader, subject: String) throws -> (any RandomAccessReader)? {
    guard !copied.isEmpty else { return nil }
    guard let reader = JoinedReader(first, media: copied) else {
      throw MediaError(
        .operationNotSupported, operation: "write", subject: subject, reason: "its size is not known",
        remedy: "Save it to a file first")
    }
    return reader
  }
}
