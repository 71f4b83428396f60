/// MD5 (RFC 1321), to compare decoded frames and samples with the hashes that others publish.
package struct MD5: Sendable {
  private var state: (UInt32, UInt32, UInt32, UInt32) = (
    0x6745_2301, 0xefcd_ab89, 0x98ba_dcfe, 0x1032_5476
  )
  private var pending: [UInt8] = []
  private var length: UInt64 = 0

  package init() {}

  /// The digest of one run of bytes, in lower-case hexadecimal.
  package static func hex(_ bytes: some Sequence<UInt8>) -> String {
    var hash = MD5()
    hash.update(Array(bytes))
    return hash.finish()
  }

  /// Adds bytes to what is hashed.
  package mutating func update(_ bytes: [UInt8]) {
    length &+= UInt64(bytes.count)
    var start = 0
    if !pending.isEmpty {
      start = min(64 - pending.count, bytes.count)
      pending += bytes[..<start]
      guard pending.count == 64 else { return }
      pending.withUnsafeBufferPointer { block(of: $0, at: 0) }
      pending.removeAll(keepingCapacity: true)
    }
    bytes.withUnsafeBufferPointer { buffer in
      while bytes.count - start >= 64 {
        block(of: buffer, at: start)
        start += 64
      }
    }
    pending += bytes[start...]
  }

  /// Ends the hash and returns it in lower-case hexadecimal.
  package mutating func finish() -> String {
    let bits = length &* 8
    var tail: [UInt8] = [0x80]
    while (pending.count + tail.count) % 64 != 56 { tail.append(0) }
    for shift in 0..<8 { tail.append(UInt8(truncatingIfNeeded: bits >> (8 * UInt64(shift)))) }
    update(tail)
    var text = ""
    for word in [state.0, state.1, state.2, state.3] {
      for shift in [0, 8, 16, 24] {
        let byte = UInt8(truncatingIfNeeded: word >> UInt32(shift))
        text += byte < 16 ? "0" : ""
        text += String(byte, radix: 16)
      }
    }
    return text
  }

  private mutating func block(of bytes: UnsafeBufferPointer<UInt8>, at start: Int) {
    var (a, b, c, d) = state
    MD5.sines.withUnsafeBufferPointer { sines in
      for step in 0..<64 {
        var mixed: UInt32
        let word: Int
        switch step >> 4 {
        case 0:
          mixed = (b & c) | (~b & d)
          word = step
        case 1:
          mixed = (d & b) | (~d & c)
          word = (5 &* step &+ 1) & 15
        case 2:
          mixed = b ^ c ^ d
          word = (3 &* step &+ 5) & 15
        default:
          mixed = c ^ (b | ~d)
          word = (7 &* step) & 15
        }
        let at = start &+ 4 &* word
        let message =
          UInt32(bytes[at]) | UInt32(bytes[at &+ 1]) << 8 | UInt32(bytes[at &+ 2]) << 16
          | UInt32(bytes[at &+ 3]) << 24
        mixed = mixed &+ a &+ sines[step] &+ message
        let turn = MD5.turns[(step >> 4) &* 4 &+ (step & 3)]
        a = d
        d = c
        c = b
        b = b &+ (mixed << turn | mixed >> (32 &- turn))
      }
    }
    state = (state.0 &+ a, state.1 &+ b, state.2 &+ c, state.3 &+ d)
  }

  private static let turns: [UInt32] = [
    7, 12, 17, 22, 5, 9, 14, 20, 4, 11, 16, 23, 6, 10, 15, 21,
  ]

  /// floor(2^32 · |sin(i + 1)|), RFC 1321 section 3.4.
  private static let sines: [UInt32] = [
    0xd76a_a478, 0xe8c7_b756, 0x2420_70db, 0xc1bd_ceee, 0xf57c_0faf, 0x4787_c62a, 0xa830_4613,
    0xfd46_9501, 0x6980_98d8, 0x8b44_f7af, 0xffff_5bb1, 0x895c_d7be, 0x6b90_1122, 0xfd98_7193,
    0xa679_438e, 0x49b4_0821, 0xf61e_2562, 0xc040_b340, 0x265e_5a51, 0xe9b6_c7aa, 0xd62f_105d,
    0x0244_1453, 0xd8a1_e681, 0xe7d3_fbc8, 0x21e1_cde6, 0xc337_07d6, 0xf4d5_0d87, 0x455a_14ed,
    0xa9e3_e905, 0xfcef_a3f8, 0x676f_02d9, 0x8d2a_4c8a, 0xfffa_3942, 0x8771_f681, 0x6d9d_6122,
    0xfde5_380c, 0xa4be_ea44, 0x4bde_cfa9, 0xf6bb_4b60, 0xbebf_bc70, 0x289b_7ec6, 0xeaa1_27fa,
    0xd4ef_3085, 0x0488_1d05, 0xd9d4_d039, 0xe6db_99e5, 0x1fa2_7cf8, 0xc4ac_5665, 0xf429_2244,
    0x432a_ff97, 0xab94_23a7, 0xfc93_a039, 0x655b_59c3, 0x8f0c_cc92, 0xffef_f47d, 0x8584_5dd1,
    0x6fa8_7e4f, 0xfe2c_e6e0, 0xa301_4314, 0x4e08_11a1, 0xf753_7e82, 0xbd3a_f235, 0x2ad7_d2bb,
    0xeb86_d391,
  ]
}
