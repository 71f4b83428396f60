/// What an asset may open, and how much it may ask of this process.
///
/// The defaults are safe for files from strangers: no network, nothing besides the asset itself, and
/// limits that real media stays below. Decisions are pure functions of the policy; the address rule
/// is enforced on the address that a socket is really connected to.
public struct ResourcePolicy: Sendable, Hashable {
  /// What the asset may refer to; nothing by default.
  public var references: ReferenceRestrictions = .forbidAll
  /// Whether the asset's own URL may be http or https. References don't need it, they have
  /// ``references``.
  public var allowsNetwork = false
  /// The schemes that may be used at all, for the asset and for what it refers to.
  public var allowedSchemes: Set<String> = ["file", "http", "https"]
  /// The hosts that may be asked, nil for any; `*.example.com` stands for the hosts below
  /// `example.com`.
  public var allowedHosts: Set<String>?
  /// Whether the asset's own URL may lead to this machine (`localhost`, 127.0.0.0/8, ::1). What it
  /// refers to or redirects to may not, except on the same origin.
  public var allowsLoopbackForAsset = false
  /// Whether servers may have private or loopback addresses: 10/8, 172.16/12, 192.168/16, 100.64/10,
  /// 127/8, ::1, fc00::/7. Link-local, multicast, unspecified and cloud metadata addresses are
  /// refused always.
  public var allowsPrivateAddresses = false
  /// How many redirects are followed for one request.
  public var maximumRedirects = 8
  /// Whether an http URL may redirect to https. The other way is never followed.
  public var allowsRedirectToHTTPS = false
  /// A PEM file with certificate authorities that are trusted besides the system's. Certificates
  /// and host names are verified always.
  public var additionalCertificateAuthorities: String?

  /// The largest picture, in pixels; 2^28 is 16384 × 16384.
  public var maximumPixels: Int64 = 1 << 28
  /// The largest number of streams in a container.
  public var maximumStreams = 256
  /// How many bytes may be read to find out what a container holds, where its header does not say.
  public var maximumProbeBytes: Int64 = 5_000_000
  /// The largest header that is kept in memory (an MP4's `moov`); a day of video has some 100 MB.
  public var maximumHeaderBytes: Int64 = 256 << 20
  /// How much of a source that can't seek may be copied to a temporary file.
  public var maximumSpoolBytes: Int64 = 1 << 30
  /// How many packets a decoder may take without giving a frame.
  public var maximumPacketsWithoutFrame = 2_000
  /// How long to wait for the next byte of a server or a custom source.
  public var deadline: Duration = .seconds(30)

  /// The safe defaults.
  public init() {}
}

extension ResourcePolicy {
  /// Whether something may be opened, and why not.
  public enum Decision: Sendable, Hashable {
    /// It may.
    case allowed
    /// It may not; the reason is a sentence without a full stop.
    case denied(reason: String)

    /// Whether it may.
    public var isAllowed: Bool { self == .allowed }
  }

  /// Whose request it is.
  enum Purpose: Sendable, Hashable {
    /// The asset's own URL.
    case asset
    /// Something that the asset refers to.
    case reference
  }

  /// Whether the asset's own location may be opened: a URL, or a path for a local file.
  public func decision(forAsset location: String) -> Decision {
    switch ResourceLocation(location) {
    case .local: return decision(forScheme: "file")
    case .other(let scheme): return .denied(reason: "the scheme \(scheme) is not supported")
    case .malformed: return .denied(reason: "the URL is malformed")
    case .remote(let url):
      guard allowsNetwork else { return .denied(reason: "the policy allows no network") }
      return decision(forURL: url, allowsLoopback: allowsLoopbackForAsset)
    }
  }

  /// Whether something that the asset refers to may be opened.
  ///
  /// `base` is the location of the file that has the reference, nil for an asset without a location
  /// (data, a custom source). Local references are told from remote ones by the text alone; opening
  /// nothing, not even to look.
  public func decision(forReference location: String, from base: String?) -> Decision {
    let origin = base.map(ResourceLocation.init) ?? .malformed
    guard references != .forbidAll else {
      return .denied(reason: "the asset may not refer to anything")
    }
    switch ResourceLocation(location, relativeTo: origin) {
    case .other(let scheme):
      return .denied(reason: "references with the scheme \(scheme) are forbidden")
    case .malformed: return .denied(reason: "the reference is malformed")
    case .local:
      switch origin {
      case .local:
        guard !references.contains(.forbidLocalReferenceToLocal) else {
          return .denied(reason: "a local file may not refer to other local files")
        }
      case .remote:
        guard !references.contains(.forbidRemoteReferenceToLocal) else {
          return .denied(reason: "a file on a server may not refer to local files")
        }
      case .other, .malformed:
        return .denied(reason: "an asset without a location may not refer to local files")
      }
      return decision(forScheme: "file")
    case .remote(let url):
      var isSameOrigin = false
      if case .remote(let own) = origin {
        isSameOrigin = own.hasSameOrigin(as: url)
        if isSameOrigin && references.contains(.forbidSameSiteReference) {
          return .denied(reason: "a file on a server may not refer to other files there")
        }
        if !isSameOrigin && references.contains(.forbidCrossSiteReference) {
          return .denied(
            reason: "a file on a server may not refer to \(url.origin), another origin")
        }
        if own.scheme == .https && url.scheme == .http {
          return .denied(reason: "a file fetched over https may not refer to http")
        }
      } else if references.contains(.forbidLocalReferenceToRemote) {
        return .denied(reason: "a local file may not refer to servers")
      }
      return decision(forURL: url, allowsLoopback: isSameOrigin && allowsLoopbackForAsset)
    }
  }

  /// Whether a redirect may be followed.
  func decision(forRedirectFrom url: HTTPURL, to next: HTTPURL, allowsLoopback: Bool) -> Decision {
    if url.scheme != next.scheme && !(next.scheme == .https && allowsRedirectToHTTPS) {
      return .denied(
        reason: "it redirects from \(url.scheme.rawValue) to \(next.scheme.rawValue)")
    }
    return decision(forURL: next, allowsLoopback: allowsLoopback)
  }

  /// Scheme, host and, where the host is an address, the address.
  func decision(forURL url: HTTPURL, allowsLoopback: Bool) -> Decision {
    let scheme = decision(forScheme: url.scheme.rawValue)
    guard scheme.isAllowed else { return scheme }
    if let allowedHosts, !allowedHosts.contains(where: { Self.matches(url.host, $0) }) {
      return .denied(reason: "the policy does not allow the host \(url.host)")
    }
    if let address = url.address {
      return decision(forAddress: address, allowsLoopback: allowsLoopback)
    }
    return .allowed
  }

  /// Whether a server with this address may be talked to.
  func decision(forAddress address: NetworkAddress, allowsLoopback: Bool) -> Decision {
    switch address.scope {
    case .global: return .allowed
    case .loopback where allowsLoopback || allowsPrivateAddresses: return .allowed
    case .private where allowsPrivateAddresses: return .allowed
    case let scope: return .denied(reason: "\(address) is a \(scope.rawValue) address")
    }
  }

  private func decision(forScheme scheme: String) -> Decision {
    allowedSchemes.contains(scheme)
      ? .allowed : .denied(reason: "the policy does not allow the scheme \(scheme)")
  }

  private static func matches(_ host: String, _ pattern: String) -> Bool {
    let pattern = pattern.lowercased()
    return pattern.hasPrefix("*.") ? host.hasSuffix(pattern.dropFirst()) : host == pattern
  }
}
