import ISOMedia
import LibAV

/// Media that a movie finds in other files by URL (`url ` entries of `dref`): joined behind the movie, so that everything
/// that reads samples reads them there.
///
/// libav follows aliases alone, and takes a URL for a sign that the media is in the movie itself.
struct ReferencedMedia {
  var movie: MovieHeader
  var reader: JoinedReader

  /// Different files of one movie; each is an open file or a connection.
  private static let maximumFiles = 32

  /// nil for a movie whose media is its own, or is referred to by alias.
  ///
  /// - Parameter open: Opens what a URL leads to from the movie's own place, if the policy allows it.
  init?(
    _ movie: MovieHeader, in file: any RandomAccessReader, subject: String,
    open: ((String) -> (any RandomAccessReader)?)?
  ) throws {
    var order: [String] = []
    for track in movie.tracks {
      for text in try Self.places(track, subject: subject) where !order.contains(text) { order.append(text) }
    }
    guard !order.isEmpty else { return nil }
    guard order.count <= Self.maximumFiles else {
      throw MediaError(
        .limitExceeded, operation: "open", subject: subject,
        reason: "its media lies in \(order.count) files, more than the limit of \(Self.maximumFiles)")
    }
    var readers: [any RandomAccessReader] = []
    for place in order {
      guard let reader = open?(place) else {
        throw MediaError(
          .readFailed, operation: "open", subject: subject,
          reason: "the file that its media lies in can't be opened: \(place)",
          remedy: "Put it there again, or use a movie that has its media in itself")
      }
      readers.append(reader)
    }
    guard let joined = JoinedReader(file, media: readers) else {
      throw MediaError(
        .operationNotSupported, operation: "open", subject: subject,
        reason: "its media lies where it can't be read in any order, or has no known size",
        remedy: "Download the files")
    }
    let moved = movie.relocatingChunks { track, number in
      let index = Int(number) - 1
      guard track.dataReferences.indices.contains(index), let text = Self.place(track.dataReferences[index]) else {
        return 0
      }
      return order.firstIndex(of: text).map { joined.start(ofMedia: $0) } ?? 0
    }
    guard let moved, let parsed = try? MovieHeader.parse(moved) else {
      throw MediaError(
        .operationNotSupported, operation: "open", subject: subject,
        reason: "its media lies beyond 4 GiB in another file, where its 32-bit offsets don't reach from here",
        remedy: "Open the file that the media lies in")
    }
    (self.movie, reader) = (parsed, joined)
  }

  /// The URL of an entry that leads elsewhere; nil for all others.
  private static func place(_ reference: DataReference) -> String? {
    reference.type == "url " && !reference.isSelfContained ? reference.text : nil
  }

  /// The URLs that the samples of a track are behind.
  private static func places(_ track: TrackHeader, subject: String) throws -> [String] {
    var places: [String] = []
    for entry in track.sampleDescriptions {
      let index = Int(entry.dataReferenceIndex) - 1
      guard track.dataReferences.indices.contains(index) else { continue }
      let reference = track.dataReferences[index]
      if let text = place(reference) { places.append(text) }
      guard reference.type == "urn " || reference.type == "rsrc", !reference.isSelfContained else { continue }
      throw MediaError(
        .operationNotSupported, operation: "open", subject: subject,
        reason: "the media of track \(track.trackID) lies in another file, named by \"\(reference.type)\"",
        remedy: "Only URLs and aliases are followed")
    }
    return places
  }
}
