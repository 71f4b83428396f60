import LibAV

#if canImport(Glibc)
  import Glibc
#elseif canImport(Musl)
  import Musl
#else
  import Darwin
#endif

/// Writes coded pictures as files of their own, in order; each is complete when it appears under its name.
actor ImageSequenceSession: SampleSink {
  private let executor = StrandExecutor(pool: .writing)
  nonisolated var unownedExecutor: UnownedSerialExecutor { executor.asUnownedSerialExecutor() }

  private let path: String
  private let container: WritableContainer
  private let options: Writer.Options
  private let interrupt: Interrupt
  private var name: ImageSequenceName?
  /// Pictures that lie under their names.
  private var count = 0

  init(path: String, container: WritableContainer, options: Writer.Options, interrupt: Interrupt) {
    self.path = path
    self.container = container
    self.options = options
    self.interrupt = interrupt
  }

  func open() throws {
    let name = try ImageSequenceName(path: path)
    try AtomicFile.checkAbsent(name.path(1), overwrite: options.overwritesExisting)
    // Whether the folder takes files.
    let (descriptor, temporary) = try AtomicFile.create(beside: name.path(1))
    close(descriptor)
    unlink(temporary)
    self.name = name
  }

  func drain(_ core: WriterCore) {
    do {
      try core.drain { try write($0, core) }
    } catch { core.fail(error) }
  }

  private func write(_ batch: [(track: Int, sample: QueuedSample)], _ core: WriterCore) throws {
    let (start, end) = (core.sessionStart ?? .zero, core.sessionEnd)
    for (_, sample) in batch {
      if interrupt.isRaised { throw CancellationError() }
      let time = sample.presentation
      if sample.isHidden || sample.duration.isNumeric && time + sample.duration <= start { continue }
      if let end, time.isNumeric, time >= end { continue }
      guard let name else { return }
      let bytes = sample.packet.bytes
      if container.type == .jpeg, !Self.isWhole(jpeg: bytes) {
        throw MediaError(
          .operationNotSupported, operation: "write", subject: name.path(count + 1),
          reason: "the stored picture leans on tables that only its film's decoder knows",
          remedy: "Decode and encode the pictures")
      }
      try AtomicFile.write(
        bytes, to: name.path(count + 1), overwrite: options.overwritesExisting,
        synchronizes: options.synchronizesToDisk)
      count += 1
    }
  }

  /// Whether a JPEG picture brings its Huffman tables along, which films in AVI leave out.
  static func isWhole(jpeg bytes: [UInt8]) -> Bool {
    var place = 2
    guard bytes.starts(with: [0xFF, 0xD8]) else { return false }
    while place + 4 <= bytes.count, bytes[place] == 0xFF {
      let marker = bytes[place + 1]
      if marker == 0xC4 { return true }
      // The scan begins.
      if marker == 0xDA { return false }
      if marker == 0xFF {
        place += 1
        continue
      }
      place += 2 + (Int(bytes[place + 2]) << 8 | Int(bytes[place + 3]))
    }
    return false
  }

  func finish(_ core: WriterCore) throws {
    while let batch = core.takeBatch() { try write(batch, core) }
    guard count > 0 else {
      throw MediaError(
        .operationNotSupported, operation: "write", subject: path, reason: "there is no picture",
        remedy: "Append at least one picture")
    }
    if interrupt.isRaised { throw CancellationError() }
    name = nil
  }

  /// Removes the pictures that were written.
  func abort() {
    guard let name else { return }
    for number in stride(from: count, to: 0, by: -1) { unlink(name.path(number)) }
    self.name = nil
  }
}
