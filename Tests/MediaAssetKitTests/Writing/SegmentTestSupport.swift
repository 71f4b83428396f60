import Foundation
import ISOMedia
import MediaTestSupport

@testable import MediaAssetKit

/// A writer of segments, fed and consumed side by side: all that comes out.
func writeSegments(
  interval: MediaTime, profile: Writer.FileTypeProfile = .mpeg4AppleHLS, startTime: MediaTime = .invalid,
  sequence: Int = 1, inputs: [Writer.Input], start: MediaTime = .zero, metadata: [MetadataItem] = [],
  _ body: @escaping @Sendable (Writer) async throws -> Void
) async throws -> [Writer.Segment] {
  var options = Writer.Options()
  options.preferredOutputSegmentInterval = interval
  options.initialSegmentStartTime = startTime
  options.initialMovieFragmentSequenceNumber = sequence
  options.metadataItems = metadata
  let writer = try Writer(contentType: .mp4, profile: profile, options: options)
  for input in inputs { try writer.add(input) }
  try await writer.start()
  try writer.startSession(at: start)
  async let collected = collect(writer)
  do {
    try await body(writer)
    if writer.status == .writing { try await writer.finishWriting() }
  } catch {
    await writer.cancel()
    _ = try? await collected
    throw error
  }
  return try await collected
}

func collect(_ writer: Writer) async throws -> [Writer.Segment] {
  var segments: [Writer.Segment] = []
  for try await segment in writer.segments { segments.append(segment) }
  return segments
}

/// Passes the stored samples of tracks on into segments.
func passSegments(
  _ source: URL, interval: MediaTime, profile: Writer.FileTypeProfile = .mpeg4AppleHLS, types: [MediaType]? = nil,
  start: MediaTime = .zero
) async throws -> [Writer.Segment] {
  let asset = MediaAsset(url: source)
  let tracks = try await asset.load(.tracks).filter { types?.contains($0.mediaType) ?? true }
  var inputs: [Writer.Input] = []
  for track in tracks { inputs.append(try await .passthrough(of: track)) }
  let pairs = Array(zip(inputs, tracks))
  return try await writeSegments(interval: interval, profile: profile, inputs: inputs, start: start) { _ in
    try await withThrowingTaskGroup(of: Void.self) { group in
      for (input, track) in pairs {
        group.addTask {
          for try await sample in try Reader(asset: asset).output(for: track) { try await input.append(sample) }
          input.finish()
        }
      }
      try await group.waitForAll()
    }
  }
}

extension [Writer.Segment] {
  var joined: Data { Data(flatMap(\.data)) }
  var media: [Writer.Segment] { filter { $0.kind == .separable } }

  /// All in one file, as a player puts them together.
  func write(to url: URL) throws { try joined.write(to: url) }
}

extension Writer.Segment {
  var boxes: [String] { BoxSequence(data).map(\.type.description) }

  func box(_ type: FourCharacterCode) -> [UInt8] {
    BoxSequence(data).first { $0.type == type }.map { Array(data[$0.range]) } ?? []
  }
}
