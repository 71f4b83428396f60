extension HTTPReader {
  /// Whose resource is opened, which decides by which rules.
  package enum Role: Sendable {
    /// The asset itself.
    case asset
    /// Something that the asset refers to; `base` is the location of the file with the reference,
    /// nil when it has none.
    case reference(base: String?)
  }

  /// Sends the first request and waits for its answer, without blocking a thread.
  ///
  /// Cancelling the task ends it at once. Throws `resourceForbidden` or `referenceForbidden` for
  /// what the policy denies, `fileNotFound` (404, 410), `accessDenied` (401, 403), `timedOut`,
  /// `readFailed`, `serverIncorrectlyConfigured`, `libraryMissing`.
  package static func open(
    _ location: String, options: HTTPOptions = HTTPOptions(),
    policy: ResourcePolicy = ResourcePolicy(), role: Role = .asset
  ) async throws -> HTTPReader {
    let request = try request(for: location, options: options, policy: policy, role: role)
    let stream = HTTPTransfer(request)
    stream.start()
    let head = try await stream.head()
    do {
      var resource = try HTTPResource(head, request: request)
      if resource.claimsRanges {
        resource.isSeekable = try await servesRanges(resource)
      }
      if case .asset = role, let station = try await withTitles(resource) {
        stream.cancel()
        return station
      }
      return HTTPReader(resource: resource, stream: stream)
    } catch {
      stream.cancel()
      throw error
    }
  }

  /// Asks a radio station's server again, for titles between the bytes of sound; nil for every other one, and for one that
  /// has none.
  private static func withTitles(_ resource: HTTPResource) async throws -> HTTPReader? {
    guard let metadata = resource.streamMetadata, metadata.interval == nil, !resource.isSeekable, resource.length == nil
    else { return nil }
    var request = resource.request
    request.asksForStreamMetadata = true
    let stream = HTTPTransfer(request)
    stream.start()
    do {
      let asked = try HTTPResource(try await stream.head(), request: request)
      guard asked.streamMetadata?.interval != nil, !asked.isSeekable else {
        stream.cancel()
        return nil
      }
      return HTTPReader(resource: asked, stream: stream)
    } catch is MediaError {
      // The first answer serves.
      stream.cancel()
      return nil
    } catch {
      stream.cancel()
      throw error
    }
  }

  /// Servers may answer a request for all the bytes without a range although they have ranges; a
  /// request for a part tells.
  private static func servesRanges(_ resource: HTTPResource) async throws -> Bool {
    var request = resource.request
    request.url = resource.url
    request.allowsLoopback = request.allowsLoopback && resource.isFromLoopback
    (request.offset, request.last) = (1, 1)
    let probe = HTTPTransfer(request)
    probe.start()
    defer { probe.cancel() }
    let head = try await probe.head()
    guard head.status == 206 else { return false }
    return (try? resource.check(head, offset: 1)) != nil
  }

  private static func request(
    for location: String, options: HTTPOptions, policy: ResourcePolicy, role: Role
  ) throws -> HTTPRequest {
    let purpose: ResourcePolicy.Purpose
    let place: ResourceLocation
    let decision: ResourcePolicy.Decision
    var base: HTTPURL?
    switch role {
    case .asset:
      purpose = .asset
      place = ResourceLocation(location)
      decision = policy.decision(forAsset: location)
    case .reference(let text):
      purpose = .reference
      let origin = text.map(ResourceLocation.init) ?? .malformed
      if case .remote(let url) = origin { base = url }
      place = ResourceLocation(location, relativeTo: origin)
      decision = policy.decision(forReference: location, from: text)
    }
    guard case .remote(let url) = place else {
      throw MediaError(
        .invalidArgument, operation: "open", subject: location,
        reason: "it is not a well-formed http or https URL")
    }
    try options.validate(subject: "\(url)")
    let isOwnPlace = base.map { $0.hasSameOrigin(as: url) } ?? (purpose == .asset)
    let request = HTTPRequest(
      url: url, options: options, policy: policy, purpose: purpose,
      allowsLoopback: policy.allowsLoopbackForAsset && isOwnPlace,
      trustedOrigin: purpose == .asset ? url : base)
    if case .denied(let reason) = decision { throw request.refusal(reason, at: url) }
    return request
  }
}
