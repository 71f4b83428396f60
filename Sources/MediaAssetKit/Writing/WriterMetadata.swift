import FoundationEssentials
import ISOMedia

/// Items of a file or of a track in the form that a container has for them.
struct WriterMetadata: Sendable {
  /// Boxes of a movie's header.
  private(set) var changes: [MetadataBoxChange] = []
  /// By FFmpeg's names, for other containers.
  private(set) var tags: [String: String] = [:]
  private(set) var losses: [MetadataEditor.Loss] = []

  /// - Throws: ``MediaError`` with `invalidArgument` for a value that its key can't have.
  init(_ items: [MetadataItem], in container: WritableContainer, subject: String) throws {
    guard !items.isEmpty else { return }
    guard container.isMovie else {
      for item in items {
        guard let name = MetadataTerms.term(of: item.key, in: item.keySpace)?.ffmpeg, let text = item.value.string,
          !text.isEmpty, !text.utf8.contains(0), !container.isPictures
        else {
          losses.append(.init(subject: item.identifier.rawValue, reason: "the container has no place for it"))
          continue
        }
        tags[name] = text
      }
      return
    }
    var editor = MetadataEditor(MediaAsset(url: URL(filePath: subject)))
    for item in items { editor.set(item) }
    let kind = EditableContainer.movie(
      isQuickTime: container.muxer == "mov", is3GPP: ["3gp", "3g2"].contains(container.muxer))
    var plan = MetadataPlan(spaces: kind.keySpaces, existing: [], editor: editor)
    do { changes = try MovieFileEditor.changes(&plan) } catch let error as EditingFailure {
      throw error.error(subject: subject)
    }
    losses = plan.losses
  }

  /// Whether the values suit their keys: by a header with nothing else in it.
  func check(_ container: WritableContainer, path: String) throws {
    guard !changes.isEmpty else { return }
    let tagging = MovieTagging(isQuickTime: container.muxer == "mov", movie: changes)
    _ = try tagging.applied(to: [0, 0, 0, 8] + Array("moov".utf8), path: path)
  }
}

/// What a movie's header says of the film and of its tracks, put into the one that libav wrote.
struct MovieTagging: Sendable {
  var isQuickTime: Bool
  var movie: [MetadataBoxChange] = []
  /// By track ID.
  var tracks: [UInt32: [MetadataBoxChange]] = [:]

  init(isQuickTime: Bool, movie: [MetadataBoxChange]) {
    self.isQuickTime = isQuickTime
    self.movie = movie
  }

  /// What the items of a film and of its tracks come to; nil where there are none.
  ///
  /// - Parameter numbers: The tracks' streams, from 0; nil for one that is not in the file.
  init?(
    movie items: [MetadataItem], tracks: [WriterCore.Track], numbers: [Int?], container: WritableContainer, path: String
  ) throws {
    isQuickTime = container.muxer == "mov"
    movie = try WriterMetadata(items, in: container, subject: path).changes
    for (track, number) in zip(tracks, numbers) {
      let changes = try WriterMetadata(track.plan.metadataItems, in: container, subject: path).changes
      if let number, !changes.isEmpty { self.tracks[UInt32(number + 1)] = changes }
    }
    if movie.isEmpty, self.tracks.isEmpty { return nil }
  }

  /// - Parameter header: `moov` with its header.
  func applied(to header: [UInt8], path: String) throws -> [UInt8] {
    var payload: [UInt8] = []
    guard let box = BoxSequence(header).first(where: { $0.type == "moov" }) else { return header }
    for child in BoxSequence(header, in: box.payload) {
      guard child.type == "trak", let changes = tracks[Self.trackID(header, child)] else {
        payload += header[child.range]
        continue
      }
      // A track has the same boxes for it as the movie.
      let edited = try Self.edited(Self.box("moov", header[child.payload]), isQuickTime, changes, path)
      payload += Self.box("trak", edited[8...])
    }
    let made = Self.box("moov", payload[...])
    return movie.isEmpty ? made : try Self.edited(made, isQuickTime, movie, path)
  }

  private static func edited(
    _ bytes: [UInt8], _ isQuickTime: Bool, _ changes: [MetadataBoxChange], _ path: String
  ) throws -> [UInt8] {
    var editor = MovieMetadataEditor(bytes, isQuickTime: isQuickTime, changes: changes)
    do throws(MovieMetadataEditor.Failure) { return try editor.edited() } catch {
      let reason =
        switch error {
        case .header(let fault): "the movie header can't be completed: \(fault)"
        case .value(let fault): "\(fault.key): \(fault.reason)"
        }
      throw MediaError(.invalidArgument, operation: "write", subject: path, reason: reason)
    }
  }

  private static func trackID(_ bytes: [UInt8], _ track: Box) -> UInt32 {
    guard let header = BoxSequence(bytes, in: track.payload).first(where: { $0.type == "tkhd" }) else { return 0 }
    var reader = ByteReader(bytes, in: header.payload)
    let (version, _) = reader.versionAndFlags()
    reader.skip(version == 1 ? 16 : 8)
    return reader.uint32()
  }

  private static func box(_ type: String, _ payload: ArraySlice<UInt8>) -> [UInt8] {
    (payload.count + 8).bigEndianBytes(4) + Array(type.utf8) + payload
  }
}
