import FoundationEssentials
import LibAV

extension AsyncProperty where Root == MediaAsset, Value == [AssetVariant] {
  /// The forms that a multivariant playlist offers, in its order; empty for every other asset.
  ///
  /// Reads the playlist alone and opens nothing that it refers to.
  public static var variants: Self {
    Self("variants") { asset in
      guard let playlist = try await asset.playlist() else { return [] }
      return AssetVariant.variants(in: playlist, base: asset.baseURL).map(\.variant)
    }
  }
}

extension AsyncProperty where Root == MediaAsset, Value == [DateRangeMetadataGroup] {
  /// The date ranges of a playlist of HTTP Live Streaming, in its order; empty for every other asset.
  ///
  /// Of a multivariant playlist they are those of its first variant's playlist, whose reading the resource policy must
  /// allow; otherwise loading fails with ``MediaError/Code-swift.struct/referenceForbidden``.
  public static var dateRanges: Self {
    Self("dateRanges") { asset in
      guard let playlist = try await asset.mediaPlaylist() else { return [] }
      return DateRangeMetadataGroup.ranges(in: playlist)
    }
  }
}

extension MediaAsset {
  /// The largest playlist that is read.
  private static let maximumPlaylistBytes = 16 << 20

  fileprivate var baseURL: URL? {
    switch source {
    case .file(let path), .beginning(let path, _): URL(filePath: path)
    case .remote(let url): url
    default: nil
    }
  }

  /// The asset's own bytes as a playlist; nil when they are something else.
  fileprivate func playlist() async throws -> PlaylistText? {
    let cell: LoadCell<PlaylistText?> = properties.cell("playlist")
    return try await cell.value { [self] in
      // What was opened already is not opened again; a header that can't be read is no hindrance.
      let opened: OpenedSource
      if loadedHeader != nil {
        opened = try await self.opened()
      } else {
        opened = try await source.open(options: options)
      }
      return try await Self.playlist(in: opened.reader, isRemote: opened.isRemote, subject: subject)
    }
  }

  /// The playlist that lists segments: the asset's own, or that of its first variant.
  fileprivate func mediaPlaylist() async throws -> PlaylistText? {
    guard let playlist = try await playlist() else { return nil }
    guard playlist.isMultivariant else { return playlist }
    guard let first = AssetVariant.variants(in: playlist, base: baseURL).first else { return nil }
    let cell: LoadCell<PlaylistText?> = properties.cell("mediaPlaylist")
    return try await cell.value { [self] in
      guard let opener = ReferenceOpener(source: source, options: options), opener.allows(first.address) else {
        throw MediaError(
          .referenceForbidden, operation: "read", subject: subject,
          reason: "its date ranges are in \(first.address), which the policy does not let it refer to",
          remedy: "If you trust it, allow references in the asset's resource policy")
      }
      let reader = try await OpeningSession(isRemote: true).run { _ in opener.open(first.address) }
      guard let reader else {
        throw MediaError(
          .readFailed, operation: "read", subject: subject, reason: "its variant \(first.address) can't be opened")
      }
      return try await Self.playlist(in: reader, isRemote: true, subject: first.address)
    }
  }

  private static func playlist(
    in reader: any RandomAccessReader, isRemote: Bool, subject: String
  ) async throws -> PlaylistText? {
    try await OpeningSession(isRemote: isRemote).run { interrupt in
      let head = try reader.bytes(at: 0, count: 16, interrupt: interrupt)
      guard PlaylistText(head + [0x0A]) != nil else { return nil }
      let bytes = try reader.bytes(at: 0, count: maximumPlaylistBytes + 1, interrupt: interrupt)
      guard bytes.count <= maximumPlaylistBytes else {
        throw MediaError(
          .limitExceeded, operation: "read", subject: subject,
          reason: "the playlist has more than \(maximumPlaylistBytes) bytes")
      }
      return PlaylistText(bytes)
    }
  }
}
