import Synchronization

/// A property of an asset or a track that is loaded when asked for: `try await asset.load(.duration)`.
public struct AsyncProperty<Root: Sendable, Value: Sendable>: Sendable, CustomStringConvertible {
  /// The property's name.
  public let description: String
  let load: @Sendable (Root) async throws -> Value

  init(_ name: String, _ load: @escaping @Sendable (Root) async throws -> Value) {
    description = name
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
  private let cells = Mutex<[String: any Sendable & AnyObject]>([:])
  private let cancels = Mutex<[@Sendable () -> Void]>([])

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

extension LoadCell {
  func status<Root>(as _: AsyncProperty<Root, Value>.Type) -> AsyncProperty<Root, Value>.Status {
    switch status {
    case .idle: .notYetLoaded
    case .loading: .loading
    case .loaded(let value): .loaded(value)
    case .failed(let error): .failed(error)
    }
  }
}
