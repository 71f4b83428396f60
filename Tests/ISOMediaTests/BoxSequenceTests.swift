import ISOMedia
import Testing

@Suite struct BoxSequenceTests {
  @Test func readsSizesOf32And64Bits() {
    let data = bytes {
      $0.box("free") { $0.zeros(4) }
      $0.u32(1)
      $0.code("mdat")
      $0.u64(18)
      $0.u16(7)
      $0.u32(0)
      $0.code("skip")
      $0.zeros(3)
    }
    let boxes = Array(BoxSequence(data))
    #expect(boxes.map(\.type) == ["free", "mdat", "skip"])
    #expect(boxes.map(\.payload) == [8..<12, 28..<30, 38..<41])
    #expect(boxes.allSatisfy { !$0.isCutOff })
  }

  @Test(arguments: [
    hex("00000007 66726565"), hex("00000001 66726565 000000000000000F"),
    hex("00000001 66726565"),
  ])
  func stopsAtSizesThatCannotBe(data: [UInt8]) {
    var boxes = BoxSequence(data)
    #expect(boxes.next() == nil)
    #expect(boxes.isMalformed)
  }

  @Test(arguments: [hex("7FFFFFFF 66726565 00"), hex("00000001 66726565 FFFFFFFFFFFFFFFF 00")])
  func cutsBoxesToTheirContainer(data: [UInt8]) {
    var boxes = BoxSequence(data)
    let box = boxes.next()
    #expect(box?.isCutOff == true)
    #expect(box?.range == 0..<data.count)
    #expect(boxes.next() == nil)
  }

  @Test func takesAZeroWordAsTheEndOfAList() {
    let data = bytes {
      $0.box("name") { _ in }
      $0.zeros(16)
    }
    var boxes = BoxSequence(data)
    #expect(boxes.next()?.type == "name")
    #expect(boxes.next() == nil)
    #expect(!boxes.isMalformed)
  }

  @Test func knownCodesAreTheirNames() {
    #expect(FourCharacterCode.moov.description == "moov")
    #expect(FourCharacterCode.qt == "qt  ")
    #expect(FourCharacterCode.ac3 == "ac-3")
    #expect(FourCharacterCode.url == "url ")
    #expect(FourCharacterCode(rawValue: 0xA96E_616D).description == "©nam")
    #expect(FourCharacterCode(rawValue: 0xA96E_616D) == "©nam")
  }

  @Test func readsNothingPastTheEnd() {
    var reader = ByteReader([1, 2, 3, 4, 5])
    #expect(reader.uint24() == 0x010203)
    #expect(reader.uint32() == 0)
    #expect(reader.isExhausted)
    #expect(reader.remaining == 0)
    #expect(reader.uint8() == 0)
    var empty = ByteReader([1, 2], in: 5..<9)
    #expect(empty.uint8() == 0)
    #expect(empty.isExhausted)
  }

  /// H.264 table 9-2: code words 1, 010, 011, 00100, …
  @Test func readsExponentialGolombCodes() {
    var reader = BitReader([0b1010_0110, 0b0100_0010, 0b1100_1001, 0b0000_0000])
    let codes = (0..<5).map { _ in reader.unsignedGolomb() }
    #expect(codes == [0, 1, 2, 3, 4])
    var signed = BitReader([0b1010_0110, 0b0100_0010, 0b1100_0000])
    let values = (0..<5).map { _ in signed.signedGolomb() }
    #expect(values == [0, 1, -1, 2, -2])
    var none = BitReader([0, 0])
    #expect(none.unsignedGolomb() == 0)
    #expect(none.isExhausted)
    var end = BitReader([])
    _ = end.unsignedGolomb()
    #expect(end.isExhausted)
  }
}
