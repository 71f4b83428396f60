/// A box in a range of bytes: its type and where it lies.
package struct Box: Hashable, Sendable {
  package var type: FourCharacterCode
  /// The whole box with its header, cut to what its container holds.
  package var range: Range<Int>
  /// What follows the header (size, type, 64-bit size, and the type of a `uuid` box stays in here).
  package var payload: Range<Int>
  /// Whether the box claims more bytes than its container has.
  package var isCutOff: Bool
}

/// The boxes in a range of bytes, in order.
///
/// Every step consumes at least eight bytes, so that iterating ends whatever the sizes say.
/// Iteration stops at a size that cannot be (1 to 7, or a 64-bit one below 16), and at QuickTime's
/// 32-bit zero that may end a list.
package struct BoxSequence: Sequence, IteratorProtocol, Sendable {
  package let bytes: [UInt8]
  package private(set) var position: Int
  package let end: Int
  /// Whether iteration stopped at a size that cannot be.
  package private(set) var isMalformed = false

  /// The boxes in `range` of `bytes`, cut to the bytes that exist.
  package init(_ bytes: [UInt8], in range: Range<Int>? = nil) {
    self.bytes = bytes
    let range = (range ?? 0..<bytes.count).clamped(to: 0..<bytes.count)
    position = range.lowerBound
    end = range.upperBound
  }

  package mutating func next() -> Box? {
    guard end - position >= 8 else {
      position = end
      return nil
    }
    let start = position
    let size = bytes.bigEndianUInt32(at: start)
    let type = FourCharacterCode(rawValue: bytes.bigEndianUInt32(at: start + 4))
    var header = 8
    var length = UInt64(size)
    if size == 0 {
      guard type.rawValue != 0 else {
        position = end
        return nil
      }
      length = UInt64(end - start)
    } else if size == 1 {
      guard end - start >= 16 else { return stop() }
      header = 16
      length = bytes.bigEndianUInt64(at: start + 8)
    }
    guard length >= UInt64(header) else { return stop() }
    let available = end - start
    let isCutOff = length > UInt64(available)
    position = isCutOff ? end : start + Int(length)
    return Box(
      type: type, range: start..<position, payload: start + header..<position, isCutOff: isCutOff)
  }

  private mutating func stop() -> Box? {
    isMalformed = true
    return nil
  }
}
