import Testing

@testable import MediaAssetKit

@Suite struct ReferenceRestrictionsTests {
  /// The values of AVFoundation's `AVAssetReferenceRestrictions`.
  @Test func rawValues() {
    #expect(ReferenceRestrictions.forbidRemoteReferenceToLocal.rawValue == 1)
    #expect(ReferenceRestrictions.forbidLocalReferenceToRemote.rawValue == 2)
    #expect(ReferenceRestrictions.forbidCrossSiteReference.rawValue == 4)
    #expect(ReferenceRestrictions.forbidLocalReferenceToLocal.rawValue == 8)
    #expect(ReferenceRestrictions.forbidAll.rawValue == 0xFFFF)
    #expect(ReferenceRestrictions.avFoundationDefault == .forbidLocalReferenceToRemote)
    #expect(ResourcePolicy().references == .forbidAll)
  }

  struct Row: Sendable, CustomTestStringConvertible {
    var base: String?
    var reference: String
    /// The names on the command line that allow it.
    var allowedBy: Set<String>
    var testDescription: String { "\(base ?? "no location") → \(reference)" }
  }

  static let rows: [Row] = [
    Row(base: "/m/a.m3u8", reference: "seg.ts", allowedBy: ["local", "same-origin", "all"]),
    Row(base: "/m/a.m3u8", reference: "/m/seg.ts", allowedBy: ["local", "same-origin", "all"]),
    Row(
      base: "/m/a.m3u8", reference: "file:///m/s.ts", allowedBy: ["local", "same-origin", "all"]),
    Row(base: "/m/a.m3u8", reference: "https://example.com/s.ts", allowedBy: ["all"]),
    Row(base: "https://a.example/x/a.m3u8", reference: "s.ts", allowedBy: ["same-origin", "all"]),
    Row(
      base: "https://a.example/x", reference: "//a.example/s", allowedBy: ["same-origin", "all"]),
    Row(
      base: "https://a.example/x", reference: "HTTPS://A.example:443/s",
      allowedBy: ["same-origin", "all"]),
    Row(base: "https://a.example/x", reference: "https://b.example/s.ts", allowedBy: ["all"]),
    Row(base: "https://a.example/x", reference: "//b.example/s.ts", allowedBy: ["all"]),
    Row(base: "https://a.example/x", reference: "https://a.example:8443/s", allowedBy: ["all"]),
    Row(base: "https://a.example/x", reference: "http://a.example/s", allowedBy: []),
    Row(base: "https://a.example/x", reference: "file:///etc/passwd", allowedBy: ["all"]),
    Row(base: nil, reference: "seg.ts", allowedBy: []),
    Row(base: nil, reference: "file:///m/seg.ts", allowedBy: []),
    Row(base: nil, reference: "https://example.com/s.ts", allowedBy: ["all"]),
    Row(base: "/m/a", reference: "concat:a|b", allowedBy: []),
    Row(base: "/m/a", reference: "subfile,,start,0,end,9,,:/etc/passwd", allowedBy: []),
    Row(base: "/m/a", reference: "crypto+file:x", allowedBy: []),
    Row(base: "/m/a", reference: "rtsp://example.com/s", allowedBy: []),
    Row(base: "/m/a", reference: "data:text/plain,x", allowedBy: []),
    Row(base: "/m/a", reference: "", allowedBy: []),
    Row(base: "/m/a", reference: "https://127.0.0.1/s.ts", allowedBy: []),
    Row(base: "/m/a", reference: "http://169.254.169.254/latest", allowedBy: []),
    Row(base: "/m/a", reference: "http://[::1]/s.ts", allowedBy: []),
    Row(base: "/m/a", reference: "http://2130706433/s.ts", allowedBy: []),
    Row(base: "/m/a", reference: "http://0x7f.1/s.ts", allowedBy: []),
    Row(base: "/m/a", reference: "http:seg.ts", allowedBy: []),
  ]

  @Test(arguments: rows, ["none", "local", "same-origin", "all"])
  func decision(row: Row, name: String) throws {
    var policy = ResourcePolicy()
    policy.references = try #require(ReferenceRestrictions(allowing: name))
    let decision = policy.decision(forReference: row.reference, from: row.base)
    #expect(decision.isAllowed == row.allowedBy.contains(name), "\(decision)")
  }

  @Test func unknownName() { #expect(ReferenceRestrictions(allowing: "some") == nil) }

  /// A reference gets to this machine only where the asset itself may come from.
  @Test(arguments: [
    ("http://127.0.0.1:8000/a.m3u8", "http://127.0.0.1:8000/s.ts", true),
    ("http://127.0.0.1:8000/a.m3u8", "http://127.0.0.1:9000/s.ts", false),
    ("/m/a.m3u8", "http://127.0.0.1:8000/s.ts", false),
  ])
  func loopback(base: String, reference: String, isAllowed: Bool) {
    var policy = ResourcePolicy()
    policy.references = []
    policy.allowsLoopbackForAsset = true
    #expect(policy.decision(forReference: reference, from: base).isAllowed == isAllowed)
  }
}

@Suite struct ResourcePolicyTests {
  @Test(arguments: [
    ("/m/a.mp4", true), ("a.mp4", true), ("file:///m/a.mp4", true),
    ("http://example.com/a.mp4", false), ("ftp://example.com/a", false),
  ])
  func assetByDefault(location: String, isAllowed: Bool) {
    #expect(ResourcePolicy().decision(forAsset: location).isAllowed == isAllowed)
  }

