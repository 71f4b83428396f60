/// How the sound of several tracks becomes one: volumes over time, and what becomes of the pitch of scaled segments.
///
/// Samples are added as they are, in floating point: two tracks at full scale give twice of it. Nothing is made quieter
/// behind one's back; ``limitsPeaks`` says what becomes of what is too loud.
public struct AudioMix: Sendable, Hashable, Codable {
  /// The tracks that are not simply added; one element a track.
  public var inputParameters: [InputParameters]
  /// Whether what exceeds full scale is brought down smoothly, 5 ms ahead of the peak; else floats keep their values and
  /// integers saturate. False by default.
  public var limitsPeaks = false
  /// How loud the whole is to be, in LUFS (EBU R 128: −23); nil: as loud as it is. Everything is decoded once more, to
  /// measure it.
  public var targetLoudness: Double?

  /// A mix; without parameters all tracks are added at their own volume.
  public init(inputParameters: [InputParameters] = []) { self.inputParameters = inputParameters }

  /// How one track is mixed.
  public struct InputParameters: Sendable, Hashable, Codable {
    /// The track's number.
    public let trackID: Int32
    /// What becomes of the pitch of scaled segments; nil: what the output or the export says, which is that it stays.
    public var audioTimePitchAlgorithm: AudioTimePitchAlgorithm?
    /// From −1, where only the left channel is heard, over 0 to 1, where only the right one is; the other channel becomes
    /// quieter evenly, and neither louder.
    public var balance: Float = 0
    /// Which of the track's channels, as the mix has them, each of the mix's channels gets; −1: none. nil: its own.
    public var channelMap: [Int]?
    /// What the track's sound goes through before its volume; not stored with the mix.
    public var audioTapProcessor: AudioTap?
    /// The changes of volume in the order of time; none overlap.
    public private(set) var ramps: [VolumeRamp] = []

    private enum CodingKeys: String, CodingKey {
      case trackID, audioTimePitchAlgorithm, balance, channelMap, ramps
    }

    /// Parameters that change nothing.
    public init(trackID: Int32) { self.trackID = trackID }

    /// Sets the volume from a time on, until the next change. Before the first change it is 1.
    ///
    /// - Parameters:
    ///   - volume: 0 silences, 1 leaves as it is; more is louder.
    ///   - time: The composition's time, to the nearest sample.
    /// - Throws: ``MediaError`` with `invalidArgument` for a negative volume, or a time that is no number or lies within a ramp.
    public mutating func setVolume(_ volume: Float, at time: MediaTime) throws {
      try add(VolumeRamp(start: volume, end: volume, timeRange: MediaTimeRange(start: time, duration: .zero)))
    }

    /// Changes the volume evenly over a range; it stays at the end's until the next change.
    ///
    /// - Throws: ``MediaError`` with `invalidArgument` for negative volumes, a range that is none, or one that overlaps
    ///   another ramp.
    public mutating func setVolumeRamp(
      fromStartVolume start: Float, toEndVolume end: Float, timeRange: MediaTimeRange
    ) throws {
      try add(VolumeRamp(start: start, end: end, timeRange: timeRange))
    }

    /// The change of volume at a time: the last one that begins at or before it. nil before the first.
    public func volumeRamp(at time: MediaTime) -> VolumeRamp? { ramps.last { $0.timeRange.start <= time } }

    private mutating func add(_ ramp: VolumeRamp) throws {
      func refuse(_ reason: String) -> MediaError {
        MediaError(
          .invalidArgument, operation: "mix", subject: "track \(trackID)", reason: reason,
          remedy: "Set other times or volumes")
      }
      guard ramp.timeRange.isNumeric else { throw refuse("\(ramp.timeRange) is no range of time") }
      guard ramp.start >= 0, ramp.end >= 0, ramp.start.isFinite, ramp.end.isFinite else {
        throw refuse("a volume of \(min(ramp.start, ramp.end)) means nothing")
      }
      var others = ramps
      if ramp.timeRange.isEmpty {
        others.removeAll { $0.timeRange.isEmpty && $0.timeRange.start == ramp.timeRange.start }
      }
      if let other = others.first(where: { $0.overlaps(ramp) }) {
        throw refuse("the volume at \(ramp.timeRange.start) is set by the ramp over \(other.timeRange) already")
      }
      let place = others.firstIndex { $0.timeRange.start > ramp.timeRange.start } ?? others.endIndex
      others.insert(ramp, at: place)
      ramps = others
    }
  }

  /// A change of volume, even over its range; at once where that is empty.
  public struct VolumeRamp: Sendable, Hashable, Codable {
    /// The volume at the beginning.
    public var start: Float
    /// The volume at the end and behind it.
    public var end: Float
    /// The range.
    public var timeRange: MediaTimeRange

    func overlaps(_ other: VolumeRamp) -> Bool {
      let (a, b) = (timeRange, other.timeRange)
      if a.isEmpty { return b.containsTime(a.start) && b.start != a.start }
      if b.isEmpty { return a.containsTime(b.start) && b.start != a.start }
      return a.start < b.end && b.start < a.end
    }
  }

  func parameters(of trackID: Int32) -> InputParameters? { inputParameters.first { $0.trackID == trackID } }
}
