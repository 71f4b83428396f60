package import FoundationEssentials
import LibAV

/// Bytes that are in memory.
package final class DataReader: RandomAccessReader {
  private let data: Data

  package init(_ data: Data) { self.data = data }
  package init(_ bytes: [UInt8]) { data = Data(bytes) }

  package var length: Int64? { Int64(data.count) }
  package var isSeekable: Bool { true }

  package func read(
    at offset: Int64, into buffer: UnsafeMutableRawBufferPointer, interrupted: () -> Bool
  ) throws -> Int {
    guard offset >= 0, offset < Int64(data.count) else { return 0 }
    let count = min(buffer.count, data.count - Int(offset))
    let start = data.startIndex + Int(offset)
    data.copyBytes(
      to: UnsafeMutableRawBufferPointer(rebasing: buffer[..<count]), from: start..<start + count)
    return count
  }
}
