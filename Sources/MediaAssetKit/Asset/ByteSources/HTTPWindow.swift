/// The bytes of a transfer that have arrived and are not yet read: a ring of fixed size.
///
/// The memory comes with the first byte, so that waiting for a silent server costs none.
struct HTTPWindow: ~Copyable {
  /// How much a transfer may run ahead of its reader.
  static var capacity: Int { 1 << 20 }

  private var memory: UnsafeMutableRawPointer?
  private var head = 0
  /// The offset in the resource of the first byte here.
  private(set) var start: Int64 = 0
  /// The number of bytes here.
  private(set) var count = 0

  init() {}

  deinit { memory?.deallocate() }

  /// The offset after the last byte here.
  var end: Int64 { start + Int64(count) }
  var free: Int { Self.capacity - count }

  /// Empties the window and says where the next bytes belong.
  mutating func restart(at offset: Int64) {
    (head, count, start) = (0, 0, offset)
  }

  /// Takes all of the bytes, or (false) none when there is no room.
  mutating func append(_ bytes: UnsafeRawBufferPointer) -> Bool {
    guard bytes.count <= free else { return false }
    let memory = memory ?? .allocate(byteCount: Self.capacity, alignment: 16)
    self.memory = memory
    let tail = (head + count) % Self.capacity
    let first = min(bytes.count, Self.capacity - tail)
    guard let source = bytes.baseAddress else { return true }
    (memory + tail).copyMemory(from: source, byteCount: first)
    memory.copyMemory(from: source + first, byteCount: bytes.count - first)
    count += bytes.count
    return true
  }

  /// Moves bytes out into `buffer` and returns how many.
  mutating func take(into buffer: UnsafeMutableRawBufferPointer) -> Int {
    let taken = min(count, buffer.count)
    guard taken > 0, let memory, let target = buffer.baseAddress else { return 0 }
    let first = min(taken, Self.capacity - head)
    target.copyMemory(from: memory + head, byteCount: first)
    (target + first).copyMemory(from: memory, byteCount: taken - first)
    drop(taken)
    return taken
  }

  /// Lets go of the bytes in front of `offset`, as far as they are here.
  mutating func drop(before offset: Int64) {
    guard offset > start else { return }
    drop(Int(min(offset - start, Int64(count))))
  }

  private mutating func drop(_ dropped: Int) {
    head = (head + dropped) % Self.capacity
    count -= dropped
    start += Int64(dropped)
  }
}
