import Testing

@testable import ISOMedia

/// Numbers as files store them.
@Suite struct IntegerBytesTests {
  @Test func orders() {
    #expect(UInt32(0x1234_5678).bigEndianBytes() == [0x12, 0x34, 0x56, 0x78])
    #expect(UInt32(0x1234_5678).littleEndianBytes() == [0x78, 0x56, 0x34, 0x12])
    #expect(0x01_0203.bigEndianBytes(3) == [1, 2, 3] && 0x0102.littleEndianBytes(4) == [2, 1, 0, 0])
    #expect(Int64(-2).bigEndianBytes() == [255, 255, 255, 255, 255, 255, 255, 254])
    #expect(UInt64.max.bigEndianBytes(2) == [255, 255] && 7.bigEndianBytes(0).isEmpty)
  }
}
