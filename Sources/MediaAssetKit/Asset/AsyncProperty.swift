/// A property of an asset or a track that is loaded when asked for: `try await asset.load(.duration)`.
public struct AsyncProperty<Root: Sendable, Value: Sendable>: Sendable, CustomStringConvertible {
  /// The property's name.
  public let description: String
  let load: @Sendable (Root) async throws -> Value
  /// For values that refer to their root, which must not keep them: made anew from what is loaded, nil before that.
  let current: (@Sendable (Root) -> Value?)?

  init(
    _ name: String, current: (@Sendable (Root) -> Value?)? = nil,
    _ load: @escaping @Sendable (Root) async throws -> Value
  ) {
    description = name
    self.current = current
    self.load = load
  }

  /// How far a property is.
  public enum Status: Sendable {
    /// Nobody has asked yet.
    case notYetLoaded
    /// Somebody waits for it.
    case loading
    /// The value, which never changes afterwards.
    case loaded(Value)
    /// Why the last attempt failed; a cancelled one fails with `CancellationError`. Asking again tries again.
    case failed(any Error)
  }
}

/// Loads of one object's properties: one cell each, shared by all who ask.
final class PropertyStore: Sendable {
  private let cells = Monitor<[String: any Sendable & AnyObject]>([:])
  private let cancels = Monitor<[@Sendable () -> Void]>([])

  func cell<Value: Sendable>(_ name: String, of type: Value.Type = Value.self) -> LoadCell<Value> {
    let (cell, isNew) = cells.withLock { cells -> (LoadCell<Value>, Bool) in
      if let cell = cells[name] as? LoadCell<Value> { return (cell, false) }
      let cell = LoadCell<Value>()
      cells[name] = cell
      return (cell, true)
    }
    if isNew { cancels.withLock { $0.append { cell.cancel() } } }
    return cell
  }

  func existing<Value: Sendable>(_ name: String, of type: Value.Type) -> LoadCell<Value>? {
    cells.withLock { $0[name] as? LoadCell<Value> }
  }

  func cancelAll() { for cancel in cancels.withLock({ $0 }) { cancel() } }
}

extension PropertyStore {
  /// Loads a property of `root` through its cell.
  func load<Root, Value>(_ property: AsyncProperty<Root, Value>, of root: Root, key: String) async throws -> Value {
    guard let current = property.current else {
      return try await cell(key, of: Value.self).value { try await property.load(root) }
    }
    if let value = current(root) {
      try Task.checkCancellation()
      cell(key, of: Loaded.self).settle(Loaded())
      return value
    }
    // The cell remembers that the value was loaded, not the value.
    _ = try await cell(key, of: Loaded.self).value {
      _ = try await property.load(root)
      return Loaded()
    }
    return try await property.load(root)
  }

  func status<Root, Value>(of property: AsyncProperty<Root, Value>, of root: Root, key: String)
    -> AsyncProperty<Root, Value>.Status
  {
    guard let current = property.current else {
      return existing(key, of: Value.self).map { .init($0.status) { $0 } } ?? .notYetLoaded
    }
    return existing(key, of: Loaded.self).map { .init($0.status) { _ in current(root) } } ?? .notYetLoaded
  }
}

/// A mark that something was loaded.
private struct Loaded: Sendable {}

extension AsyncProperty.Status {
  fileprivate init<Kept>(_ status: LoadCell<Kept>.Status, value: (Kept) -> Value?) {
    switch status {
    case .idle: self = .notYetLoaded
    case .loading: self = .loading
    case .loaded(let kept): self = value(kept).map { .loaded($0) } ?? .loading
    case .failed(let error): self = .failed(error)
    }
  }
}
