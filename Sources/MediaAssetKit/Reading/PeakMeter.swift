import LibAV

/// Gathers the lowest and highest sample and the energy of every bin of so many samples; memory grows with the bins.
///
/// Values are what 16-bit sound would have, as audiowaveform counts: floats times 32 767, to the nearest for decoders
/// that give floats and toward zero for stored floats; wider integers lose their low bits.
// @unchecked: the session that reads owns it; its maker looks at the result when that is done.
final class PeakMeter: @unchecked Sendable {
  let samplesPerBin: Int
  /// Whether channels are kept apart; else their mean is measured.
  let splitsChannels: Bool
  /// Whether floats are cut off instead of rounded.
  let truncatesFloats: Bool

  private(set) var sampleRate = 0
  /// Measured channels: 1 where they are mixed; 0 before the first sample.
  private(set) var channels = 0
  private(set) var sampleCount: Int64 = 0
  /// Bin after bin, channel after channel within one.
  private(set) var peaks: [Waveform.Peak] = []

  private var filled = 0
  private var current: [Extent] = []

  init(samplesPerBin: Int, splitsChannels: Bool, truncatesFloats: Bool) {
    self.samplesPerBin = max(1, samplesPerBin)
    self.splitsChannels = splitsChannels
    self.truncatesFloats = truncatesFloats
  }

  /// Adds a part of a frame.
  func add(_ frame: Frame, _ range: Range<Int>) throws {
    let stored = frame.channelCount
    if channels == 0 {
      sampleRate = frame.sampleRate
      channels = splitsChannels ? stored : 1
      current = Array(repeating: Extent(), count: channels)
    }
    let kernel = PeakKernel(frame, truncates: truncatesFloats)
    // Taken out of the object for the loop: there every single access would be checked.
    var (filled, current) = (self.filled, self.current)
    self.current = []
    var first = range.lowerBound
    while first < range.upperBound {
      let count = min(range.upperBound - first, samplesPerBin - filled)
      for channel in current.indices where !splitsChannels || channel < stored {
        let part =
          splitsChannels
          ? kernel.extent(ofChannel: channel, first, count) : kernel.extentOfMix(first, count)
        current[channel].join(part)
      }
      filled += count
      first += count
      if filled == samplesPerBin { close(&current, &filled) }
    }
    (self.filled, self.current) = (filled, current)
    sampleCount += Int64(range.count)
    withExtendedLifetime(frame) {}
  }

  /// Ends the last bin, which may be shorter.
  func finish() {
    if filled > 0 { close(&current, &filled) }
  }

  private func close(_ current: inout [Extent], _ filled: inout Int) {
    for channel in current.indices {
      peaks.append(current[channel].peak(samples: filled))
      current[channel] = Extent()
    }
    filled = 0
  }

  /// Lowest, highest and energy of some samples; values of 16 bits, energy of full scale 1.
  struct Extent {
    var low = Int32.max
    var high = Int32.min
    var energy = 0.0

    mutating func join(_ other: Extent) {
      low = min(low, other.low)
      high = max(high, other.high)
      energy += other.energy
    }

    func peak(samples: Int) -> Waveform.Peak {
      guard low <= high else { return Waveform.Peak(minimum: 0, maximum: 0, rms: 0) }
      let mean = energy / Double(max(1, samples))
      return Waveform.Peak(
        minimum: Int16(clamping: low), maximum: Int16(clamping: high),
        rms: mean.isFinite ? Float(mean.squareRoot()) : 0)
    }
  }
}
