import FoundationEssentials
import LibAV

/// The one door through which a container opens anything besides itself: libav's `io_open` ends here.
///
/// nil where the policy forbids all references, so that playlist formats are not even recognised.
struct ReferenceOpener: Sendable {
  private let base: String?
  private let basePath: String?
  private let policy: ResourcePolicy
  private let http: HTTPOptions

  init?(source: AssetSource, options: MediaAsset.Options) {
    guard options.policy.references != .forbidAll else { return nil }
    policy = options.policy
    http = options.http
    switch source {
    case .file(let path), .beginning(let path, _):
      base = URL(filePath: path).absoluteString
      basePath = path
    case .remote(let url):
      base = url.absoluteString
      basePath = nil
    default:
      base = nil
      basePath = nil
    }
  }

  /// The door for libav's `io_open`; nil where nothing may pass it.
  static func door(of source: AssetSource, options: MediaAsset.Options) -> (
    @Sendable (String) -> (any RandomAccessReader)?
  )? {
    guard let opener = ReferenceOpener(source: source, options: options) else { return nil }
    return { opener.open($0) }
  }

  /// The door for URLs that a movie names, which are resolved against its own.
  static func urlDoor(of source: AssetSource, options: MediaAsset.Options) -> (
    @Sendable (String) -> (any RandomAccessReader)?
  )? {
    guard let opener = ReferenceOpener(source: source, options: options) else { return nil }
    return { text in
      let base = opener.base.flatMap { URL(string: $0) }
      return opener.open(URL(string: text, relativeTo: base)?.absoluteString ?? text)
    }
  }

  /// Whether the policy lets a source refer to a place, without opening it; nil where it may refer to nothing.
  static func permission(of source: AssetSource, options: MediaAsset.Options) -> (@Sendable (String) -> Bool)? {
    guard let opener = ReferenceOpener(source: source, options: options) else { return nil }
    return { opener.policy.decision(forReference: $0, from: opener.base).isAllowed }
  }

  /// Whether the policy allows a reference; opens nothing.
  func allows(_ location: String) -> Bool { policy.decision(forReference: location, from: base).isAllowed }

  /// Formats that consist of references; recognised only where references are allowed.
  static let referringFormats = "hls,dash"

  /// Keeps libav from reusing connections of its own, which there are none of, and lets QuickTime's references through.
  static let formatOptions = ["http_persistent": "0", "http_multiple": "0", "enable_drefs": "1"]

  /// Called on a thread that libav blocks; waits for a server's first answer there.
  func open(_ location: String) -> (any RandomAccessReader)? {
    // libav resolves against the neutral name that it was given, so relative names arrive as they are written.
    guard policy.decision(forReference: location, from: base).isAllowed else { return nil }
    if let path = localPath(location) { return try? LocalFileReader(path: path) }
    let absolute =
      base.flatMap { URL(string: $0) }.flatMap { URL(string: location, relativeTo: $0)?.absoluteString } ?? location
    let answer = Monitor<Result<HTTPReader, any Error>?>(nil)
    let (http, policy, base) = (http, policy, base)
    let task = Task.detached(executorPreference: StrandExecutor(pool: .awaited, carriesTasks: true)) {
      let result: Result<HTTPReader, any Error>
      do {
        result = .success(
          try await HTTPReader.open(absolute, options: http, policy: policy, role: .reference(base: base)))
      } catch {
        result = .failure(error)
      }
      answer.update { $0 = result }
    }
    defer { task.cancel() }
    let result = try? answer.wait(until: .now + policy.deadline, interrupted: { false }) { $0 }
    return try? result?.get()
  }

  private func localPath(_ location: String) -> String? {
    if location.hasPrefix("file://") { return URL(string: location)?.path(percentEncoded: false) }
    guard HTTPURL.scheme(of: location) == nil else { return nil }
    if location.hasPrefix("/") { return basePath == nil ? nil : location }
    guard let basePath else { return nil }
    guard let slash = basePath.lastIndex(of: "/") else { return location }
    return basePath[...slash] + location
  }
}
