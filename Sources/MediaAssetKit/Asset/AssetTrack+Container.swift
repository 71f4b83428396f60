import ISOMedia
import LibAV

extension AsyncProperty where Root == AssetTrack, Value == Int64? {
  /// Bits a second: stated by the header, else stored bytes over the duration; nil when unknown.
  ///
  /// As ``AsyncProperty/estimatedDataRate``, without the rounding of a `Float`.
  public static var bitRate: Self {
    Self("bitRate") { try await $0.bitRate().map { Int64(saturating: $0.rounded()) } }
  }
}

extension AsyncProperty where Root == AssetTrack, Value == Int? {
  /// The number that tracks share of which one is to be shown at a time, 0 for none; nil where the container has no such
  /// groups (all but MP4 and QuickTime).
  public static var alternateGroupID: Self {
    Self("alternateGroupID") { $0.track.iso.map { Int($0.alternateGroup) } }
  }
}

extension AsyncProperty where Root == AssetTrack, Value == TimecodeFormat? {
  /// How a timecode track counts; nil for every other track.
  public static var timecode: Self {
    Self("timecode") { track in
      guard track.mediaType == .timecode else { return nil }
      let entry = track.track.iso?.sampleDescriptions.lazy.compactMap(\.timecode).first
      let start = track.track.stream?.metadata.first { $0.key == "timecode" }?.value
      var format = TimecodeFormat(start: start, isDropFrame: start?.contains(";") ?? false)
      if let entry, entry.timescale > 0, entry.frameDuration > 0 {
        format.frameDuration = MediaTime(
          reducing: Int128(entry.frameDuration), over: Int128(entry.timescale))
        format.isDropFrame = entry.flags.contains(.dropFrame)
      }
      return format
    }
  }
}

/// How a timecode track counts frames.
public struct TimecodeFormat: Sendable, Hashable {
  /// The first frame's timecode, `HH:MM:SS:FF`, with `;` before the frames when frames are dropped; nil when unknown.
  public var start: String?
  /// The time of one frame; invalid when unknown.
  public var frameDuration: MediaTime
  /// Whether numbers are left out so that the count keeps up with the clock (29.97 frames a second counted as 30).
  public var isDropFrame: Bool

  /// A format of given parts.
  public init(start: String? = nil, frameDuration: MediaTime = .invalid, isDropFrame: Bool = false) {
    self.start = start
    self.frameDuration = frameDuration
    self.isDropFrame = isDropFrame
  }
}
