/// The MD5 of RFC 1321: a fingerprint of pixels, as `ffmpeg -f framemd5` prints it; no protection against forgers.
enum MD5 {
  /// The digest as 32 hexadecimal digits.
  static func digest(_ bytes: UnsafeRawBufferPointer) -> String {
    var state: SIMD4<UInt32> = [0x6745_2301, 0xEFCD_AB89, 0x98BA_DCFE, 0x1032_5476]
    let whole = bytes.count & ~63
    add(UnsafeRawBufferPointer(rebasing: bytes[..<whole]), to: &state)
    // One bit, zeros, and the length in bits in the last eight bytes.
    var tail = Array(bytes[whole...])
    tail.append(0x80)
    while tail.count % 64 != 56 { tail.append(0) }
    withUnsafeBytes(of: (UInt64(bytes.count) &* 8).littleEndian) { tail.append(contentsOf: $0) }
    tail.withUnsafeBytes { add($0, to: &state) }
    return (0..<4).map { hexadecimal(state[$0]) }.joined()
  }

  private static func hexadecimal(_ word: UInt32) -> String {
    let text = String(word.byteSwapped, radix: 16)
    return String(repeating: "0", count: 8 - text.count) + text
  }

  /// The first 32 bits of |sin(i + 1)|, as the RFC lists them.
  private static let sines: [UInt32] = [
    0xD76A_A478, 0xE8C7_B756, 0x2420_70DB, 0xC1BD_CEEE, 0xF57C_0FAF, 0x4787_C62A, 0xA830_4613,
    0xFD46_9501, 0x6980_98D8, 0x8B44_F7AF, 0xFFFF_5BB1, 0x895C_D7BE, 0x6B90_1122, 0xFD98_7193,
    0xA679_438E, 0x49B4_0821, 0xF61E_2562, 0xC040_B340, 0x265E_5A51, 0xE9B6_C7AA, 0xD62F_105D,
    0x0244_1453, 0xD8A1_E681, 0xE7D3_FBC8, 0x21E1_CDE6, 0xC337_07D6, 0xF4D5_0D87, 0x455A_14ED,
    0xA9E3_E905, 0xFCEF_A3F8, 0x676F_02D9, 0x8D2A_4C8A, 0xFFFA_3942, 0x8771_F681, 0x6D9D_6122,
    0xFDE5_380C, 0xA4BE_EA44, 0x4BDE_CFA9, 0xF6BB_4B60, 0xBEBF_BC70, 0x289B_7EC6, 0xEAA1_27FA,
    0xD4EF_3085, 0x0488_1D05, 0xD9D4_D039, 0xE6DB_99E5, 0x1FA2_7CF8, 0xC4AC_5665, 0xF429_2244,
    0x432A_FF97, 0xAB94_23A7, 0xFC93_A039, 0x655B_59C3, 0x8F0C_CC92, 0xFFEF_F47D, 0x8584_5DD1,
    0x6FA8_7E4F, 0xFE2C_E6E0, 0xA301_4314, 0x4E08_11A1, 0xF753_7E82, 0xBD3A_F235, 0x2AD7_D2BB,
    0xEB86_D391,
  ]

  /// One of the 64 steps. Inlined with constant numbers, since a loop that turns four variables around takes twice as long.
  @inline(__always)
  private static func step(
    _ a: inout UInt32, _ b: UInt32, _ mixed: UInt32, _ value: UInt32, _ sine: UInt32, _ shift: UInt32
  ) {
    let sum = a &+ mixed &+ sine &+ value
    a = b &+ (sum &<< shift | sum &>> (32 &- shift))
  }

  /// Adds whole blocks of 64 bytes.
  private static func add(_ blocks: UnsafeRawBufferPointer, to state: inout SIMD4<UInt32>) {
    sines.withUnsafeBufferPointer { sines in
      for start in stride(from: 0, to: blocks.count, by: 64) {
        add(UnsafeRawBufferPointer(rebasing: blocks[start..<start + 64]), sines, to: &state)
      }
    }
  }

  @inline(__always)
  private static func add(
    _ block: UnsafeRawBufferPointer, _ sines: UnsafeBufferPointer<UInt32>, to state: inout SIMD4<UInt32>
  ) {
    var (a, b, c, d) = (state.x, state.y, state.z, state.w)
    @inline(__always) func word(_ index: Int) -> UInt32 {
      UInt32(littleEndian: block.loadUnaligned(fromByteOffset: 4 * (index & 15), as: UInt32.self))
    }
    for i in stride(from: 0, to: 16, by: 4) {
      step(&a, b, d ^ (b & (c ^ d)), word(i), sines[i], 7)
      step(&d, a, c ^ (a & (b ^ c)), word(i + 1), sines[i + 1], 12)
      step(&c, d, b ^ (d & (a ^ b)), word(i + 2), sines[i + 2], 17)
      step(&b, c, a ^ (c & (d ^ a)), word(i + 3), sines[i + 3], 22)
    }
    for i in stride(from: 16, to: 32, by: 4) {
      step(&a, b, c ^ (d & (b ^ c)), word(5 * i + 1), sines[i], 5)
      step(&d, a, b ^ (c & (a ^ b)), word(5 * i + 6), sines[i + 1], 9)
      step(&c, d, a ^ (b & (d ^ a)), word(5 * i + 11), sines[i + 2], 14)
      step(&b, c, d ^ (a & (c ^ d)), word(5 * i + 16), sines[i + 3], 20)
    }
    for i in stride(from: 32, to: 48, by: 4) {
      step(&a, b, b ^ c ^ d, word(3 * i + 5), sines[i], 4)
      step(&d, a, a ^ b ^ c, word(3 * i + 8), sines[i + 1], 11)
      step(&c, d, d ^ a ^ b, word(3 * i + 11), sines[i + 2], 16)
      step(&b, c, c ^ d ^ a, word(3 * i + 14), sines[i + 3], 23)
    }
    for i in stride(from: 48, to: 64, by: 4) {
      step(&a, b, c ^ (b | ~d), word(7 * i), sines[i], 6)
      step(&d, a, b ^ (a | ~c), word(7 * i + 7), sines[i + 1], 10)
      step(&c, d, a ^ (d | ~b), word(7 * i + 14), sines[i + 2], 15)
      step(&b, c, d ^ (c | ~a), word(7 * i + 21), sines[i + 3], 21)
    }
    state = state &+ [a, b, c, d]
  }
}
