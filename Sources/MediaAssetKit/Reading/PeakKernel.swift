import LibAV

/// Measures samples where a decoder left them. Valid as long as its frame lives.
struct PeakKernel {
  let planes: [UnsafeMutableRawPointer]
  let format: SampleFormatID
  let channels: Int
  let truncates: Bool

  /// Whether every plane is there.
  var isComplete: Bool { planes.count == (format.isPlanar ? channels : 1) && channels > 0 }

  /// One channel.
  func extent(ofChannel channel: Int, _ first: Int, _ count: Int) -> PeakMeter.Extent {
    if format == .f32Planar || format == .f32 && channels == 1 {
      let plane = planes[format.isPlanar ? channel : 0] + first * 4
      return floats(plane, count)
    }
    return general(from: channel, through: channel, first, count)
  }

  /// The mean of all channels, on 16-bit values.
  func extentOfMix(_ first: Int, _ count: Int) -> PeakMeter.Extent {
    if channels == 1 { return extent(ofChannel: 0, first, count) }
    if format == .f32Planar, channels == 2, !truncates {
      return mixedFloats(planes[0] + first * 4, planes[1] + first * 4, count)
    }
    return general(from: 0, through: channels - 1, first, count)
  }

  // MARK: - Floats in planes

  private func floats(_ start: UnsafeMutableRawPointer, _ count: Int) -> PeakMeter.Extent {
    var low = SIMD8<Float>(repeating: .infinity)
    var high = SIMD8<Float>(repeating: -.infinity)
    var energy = SIMD8<Float>.zero
    var index = 0
    while index &+ 8 <= count {
      let value = start.loadUnaligned(fromByteOffset: index &* 4, as: SIMD8<Float>.self)
      // Comparisons with NaN are false: it counts as nothing.
      low.replace(with: value, where: value .< low)
      high.replace(with: value, where: value .> high)
      energy += value * value
      index &+= 8
    }
    var (lowest, highest, sum) = (low.min(), high.max(), energy.sum())
    while index < count {
      let value = start.loadUnaligned(fromByteOffset: index &* 4, as: Float.self)
      lowest = value < lowest ? value : lowest
      highest = value > highest ? value : highest
      sum += value * value
      index &+= 1
    }
    guard lowest <= highest else { return PeakMeter.Extent() }
    // Rounding keeps order, so only the ends need it.
    return PeakMeter.Extent(
      low: Self.scaled(lowest, truncates), high: Self.scaled(highest, truncates),
      energy: Double(sum))
  }

  private func mixedFloats(
    _ left: UnsafeMutableRawPointer, _ right: UnsafeMutableRawPointer, _ count: Int
  ) -> PeakMeter.Extent {
    var low = SIMD8<Int32>(repeating: .max)
    var high = SIMD8<Int32>(repeating: .min)
    var energy = SIMD8<Float>.zero
    var index = 0
    while index &+ 8 <= count {
      let one = left.loadUnaligned(fromByteOffset: index &* 4, as: SIMD8<Float>.self)
      let other = right.loadUnaligned(fromByteOffset: index &* 4, as: SIMD8<Float>.self)
      let sum = Self.scaled(one) &+ Self.scaled(other)
      // Half of it, toward zero.
      let mean = (sum &- (sum &>> 31)) &>> 1
      low.replace(with: mean, where: mean .< low)
      high.replace(with: mean, where: mean .> high)
      let mixed = (one + other) * 0.5
      energy += mixed * mixed
      index &+= 8
    }
    var extent = PeakMeter.Extent(low: low.min(), high: high.max(), energy: Double(energy.sum()))
    while index < count {
      let one = left.loadUnaligned(fromByteOffset: index &* 4, as: Float.self)
      let other = right.loadUnaligned(fromByteOffset: index &* 4, as: Float.self)
      let mean = (Self.scaled(one, false) &+ Self.scaled(other, false)) / 2
      let mixed = Double(one + other) * 0.5
      extent.join(PeakMeter.Extent(low: mean, high: mean, energy: mixed * mixed))
      index &+= 1
    }
    return extent
  }

