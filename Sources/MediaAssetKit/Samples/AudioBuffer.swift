import LibAV

/// A stretch of PCM sound: planar or interleaved, any layout. Immutable, and shared without copying.
public struct AudioBuffer: Sendable {
  /// The first sample's time on the asset's timeline.
  public let time: MediaTime
  /// Samples of each channel.
  public let sampleCount: Int
  /// Samples a second.
  public let sampleRate: Int
  /// The number of channels.
  public let channels: Int
  /// FFmpeg's name of the layout; nil where only the count is known.
  public let layout: String?
  /// How a sample is stored.
  public let format: AudioSampleFormat
  /// One plane a channel, or all channels interleaved in one plane.
  public let isPlanar: Bool

  private let storage: Storage
  private let offset: Int

  /// The planes' memory: its own, or a decoded frame's.
  // @unchecked: written by the session that makes it, before the buffer is published.
  final class Storage: @unchecked Sendable {
    let planes: [UnsafeMutableRawPointer]
    private let owned: UnsafeMutableRawPointer?
    private let frame: Frame?

    init(planeCount: Int, bytesPerPlane: Int) {
      let stride = (max(1, bytesPerPlane) + 63) & ~63
      let base = UnsafeMutableRawPointer.allocate(byteCount: stride * max(1, planeCount), alignment: 64)
      planes = (0..<planeCount).map { base + $0 * stride }
      owned = base
      frame = nil
    }

    /// Shares the planes of a frame that nobody changes any more.
    init(_ frame: Frame) {
      planes = frame.soundPlanes
      owned = nil
      self.frame = frame
    }

    deinit { owned?.deallocate() }
  }

  init(
    storage: Storage, offset: Int, sampleCount: Int, time: MediaTime, sampleRate: Int, channels: Int, layout: String?,
    format: AudioSampleFormat, isPlanar: Bool
  ) {
    self.storage = storage
    self.offset = offset
    self.sampleCount = sampleCount
    self.time = time
    self.sampleRate = sampleRate
    self.channels = channels
    self.layout = layout
    self.format = format
    self.isPlanar = isPlanar
  }

  /// The time that the samples last.
  public var duration: MediaTime { MediaTime(value: Int64(sampleCount), timescale: Int32(clamping: sampleRate)) }

  /// The number of planes: one a channel, or one.
  public var planeCount: Int { isPlanar ? channels : 1 }

  /// Lends the bytes of a plane; valid during the call only.
  public func withPlane<R>(_ plane: Int, _ body: (RawSpan) throws -> R) rethrows -> R {
    precondition(plane >= 0 && plane < planeCount, "the buffer has \(planeCount) planes")
    let step = format.bytesPerSample * (isPlanar ? 1 : channels)
    defer { withExtendedLifetime(storage) {} }
    let bytes = UnsafeRawBufferPointer(start: storage.planes[plane] + offset * step, count: sampleCount * step)
    return try body(bytes.bytes)
  }

  /// Lends the samples of a plane of floats.
  public func withFloats<R>(_ plane: Int, _ body: (Span<Float>) throws -> R) rethrows -> R {
    try withSamples(plane, .float32, body)
  }

  /// Lends the samples of a plane of 16-bit integers.
  public func withInt16s<R>(_ plane: Int, _ body: (Span<Int16>) throws -> R) rethrows -> R {
    try withSamples(plane, .int16, body)
  }

  /// Lends the samples of a plane of 32-bit integers.
  public func withInt32s<R>(_ plane: Int, _ body: (Span<Int32>) throws -> R) rethrows -> R {
    try withSamples(plane, .int32, body)
  }

  private func withSamples<Sample, R>(
    _ plane: Int, _ expected: AudioSampleFormat, _ body: (Span<Sample>) throws -> R
  ) rethrows -> R {
    precondition(
      format == expected, "the samples are \(format.rawValue), not \(expected.rawValue)")
    precondition(plane >= 0 && plane < planeCount, "the buffer has \(planeCount) planes")
    defer { withExtendedLifetime(storage) {} }
    let step = isPlanar ? 1 : channels
    let start = storage.planes[plane].assumingMemoryBound(to: Sample.self) + offset * step
    return try body(UnsafeBufferPointer(start: start, count: sampleCount * step).span)
  }

  /// The same samples at another time; shares the memory.
  func retimed(_ time: MediaTime) -> AudioBuffer {
    AudioBuffer(
      storage: storage, offset: offset, sampleCount: sampleCount, time: time,
      sampleRate: sampleRate, channels: channels, layout: layout, format: format,
      isPlanar: isPlanar)
  }
}

