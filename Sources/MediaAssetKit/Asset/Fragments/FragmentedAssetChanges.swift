import ISOMedia

/// A change of a growing file.
public struct FragmentedAssetChange: Sendable {
  /// What can change.
  public struct Kinds: OptionSet, Sendable, Hashable {
    /// The kinds as bits.
    public let rawValue: UInt8

    /// Kinds from bits.
    public init(rawValue: UInt8) { self.rawValue = rawValue }

    /// The asset became longer, or shorter.
    public static let duration = Kinds(rawValue: 1 << 0)
    /// A track came or went.
    public static let tracks = Kinds(rawValue: 1 << 1)
    /// The time range of a track changed.
    public static let trackTimeRanges = Kinds(rawValue: 1 << 2)
    /// The first fragment came.
    public static let containsFragments = Kinds(rawValue: 1 << 3)
    /// A file without fragments took the place of one with them.
    public static let wasDefragmented = Kinds(rawValue: 1 << 4)
  }

  /// What changed.
  public let kinds: Kinds
  /// The file as it was then: an asset that stays as it is while the file grows.
  public let asset: MediaAsset
  /// Its duration; indefinite before the first fragment, where the header does not state one.
  public let duration: MediaTime
  /// The tracks that are new, or whose time range changed.
  public let changedTracks: [AssetTrack]
  /// Whether nothing will be added: the file is finished.
  public let isFinal: Bool
}

/// The changes of a growing file, made by ``FragmentedAsset/changes(mindingInterval:)``.
public struct FragmentedAssetChanges: AsyncSequence, Sendable {
  let asset: FragmentedAsset
  let interval: Duration

  /// Begins to mind the file.
  public func makeAsyncIterator() -> Iterator { Iterator(asset: asset, interval: interval) }

  /// One minding of a file.
  public struct Iterator: AsyncIteratorProtocol {
    let asset: FragmentedAsset
    let interval: Duration
    private var stamp: FileStamp?
    private var known = FragmentedAssetState()
    private var isFinished = false

    init(asset: FragmentedAsset, interval: Duration) {
      self.asset = asset
      self.interval = interval
    }

    /// Waits for the next change; nil behind the last one.
    ///
    /// - Throws: ``MediaError`` where the file is gone or damaged; `CancellationError` when the task is cancelled.
    public mutating func next() async throws -> FragmentedAssetChange? {
      guard !isFinished else { return nil }
      while true {
        if let stamp, try await asset.stamp() == stamp {
          try await Task.sleep(for: interval)
          continue
        }
        let look = try await asset.look()
        stamp = look.stamp
        guard look.file.hasMovie else { continue }
        let current = MediaAsset(beginningOf: asset.url, length: look.file.end, options: asset.options)
        let state = try await FragmentedAssetState(current)
        let (kinds, tracks) = state.difference(from: known)
        known = state
        isFinished = look.file.isFinished || !state.canContainFragments
        guard !kinds.isEmpty || isFinished else { continue }
        return FragmentedAssetChange(
          kinds: kinds, asset: current, duration: state.duration, changedTracks: tracks, isFinal: isFinished)
      }
    }

    /// ``next()`` for loops: they stay on the caller's actor, and leave it only where there is something to wait for.
    public mutating func next(isolation actor: isolated (any Actor)?) async throws(any Error) -> FragmentedAssetChange?
    { try await next() }
  }
}

/// What is compared of a growing file.
struct FragmentedAssetState: Sendable {
  var duration = MediaTime.indefinite
  var canContainFragments = true
  var containsFragments = false
  var tracks: [(track: AssetTrack, range: MediaTimeRange)] = []

  init() {}

  init(_ asset: MediaAsset) async throws {
    (canContainFragments, containsFragments, duration) = try await asset.load(
      .canContainFragments, .containsFragments, .duration)
    for track in try await asset.load(.tracks) { tracks.append((track, try await track.load(.timeRange))) }
  }

  func difference(from old: FragmentedAssetState) -> (FragmentedAssetChange.Kinds, [AssetTrack]) {
    var kinds: FragmentedAssetChange.Kinds = []
    if duration != old.duration { kinds.insert(.duration) }
    if containsFragments, !old.containsFragments { kinds.insert(.containsFragments) }
    if !containsFragments, old.containsFragments { kinds.insert(.wasDefragmented) }
    var changed: [AssetTrack] = []
    for (track, range) in tracks {
      guard let before = old.tracks.first(where: { $0.track.trackID == track.trackID }) else {
        kinds.insert(.tracks)
        changed.append(track)
        continue
      }
      guard before.range != range else { continue }
      kinds.insert(.trackTimeRanges)
      changed.append(track)
    }
    let isGone = old.tracks.contains { old in !tracks.contains { $0.track.trackID == old.track.trackID } }
    if isGone { kinds.insert(.tracks) }
    return (kinds, changed)
  }
}
