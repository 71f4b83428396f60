internal import CFFmpeg

/// Owner of one `SwrContext`: from one kind of sound to another, with the samples that its filter holds back.
@safe package struct Resampler: ~Copyable {
  private let raw: OpaquePointer
  package let key: Key

  /// Everything that a context depends on; sound with another key needs another resampler.
  package struct Key: Sendable, Hashable {
    package var format: SampleFormatID
    package var rate: Int
    package var channels: Int
    /// FFmpeg's name of the layout; nil where only the count is known.
    package var layout: String?
    package var outputFormat: SampleFormatID
    package var outputRate: Int
    package var outputChannels: Int
    package var outputLayout: String?

    package init(
      format: SampleFormatID, rate: Int, channels: Int, layout: String?, outputFormat: SampleFormatID, outputRate: Int,
      outputChannels: Int, outputLayout: String?
    ) {
      self.format = format
      self.rate = rate
      self.channels = channels
      self.layout = layout
      self.outputFormat = outputFormat
      self.outputRate = outputRate
      self.outputChannels = outputChannels
      self.outputLayout = outputLayout
    }
  }

  private init(owning raw: OpaquePointer, key: Key) {
    unsafe self.raw = raw
    self.key = key
  }

  /// Mixing keeps the level whatever the sample format: coefficients are normalised for float as for integers.
  package static func make(_ key: Key) throws(AVError) -> Resampler {
    Log.start()
    Log.clear()
    var input = unsafe try layout(key.layout, channels: key.channels)
    var output = unsafe try layout(key.outputLayout, channels: key.outputChannels)
    defer {
      unsafe av_channel_layout_uninit(&input)
      unsafe av_channel_layout_uninit(&output)
    }
    var context: OpaquePointer? = nil
    try check(
      unsafe cff_resampler_make(
        &context, &output, key.outputFormat.rawValue, Int32(clamping: key.outputRate), &input, key.format.rawValue,
        Int32(clamping: key.rate)),
      "swr_alloc_set_opts2")
    guard let context = unsafe context else { throw .outOfMemory("swr_alloc_set_opts2") }
    let resampler = unsafe Resampler(owning: context, key: key)
    // swr normalises a downmix for integers only; sound must not be louder because it is float.
    _ = unsafe av_opt_set_double(UnsafeMutableRawPointer(context), "rematrix_maxval", 1.0, 0)
    try check(unsafe swr_init(context), "swr_init")
    return resampler
  }

  deinit {
    var context: OpaquePointer? = unsafe raw
    unsafe swr_free(&context)
  }

  /// The most samples that converting `count` more can give.
  package func capacity(for count: Int) -> Int { unsafe Int(swr_get_out_samples(raw, Int32(clamping: count))) }

  /// Converts a part of a frame into one buffer a plane; returns the number of samples written.
  package mutating func convert(
    _ frame: Frame, first: Int, count: Int, into planes: [UnsafeMutableRawPointer], capacity: Int
  ) throws(AVError) -> Int {
    precondition(
      first >= 0 && count >= 0 && first + count <= frame.sampleCount,
      "the frame has \(frame.sampleCount) samples")
    return unsafe try run(frame, first: first, count: count, into: planes, capacity: capacity)
  }

  /// Gives what the filter holds back, after the last samples.
  package mutating func drain(
    into planes: [UnsafeMutableRawPointer], capacity: Int
  ) throws(AVError) -> Int {
    unsafe try run(nil, first: 0, count: 0, into: planes, capacity: capacity)
  }

  private func run(
    _ frame: Frame?, first: Int, count: Int, into planes: [UnsafeMutableRawPointer], capacity: Int
  ) throws(AVError) -> Int {
    let context = unsafe raw
    var targets: [UnsafeMutablePointer<UInt8>?] = unsafe planes.map {
      unsafe $0.assumingMemoryBound(to: UInt8.self)
    }
    let result = unsafe cff_resampler_convert(
      context, &targets, Int32(clamping: capacity), frame?.raw, Int32(clamping: first),
      Int32(clamping: count))
    return Int(try check(result, "swr_convert"))
  }

  static func layout(_ name: String?, channels: Int) throws(AVError) -> AVChannelLayout {
    var layout = unsafe AVChannelLayout()
    if let name, unsafe av_channel_layout_from_string(&layout, name) >= 0,
      unsafe layout.nb_channels == Int32(clamping: channels)
    {
      return unsafe layout
    }
    guard channels > 0 else {
      throw AVError(code: cff_error(EINVAL), function: "av_channel_layout_default", log: "sound without channels")
    }
    unsafe av_channel_layout_uninit(&layout)
    unsafe av_channel_layout_default(&layout, Int32(clamping: channels))
    return unsafe layout
  }
}

extension Resampler {
  /// The number of channels of a layout by FFmpeg's name; nil for a name that it does not know.
  package static func channelCount(ofLayout name: String) -> Int? {
    var layout = unsafe AVChannelLayout()
    guard unsafe av_channel_layout_from_string(&layout, name) >= 0 else { return nil }
    defer { unsafe av_channel_layout_uninit(&layout) }
    return unsafe Int(layout.nb_channels)
  }

  /// FFmpeg's name of the usual layout of so many channels; nil where there is none.
  package static func defaultLayout(ofChannels count: Int) -> String? {
    var layout = unsafe AVChannelLayout()
    unsafe av_channel_layout_default(&layout, Int32(clamping: count))
    defer { unsafe av_channel_layout_uninit(&layout) }
    return unsafe StreamInfo.describe(layout)
  }
}
