import CCurl

#if canImport(Glibc)
  import Glibc
#elseif canImport(Musl)
  import Musl
#elseif canImport(Darwin)
  import Darwin
#endif

/// Looks host names up on a few threads of its own.
///
/// libcurl's resolver starts a thread for each look-up and waits for it when a transfer is cancelled:
/// with a silent name server that is a thread for each host, and one stuck host stops all transfers.
final class HTTPNameResolver: Sendable {
  static let shared = HTTPNameResolver()

  typealias Completion = @Sendable (Result<[NetworkAddress], Failure>) -> Void

  struct Failure: Error, Sendable {
    var reason: String
  }

  static let maximumThreads = 4
  private static let lifetime: Duration = .seconds(60)
  private static let maximumEntries = 256

  private struct State {
    var queue: [String] = []
    var waiting: [String: [Completion]] = [:]
    var threads = 0
    var known: [String: (addresses: [NetworkAddress], until: ContinuousClock.Instant)] = [:]
  }

  private let state = Monitor(State())

  /// Looks `host` up and calls `completion` once, on another thread or at once.
  func resolve(_ host: String, completion: @escaping Completion) {
    enum Action { case answer([NetworkAddress]), start, wait }
    let action = state.withLock { state -> Action in
      if let entry = state.known[host], entry.until > .now { return .answer(entry.addresses) }
      state.waiting[host, default: []].append(completion)
      // Who asks for what is being looked up already waits for the same answer.
      guard state.waiting[host]?.count == 1 else { return .wait }
      state.queue.append(host)
      guard state.threads < Self.maximumThreads else { return .wait }
      state.threads += 1
      return .start
    }
    switch action {
    case .answer(let addresses): completion(.success(addresses))
    case .wait: break
    case .start:
      let context = Unmanaged.passRetained(self)
      let code = ccurl_start_thread(
        "media-dns",
        { Unmanaged<HTTPNameResolver>.fromOpaque($0).takeRetainedValue().work() },
        context.toOpaque())
      if code != 0 {
        context.release()
        failToStart()
      }
    }
  }

  /// A thread's life: it ends when nothing is left to look up.
  private func work() {
    while let host = next() {
      let result = Self.lookUp(host)
      let completions = state.withLock { state in
        if case .success(let addresses) = result {
          if state.known.count >= Self.maximumEntries { state.known.removeAll() }
          state.known[host] = (addresses, .now + Self.lifetime)
        }
        return state.waiting.removeValue(forKey: host) ?? []
      }
      for completion in completions { completion(result) }
    }
  }

  private func next() -> String? {
    state.withLock { state in
      guard !state.queue.isEmpty else {
        state.threads -= 1
        return nil
      }
      return state.queue.removeFirst()
    }
  }

  /// Without a single thread nobody would ever answer.
  private func failToStart() {
    let completions = state.withLock { state -> [Completion] in
      state.threads -= 1
      guard state.threads == 0 else { return [] }
      let all = state.waiting.values.flatMap(\.self)
      state.waiting = [:]
      state.queue = []
      return all
    }
    for completion in completions {
      completion(.failure(Failure(reason: "no thread could be started to look the host up")))
    }
  }

  private static func lookUp(_ host: String) -> Result<[NetworkAddress], Failure> {
    var hints = addrinfo()
    hints.ai_family = AF_UNSPEC
    #if canImport(Darwin)
      hints.ai_socktype = SOCK_STREAM
    #else
      hints.ai_socktype = Int32(SOCK_STREAM.rawValue)
    #endif
    var list: UnsafeMutablePointer<addrinfo>?
    let code = getaddrinfo(host, nil, &hints, &list)
    guard code == 0 else {
      return .failure(Failure(reason: String(cString: gai_strerror(code))))
    }
    defer { freeaddrinfo(list) }
    var addresses: [NetworkAddress] = []
    var entry = list
    while let info = entry?.pointee {
      entry = info.ai_next
      guard let raw = UnsafeRawPointer(info.ai_addr) else { continue }
      let bytes: UnsafeRawBufferPointer
      switch info.ai_family {
      case AF_INET:
        guard let offset = MemoryLayout<sockaddr_in>.offset(of: \.sin_addr) else { continue }
        bytes = UnsafeRawBufferPointer(start: raw + offset, count: 4)
      case AF_INET6:
        guard let offset = MemoryLayout<sockaddr_in6>.offset(of: \.sin6_addr) else { continue }
        bytes = UnsafeRawBufferPointer(start: raw + offset, count: 16)
      default: continue
      }
      if let address = NetworkAddress(bytes: bytes), !addresses.contains(address) {
        addresses.append(address)
      }
    }
    return .success(addresses)
  }
}
