/// Bytes at offsets for a thread that may block: what the thread of a libav context reads from.
///
/// Never to be called on the cooperative pool.
package protocol BlockingByteReader: AnyObject, Sendable {
  /// The number of bytes, or nil while it is not known.
  var length: Int64? { get }
  /// Whether offsets may be read in any order.
  var isSeekable: Bool { get }
  /// Copies up to `buffer.count` bytes from `offset` on and returns how many; 0 means the end.
  ///
  /// Throws `CancellationError` within 20 ms after `interrupted` turns true, and `MediaError`.
  func read(
    at offset: Int64, into buffer: UnsafeMutableRawBufferPointer, interrupted: () -> Bool
  ) throws -> Int
}
