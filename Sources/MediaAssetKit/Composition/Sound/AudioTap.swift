/// Changes the sound of a track before it is mixed: an equaliser, a gate, a meter.
///
/// Called from the task that reads, for one stretch after another, each of up to a few thousand samples and at its place
/// in the composition; stretches without media are left out. Two taps are equal when they are the same.
public final class AudioTap: Sendable, Hashable {
  /// A stretch of a track's sound in the mix's rate and layout, before its volume, balance and channel map.
  public struct Block: Sendable {
    /// When it begins, on the composition's timeline.
    public let time: MediaTime
    /// Samples a second.
    public let sampleRate: Int
    /// One array a channel, all of one length, which a tap must keep.
    public var samples: [[Float]]
  }

  let process: @Sendable (inout Block) throws -> Void

  /// A tap. What `process` throws ends reading, and reaches the reader as it is.
  public init(_ process: @escaping @Sendable (inout Block) throws -> Void) { self.process = process }

  /// Whether they are the same.
  public static func == (first: AudioTap, second: AudioTap) -> Bool { first === second }
  /// By identity.
  public func hash(into hasher: inout Hasher) { hasher.combine(ObjectIdentifier(self)) }

  /// The block after the tap.
  func tapped(_ samples: [[Float]], at time: MediaTime, sampleRate: Int) throws -> [[Float]] {
    var block = Block(time: time, sampleRate: sampleRate, samples: samples)
    try process(&block)
    guard block.samples.map(\.count) == samples.map(\.count) else {
      throw MediaError(
        .invalidArgument, operation: "mix", subject: "an audio tap",
        reason: "it gave other channels or another number of samples than it got", remedy: "Keep the block's shape")
    }
    return block.samples
  }
}
