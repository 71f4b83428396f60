#if canImport(Glibc)
  import Glibc
#elseif canImport(Darwin)
  import Darwin
#endif

/// A thread for a call that blocks, which must not hold up the tasks of the process.
enum OwnThread {
  private final class Body: Sendable {
    let run: @Sendable () -> Void
    init(_ run: @escaping @Sendable () -> Void) { self.run = run }
  }

  /// Runs `body` on a new thread; false when the system has none left.
  @discardableResult
  static func start(_ body: @escaping @Sendable () -> Void) -> Bool {
    let argument = Unmanaged.passRetained(Body(body)).toOpaque()
    #if canImport(Glibc)
      var thread = pthread_t()
      let code = pthread_create(&thread, nil, { OwnThread.enter($0) }, argument)
      if code == 0 { pthread_detach(thread) }
    #else
      var thread: pthread_t?
      let code = pthread_create(&thread, nil, { OwnThread.enter($0) }, argument)
      if let thread { pthread_detach(thread) }
    #endif
    if code != 0 { Unmanaged<Body>.fromOpaque(argument).release() }
    return code == 0
  }

  private static func enter(_ argument: UnsafeMutableRawPointer?) -> UnsafeMutableRawPointer? {
    if let argument { Unmanaged<Body>.fromOpaque(argument).takeRetainedValue().run() }
    return nil
  }
}