  @Test func assetWithNetwork() {
    var policy = ResourcePolicy()
    policy.allowsNetwork = true
    #expect(policy.decision(forAsset: "https://example.com/a").isAllowed)
    #expect(!policy.decision(forAsset: "https://127.0.0.1/a").isAllowed)
    policy.allowsLoopbackForAsset = true
    #expect(policy.decision(forAsset: "https://127.0.0.1/a").isAllowed)
    #expect(!policy.decision(forAsset: "https://10.0.0.1/a").isAllowed)
    policy.allowsPrivateAddresses = true
    #expect(policy.decision(forAsset: "https://10.0.0.1/a").isAllowed)
    #expect(!policy.decision(forAsset: "http://169.254.169.254/a").isAllowed)
    policy.allowedSchemes = ["https"]
    #expect(!policy.decision(forAsset: "http://example.com/a").isAllowed)
    #expect(!policy.decision(forAsset: "/m/a.mp4").isAllowed)
  }

  @Test(arguments: [
    ("example.com", true), ("EXAMPLE.com.", true), ("media.example.org", true),
    ("a.b.example.org", true), ("example.org", false), ("evilexample.org", false),
    ("example.com.evil.net", false),
  ])
  func hosts(host: String, isAllowed: Bool) {
    var policy = ResourcePolicy()
    policy.allowsNetwork = true
    policy.allowedHosts = ["Example.com", "*.example.org"]
    #expect(policy.decision(forAsset: "https://\(host)/a").isAllowed == isAllowed)
  }

  @Test(arguments: [
    ("http://a.example/", "http://a.example/b", false, true),
    ("http://a.example/", "http://b.example/", false, true),
    ("http://a.example/", "https://a.example/", false, false),
    ("http://a.example/", "https://a.example/", true, true),
    ("https://a.example/", "http://a.example/", true, false),
    ("http://a.example/", "http://127.0.0.1/", true, false),
    ("http://a.example/", "http://[::ffff:10.0.0.1]/", true, false),
  ])
  func redirects(from: String, to: String, upgrades: Bool, isAllowed: Bool) throws {
    var policy = ResourcePolicy()
    policy.allowsRedirectToHTTPS = upgrades
    let decision = policy.decision(
      forRedirectFrom: try #require(HTTPURL(from)), to: try #require(HTTPURL(to)),
      allowsLoopback: false)
    #expect(decision.isAllowed == isAllowed)
  }

  /// IANA's special-purpose address registries, and IPv4 addresses in IPv6 clothes.
  @Test(arguments: [
    ("1.1.1.1", "global"), ("8.8.8.8", "global"), ("172.32.0.1", "global"),
    ("100.128.0.1", "global"), ("169.255.0.1", "global"), ("223.255.255.255", "global"),
    ("0.0.0.0", "unspecified"), ("0.1.2.3", "unspecified"),
    ("10.0.0.1", "private"), ("10.255.255.255", "private"), ("172.16.0.1", "private"),
    ("172.31.255.255", "private"), ("192.168.1.1", "private"), ("100.64.0.1", "private"),
    ("100.127.255.255", "private"), ("127.0.0.1", "loopback"), ("127.255.255.254", "loopback"),
    ("169.254.169.254", "link-local"), ("100.100.100.200", "metadata"),
    ("168.63.129.16", "metadata"), ("192.0.0.192", "metadata"),
    ("192.0.0.8", "reserved"), ("192.0.2.1", "reserved"), ("198.18.0.1", "reserved"),
    ("198.19.255.255", "reserved"), ("198.51.100.7", "reserved"), ("203.0.113.9", "reserved"),
    ("224.0.0.1", "multicast"), ("239.255.255.250", "multicast"), ("240.0.0.1", "reserved"),
    ("255.255.255.255", "reserved"),
    ("2606:4700::1111", "global"), ("2001:4860:4860::8888", "global"),
    ("::", "unspecified"), ("::1", "loopback"), ("fe80::1", "link-local"),
    ("febf::1", "link-local"), ("fec0::1", "private"), ("fc00::1", "private"),
    ("fdff::1", "private"), ("fd00:ec2::254", "metadata"), ("ff02::1", "multicast"),
    ("2001:db8::1", "reserved"), ("3fff::1", "reserved"), ("100::1", "reserved"),
    ("2001::1", "reserved"), ("64:ff9b:1::1", "reserved"), ("4000::1", "reserved"),
    ("::ffff:127.0.0.1", "loopback"), ("::ffff:10.0.0.1", "private"),
    ("::ffff:8.8.8.8", "global"), ("::127.0.0.1", "loopback"), ("::10.1.2.3", "private"),
    ("::ffff:0:127.0.0.1", "loopback"), ("64:ff9b::127.0.0.1", "loopback"),
    ("64:ff9b::169.254.169.254", "link-local"), ("64:ff9b::8.8.8.8", "global"),
    ("2002:7f00:1::", "loopback"), ("2002:a9fe:a9fe::", "link-local"),
    ("2002:808:808::", "global"), ("2606:4700::5efe:10.0.0.1", "private"),
    ("2606:4700::200:5efe:127.0.0.1", "loopback"),
  ])
  func scopes(text: String, scope: String) throws {
    let address = try #require(NetworkAddress(text))
    #expect(address.scope.rawValue == scope)
    #expect(NetworkAddress(address.description) == address)
  }

  @Test(arguments: ["", "localhost", "127.1", "1.2.3", "0x7f.0.0.1", "1.2.3.4 ", "fe80::1%1"])
  func notAddresses(text: String) { #expect(NetworkAddress(text) == nil) }
}
