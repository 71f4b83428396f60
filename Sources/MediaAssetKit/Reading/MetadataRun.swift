import ISOMedia
import LibAV

/// One pass over a track of timed metadata: its stored samples as groups of typed items, cut to the range.
final class MetadataRun: SampleRun {
  private let run: StoredRun
  private let description: MetadataSampleDescription?
  private let end: MediaTime?
  private let subject: String
  private var range: MediaTimeRange
  private var held: SampleBuffer?
  private var hasBegun = false

  var damage: SampleDamage { run.damage }

  init(track: AssetTrack, range: MediaTimeRange) async throws {
    run = try await StoredRun(track: track, range: range)
    description = track.boxedMetadata
    end = track.track.timeline.end.map { MediaTime($0) }
    subject = track.subject
    self.range = range
  }

  func begin(_ range: MediaTimeRange) async throws {
    self.range = range
    (held, hasBegun) = (nil, false)
    try await run.begin(range)
  }

  func next() async throws -> SampleBuffer? {
    guard let description else {
      throw MediaError(
        .operationNotSupported, operation: "decode", subject: subject,
        reason: "it does not say what its samples mean, or says it in several ways",
        remedy: "Read its samples as stored")
    }
    while let sample = try await takeNext() {
      guard !sample.isHidden, let bytes = sample.stored?.withBytes({ span in span.indices.map { span[$0] } }) else {
        continue
      }
      let begin = max(sample.presentationTime, range.start, .zero)
      guard begin.isNumeric, let until = end(of: sample), begin < until else { continue }
      let duration = until.isNumeric ? until - begin : .positiveInfinity
      let group = description.group(bytes, MediaTimeRange(start: begin, duration: duration))
      // What only says that there is nothing.
      if group.items.isEmpty { continue }
      return SampleBuffer(content: .metadata(group), presentationTime: begin, duration: duration)
    }
    return nil
  }

  /// One sample is held: it ends where the next one begins, whatever fragments say of it.
  private func takeNext() async throws -> SampleBuffer? {
    if !hasBegun {
      hasBegun = true
      held = try await run.next()
    }
    guard let sample = held else { return nil }
    held = try await run.next()
    return sample
  }

  private func end(of sample: SampleBuffer) -> MediaTime? {
    var ends = [MediaTime.positiveInfinity, range.end]
    if let end { ends.append(end) }
    if sample.duration.isNumeric { ends.append(sample.presentationTime + sample.duration) }
    if let next = held?.presentationTime, next > sample.presentationTime { ends.append(next) }
    return ends.filter { $0.isNumeric || $0.isPositiveInfinity }.min()
  }
}

extension AssetTrack {
  /// What the samples of a track of timed metadata mean; nil where it does not say, or where its descriptions contradict
  /// each other.
  var boxedMetadata: MetadataSampleDescription? {
    MetadataSampleDescription.joined(track.iso?.sampleDescriptions.compactMap(\.metadata) ?? [])
  }
}
