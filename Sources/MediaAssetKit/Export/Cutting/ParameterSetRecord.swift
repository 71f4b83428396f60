import ISOMedia

extension ParameterSetSplice {
  /// `avcC` or `hvcC`.
  struct Record {
    let lengthSize: Int
    let sets: [[UInt8]]
    private let bytes: [UInt8]
    private let avc: AVCConfiguration?
    private let hevc: HEVCConfiguration?

    init?(_ bytes: [UInt8], isHEVC: Bool) {
      self.bytes = bytes
      avc = isHEVC ? nil : AVCConfiguration(bytes)
      hevc = isHEVC ? HEVCConfiguration(bytes) : nil
      if let avc {
        lengthSize = avc.lengthSize
        sets = (avc.sequenceParameterSets + avc.pictureParameterSets).map { Array(bytes[$0]) }
      } else if let hevc {
        lengthSize = hevc.lengthSize
        sets = hevc.nalUnits.map { Array(bytes[$0.range]) }
      } else {
        return nil
      }
      guard !sets.isEmpty else { return nil }
    }

    /// The record with more sets; nil where there would be more of them than it can count.
    func adding(_ more: [[UInt8]]) -> [UInt8]? {
      func sized(_ unit: [UInt8]) -> [UInt8] { [UInt8(unit.count >> 8 & 0xFF), UInt8(unit.count & 0xFF)] + unit }
      if let avc {
        func all(_ old: [Range<Int>], _ type: UInt8) -> [[UInt8]] {
          old.map { Array(bytes[$0]) } + more.filter { $0[0] & 0x1F == type }
        }
        let sequences = all(avc.sequenceParameterSets, 7)
        let pictures = all(avc.pictureParameterSets, 8)
        guard sequences.count <= 31, pictures.count <= 255 else { return nil }
        // What profiles from High on say behind the sets.
        let rest = avc.pictureParameterSets.last.map { bytes[$0.upperBound...] } ?? []
        return Array(bytes[..<5]) + [bytes[5] & 0xE0 | UInt8(sequences.count)] + sequences.flatMap(sized)
          + [UInt8(pictures.count)] + pictures.flatMap(sized) + rest
      }
      guard let hevc, bytes.count > 23 else { return nil }
      var arrays: [(type: UInt8, units: [[UInt8]])] = []
      func add(_ type: UInt8, _ unit: [UInt8]) {
        if let index = arrays.firstIndex(where: { $0.type == type }) {
          arrays[index].units.append(unit)
        } else {
          arrays.append((type, [unit]))
        }
      }
      for unit in hevc.nalUnits { add(unit.type, Array(bytes[unit.range])) }
      for unit in more { add(unit[0] >> 1 & 0x3F, unit) }
      guard arrays.count <= 255 else { return nil }
      var made = Array(bytes[..<22]) + [UInt8(arrays.count)]
      for (type, units) in arrays {
        // The first bit says whether all sets are here.
        made += [bytes[23] & 0x80 | type, UInt8(units.count >> 8 & 0xFF), UInt8(units.count & 0xFF)]
        made += units.flatMap(sized)
      }
      return made
    }
  }
}
