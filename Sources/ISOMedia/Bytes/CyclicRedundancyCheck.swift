/// CRC-32 of ISO 3309, as PNG, Matroska (RFC 8794, 11.3.1) and Ethernet have it.
package enum CyclicRedundancyCheck {
  package static func crc32(_ bytes: some Sequence<UInt8>) -> UInt32 {
    var sum = UInt32.max
    for byte in bytes {
      sum ^= UInt32(byte)
      for _ in 0..<8 { sum = sum >> 1 ^ (sum & 1 == 1 ? 0xEDB8_8320 : 0) }
    }
    return ~sum
  }
}
