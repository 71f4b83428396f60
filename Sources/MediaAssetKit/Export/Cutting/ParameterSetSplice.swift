import ISOMedia

/// Puts pictures of an encoder into a stream of H.264 or HEVC from elsewhere: its parameter sets get numbers of their own,
/// so that both live in one header.
struct ParameterSetSplice: Sendable {
  /// The set-up bytes for the header: the source's in their form, with the encoder's sets.
  let extradata: [UInt8]
  private let isHEVC: Bool
  private let lengthSize: Int
  private let video: Int
  private let sequence: Int
  private let picture: Int
  private let sourceSets: [[UInt8]]
  private var encoderSets: [[UInt8]] = []

  /// nil where the sets can't live together.
  ///
  /// - Parameters:
  ///   - source: The source's set-up bytes: a record, or sets behind start codes.
  ///   - encoder: The encoder's: sets behind start codes.
  init?(codec: String, source: [UInt8], encoder: [UInt8]) {
    isHEVC = codec == "hevc"
    let isMarked = source.starts(with: [0, 0, 1]) || source.starts(with: [0, 0, 0, 1])
    let record = isMarked ? nil : Record(source, isHEVC: isHEVC)
    guard isMarked || record != nil else { return nil }
    lengthSize = record?.lengthSize ?? 0
    let all = record?.sets ?? NALUnits.marked(source).map(Array.init)
    let isHEVC = isHEVC
    sourceSets = all.filter { Self.kind($0, isHEVC) != nil }
    func free(_ kind: Kind, _ numbers: [Int]) -> Int? {
      let taken = Set(all.filter { Self.kind($0, isHEVC) == kind }.compactMap { Self.number($0[...], isHEVC) })
      return numbers.first { !taken.contains($0) }
    }
    // Numbers that move what follows by whole bytes; HEVC has sixteen sets of the video and of sequences.
    guard let video = isHEVC ? free(.video, Array(1...15)) : 0,
      let sequence = free(.sequence, isHEVC ? [15] : Array(15...30)), let picture = free(.picture, Array(15...30))
    else { return nil }
    (self.video, self.sequence, self.picture) = (video, sequence, picture)
    var made: [[UInt8]] = []
    for unit in NALUnits.marked(encoder) where Self.kind(unit, isHEVC) != nil {
      guard let set = Self.renumbered(unit, isHEVC, video, sequence, picture) else { return nil }
      made.append(set)
    }
    encoderSets = made
    guard made.contains(where: { Self.kind($0, isHEVC) == .sequence }) else { return nil }
    if let record {
      guard let joined = record.adding(made) else { return nil }
      extradata = joined
    } else {
      extradata = NALUnits(lengthSize: 0).sample(sourceSets + made)
    }
  }

  /// A picture of the encoder, as the stream wants it. `bytes`: units behind start codes.
  func encoded(_ bytes: [UInt8], withSets: Bool) -> [UInt8]? {
    var units: [[UInt8]] = withSets ? encoderSets : []
    for unit in NALUnits.marked(bytes) where Self.kind(unit, isHEVC) == nil {
      guard let unit = Self.renumbered(unit, isHEVC, video, sequence, picture) else { return nil }
      units.append(unit)
    }
    return NALUnits(lengthSize: lengthSize).sample(units)
  }

  /// The picture with which copies begin behind encoded ones. `withSets`: with its parameter sets.
  func joined(_ bytes: [UInt8], withSets: Bool) -> [UInt8] {
    let form = NALUnits(lengthSize: lengthSize)
    let units = form.units(of: bytes)
    let hasSets = units.contains { Self.kind($0, isHEVC) == .sequence }
    var made: [[UInt8]] = []
    for unit in units { made.append(isHEVC ? Self.closed(unit) : Array(unit)) }
    if withSets, !hasSets {
      // Only an access unit delimiter comes before them.
      let isDelimited = made.first.map { isHEVC ? $0[0] >> 1 & 0x3F == 35 : $0[0] & 0x1F == 9 } ?? false
      made.insert(contentsOf: sourceSets, at: isDelimited ? 1 : 0)
    }
    return form.sample(made)
  }