extension AudioBuffer {
  /// Sound made by whoever calls, plane by plane.
  ///
  /// - Parameters:
  ///   - time: The first sample's time.
  ///   - sampleCount: Samples of each channel.
  ///   - sampleRate: Samples a second.
  ///   - channels: The number of channels.
  ///   - layout: FFmpeg's name of the layout; nil: the usual one for the number.
  ///   - format: How a sample is stored.
  ///   - isPlanar: One plane a channel, or all channels interleaved in one.
  ///   - fill: Called once for each plane with `sampleCount` zeroed samples a channel to write, native-endian.
  /// - Throws: `invalidArgument` for rates outside 1...768000, channels outside 1...64, a layout that FFmpeg does not know or
  ///   that has another number of channels, a negative count; what `fill` throws.
  public init(
    time: MediaTime, sampleCount: Int, sampleRate: Int, channels: Int, layout: String? = nil,
    format: AudioSampleFormat, isPlanar: Bool, fill: (Int, inout MutableRawSpan) throws -> Void
  ) throws {
    try AudioOutputSettings(sampleRate: sampleRate, channels: channels, layout: layout).check(subject: "a sound buffer")
    let bytesPerFrame = format.bytesPerSample * (isPlanar ? 1 : channels)
    let (bytes, overflow) = sampleCount.multipliedReportingOverflow(by: bytesPerFrame)
    guard sampleCount >= 0, !overflow, bytes <= Self.maximumBytesPerPlane else {
      throw MediaError(
        .invalidArgument, operation: "write", subject: "a sound buffer",
        reason: "\(sampleCount) samples are no length that fits into memory")
    }
    let storage = Storage(planeCount: isPlanar ? channels : 1, bytesPerPlane: bytes)
    for (index, plane) in storage.planes.enumerated() {
      let memory = UnsafeMutableRawBufferPointer(start: plane, count: bytes)
      memory.initializeMemory(as: UInt8.self, repeating: 0)
      var span = memory.mutableBytes
      try fill(index, &span)
    }
    self.init(
      storage: storage, offset: 0, sampleCount: sampleCount, time: time, sampleRate: sampleRate, channels: channels,
      layout: layout ?? Resampler.defaultLayout(ofChannels: channels), format: format, isPlanar: isPlanar)
  }

  private static var maximumBytesPerPlane: Int { 1 << 32 }

  /// Sound of floats, one array a channel, all of one length. Copies them.
  ///
  /// - Throws: `invalidArgument` for what is no sound, as ``init(time:sampleCount:sampleRate:channels:layout:format:isPlanar:fill:)``.
  public init(time: MediaTime, sampleRate: Int, layout: String? = nil, planar samples: [[Float]]) throws {
    let count = samples.first?.count ?? 0
    try Self.check(samples.allSatisfy { $0.count == count }, "its channels have different lengths")
    try self.init(
      time: time, sampleCount: count, sampleRate: sampleRate, channels: samples.count, layout: layout, format: .float32,
      isPlanar: true
    ) { index, plane in Self.copy(samples[index], into: &plane) }
  }

  /// Sound of floats, the channels' samples in turn. Copies them.
  ///
  /// - Throws: `invalidArgument` for what is no sound, and where a channel lacks its last sample.
  public init(
    time: MediaTime, sampleRate: Int, channels: Int, layout: String? = nil, interleaved samples: [Float]
  ) throws {
    try Self.check(channels > 0 && samples.count % channels == 0, "its samples are no whole number for each channel")
    try self.init(
      time: time, sampleCount: samples.count / channels, sampleRate: sampleRate, channels: channels, layout: layout,
      format: .float32, isPlanar: false
    ) { _, plane in Self.copy(samples, into: &plane) }
  }

  /// Sound of 16-bit integers, the channels' samples in turn. Copies them.
  ///
  /// - Throws: `invalidArgument` for what is no sound, and where a channel lacks its last sample.
  public init(
    time: MediaTime, sampleRate: Int, channels: Int, layout: String? = nil, interleaved samples: [Int16]
  ) throws {
    try Self.check(channels > 0 && samples.count % channels == 0, "its samples are no whole number for each channel")
    try self.init(
      time: time, sampleCount: samples.count / channels, sampleRate: sampleRate, channels: channels, layout: layout,
      format: .int16, isPlanar: false
    ) { _, plane in Self.copy(samples, into: &plane) }
  }

  private static func check(_ isFine: Bool, _ reason: String) throws {
    guard !isFine else { return }
    throw MediaError(.invalidArgument, operation: "write", subject: "a sound buffer", reason: reason)
  }

  private static func copy<Sample: BitwiseCopyable>(_ samples: [Sample], into plane: inout MutableRawSpan) {
    plane.withUnsafeMutableBytes { target in samples.withUnsafeBytes { target.copyMemory(from: $0) } }
  }
}
