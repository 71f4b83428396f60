import ISOMedia
import LibAV

/// Bytes of an asset for the readers of metadata: small reads come from a window, so that walking a file's structure
/// costs few reads of the source.
struct SourceBytes: ~Copyable {
  /// nil where the source does not tell.
  let size: Int64?
  /// More than this is not loaded at once, whatever a file claims.
  let maximumBytes: Int
  private let read: (Int64, Int) throws -> [UInt8]
  private var window: [UInt8] = []
  private var windowStart: Int64 = 0

  private static let windowBytes = 32_768

  /// - Parameter read: Bytes at an offset, fewer only where the source ends.
  init(size: Int64?, maximumBytes: Int, read: @escaping (Int64, Int) throws -> [UInt8]) {
    self.size = size
    self.maximumBytes = maximumBytes
    self.read = read
  }

  /// Bytes at an offset, fewer where the source ends or the limit says so.
  mutating func bytes(at offset: Int64, count: Int) throws -> [UInt8] {
    let count = min(count, maximumBytes)
    guard offset >= 0, count > 0 else { return [] }
    guard count <= Self.windowBytes / 4 else { return try read(offset, count) }
    if offset < windowStart || offset + Int64(count) > windowStart + Int64(window.count) {
      window = try read(offset, Self.windowBytes)
      windowStart = offset
    }
    let start = Int(offset - windowStart)
    guard start < window.count else { return [] }
    return Array(window[start..<min(start + count, window.count)])
  }

  /// The last bytes of the source; none where its size is not known.
  mutating func tail(_ count: Int, endingAt end: Int64? = nil) throws -> [UInt8] {
    guard let end = end ?? size, end > 0 else { return [] }
    let length = Int(min(Int64(count), end))
    return try bytes(at: end - Int64(length), count: length)
  }
}

extension ByteReader {
  mutating func littleUInt16() -> UInt16 { uint16().byteSwapped }
  mutating func littleUInt32() -> UInt32 { uint32().byteSwapped }
  mutating func littleUInt64() -> UInt64 { uint64().byteSwapped }
}
