public import FoundationEssentials
import LibAV
import Synchronization

/// Timed media in a file, on a server, in memory or behind a source of your own.
///
/// Making an asset costs nothing and reads nothing; ``load(_:)`` reads what the asked properties need and no more.
/// An asset is immutable and may be used from any number of tasks; what was loaded once never changes.
///
/// ```swift
/// let asset = MediaAsset(url: url)
/// let (duration, tracks) = try await asset.load(.duration, .tracks)
/// ```
public final class MediaAsset: Sendable {
  /// How an asset is opened.
  public struct Options: Sendable {
    /// Reads the whole resource where its header does not give exact times; false by default.
    public var prefersPreciseDurationAndTiming: Bool
    /// FFmpeg's name of the container format (`mp4`, `mpegts`), where the bytes should not decide; nil by default.
    public var containerFormat: String?
    /// What the asset may open, and its limits; nothing but itself and no network by default.
    public var policy: ResourcePolicy
    /// Headers, cookies and time-outs of HTTP requests.
    public var http: HTTPOptions

    /// Options; the defaults are the safe ones.
    public init(
      prefersPreciseDurationAndTiming: Bool = false, containerFormat: String? = nil,
      policy: ResourcePolicy = .init(),
      http: HTTPOptions = .init()
    ) {
      self.prefersPreciseDurationAndTiming = prefersPreciseDurationAndTiming
      self.containerFormat = containerFormat
      self.policy = policy
      self.http = http
    }
  }

  /// The asset's URL; nil for assets from memory, descriptors and custom sources.
  public let url: URL?
  /// How it is opened.
  public let options: Options

  let source: AssetSource
  let properties = PropertyStore()

  /// An asset at a file, `http` or `https` URL. Does no I/O; what is wrong appears when something is loaded.
  public init(url: URL, options: Options = .init()) {
    self.url = url
    self.options = options
    source = AssetSource(url)
  }

  /// An asset whose bytes are in memory.
  public init(data: Data, options: Options = .init()) {
    url = nil
    self.options = options
    source = .data(data)
  }

  /// An asset whose bytes come from a source of your own.
  public init(source: any ByteSource, options: Options = .init()) {
    url = nil
    self.options = options
    self.source = .custom(source)
  }

  /// An asset in an open file. The descriptor stays yours; it must be open when something is loaded for the first time.
  public init(fileDescriptor: Int32, options: Options = .init()) {
    url = nil
    self.options = options
    source = .descriptor(fileDescriptor)
  }

  /// An asset of what was complete of a file that grows.
  init(beginningOf url: URL, length: Int64, options: Options) {
    self.url = url
    self.options = options
    source = .beginning(path: url.path(percentEncoded: false), length: length)
  }

  deinit { properties.cancelAll() }

  // MARK: - Loading

  /// Loads one property.
  ///
  /// Callers who ask at the same time share the work. Cancelling the task leaves at once with `CancellationError`;
  /// the work goes on for the others.
  /// - Throws: ``MediaError`` with the reason, or `CancellationError`.
  public func load<Value>(_ property: AsyncProperty<MediaAsset, Value>) async throws -> Value {
    try await properties.load(property, of: self, key: property.description)
  }

  /// Loads several properties; what they have in common is read once.
  public func load<First, Second, each Value>(
    _ first: AsyncProperty<MediaAsset, First>, _ second: AsyncProperty<MediaAsset, Second>,
    _ property: repeat AsyncProperty<MediaAsset, each Value>
  ) async throws -> (First, Second, repeat each Value) {
    (try await load(first), try await load(second), repeat try await load(each property))
  }

  /// How far a property is; never blocks.
  public func status<Value>(of property: AsyncProperty<MediaAsset, Value>)
    -> AsyncProperty<MediaAsset, Value>.Status
  {
    properties.status(of: property, of: self, key: property.description)
  }

  /// Cancels every load that runs, for all who wait; they get `CancellationError`.
  public func cancelLoading() { properties.cancelAll() }
}

/// A source that was opened, and its container's header.
struct OpenedAsset: Sendable {
  var source: OpenedSource
  var header: ContainerHeader
}

extension MediaAsset {
  /// The opened source and its header, shared by everything that reads the asset.
  private func opening() async throws -> OpenedAsset {
    let cell: LoadCell<OpenedAsset> = properties.cell("opening")
    if case .loaded(let opened) = cell.status { return opened }
    let (source, options) = (source, options)
    return try await cell.value {
      switch source {
      case .remote, .custom:
        let opened = try await source.open(options: options)
        return try await OpeningSession(isRemote: opened.isRemote).readHeader(
          of: opened, source: source, options: options)
      default:
        // One turn on a thread of its own for both: every hand-over costs more than the reading.
        return try await OpeningSession(isRemote: false).open(source, options)
      }
    }
  }

  /// The opened source.
  func opened() async throws -> OpenedSource { try await opening().source }

  /// The container's header.
  func header() async throws -> ContainerHeader { try await opening().header }

  /// For errors and logs: a custom source goes by its own name once it is open.
  var subject: String {
    guard case .loaded(let opened)? = properties.existing("opening", of: OpenedAsset.self)?.status
    else { return source.subject }
    return opened.source.name ?? source.subject
  }

  /// The header when it is loaded already.
  var loadedHeader: ContainerHeader? {
    guard case .loaded(let opened)? = properties.existing("opening", of: OpenedAsset.self)?.status
    else { return nil }
    return opened.header
  }
}

/// Opens and reads headers on threads of its own, away from the cooperative pool.
actor OpeningSession {
  private let executor: StrandExecutor
  nonisolated var unownedExecutor: UnownedSerialExecutor { executor.asUnownedSerialExecutor() }

  init(isRemote: Bool) { executor = StrandExecutor(pool: isRemote ? .network : .opening) }

  func open(_ source: AssetSource, _ options: MediaAsset.Options) async throws -> OpenedAsset {
    try Task.checkCancellation()
    return try await readHeader(
      of: try await source.open(options: options), source: source, options: options)
  }

  func readHeader(of opened: OpenedSource, source: AssetSource, options: MediaAsset.Options)
    async throws -> OpenedAsset
  {
    try Task.checkCancellation()
    let interrupt = Interrupt()
    let reader = ContainerHeaderReader(
      reader: opened.reader, subject: opened.name ?? source.subject, formatName: options.containerFormat,
      nameExtension: source.nameExtension ?? AssetSource.nameExtension(of: opened.name), policy: options.policy,
      openReference: ReferenceOpener.door(of: source, options: options),
      mayRefer: ReferenceOpener.permission(of: source, options: options),
      openURL: ReferenceOpener.urlDoor(of: source, options: options), interrupt: interrupt)
    let header = try await withTaskCancellationHandler {
      try reader.read()
    } onCancel: {
      interrupt.raise()
    }
    return OpenedAsset(source: opened, header: header)
  }

  /// Runs a piece of blocking work that `interrupt` ends when the task is cancelled.
  func run<R: Sendable>(_ work: @Sendable (Interrupt) throws -> R) async throws -> R {
    try Task.checkCancellation()
    let interrupt = Interrupt()
    return try await withTaskCancellationHandler {
      try work(interrupt)
    } onCancel: {
      interrupt.raise()
    }
  }
}
