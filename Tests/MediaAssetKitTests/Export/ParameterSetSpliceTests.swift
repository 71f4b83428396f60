import Testing

@testable import MediaAssetKit

/// NAL units that are taken apart, renumbered and put together.
@Suite struct ParameterSetSpliceTests {
  @Test func unitsAreFoundBehindStartCodesAndLengths() {
    let marked: [UInt8] = [0, 0, 0, 1, 0x67, 1, 2, 0, 0, 1, 0x68, 3, 0, 0, 0, 1, 0x65, 4, 5]
    let units: [[UInt8]] = [[0x67, 1, 2], [0x68, 3], [0x65, 4, 5]]
    #expect(NALUnits.marked(marked).map(Array.init) == units)
    for size in [1, 2, 4] {
      let form = NALUnits(lengthSize: size)
      let sample = form.sample(units)
      #expect(sample.count == 8 + 3 * size)
      #expect(form.units(of: sample).map(Array.init) == units)
      // What is cut off is left out.
      #expect(form.units(of: sample.dropLast()).map(Array.init) == Array(units.dropLast()))
    }
    #expect(NALUnits(lengthSize: 0).units(of: NALUnits(lengthSize: 0).sample(units)).map(Array.init) == units)
    #expect(NALUnits.marked([]).isEmpty)
    #expect(NALUnits.marked([0, 0, 1]).isEmpty)
  }

  /// The number 0 is one bit, 15 to 30 are nine: 0000 and five bits. What follows moves by a byte.
  @Test(arguments: 0..<8)
  func numbersMoveWhatFollowsByAByte(_ shift: Int) {
    // Bits before the number are 0, the number's is 1, bits behind it alternate.
    let behind: UInt8 = 0b0101_0101 & UInt8((1 << (7 - shift)) - 1)
    var bytes: [UInt8] = [1 << UInt8(7 - shift) | behind, 0xA5]
    #expect(NALUnits.renumber(&bytes, atBit: shift, to: 17))
    let word = UInt16(18) << UInt16(7 - shift) | UInt16(behind)
    #expect(bytes == [UInt8(word >> 8), UInt8(word & 0xFF), 0xA5])
    var other: [UInt8] = [0, 0]
    #expect(!NALUnits.renumber(&other, atBit: shift, to: 17))
    #expect(other == [0, 0])
  }

  /// Bytes that would look like a start code are kept apart before and behind a change.
  @Test func emulationPreventionIsKept() throws {
    let unit: [UInt8] = [0x41, 0, 0, 3, 1, 0, 0, 3, 0, 9]
    var seen: [UInt8] = []
    let made = try #require(
      NALUnits.editing(unit[...]) { bytes in
        seen = bytes
        bytes[0] = 0x42
        return true
      })
    #expect(seen == [0x41, 0, 0, 1, 0, 0, 0, 9])
    #expect(made == [0x42] + unit.dropFirst())
    // A run of zeros across the part that is looked at.
    let long = [UInt8](repeating: 7, count: 254) + [0, 0, 3, 1, 8, 8]
    let same = try #require(NALUnits.editing(long[...]) { _ in true })
    #expect(same == long)
    #expect(NALUnits.editing(unit[...]) { _ in false } == nil)
  }

  /// A source that uses all numbers the encoder's sets could have can't be spliced.
  @Test func setsThatCannotLiveTogetherAreRefused() {
    #expect(ParameterSetSplice(codec: "h264", source: [], encoder: [0, 0, 1, 0x67, 0x42, 0, 30, 0x80]) == nil)
    #expect(ParameterSetSplice(codec: "hevc", source: [9, 9], encoder: []) == nil)
  }

  /// `avcC` counts its sequences in five bits: with 31 of them there is no room for another one.
  @Test(arguments: [(30, true), (31, false)]) func sequencesAreCounted(_ count: Int, _ hasRoom: Bool) throws {
    let sequences = [[UInt8]](repeating: [0, 3, 0x67, 0x42, 0], count: count).flatMap(\.self)
    let source = [1, 0x42, 0, 30, 0xFF, 0xE0 | UInt8(count)] + sequences + [1, 0, 2, 0x68, 0xCE]
    let record = try #require(ParameterSetSplice.Record(source, isHEVC: false))
    let made = record.adding([[0x67, 0x42, 1], [0x68, 0x80]])
    #expect((made != nil) == hasRoom)
    guard let made else { return }
    #expect(made[5] == 0xE0 | UInt8(count + 1))
    let read = try #require(ParameterSetSplice.Record(made, isHEVC: false))
    #expect(read.sets.count == count + 3)
  }
}
