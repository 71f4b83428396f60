import LibAV

/// The shape of a sound: lowest, highest and effective value of every bin of so many samples.
///
/// Values are those of 16-bit sound, as audiowaveform's: a file of whole numbers gives exactly what that tool gives.
/// Floats count times 32 767. Memory is ten bytes for each bin and channel, whatever the length of the sound.
public struct Waveform: Sendable, Hashable {
  /// One channel's samples in one bin.
  public struct Peak: Sendable, Hashable {
    /// The lowest sample, -32 768 to 32 767.
    public var minimum: Int16
    /// The highest sample.
    public var maximum: Int16
    /// The root of the mean square, full scale being 1.
    public var rms: Float

    /// A peak of these values.
    public init(minimum: Int16, maximum: Int16, rms: Float) {
      self.minimum = minimum
      self.maximum = maximum
      self.rms = rms
    }
  }

  /// Samples a second.
  public let sampleRate: Int
  /// Samples in each bin; the last one may have fewer.
  public let samplesPerPixel: Int
  /// The number of channels: 1 where they are mixed.
  public let channels: Int
  /// Samples of each channel in all.
  public let sampleCount: Int64
  /// Bin after bin, channel after channel within a bin.
  public let peaks: [Peak]

  /// A waveform of peaks that are known already.
  ///
  /// - Throws: ``MediaError`` with `invalidArgument` when the peaks are not whole bins or the numbers not positive.
  public init(
    sampleRate: Int, samplesPerPixel: Int, channels: Int, sampleCount: Int64, peaks: [Peak]
  ) throws {
    let bins = samplesPerPixel > 0 ? (sampleCount - 1) / Int64(samplesPerPixel) + 1 : 0
    guard sampleRate > 0, samplesPerPixel > 0, channels > 0, sampleCount >= 0,
      peaks.count.isMultiple(of: channels),
      peaks.count / channels == (sampleCount == 0 ? 0 : Int(clamping: bins))
    else {
      throw MediaError(
        .invalidArgument, operation: "measure", subject: "waveform",
        reason:
          "\(peaks.count) peaks don't cover \(sampleCount) samples in \(channels) channels, \(samplesPerPixel) a bin"
      )
    }
    self.sampleRate = sampleRate
    self.samplesPerPixel = samplesPerPixel
    self.channels = channels
    self.sampleCount = sampleCount
    self.peaks = peaks
  }

  /// The number of bins.
  public var length: Int { peaks.count / channels }

  /// How long the sound is.
  public var duration: MediaTime {
    MediaTime(value: sampleCount, timescale: Int32(clamping: sampleRate))
  }

  /// A channel's samples in a bin.
  public subscript(bin: Int, channel: Int = 0) -> Peak {
    precondition(channel >= 0 && channel < channels, "the waveform has \(channels) channels")
    return peaks[bin * channels + channel]
  }
}

extension AssetTrack {
  /// Measures the track's presented sound, within a range of the asset's time or all.
  ///
  /// The sound is decoded once and not kept. Bins are counted in samples from the first one of the range; where sound is
  /// missing in between, none is measured. Costs decoding, on one thread of the library's own; cancelling the task ends
  /// it within a few milliseconds.
  ///
  /// - Parameters:
  ///   - samplesPerPixel: Samples in a bin, at least 1.
  ///   - range: The part of the asset's time that is measured; all of it by default.
  ///   - splitsChannels: Measures each channel; else the mean of all, (L+R)/2 for stereo.
  ///   - progress: Told now and then how far the work is: the time of the sound that was measured.
  /// - Throws: ``MediaError`` as ``audio(in:settings:)``; `noSourceTrack` when there is no sample.
  public func waveform(
    samplesPerPixel: Int = 256, in range: MediaTimeRange? = nil, splitsChannels: Bool = false,
    progress: (MediaTime) -> Void = { _ in }
  ) async throws -> Waveform {
    guard samplesPerPixel > 0, samplesPerPixel <= Int(Int32.max) else {
      throw MediaError(
        .invalidArgument, operation: "measure", subject: subject,
        reason: "\(samplesPerPixel) samples a pixel are outside 1...\(Int32.max)")
    }
    let codec = track.codec ?? ""
    let meter = PeakMeter(
      samplesPerBin: samplesPerPixel, splitsChannels: splitsChannels,
      truncatesFloats: codec.hasPrefix("pcm_"))
    let run = try await SoundRun(track: self, range: range, settings: AudioOutputSettings())
    try await run.measure(with: meter) { samples in
      guard meter.sampleRate > 0 else { return }
      progress(MediaTime(value: samples, timescale: Int32(clamping: meter.sampleRate)))
    }
    meter.finish()
    guard meter.sampleRate > 0 else {
      throw MediaError(
        .noSourceTrack, operation: "measure", subject: subject, reason: "it has no sound there")
    }
    return try Waveform(
      sampleRate: meter.sampleRate, samplesPerPixel: samplesPerPixel, channels: meter.channels,
      sampleCount: meter.sampleCount, peaks: meter.peaks)
  }
}
