import ISOMedia
import LibAV

/// One pass over a timecode track: its stored samples with what they count.
final class TimecodeRun: SampleRun {
  private let run: StoredRun
  private let description: TimecodeSampleDescription?
  private let subject: String
  private var skipped = SampleDamage()

  var damage: SampleDamage { skipped.joined(with: run.damage) }

  init(track: AssetTrack, range: MediaTimeRange) async throws {
    run = try await StoredRun(track: track, range: range)
    description = track.track.iso?.sampleDescriptions.lazy.compactMap(\.timecode).first
    subject = track.subject
  }

  func begin(_ range: MediaTimeRange) async throws { try await run.begin(range) }

  func next() async throws -> SampleBuffer? {
    guard let description, description.timescale > 0, description.frameDuration > 0 else {
      throw MediaError(
        .operationNotSupported, operation: "decode", subject: subject,
        reason: "it does not say how its frames are counted", remedy: "Read its samples as stored")
    }
    while let sample = try await run.next() {
      if sample.isHidden { continue }
      let bytes = sample.stored?.withBytes { span in (0..<min(4, span.count)).map { span[$0] } } ?? []
      guard bytes.count == 4 else {
        skipped.note(
          MediaError(.decodeFailed, operation: "decode", subject: subject, reason: "a timecode sample is too short"))
        continue
      }
      let number = Int32(bitPattern: bytes.reduce(UInt32(0)) { $0 << 8 | UInt32($1) })
      let mayBeNegative = description.flags.contains(.allowsNegativeTimes)
      let content = TimecodeSample(
        startFrame: mayBeNegative ? Int(number) : Int(UInt32(bitPattern: number)),
        frameDuration: MediaTime(reducing: Int128(description.frameDuration), over: Int128(description.timescale)),
        framesPerSecond: Int(description.numberOfFrames), isDropFrame: description.flags.contains(.dropFrame),
        wrapsAt24Hours: description.flags.contains(.wrapsAt24Hours))
      return SampleBuffer(
        content: .timecode(content), presentationTime: sample.presentationTime, duration: sample.duration)
    }
    return nil
  }
}
