import ISOMedia

/// The NAL units of a sample of H.264 or HEVC, behind lengths or start codes.
struct NALUnits {
  /// Bytes of a unit's length; 0: start codes.
  let lengthSize: Int

  /// Units without what frames them; what is cut off is left out.
  func units(of bytes: [UInt8]) -> [ArraySlice<UInt8>] {
    lengthSize > 0 ? measured(bytes) : Self.marked(bytes)
  }

  private func measured(_ bytes: [UInt8]) -> [ArraySlice<UInt8>] {
    var units: [ArraySlice<UInt8>] = []
    var position = 0
    while position + lengthSize < bytes.count {
      let length = bytes[position..<position + lengthSize].reduce(0) { $0 << 8 | Int($1) }
      position += lengthSize
      guard length <= bytes.count - position else { break }
      if length > 0 { units.append(bytes[position..<position + length]) }
      position += length
    }
    return units
  }

  /// Units behind start codes; zeros before a start code belong to it.
  static func marked(_ bytes: [UInt8]) -> [ArraySlice<UInt8>] {
    var units: [ArraySlice<UInt8>] = []
    var start: Int?
    func end(_ start: Int?, _ limit: Int) {
      guard let start else { return }
      var limit = limit
      while limit > start, bytes[limit - 1] == 0 { limit -= 1 }
      if limit > start { units.append(bytes[start..<limit]) }
    }
    var index = 0
    while index + 2 < bytes.count {
      // Most bytes are no part of a start code, and the third one tells of three places.
      if bytes[index + 2] > 1 {
        index += 3
      } else if bytes[index] == 0, bytes[index + 1] == 0, bytes[index + 2] == 1 {
        end(start, index)
        index += 3
        start = index
      } else {
        index += 1
      }
    }
    end(start, bytes.count)
    return units
  }

  /// A sample of units.
  func sample(_ units: [some Collection<UInt8>]) -> [UInt8] {
    var bytes: [UInt8] = []
    bytes.reserveCapacity(units.reduce(0) { $0 + $1.count + 4 })
    for unit in units {
      if lengthSize == 0 { bytes += [0, 0, 0, 1] }
      for place in stride(from: lengthSize - 1, through: 0, by: -1) {
        bytes.append(UInt8(truncatingIfNeeded: unit.count >> (8 * place)))
      }
      bytes += unit
    }
    return bytes
  }

  /// A unit whose beginning is changed: `body` gets it without emulation prevention, and says what takes its place.
  static func editing(
    _ unit: ArraySlice<UInt8>, _ body: (inout [UInt8]) -> Bool
  ) -> [UInt8]? {
    // Headers of slices in use are far shorter; a cut behind a byte that is neither 0 nor 3 splits no prevention.
    var limit = min(unit.endIndex, unit.startIndex + 256)
    while limit < unit.endIndex, [0, 3].contains(unit[limit - 1]) { limit += 1 }
    var head = rawPayload(unit[..<limit])
    guard body(&head) else { return nil }
    var result: [UInt8] = []
    result.reserveCapacity(unit.count + 4)
    var zeros = 0
    for byte in head {
      if zeros >= 2, byte <= 3 {
        result.append(3)
        zeros = 0
      }
      zeros = byte == 0 ? zeros + 1 : 0
      result.append(byte)
    }
    return result + unit[limit...]
  }

  /// Writes another number in the place of the number 0, which takes one bit: numbers from 15 to 30 take nine, so that
  /// all that follows moves by a byte. False where the number there is another one.
  static func renumber(_ bytes: inout [UInt8], atBit bit: Int, to number: Int) -> Bool {
    let (place, shift) = (bit / 8, bit % 8)
    guard place < bytes.count, (15...30).contains(number), bytes[place] >> UInt8(7 - shift) & 1 == 1 else {
      return false
    }
    let old = UInt16(bytes[place])
    // The code of Exp-Golomb: as many zeros as there are bits behind the first one of the number and one.
    let (before, behind) = (old >> UInt16(8 - shift), old & ((1 << UInt16(7 - shift)) - 1))
    let new = before << UInt16(16 - shift) | UInt16(number + 1) << UInt16(7 - shift) | behind
    bytes[place] = UInt8(new >> 8)
    bytes.insert(UInt8(new & 0xFF), at: place + 1)
    return true
  }
}
