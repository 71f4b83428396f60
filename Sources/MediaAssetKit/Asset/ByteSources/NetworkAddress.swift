#if canImport(Glibc)
  import Glibc
#elseif canImport(Musl)
  import Musl
#elseif canImport(Darwin)
  import Darwin
#endif

/// A numeric IPv4 or IPv6 address, and what kind of place it is.
struct NetworkAddress: Hashable, Sendable, CustomStringConvertible {
  /// 4 or 16 bytes in network order.
  let bytes: [UInt8]

  enum Scope: String, Sendable, CaseIterable {
    /// Reachable from anywhere.
    case global
    case loopback
    /// Private networks, unique local addresses, carrier-grade NAT.
    case `private`
    /// Link-local, where clouds keep their metadata services.
    case linkLocal = "link-local"
    /// A cloud's metadata service outside the link-local ranges.
    case metadata
    case multicast
    /// "This host" and "this network".
    case unspecified
    /// Documentation, benchmarks, future use, and tunnels that hide the real address.
    case reserved
  }

  init?(bytes: some Collection<UInt8>) {
    guard bytes.count == 4 || bytes.count == 16 else { return nil }
    self.bytes = Array(bytes)
  }

  /// An address from its standard text (`127.0.0.1`, `::1`), without brackets or zone.
  init?(_ text: some StringProtocol) {
    let text = String(text)
    guard !text.utf8.contains(0) else { return nil }
    var bytes = [UInt8](repeating: 0, count: 16)
    if inet_pton(AF_INET, text, &bytes) == 1 {
      self.bytes = Array(bytes[..<4])
    } else if inet_pton(AF_INET6, text, &bytes) == 1 {
      self.bytes = bytes
    } else {
      return nil
    }
  }

  var isIPv6: Bool { bytes.count == 16 }

  /// The standard text.
  var description: String {
    if bytes.count == 4 { return bytes.map(String.init).joined(separator: ".") }
    var text = [CChar](repeating: 0, count: Int(INET6_ADDRSTRLEN))
    _ = inet_ntop(isIPv6 ? AF_INET6 : AF_INET, bytes, &text, socklen_t(text.count))
    return String(decoding: text.prefix { $0 != 0 }.map(UInt8.init(bitPattern:)), as: UTF8.self)
  }

  /// The kind of place, by IANA's special-purpose address registries (RFC 6890 and its updates);
  /// an IPv4 address inside an IPv6 one counts as that IPv4 address.
  var scope: Scope {
    if let inner = embeddedIPv4 {
      // A translated address is no better than what it translates to.
      return inner.scope
    }
    for rule in isIPv6 ? Self.rulesIPv6 : Self.rulesIPv4 where rule.matches(bytes) {
      return rule.scope
    }
    return isIPv6 ? .reserved : .global
  }

  /// The IPv4 address that a mapped, compatible, translated or tunnelled IPv6 address stands for.
  private var embeddedIPv4: NetworkAddress? {
    guard isIPv6 else { return nil }
    func inner(_ start: Int) -> NetworkAddress? { NetworkAddress(bytes: bytes[start..<start + 4]) }
    let isZero = { (range: Range<Int>) in self.bytes[range].allSatisfy { $0 == 0 } }
    if isZero(0..<10) {
      if bytes[10] == 0xFF && bytes[11] == 0xFF { return inner(12) }  // ::ffff:0:0/96, mapped
      // ::/96, compatible; :: and ::1 are addresses of their own.
      if isZero(10..<12) && !(isZero(12..<15) && bytes[15] <= 1) { return inner(12) }
    }
    if isZero(0..<8) && bytes[8] == 0xFF && bytes[9] == 0xFF && isZero(10..<12) {
      return inner(12)  // ::ffff:0:0:0/96, RFC 2765
    }
    if bytes[..<4] == [0x00, 0x64, 0xFF, 0x9B] && isZero(4..<12) {
      return inner(12)  // 64:ff9b::/96, RFC 6052
    }
    if bytes[0] == 0x20 && bytes[1] == 0x02 { return inner(2) }  // 2002::/16, 6to4
    if bytes[8] & 0xFD == 0 && bytes[9..<12] == [0x00, 0x5E, 0xFE] {
      return inner(12)  // ISATAP, RFC 5214
    }
    return nil
  }

  private struct Rule {
    var prefix: [UInt8]
    var length: Int
    var scope: Scope

    init(_ prefix: [UInt8], _ length: Int, _ scope: Scope) {
      self.prefix = prefix
      self.length = length
      self.scope = scope
    }

    func matches(_ bytes: [UInt8]) -> Bool {
      (0..<length).allSatisfy { bit in
        let wanted = bit / 8 < prefix.count ? prefix[bit / 8] : 0
        return (wanted ^ bytes[bit / 8]) & (0x80 >> UInt8(bit % 8)) == 0
      }
    }
  }

  private static let rulesIPv4: [Rule] = [
    Rule([0], 8, .unspecified),
    Rule([10], 8, .private),
    Rule([100, 100, 100, 200], 32, .metadata),
    Rule([100, 64], 10, .private),
    Rule([127], 8, .loopback),
    Rule([168, 63, 129, 16], 32, .metadata),
    Rule([169, 254], 16, .linkLocal),
    Rule([172, 16], 12, .private),
    Rule([192, 0, 0, 192], 32, .metadata),
    Rule([192, 0, 0], 24, .reserved),
    Rule([192, 0, 2], 24, .reserved),
    Rule([192, 88, 99], 24, .reserved),
    Rule([192, 168], 16, .private),
    Rule([198, 18], 15, .reserved),
    Rule([198, 51, 100], 24, .reserved),
    Rule([203, 0, 113], 24, .reserved),
    Rule([224], 4, .multicast),
    Rule([240], 4, .reserved),
  ]

  // Global unicast is 2000::/3; whatever no rule names is reserved.
  private static let rulesIPv6: [Rule] = [
    Rule([], 128, .unspecified),
    Rule([0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 1], 128, .loopback),
    Rule([0xFD, 0x00, 0x0E, 0xC2], 32, .metadata),
    Rule([0xFC], 7, .private),
    Rule([0xFE, 0x80], 10, .linkLocal),
    Rule([0xFE, 0xC0], 10, .private),
    Rule([0xFF], 8, .multicast),
    Rule([0x20, 0x01], 23, .reserved),
    Rule([0x20, 0x01, 0x0D, 0xB8], 32, .reserved),
    Rule([0x3F, 0xFF], 20, .reserved),
    Rule([0x20], 3, .global),
  ]
}