  /// To the nearest, halves to even: in a sum with 1.5 · 2^23 the low bits are the whole number.
  @inline(__always)
  private static func scaled(_ value: SIMD8<Float>) -> SIMD8<Int32> {
    var scaled = value * 32_767
    let (lowest, highest) = (SIMD8<Float>(repeating: -32_768), SIMD8<Float>(repeating: 32_767))
    // In this order NaN becomes the lowest value instead of spoiling the bits.
    scaled = lowest.replacing(with: scaled, where: scaled .> lowest)
    scaled = highest.replacing(with: scaled, where: scaled .< highest)
    let bits = unsafeBitCast(scaled + 12_582_912, to: SIMD8<Int32>.self)
    return bits &- Int32(bitPattern: Float(12_582_912).bitPattern)
  }

  @inline(__always)
  static func scaled(_ value: Float, _ truncates: Bool) -> Int32 {
    let scaled = value * 32_767
    guard scaled > -32_768 else { return -32_768 }
    guard scaled < 32_767 else { return 32_767 }
    return Int32(scaled.rounded(truncates ? .towardZero : .toNearestOrEven))
  }

  // MARK: - Everything else

  private func general(
    from low: Int, through high: Int, _ first: Int, _ count: Int
  ) -> PeakMeter.Extent {
    switch format.name {
    case "s16", "s16p": measure(low...high, first, count) { (value: Int16) in Int32(value) }
    case "s32", "s32p": measure(low...high, first, count) { (value: Int32) in value >> 16 }
    case "s64", "s64p":
      measure(low...high, first, count) { (value: Int64) in Int32(truncatingIfNeeded: value >> 48) }
    case "u8", "u8p":
      measure(low...high, first, count) { (value: UInt8) in (Int32(value) - 128) << 8 }
    case "flt", "fltp":
      measure(low...high, first, count) { (value: Float) in Self.scaled(value, truncates) }
    case "dbl", "dblp":
      measure(low...high, first, count) { (value: Double) in Self.scaled(Float(value), truncates) }
    default: PeakMeter.Extent()
    }
  }

  @inline(__always)
  private func measure<Sample: BitwiseCopyable>(
    _ range: ClosedRange<Int>, _ first: Int, _ count: Int, _ value: (Sample) -> Int32
  ) -> PeakMeter.Extent {
    let width = MemoryLayout<Sample>.size
    let step = format.isPlanar ? width : width * channels
    var extent = PeakMeter.Extent()
    var energy: Int64 = 0
    let divisor = Int32(range.count)
    func place(_ channel: Int) -> UnsafeMutableRawPointer {
      format.isPlanar ? planes[channel] + first * step : planes[0] + first * step + channel * width
    }
    func take(_ value: Int32) {
      extent.low = min(extent.low, value)
      extent.high = max(extent.high, value)
      energy &+= Int64(value) &* Int64(value)
    }
    let one = place(range.lowerBound)
    switch divisor {
    case 1:
      for index in 0..<count {
        take(value(one.loadUnaligned(fromByteOffset: index &* step, as: Sample.self)))
      }
    case 2:
      let other = place(range.upperBound)
      for index in 0..<count {
        let sum =
          value(one.loadUnaligned(fromByteOffset: index &* step, as: Sample.self))
          &+ value(other.loadUnaligned(fromByteOffset: index &* step, as: Sample.self))
        take((sum &- (sum &>> 31)) &>> 1)
      }
    default:
      for index in 0..<count {
        var sum: Int32 = 0
        for channel in range {
          sum &+= value(place(channel).loadUnaligned(fromByteOffset: index &* step, as: Sample.self))
        }
        take(sum / divisor)
      }
    }
    extent.energy = Double(energy) / (32_768 * 32_768)
    return extent
  }
}
