import LibAV

extension AsyncProperty where Root == MediaAsset, Value == [MetadataItem] {
  /// Every item that the container has, in its own key spaces and its own order; empty where there is none.
  ///
  /// Costs reading the tags: no media is read, except where it lies between two tags of a source that can't seek.
  public static var metadata: Self {
    Self("metadata") { try await $0.fileMetadata().items }
  }

  /// The items that have a common key, in the common key space; then the moment that the header states.
  public static var commonMetadata: Self {
    Self("commonMetadata") { asset in
      let found = try await asset.fileMetadata()
      var items = found.items.common
      if let date = found.creationDate {
        items.append(
          MetadataItem(
            keySpace: .common, key: MetadataCommonKey.creationDate.rawValue, value: .date(date)))
      }
      return items
    }
  }
}

extension AsyncProperty where Root == MediaAsset, Value == [MetadataFormat] {
  /// The forms in which the container has metadata.
  public static var availableMetadataFormats: Self {
    Self("availableMetadataFormats") { try await $0.load(.metadata).formats }
  }
}

extension AsyncProperty where Root == MediaAsset, Value == MetadataItem? {
  /// When the asset was made, as a common item: what the metadata says, else what the header states; nil for neither.
  public static var creationDate: Self {
    Self("creationDate") { asset in
      let items = try await asset.load(.commonMetadata).filtered(by: .commonIdentifierCreationDate)
      return items.first { $0.metadataDate?.hasTime == true } ?? items.first
    }
  }
}

extension AsyncProperty where Root == MediaAsset, Value == String? {
  /// The words of a song.
  public static var lyrics: Self {
    Self("lyrics") { asset in
      let keys: Set<MetadataIdentifier> = [
        .iTunesMetadataLyrics, .id3MetadataUnsynchronizedLyric,
        MetadataIdentifier(key: "LYRICS", keySpace: .vorbisComment),
        MetadataIdentifier(key: "LYRICS", keySpace: .matroska), MetadataIdentifier(key: "Lyrics", keySpace: .ape),
      ]
      return try await asset.load(.metadata).first { keys.contains($0.identifier) }?.stringValue
    }
  }
}

extension MediaAsset {
  /// The items of one form; none is no error.
  public func loadMetadata(for format: MetadataFormat) async throws -> [MetadataItem] {
    try await load(.metadata).filter { MetadataFormat(keySpace: $0.keySpace) == format }
  }

  /// What the container says beside its media, read once.
  func fileMetadata() async throws -> FileMetadata {
    let cell: LoadCell<FileMetadata> = properties.cell("fileMetadata")
    return try await cell.value { [self] in
      let (opened, header) = (try await opened(), try await header())
      // Chapters may lie where the media does.
      let reader = header.joined ?? opened.reader
      // Tags are held in memory, as headers are.
      let limit = Int(clamping: options.policy.maximumHeaderBytes)
      var found = try await OpeningSession(isRemote: opened.isRemote).run { interrupt in
        var source = SourceBytes(size: reader.length, maximumBytes: limit) { offset, count in
          if interrupt.isRaised { throw CancellationError() }
          return try reader.bytes(at: offset, count: count, interrupt: interrupt)
        }
        return try FileMetadata.read(header, &source)
      }
      found.items += opened.streamMetadata?.headerItems ?? []
      if header.container == "hls" {
        // A variant's playlist that can't be read has hindered nobody so far.
        found.items += (try? await load(.dateRanges))?.flatMap(\.items) ?? []
      }
      return found
    }
  }
}

extension MediaAsset {
  /// What a radio station's stream has said so far: a group for each title (`icy/StreamTitle`, `icy/StreamUrl`), in order.
  ///
  /// Of assets on Shoutcast and Icecast servers; empty for every other one. What is read of the stream decides how many
  /// there are: the first title is waited for, so that it is there. Times follow from the bit rate that the server states
  /// (`icy-br`), and are as exact as that is; without one they are invalid. The last group's duration is indefinite.
  public func loadStreamMetadataGroups() async throws -> [TimedMetadataGroup] {
    let opened = try await opened()
    guard let metadata = opened.streamMetadata else { return [] }
    if let interval = metadata.interval, metadata.groups.isEmpty {
      _ = try await OpeningSession(isRemote: true).run { interrupt in
        try opened.reader.bytes(at: Int64(interval), count: 1, interrupt: interrupt)
      }
    }
    return metadata.groups
  }
}

extension [MetadataItem] {
  /// The forms of the items, each once, in their order.
  var formats: [MetadataFormat] {
    var formats: [MetadataFormat] = []
    for item in self {
      let format = MetadataFormat(keySpace: item.keySpace)
      if !formats.contains(format) { formats.append(format) }
    }
    return formats
  }
}
