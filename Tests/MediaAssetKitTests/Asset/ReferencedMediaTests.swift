import Foundation
import ISOMedia
import MediaTestSupport
import Testing

@testable import MediaAssetKit

/// Movies whose media lies in other files by URL: read in every direction that the policy allows, refused in every other.
@Suite("Referenced media") struct ReferencedMediaTests {
  private static func entry(_ type: String, _ text: String) -> [UInt8] {
    let payload = [0, 0, 0, 0] + Array(text.utf8) + [0]
    return (payload.count + 8).bigEndianBytes(4) + Array(type.utf8) + payload
  }

  /// The boxes before the media of a file, with every track's media in the file that an entry of `dref` names.
  private static func movie(_ file: [UInt8], entry: [UInt8]) throws -> [UInt8] {
    let boxes = Array(BoxSequence(file))
    let type = try #require(boxes.first { $0.type == "ftyp" })
    let header = try #require(boxes.first { $0.type == "moov" })
    var edit = MovieEdit()
    edit.dataReference = entry
    for track in try MovieHeader.parse(Array(file[header.range])).tracks { edit.tracks[track.trackID] = TrackEdit() }
    var rewriter = MovieRewriter(Array(file[header.range]), edit: edit)
    return try Array(file[type.range]) + rewriter.rewritten()
  }

  /// Twenty-five frames a second; frame n has luma 16 + 2n.
  private static func check(_ asset: MediaAsset, as stored: MediaAsset) async throws {
    let track = try #require(try await asset.load(.tracks).first)
    #expect(try await track.load(.isSelfContained) == false)
    #expect(try await asset.load(.duration) == MediaTime(value: 4, timescale: 1))
    var generator = ImageGenerator(asset: asset)
    generator.requestedTimeToleranceBefore = .zero
    generator.requestedTimeToleranceAfter = .zero
    for frame in [0, 50, 99] {
      let image = try await generator.image(at: MediaTime(value: Int64(2 * frame + 1), timescale: 50)).image
      #expect(abs(Double(image.pixel(x: 20, y: 20).green) - GeneratedClip.grey(luma: Double(16 + 2 * frame))) <= 2.5)
    }
    #expect(try await samples(asset) == samples(stored))
  }

  private static func samples(_ asset: MediaAsset) async throws -> [[UInt8]] {
    let track = try #require(try await asset.load(.tracks).first)
    return try await StoredSampleTests.samples(of: track).map(\.bytes)
  }

  private static func options(_ references: ReferenceRestrictions) -> MediaAsset.Options {
    var policy = loopbackPolicy
    policy.references = references
    policy.deadline = .seconds(60)
    policy.allowsPrivateAddresses = true
    return MediaAsset.Options(policy: policy)
  }

  private static let everyPolicy: [ReferenceRestrictions] = [
    [], .avFoundationDefault, .localOnly, .sameOriginOnly, .forbidAll, .forbidLocalReferenceToLocal,
    .forbidLocalReferenceToRemote, .forbidCrossSiteReference, .forbidRemoteReferenceToLocal, .forbidSameSiteReference,
  ]

  private static func expect(
    _ url: URL, allowedBy isAllowed: (ReferenceRestrictions) -> Bool, as stored: URL
  ) async throws {
    for references in everyPolicy {
      let asset = MediaAsset(url: url, options: options(references))
      if isAllowed(references) {
        try await check(asset, as: MediaAsset(url: stored))
      } else {
        let error = await #expect(throws: MediaError.self, "\(references)") { try await asset.load(.tracks) }
        #expect(error?.code == .referenceForbidden, "\(references)")
      }
    }
  }

  @Test(arguments: ["media.mp4", "media%20two.mp4", "absolute"]) func fromLocalToLocal(place: String) async throws {
    let clip = try await GeneratedClip.make(.h264ClosedGroups).url
    try await withScratchFolder { folder in
      let media = folder.appending(path: place == "absolute" ? "media.mp4" : place.removingPercentEncoding ?? place)
      try FileManager.default.copyItem(at: clip, to: media)
      let url = folder.appending(path: "reference.mov")
      let text = place == "absolute" ? media.absoluteString : place
      try Data(Self.movie([UInt8](Data(contentsOf: clip)), entry: Self.entry("url ", text))).write(to: url)
      try await Self.expect(
        url,
        allowedBy: { $0 != .forbidAll && !$0.contains(.forbidLocalReferenceToLocal) }, as: clip)
    }
  }