  /// Whether the encoder of another part has the same sets.
  func hasSameSets(_ encoder: [UInt8]) -> Bool {
    let units = NALUnits.marked(encoder).filter { Self.kind($0, isHEVC) != nil }
    return units.map { Self.renumbered($0, isHEVC, video, sequence, picture) } == encoderSets
  }

  // MARK: Units

  private enum Kind { case video, sequence, picture }

  private static func kind(_ unit: some Collection<UInt8>, _ isHEVC: Bool) -> Kind? {
    guard let first = unit.first else { return nil }
    if isHEVC {
      switch first >> 1 & 0x3F {
      case 32: return .video
      case 33: return .sequence
      case 34: return .picture
      default: return nil
      }
    }
    switch first & 0x1F {
    case 7: return .sequence
    case 8: return .picture
    default: return nil
    }
  }

  /// Where a unit names its set, in bits of the unit without emulation prevention; nil for units that name none.
  private static func place(_ bytes: [UInt8], _ isHEVC: Bool) -> Int? {
    guard bytes.count > 2 else { return nil }
    var reader = BitReader(bytes)
    if isHEVC {
      let type = bytes[0] >> 1 & 0x3F
      reader.skip(16)
      switch type {
      case 0...9: reader.skip(1)
      case 16...21: reader.skip(2)
      case 32, 34: break
      case 33:
        reader.skip(4)
        let layers = Int(reader.bits(3))
        reader.skip(1 + 96)
        var hasParts: [(Bool, Bool)] = []
        for _ in 0..<layers { hasParts.append((reader.flag(), reader.flag())) }
        if layers > 0 { reader.skip(2 * (8 - layers)) }
        for (hasProfile, hasLevel) in hasParts { reader.skip((hasProfile ? 88 : 0) + (hasLevel ? 8 : 0)) }
      default: return nil
      }
      return reader.isExhausted ? nil : reader.position
    }
    reader.skip(8)
    switch bytes[0] & 0x1F {
    case 1, 5:
      _ = reader.unsignedGolomb()
      _ = reader.unsignedGolomb()
    case 7: reader.skip(24)
    case 8: break
    default: return nil
    }
    return reader.isExhausted ? nil : reader.position
  }

  private static func number(_ unit: ArraySlice<UInt8>, _ isHEVC: Bool) -> Int? {
    var found: Int?
    _ = NALUnits.editing(unit) { bytes in
      guard let place = place(bytes, isHEVC) else { return false }
      var reader = BitReader(bytes)
      reader.skip(place)
      found = kind(unit, isHEVC) == .video ? Int(reader.bits(4)) : Int(reader.unsignedGolomb())
      return false
    }
    return found
  }

  /// The unit with the new numbers of its sets; nil where the encoder's own are not 0.
  private static func renumbered(
    _ unit: ArraySlice<UInt8>, _ isHEVC: Bool, _ video: Int, _ sequence: Int, _ picture: Int
  ) -> [UInt8]? {
    NALUnits.editing(unit) { bytes in
      let kind = kind(unit, isHEVC)
      guard let place = place(bytes, isHEVC) else { return kind == nil }
      switch kind {
      case .video:
        bytes[2] = bytes[2] & 0x0F | UInt8(video) << 4
        return true
      case .sequence:
        if isHEVC { bytes[2] = bytes[2] & 0x0F | UInt8(video) << 4 }
        return NALUnits.renumber(&bytes, atBit: place, to: sequence)
      case .picture:
        return NALUnits.renumber(&bytes, atBit: place + 1, to: sequence)
          && NALUnits.renumber(&bytes, atBit: place, to: picture)
      case nil: return NALUnits.renumber(&bytes, atBit: place, to: picture)
      }
    }
  }

  /// A clean random access picture as one of a broken link: nothing before it is looked for, what is still to be shown is
  /// shown (H.265, 8.1.3 and C.5.2.2). The pictures that are shown before it are left out.
  private static func closed(_ unit: ArraySlice<UInt8>) -> [UInt8] {
    guard let first = unit.first, first >> 1 & 0x3F == 21 else { return Array(unit) }
    let made = NALUnits.editing(unit) { bytes in
      guard bytes.count > 2 else { return false }
      bytes[0] = bytes[0] & 0x81 | 18 << 1
      bytes[2] &= 0xBF
      return true
    }
    return made ?? Array(unit)
  }
}
