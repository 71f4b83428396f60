import LibAV

/// What kind of PCM a reader gives; what is nil stays as it is stored.
public struct AudioOutputSettings: Sendable, Hashable {
  /// Samples a second for each channel, 1 to 768 000.
  public var sampleRate: Int?
  /// The number of channels, 1 to 64.
  ///
  /// Mixed down or up by FFmpeg's matrices, normalised so that nothing clips: the level does not depend on the sample
  /// format (5.1 to stereo: the centre comes out at 0.29 of itself on either side).
  public var channels: Int?
  /// FFmpeg's name of the layout (`stereo`, `5.1(side)`); decides the number of channels too.
  public var layout: String?
  /// How a sample is stored.
  public var format: AudioSampleFormat
  /// One plane a channel, or all channels interleaved in one plane.
  public var isPlanar: Bool

  /// Settings; the defaults keep rate and channels.
  public init(
    sampleRate: Int? = nil, channels: Int? = nil, layout: String? = nil,
    format: AudioSampleFormat = .float32, isPlanar: Bool = true
  ) {
    self.sampleRate = sampleRate
    self.channels = channels
    self.layout = layout
    self.format = format
    self.isPlanar = isPlanar
  }

  /// Refuses what no sound can have.
  func check(subject: String) throws {
    func refuse(_ reason: String) -> MediaError {
      MediaError(.invalidArgument, operation: "resample", subject: subject, reason: reason)
    }
    if let sampleRate, !(1...768_000).contains(sampleRate) {
      throw refuse("\(sampleRate) samples a second are outside 1...768000")
    }
    if let channels, !(1...64).contains(channels) {
      throw refuse("\(channels) channels are outside 1...64")
    }
    if let layout {
      guard let count = Resampler.channelCount(ofLayout: layout), (1...64).contains(count) else {
        throw refuse("FFmpeg knows no channel layout named \(layout)")
      }
      if let channels, channels != count {
        throw refuse("the layout \(layout) has \(count) channels, not \(channels)")
      }
    }
  }
}
