import LibAV

/// One track of an asset. A light value; what costs reading is loaded: `try await track.load(.formatDescriptions)`.
public struct AssetTrack: Sendable {
  /// The asset that the track belongs to.
  public let asset: MediaAsset
  /// The container's number of the track: the track ID of MP4 and QuickTime, else 1 for the first stream and so on.
  public var trackID: Int32 { track.id }
  /// The kind of media.
  public var mediaType: MediaType { track.mediaType }

  let track: ContainerTrack

  init(asset: MediaAsset, track: ContainerTrack) {
    self.asset = asset
    self.track = track
  }

  /// Loads one property; shared, cancelled and failing as ``MediaAsset/load(_:)`` says.
  public func load<Value>(_ property: AsyncProperty<AssetTrack, Value>) async throws -> Value {
    try await asset.properties.load(property, of: self, key: key(property.description))
  }

  /// Loads several properties.
  public func load<First, Second, each Value>(
    _ first: AsyncProperty<AssetTrack, First>, _ second: AsyncProperty<AssetTrack, Second>,
    _ property: repeat AsyncProperty<AssetTrack, each Value>
  ) async throws -> (First, Second, repeat each Value) {
    (try await load(first), try await load(second), repeat try await load(each property))
  }

  /// How far a property is; never blocks.
  public func status<Value>(of property: AsyncProperty<AssetTrack, Value>)
    -> AsyncProperty<AssetTrack, Value>.Status
  {
    asset.properties.status(of: property, of: self, key: key(property.description))
  }

  private func key(_ name: String) -> String { "\(track.id).\(name)" }

  /// For errors: the asset and the track.
  var subject: String { "track \(track.id) of \(asset.subject)" }
}

extension AssetTrack: Hashable {
  /// Tracks are the same when they are the same track of the same asset.
  public static func == (left: AssetTrack, right: AssetTrack) -> Bool {
    left.asset === right.asset && left.track.id == right.track.id
  }
  /// Hashes the asset's identity and the track's number.
  public func hash(into hasher: inout Hasher) {
    hasher.combine(ObjectIdentifier(asset))
    hasher.combine(track.id)
  }
}
