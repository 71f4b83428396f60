extension Waveform {
  /// The waveform at a coarser zoom.
  ///
  /// A bin that begins inside a new bin belongs to it. Exact where the new number is a multiple of the old one.
  /// - Throws: ``MediaError`` with `invalidArgument` for fewer samples in a bin than now.
  public func resampled(toSamplesPerPixel target: Int) throws -> Waveform {
    guard target >= samplesPerPixel, target <= Int(Int32.max) else {
      throw MediaError(
        .invalidArgument, operation: "measure", subject: "waveform",
        reason: "bins of \(samplesPerPixel) samples can't be made to bins of \(target)",
        remedy: "Measure the track again")
    }
    let bins = sampleCount == 0 ? 0 : Int(clamping: (sampleCount - 1) / Int64(target) + 1)
    var joined: [Peak] = []
    joined.reserveCapacity(bins * channels)
    for bin in 0..<bins {
      let first = (bin * target + samplesPerPixel - 1) / samplesPerPixel
      let last = ((bin + 1) * target + samplesPerPixel - 1) / samplesPerPixel
      // The last new bin may begin behind the start of the last old one.
      let start = min(first, length - 1)
      append(start..<max(start + 1, min(last, length)), to: &joined)
    }
    return try Waveform(
      sampleRate: sampleRate, samplesPerPixel: target, channels: channels,
      sampleCount: sampleCount, peaks: joined)
  }

  /// The peaks of so many columns that share the whole evenly; a bin on the border counts for both.
  func columns(_ count: Int) -> [Peak] {
    var joined: [Peak] = []
    guard length > 0, count > 0 else { return joined }
    joined.reserveCapacity(count * channels)
    for column in 0..<count {
      let first = min(length - 1, column * length / count)
      let last = min(length, ((column + 1) * length + count - 1) / count)
      append(first..<max(first + 1, last), to: &joined)
    }
    return joined
  }

  /// Adds the peaks of some bins taken together.
  private func append(_ bins: Range<Int>, to joined: inout [Peak]) {
    for channel in 0..<channels {
      var peak = self[bins.lowerBound, channel]
      var (energy, samples) = (0.0, 0.0)
      for bin in bins {
        let other = self[bin, channel]
        peak.minimum = min(peak.minimum, other.minimum)
        peak.maximum = max(peak.maximum, other.maximum)
        let count = Double(self.samples(inBin: bin))
        energy += Double(other.rms) * Double(other.rms) * count
        samples += count
      }
      peak.rms = samples > 0 ? Float((energy / samples).squareRoot()) : 0
      joined.append(peak)
    }
  }

  private func samples(inBin bin: Int) -> Int64 {
    min(Int64(samplesPerPixel), max(0, sampleCount - Int64(bin) * Int64(samplesPerPixel)))
  }
}
