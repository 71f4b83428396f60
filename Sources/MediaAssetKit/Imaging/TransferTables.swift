import Synchronization

/// Values of a function of a 16-bit component.
///
/// 4097 values are computed and those between interpolated: PQ's slope allows it to 3·10⁻⁶, and
/// making all 65 536 costs ten times as long as a thumbnail's conversion.
struct ComponentTable: Sendable {
  /// One value for each component.
  let values: [Float]

  init(_ function: (Double) -> Double) {
    let steps = 4096
    let nodes = (0...steps).map { function(Double($0) / Double(steps)) }
    values = [Float](unsafeUninitializedCapacity: 65_536) { buffer, count in
      for component in 0..<65_536 {
        // 65 535 is the last node, so positions are not whole sixteenths.
        let position = Double(component) * (Double(steps) / 65_535)
        let node = min(Int(position), steps - 1)
        let part = position - Double(node)
        buffer[component] = Float(nodes[node] + part * (nodes[node + 1] - nodes[node]))
      }
      count = 65_536
    }
  }

  /// Light for each component, made on first use of a curve and kept.
  static func decoding(_ curve: TransferFunction) -> ComponentTable {
    decodingTables.withLock { tables in
      if let table = tables[curve] { return table }
      let table = ComponentTable(curve.decode)
      tables[curve] = table
      return table
    }
  }

  // Seven curves at most: names decide, not numbers from files.
  private static let decodingTables = Mutex<[TransferFunction: ComponentTable]>([:])
}

/// Values of a function of light between 2⁻²⁴ and 8, found by the bits of the number.
///
/// The exponent and the upper ten bits of the mantissa are the index, so that steps are as small in
/// the shadows as they must be there: each covers 1/1024 of an octave at most.
struct LightTable<Value: Sendable>: Sendable {
  let values: [Value]

  init(_ function: (Double) -> Value) {
    values = (0..<LightIndex.count).map { index in
      if index == 0 { return function(0) }
      let bits = UInt32(index + LightIndex.first) << LightIndex.shift
      // The middle of the step.
      return function(Double(Float(bitPattern: bits | 1 << (LightIndex.shift - 1))))
    }
  }
}

/// The index of ``LightTable``.
enum LightIndex {
  /// Mantissa bits that don't count.
  static let shift: UInt32 = 13
  static let restMask: UInt32 = 1 << shift - 1
  /// The bits of 2⁻²⁴, so shifted.
  static let first = (127 - 24) << 10
  static let count = (24 + 3) << 10

  /// The step that light of at most 8 falls into; less than 2⁻²⁴ counts as none.
  @inline(__always)
  static func of(_ light: Float) -> Int { of(light.bitPattern) }

  /// The same by the bits of the number.
  @inline(__always)
  static func of(_ bits: UInt32) -> Int { max(0, Int(bits >> shift) - first) }
}

/// Components for light of 0 to 1.
struct EncodingTable: Sendable {
  /// Nearest components of 8 bits for the steps of ``LightIndex``; good to a twentieth of a level.
  let nearest8: [UInt8]
  /// Components, 0 to 1, at the beginnings of the steps.
  private let nodes: [Float]
  private let curve: TransferFunction

  private init(_ curve: TransferFunction) {
    self.curve = curve
    let nodes = (0...LightIndex.count).map { index in
      let bits = UInt32(index + LightIndex.first) << LightIndex.shift
      return Float(min(curve.encode(Double(Float(bitPattern: bits))), 1))
    }
    self.nodes = nodes
    nearest8 = (0..<LightIndex.count).map { index in
      let middle = index == 0 ? 0 : (nodes[index] + nodes[index + 1]) / 2
      return UInt8(255 * middle + 0.5)
    }
  }

  /// The nearest component of 16 bits, interpolated; good to a level.
  func component16(_ light: Float) -> UInt16 {
    let index = LightIndex.of(light)
    if index == 0 { return UInt16(65_535 * curve.encode(Double(max(light, 0))) + 0.5) }
    let part = Float(light.bitPattern & LightIndex.restMask) / Float(1 << LightIndex.shift)
    return UInt16(65_535 * (nodes[index] + part * (nodes[index + 1] - nodes[index])) + 0.5)
  }

  /// The table of a curve, made on first use and kept.
  static func encoding(_ curve: TransferFunction) -> EncodingTable {
    encodingTables.withLock { tables in
      if let table = tables[curve] { return table }
      let table = EncodingTable(curve)
      tables[curve] = table
      return table
    }
  }

  // As many as curves: names decide, not numbers from files.
  private static let encodingTables = Mutex<[TransferFunction: EncodingTable]>([:])
}
