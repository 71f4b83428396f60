import LibAV

/// Reads an http or https resource in ranges, streaming ahead of its reader by a bounded window.
///
/// A read that goes on where a stream is costs no request; one elsewhere starts a second stream, and
/// a third in place of the one that was used least recently. So a header at the front costs one
/// request, one at the end two, and a file whose sound lies far from its picture no more than that.
package final class HTTPReader: RandomAccessReader {
  let resource: HTTPResource
  private let monitor: Monitor<State>

  private struct State {
    /// One read at a time; whoever has the turn is the only one to change `streams`.
    var isBusy = false
    var isClosed = false
    /// By last use, the latest at the end.
    var streams: [HTTPTransfer] = []
    var length: Int64?
    /// Where requests go: the end of the last redirect.
    var url: HTTPURL
    /// Lost connections without much progress in between.
    var losses = 0
    var bytesSinceLoss = 0
  }

  private static let maximumStreams = 2
  /// Bytes that are read over rather than asked for anew: about what a round trip costs.
  private static let maximumSkip: Int64 = 512 << 10
  private static let maximumLosses = 2
  /// So much progress shows that a connection works after all.
  private static let progress = 64 << 10

  init(resource: HTTPResource, stream: HTTPTransfer?) {
    self.resource = resource
    var state = State(url: resource.url)
    state.length = resource.length
    state.streams = stream.map { [$0] } ?? []
    monitor = Monitor(state)
  }

  deinit { close() }

  package var length: Int64? { monitor.withLock { $0.length } }
  package var isSeekable: Bool { resource.isSeekable }

  /// What the server told.
  package var info: ByteSourceInfo {
    let name = resource.request.url.path.split(separator: "/").last.map(String.init)
    return ByteSourceInfo(
      length: length, isSeekable: isSeekable, contentType: resource.contentType,
      name: name ?? resource.request.url.host)
  }

  /// Another reader of the same resource with streams of its own; asks the server nothing yet.
  ///
  /// Only for seekable resources.
  package func makeReader() -> HTTPReader { HTTPReader(resource: resource, stream: nil) }

  /// Ends all streams; reads fail from now on.
  package func close() {
    let streams = monitor.update { state in
      defer { state.streams = [] }
      state.isClosed = true
      return state.streams
    }
    for stream in streams { stream.cancel() }
  }

  package func read(
    at offset: Int64, into buffer: UnsafeMutableRawBufferPointer, interrupted: () -> Bool
  ) throws -> Int {
    guard buffer.count > 0, offset >= 0 else { return 0 }
    try takeTurn(interrupted: interrupted)
    defer { monitor.update { $0.isBusy = false } }
    let began = ContinuousClock.now
    while true {
      if let length, offset >= length { return 0 }
      let stream: HTTPTransfer
      if let current = current(for: offset) {
        stream = current
      } else {
        guard let next = try open(at: offset, interrupted: interrupted) else { continue }
        stream = next
      }
      switch try stream.read(at: offset, into: buffer, interrupted: interrupted) {
      case .bytes(let count):
        note(progress: count)
        return count
      case .ended(let outcome):
        try recover(from: outcome, of: stream, at: offset, began: began, interrupted: interrupted)
      }
    }
  }

  private func takeTurn(interrupted: () -> Bool) throws {
    _ = try monitor.wait(interrupted: interrupted) { state -> Void? in
      guard !state.isClosed else { throw failure("the reader has been closed") }
      guard !state.isBusy else { return nil }
      state.isBusy = true
      return ()
    }
  }

  /// The stream that gets to `offset` by reading on.
  private func current(for offset: Int64) -> HTTPTransfer? {
    monitor.withLock { state in
      // A server without ranges has one stream, and it is read over as far as need be.
      let skip = resource.isSeekable ? Self.maximumSkip : .max / 2
      let starts = state.streams.map { $0.start(reaching: offset, skip: skip) ?? -1 }
      guard let best = starts.indices.max(by: { starts[$0] < starts[$1] }), starts[best] >= 0 else {
        return nil
      }
      let stream = state.streams.remove(at: best)
      state.streams.append(stream)
      return stream
    }
  }

  /// Starts a stream at `offset`; nil when the loop should look again.
  private func open(at offset: Int64, interrupted: () -> Bool) throws -> HTTPTransfer? {
    let (url, losses) = monitor.withLock { ($0.url, $0.losses) }
    guard resource.isSeekable || losses > 0 else {
      throw MediaError(
        .operationNotSupported, operation: "seek", subject: "\(resource.url)",
        reason: "the server has no byte ranges, and offset \(offset) has passed")
    }
    var request = resource.request
    request.offset = resource.isSeekable ? offset : 0
    request.url = url
    request.allowsLoopback = request.allowsLoopback && resource.isFromLoopback
    let stream = HTTPTransfer(request)
    let evicted = try monitor.withLock { state -> [HTTPTransfer] in
      guard !state.isClosed else { throw failure("the reader has been closed") }
      let surplus = max(0, state.streams.count + 1 - Self.maximumStreams)
      let evicted = Array(state.streams.prefix(surplus))
      state.streams.removeFirst(surplus)
      state.streams.append(stream)
      return evicted
    }
    for old in evicted { old.cancel() }
    stream.start()
    var isKept = false
    defer { if !isKept { drop(stream) } }
    guard let head = try stream.waitForHead(interrupted: interrupted) else {
      let outcome = stream.outcome ?? .cancelled
      try recover(from: outcome, of: stream, at: offset, began: nil, interrupted: interrupted)
      return nil
    }
    if head.status == 416 && length == nil {
      monitor.update { $0.length = offset }
      return nil
    }
    // A signed URL at the end of a redirect may have run out; the named one gives another.
    if [401, 403, 404, 410].contains(head.status) && url != resource.request.url {
      monitor.withLock { $0.url = resource.request.url }
      return nil
    }
    try resource.check(head, offset: request.offset)
    monitor.withLock { $0.url = head.url }
    isKept = true
    return stream
  }

  /// Decides what an ended stream means: the end, another try, or an error.
  ///
  /// `began` is when the read began, nil when the stream is younger than the read.
  private func recover(
    from outcome: HTTPTransfer.Outcome, of stream: HTTPTransfer, at offset: Int64,
    began: ContinuousClock.Instant?, interrupted: () -> Bool
  ) throws {
    drop(stream)
    switch outcome {
    case .suspended: break
    case .cancelled: throw failure("the reader has been closed")
    case .finished:
      let end = stream.end
      if !resource.isSeekable {
        // Its end is the resource's end, or libcurl would have missed bytes.
        monitor.update { $0.length = $0.length ?? end }
        if let length, end < length { try lose(nil, at: offset, interrupted: interrupted) }
      } else if end <= stream.request.offset {
        try lose(nil, at: offset, interrupted: interrupted)
      }  // else the server gives long ranges in parts
    case .timedOut(let moment):
      guard let began, moment < began else {
        throw stream.error(for: outcome, operation: "read")
      }
      try lose(nil, at: offset, interrupted: interrupted)
    case .failed(let error, let isTransient):
      guard isTransient else { throw error }
      try lose(error, at: offset, interrupted: interrupted)
    }
  }

  private func drop(_ stream: HTTPTransfer) {
    monitor.withLock { state in state.streams.removeAll { $0 === stream } }
    stream.cancel()
  }

  private func note(progress count: Int) {
    monitor.withLock { state in
      state.bytesSinceLoss = min(state.bytesSinceLoss + count, Self.progress)
      if state.bytesSinceLoss >= Self.progress { state.losses = 0 }
    }
  }

  /// Counts a lost connection; throws when it was one too many, else waits a little.
  private func lose(
    _ error: MediaError?, at offset: Int64, interrupted: () -> Bool
  ) throws {
    let (losses, length) = monitor.withLock { state in
      state.losses += 1
      state.bytesSinceLoss = 0
      return (state.losses, state.length)
    }
    guard losses <= Self.maximumLosses else {
      let whole = length.map { " of \($0)" } ?? ""
      var failure = failure(
        "the connection was lost at byte \(offset)\(whole), and \(Self.maximumLosses) more tries "
          + "did not get further", underlying: error)
      if error?.code == .timedOut { failure.code = .timedOut }
      throw failure
    }
    _ = try monitor.wait(
      until: .now + .milliseconds(100) * losses, interrupted: interrupted
    ) { _ -> Void? in nil }
  }

  private func failure(_ reason: String, underlying: (any Error)? = nil) -> MediaError {
    MediaError(
      .readFailed, operation: "read", subject: "\(resource.url)", reason: reason,
      underlying: underlying)
  }
}
