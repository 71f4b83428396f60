/// Values of a function of a 16-bit component.
///
/// 4097 values are computed and those between interpolated, which PQ's slope allows to 3·10⁻⁶:
/// computing all 65 536 takes longer than a thumbnail's conversion. Only the darkest 256 are computed
/// each, because powers bend too much there.
struct ComponentTable: Sendable {
  /// One value for each component.
  let values: [Float]

  init(_ function: (Double) -> Double) {
    let steps = 4096
    let nodes = (0...steps).map { function(Double($0) / Double(steps)) }
    values = [Float](unsafeUninitializedCapacity: 65_536) { buffer, count in
      for component in 0..<256 { buffer[component] = Float(function(Double(component) / 65_535)) }
      for component in 256..<65_536 {
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
  private static let decodingTables = Monitor<[TransferFunction: ComponentTable]>([:])
}

/// Values of a smooth function of light from 0 to 8.
///
/// The exponent and the upper seven bits of the mantissa find a step, a straight line gives the
/// value in it. So steps are as small in the shadows as they must be there; powers come out good to
/// 2·10⁻⁶.
struct LightTable: Sendable {
  /// The line of a step: its value for no light, and its slope.
  typealias Line = SIMD2<Float>

  let lines: [Line]

  private static let shift: UInt32 = 16
  /// The bits of 2⁻⁴⁰, so shifted: the end of the first step, a 16-bit component of less than one.
  private static let first = (127 - 40) << 7
  private static let count = (40 + 3) << 7

  init(_ function: (Double) -> Double) {
    func begin(_ step: Int) -> Double {
      step == 0 ? 0 : Double(Float(bitPattern: UInt32(step + Self.first) << Self.shift))
    }
    let nodes = (0...Self.count).map { (light: begin($0), value: function(begin($0))) }
    lines = zip(nodes, nodes.dropFirst()).map { from, to in
      let slope = (to.value - from.value) / (to.light - from.light)
      return Line(Float(from.value - slope * from.light), Float(slope))
    }
  }

  /// The value for light of 0 to 8.
  func value(_ light: Float) -> Float {
    lines.withUnsafeBufferPointer { Self.value(light, $0) }
  }

  /// The same for inner loops that have the lines at hand.
  @inline(__always)
  static func value(_ light: Float, _ lines: UnsafeBufferPointer<Line>) -> Float {
    let line = lines[max(0, Int(light.bitPattern >> shift) &- first)]
    return line.x + line.y * light
  }
}

/// Components for light of 0 to 1.
struct EncodingTable: Sendable {
  /// Nearest components of 8 bits for the steps of ``step8(_:)``; good to a twentieth of a level.
  let nearest8: [UInt8]
  /// Components, 0 to 1.
  let components: LightTable

  private static let shift8: UInt32 = 13
  /// The bits of 2⁻²⁴, so shifted: less than half a level of any curve.
  private static let first8 = (127 - 24) << 10

  private init(_ curve: TransferFunction) {
    let components = LightTable { min(curve.encode($0), 1) }
    self.components = components
    nearest8 = (0...(24 << 10)).map { step in
      if step == 0 { return 0 }
      // The middle of the step.
      let bits = UInt32(step + Self.first8) << Self.shift8 | 1 << (Self.shift8 - 1)
      return UInt8(255 * components.value(min(Float(bitPattern: bits), 1)) + 0.5)
    }
  }

  /// The step of ``nearest8`` for light of 0 to 1: exponent and ten bits of the mantissa.
  @inline(__always)
  static func step8(_ light: Float) -> Int {
    max(0, Int(light.bitPattern >> shift8) &- first8)
  }

  /// The nearest component of 16 bits.
  @inline(__always)
  static func component16(
    _ light: Float, _ components: UnsafeBufferPointer<LightTable.Line>
  ) -> UInt16 {
    UInt16(65_535 * LightTable.value(light, components) + 0.5)
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
  private static let encodingTables = Monitor<[TransferFunction: EncodingTable]>([:])
}
