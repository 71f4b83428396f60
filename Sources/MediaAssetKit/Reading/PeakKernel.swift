import LibAV

/// Measures samples where a decoder left them.
///
/// Nothing is allocated and nothing copied: a frame costs less than a tenth of its decoding.
struct PeakKernel {
  let frame: Frame
  let format: SampleFormatID
  let channels: Int
  /// Whether floats are cut off instead of rounded.
  let truncates: Bool

  init(_ frame: Frame, truncates: Bool) {
    self.frame = frame
    self.truncates = truncates
    format = frame.sampleFormat
    channels = frame.channelCount
  }

  /// One channel.
  func extent(ofChannel channel: Int, _ first: Int, _ count: Int) -> PeakMeter.Extent {
    if format == .f32Planar || format == .f32 && channels == 1 {
      guard let plane = frame.soundPlane(format.isPlanar ? channel : 0) else { return .init() }
      return floats(plane + first * 4, count)
    }
    return general(from: channel, through: channel, first, count)
  }

  /// The mean of all channels, on 16-bit values.
  func extentOfMix(_ first: Int, _ count: Int) -> PeakMeter.Extent {
    if channels == 1 { return extent(ofChannel: 0, first, count) }
    if format == .f32Planar, channels == 2, !truncates {
      guard let left = frame.soundPlane(0), let right = frame.soundPlane(1) else { return .init() }
      return mixedFloats(left, right, first, count)
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
    var (lowest, highest, sum) = (Self.least(low), Self.greatest(high), energy.sum())
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

  /// Sums of two values of 16 bits keep their order when they are halved, so only the ends are. Nothing is clamped here:
  /// sound that leaves full scale is measured the slow way. Comparisons with NaN are false, which leaves it out.
  private func mixedFloats(
    _ left: UnsafeMutableRawPointer, _ right: UnsafeMutableRawPointer, _ first: Int, _ count: Int
  ) -> PeakMeter.Extent {
    var low = Vector(repeating: .infinity)
    var high = Vector(repeating: -.infinity)
    var loudest = Vector.zero
    var energy = Vector.zero
    var offset = first &* 4
    let end = (first &+ count) &* 4
    while offset &+ 32 <= end {
      let one = left.loadUnaligned(fromByteOffset: offset, as: Vector.self)
      let other = right.loadUnaligned(fromByteOffset: offset, as: Vector.self)
      let (size, otherSize) = (Self.magnitude(one), Self.magnitude(other))
      loudest.replace(with: size, where: size .> loudest)
      loudest.replace(with: otherSize, where: otherSize .> loudest)
      let sum = Self.whole(one) + Self.whole(other)
      low.replace(with: sum, where: sum .< low)
      high.replace(with: sum, where: sum .> high)
      let mixed = one + other
      energy += mixed * mixed
      offset &+= 32
    }
    var (lowest, highest, total) = (Self.least(low), Self.greatest(high), energy.sum())
    var loud = Self.greatest(loudest)
    while offset < end {
      let one = left.loadUnaligned(fromByteOffset: offset, as: Float.self)
      let other = right.loadUnaligned(fromByteOffset: offset, as: Float.self)
      loud = max(loud, one.magnitude, other.magnitude)
      let sum = Self.whole(one) + Self.whole(other)
      lowest = sum < lowest ? sum : lowest
      highest = sum > highest ? sum : highest
      total += (one + other) * (one + other)
      offset &+= 4
    }
    // Also for NaN, which `max` hands on.
    guard loud <= 1, lowest <= highest else {
      return general(from: 0, through: 1, first, count)
    }
    return PeakMeter.Extent(
      low: Int32(lowest) / 2, high: Int32(highest) / 2, energy: Double(total) / 4)
  }

  private typealias Vector = SIMD8<Float>

  // The standard library's own go through the lanes one by one, by a call.
  @inline(__always)
  private static func least(_ vector: Vector) -> Float {
    var four = vector.lowHalf
    four.replace(with: vector.highHalf, where: vector.highHalf .< four)
    let (one, other) = (four.x < four.y ? four.x : four.y, four.z < four.w ? four.z : four.w)
    return one < other ? one : other
  }

  @inline(__always)
  private static func greatest(_ vector: Vector) -> Float {
    var four = vector.lowHalf
    four.replace(with: vector.highHalf, where: vector.highHalf .> four)
    let (one, other) = (four.x > four.y ? four.x : four.y, four.z > four.w ? four.z : four.w)
    return one > other ? one : other
  }

  @inline(__always)
  private static func magnitude(_ value: Vector) -> Vector {
    let bits = unsafeBitCast(value, to: SIMD8<UInt32>.self) & SIMD8(repeating: 0x7FFF_FFFF)
    return unsafeBitCast(bits, to: Vector.self)
  }

  /// The value of 16 bits, still as a float: adding 1.5 · 2^23 and taking it away leaves the nearest whole number,
  /// halves to the even one.
  @inline(__always)
  private static func whole(_ value: Vector) -> Vector {
    let scaled: Vector = value * 32_767
    let shifted: Vector = scaled + 12_582_912
    return shifted - 12_582_912
  }

  @inline(__always)
  private static func whole(_ value: Float) -> Float {
    let shifted: Float = value * 32_767 + 12_582_912
    return shifted - 12_582_912
  }

  @inline(__always)
  static func scaled(_ value: Float, _ truncates: Bool) -> Int32 {
    let scaled = value * 32_767
    guard !scaled.isNaN else { return 0 }
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
    let isPlanar = format.isPlanar
    func place(_ channel: Int) -> UnsafeMutableRawPointer? {
      frame.soundPlane(isPlanar ? channel : 0).map {
        $0 + first * step + (isPlanar ? 0 : channel * width)
      }
    }
    func take(_ value: Int32) {
      extent.low = min(extent.low, value)
      extent.high = max(extent.high, value)
      energy &+= Int64(value) &* Int64(value)
    }
    guard let one = place(range.lowerBound), let other = place(range.upperBound) else {
      return extent
    }
    switch divisor {
    case 1:
      for index in 0..<count {
        take(value(one.loadUnaligned(fromByteOffset: index &* step, as: Sample.self)))
      }
    case 2:
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
          guard let place = place(channel) else { continue }
          sum &+= value(place.loadUnaligned(fromByteOffset: index &* step, as: Sample.self))
        }
        take(sum / divisor)
      }
    }
    extent.energy = Double(energy) / (32_768 * 32_768)
    return extent
  }
}