  @Test func fromLocalToRemote() async throws {
    let clip = try await GeneratedClip.make(.h264ClosedGroups).url
    let bytes = [UInt8](try Data(contentsOf: clip))
    let server = try HTTPTestServer { $1.sendRange(of: bytes, for: $0) }
    defer { server.stop() }
    try await withScratchFolder { folder in
      let url = folder.appending(path: "reference.mov")
      try Data(Self.movie(bytes, entry: Self.entry("url ", server.origin + "/media.mp4"))).write(to: url)
      try await Self.expect(
        url, allowedBy: { $0 != .forbidAll && !$0.contains(.forbidLocalReferenceToRemote) }, as: clip)
    }
  }

  /// A movie on a server that refers to its own origin, to another one, and to a local file.
  @Test(arguments: ["same", "other", "local"]) func fromRemote(to place: String) async throws {
    let clip = try await GeneratedClip.make(.h264ClosedGroups).url
    let bytes = [UInt8](try Data(contentsOf: clip))
    let other = try HTTPTestServer { $1.sendRange(of: bytes, for: $0) }
    defer { other.stop() }
    let text =
      switch place {
      case "same": "media.mp4"
      case "other": other.origin + "/media.mp4"
      default: clip.absoluteString
      }
    let movie = try Self.movie(bytes, entry: Self.entry("url ", text))
    let server = try HTTPTestServer { request, connection in
      connection.sendRange(of: request.path.hasSuffix("reference.mov") ? movie : bytes, for: request)
    }
    defer { server.stop() }
    let url = try #require(URL(string: server.origin + "/folder/reference.mov"))
    let flag: ReferenceRestrictions =
      switch place {
      case "same": .forbidSameSiteReference
      case "other": .forbidCrossSiteReference
      default: .forbidRemoteReferenceToLocal
      }
    try await Self.expect(url, allowedBy: { $0 != .forbidAll && !$0.contains(flag) }, as: clip)
  }

  /// What is not there, and what is no URL, is a typed error, not somebody else's bytes.
  @Test func failures() async throws {
    let clip = try await GeneratedClip.make(.h264ClosedGroups).url
    let bytes = [UInt8](try Data(contentsOf: clip))
    try await withScratchFolder { folder in
      for (entry, code) in [
        (Self.entry("url ", "missing.mp4"), MediaError.Code.readFailed),
        (Self.entry("urn ", "name\0media.mp4"), .operationNotSupported),
      ] {
        let url = folder.appending(path: "reference.mov")
        try Data(Self.movie(bytes, entry: entry)).write(to: url)
        let asset = MediaAsset(url: url, options: Self.options([]))
        let error = await #expect(throws: MediaError.self) { try await asset.load(.tracks) }
        #expect(error?.code == code)
      }
    }
    // Data in memory has no place from which a relative URL could lead anywhere.
    let movie = try Self.movie(bytes, entry: Self.entry("url ", "media.mp4"))
    let asset = MediaAsset(data: Data(movie), options: Self.options([]))
    let error = await #expect(throws: MediaError.self) { try await asset.load(.tracks) }
    #expect(error?.code == .referenceForbidden)
  }

  /// Offsets of 32 bits don't reach beyond 4 GiB.
  @Test func farOffsets() async throws {
    let clip = try await GeneratedClip.make(.h264ClosedGroups).url
    let file = [UInt8](try Data(contentsOf: clip))
    let box = try #require(BoxSequence(file).first { $0.type == "moov" })
    let header = try MovieHeader.parse(Array(file[box.range]))
    #expect(header.relocatingChunks { _, _ in 1 << 32 } == nil)
    let moved = try MovieHeader.parse(try #require(header.relocatingChunks { _, _ in 1000 }))
    let (old, new) = (try #require(header.tracks.first), try #require(moved.tracks.first))
    let before = try header.sampleTable(of: old, maximumSamples: 1000).map(\.offset)
    #expect(try moved.sampleTable(of: new, maximumSamples: 1000).map(\.offset) == before.map { $0 + 1000 })
  }
}
