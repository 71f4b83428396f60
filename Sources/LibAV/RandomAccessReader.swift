/// Bytes that a blocked thread of ours reads for libav: a file, memory, a download, a custom source.
///
/// Several contexts may read one reader at once, each with its own offset.
package protocol RandomAccessReader: AnyObject, Sendable {
  /// The number of bytes, where known.
  var length: Int64? { get }
  /// Whether any offset can be read at any time.
  var isSeekable: Bool { get }
  /// Reads up to `buffer.count` bytes at `offset`; 0 is the end. Throws on failure and when `interrupted()` is true.
  func read(at offset: Int64, into buffer: UnsafeMutableRawBufferPointer, interrupted: () -> Bool)
    throws -> Int
}
