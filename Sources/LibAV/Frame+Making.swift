internal import CFFmpeg

/// Frames that this library fills itself.
extension Frame {
  /// A picture with memory of its own, which `fill` writes before anybody else sees it.
  package static func picture(
    width: Int, height: Int, format: PixelFormatID, colour: ColourDescription = .init(),
    sampleAspectRatio: (Int32, Int32) = (0, 1),
    fill: (_ planes: [UnsafeMutableRawPointer?], _ strides: [Int]) throws(AVError) -> Void
  ) throws(AVError) -> Frame {
    let frame = try make()
    unsafe frame.raw.pointee.width = Int32(clamping: width)
    unsafe frame.raw.pointee.height = Int32(clamping: height)
    unsafe frame.raw.pointee.format = format.rawValue
    unsafe frame.raw.pointee.sample_aspect_ratio = AVRational(num: sampleAspectRatio.0, den: sampleAspectRatio.1)
    let numbers = ColourNumbers(colour)
    unsafe frame.raw.pointee.color_primaries = numbers.primaries
    unsafe frame.raw.pointee.color_trc = numbers.transfer
    unsafe frame.raw.pointee.colorspace = numbers.matrix
    unsafe frame.raw.pointee.color_range = numbers.range
    try check(unsafe av_frame_get_buffer(frame.raw, 0), "av_frame_get_buffer")
    let data = unsafe frame.raw.pointee.data
    let lines = unsafe frame.raw.pointee.linesize
    let planes: [UnsafeMutableRawPointer?] = unsafe [
      UnsafeMutableRawPointer(data.0), UnsafeMutableRawPointer(data.1), UnsafeMutableRawPointer(data.2),
      UnsafeMutableRawPointer(data.3),
    ]
    unsafe try fill(planes, [Int(lines.0), Int(lines.1), Int(lines.2), Int(lines.3)])
    return frame
  }

  /// A picture from bytes without padding, plane after plane, as `rawvideo` has them.
  package static func picture(
    packed bytes: UnsafeRawBufferPointer, width: Int, height: Int, format: PixelFormatID, colour: ColourDescription
  ) throws(AVError) -> Frame {
    unsafe try picture(width: width, height: height, format: format, colour: colour) {
      planes, strides throws(AVError) in
      let needed = try check(
        av_image_get_buffer_size(AVPixelFormat(format.rawValue), Int32(clamping: width), Int32(clamping: height), 1),
        "av_image_get_buffer_size")
      guard bytes.count >= Int(needed) else {
        throw AVError(code: cff_error(EINVAL), function: "av_image_fill_arrays", log: "the picture's bytes are too few")
      }
      var source: [UnsafeMutablePointer<UInt8>?] = unsafe [nil, nil, nil, nil]
      var sourceStrides: [Int32] = [0, 0, 0, 0]
      try check(
        unsafe av_image_fill_arrays(
          &source, &sourceStrides, bytes.baseAddress?.assumingMemoryBound(to: UInt8.self),
          AVPixelFormat(format.rawValue), Int32(clamping: width), Int32(clamping: height), 1),
        "av_image_fill_arrays")
      var targets: [UnsafeMutablePointer<UInt8>?] = unsafe planes.map {
        unsafe $0?.assumingMemoryBound(to: UInt8.self)
      }
      var targetStrides = strides.map { Int32(clamping: $0) }
      var sources: [UnsafePointer<UInt8>?] = unsafe source.map { unsafe UnsafePointer($0) }
      unsafe av_image_copy(
        &targets, &targetStrides, &sources, sourceStrides, AVPixelFormat(format.rawValue), Int32(clamping: width),
        Int32(clamping: height))
    }
  }

  /// A block of sound with memory of its own, copied from `planes` or silent.
  package static func sound(
    count: Int, format: SampleFormatID, rate: Int, channels: Int, layout: String?, planes: [UnsafeRawPointer]?
  ) throws(AVError) -> Frame {
    let frame = try make()
    unsafe frame.raw.pointee.format = format.rawValue
    unsafe frame.raw.pointee.nb_samples = Int32(clamping: count)
    unsafe frame.raw.pointee.sample_rate = Int32(clamping: rate)
    unsafe frame.raw.pointee.ch_layout = try Resampler.layout(layout, channels: channels)
    try check(unsafe av_frame_get_buffer(frame.raw, 0), "av_frame_get_buffer")
    let bytes = count * format.bytesPerSample * (format.isPlanar ? 1 : channels)
    let targets = unsafe frame.soundPlanes
    if let planes = unsafe planes {
      for index in 0..<min(unsafe targets.count, unsafe planes.count) {
        unsafe targets[index].copyMemory(from: planes[index], byteCount: bytes)
      }
    } else {
      try check(
        unsafe av_samples_set_silence(
          frame.raw.pointee.extended_data, 0, Int32(clamping: count), Int32(clamping: channels),
          AVSampleFormat(format.rawValue)), "av_samples_set_silence")
    }
    return frame
  }

  /// A part of a block of sound, copied.
  package func sound(from first: Int, count: Int) throws(AVError) -> Frame {
    precondition(first >= 0 && count >= 0 && first + count <= sampleCount, "the frame has \(sampleCount) samples")
    let step = sampleFormat.bytesPerSample * (sampleFormat.isPlanar ? 1 : channelCount)
    return unsafe try Frame.sound(
      count: count, format: sampleFormat, rate: sampleRate, channels: channelCount, layout: channelLayout,
      planes: soundPlanes.map { unsafe UnsafeRawPointer($0 + first * step) })
  }
}

/// Owner of one `AVAudioFifo`: sound that comes in blocks of any size and leaves in the encoder's.
@safe package struct SoundQueue: ~Copyable {
  private let raw: OpaquePointer
  private let format: SampleFormatID
  private let rate: Int
  private let channels: Int
  private let layout: String?

  private init(owning raw: OpaquePointer, format: SampleFormatID, rate: Int, channels: Int, layout: String?) {
    unsafe self.raw = raw
    self.format = format
    self.rate = rate
    self.channels = channels
    self.layout = layout
  }

  package static func make(
    format: SampleFormatID, rate: Int, channels: Int, layout: String?
  ) throws(AVError) -> SoundQueue {
    guard let raw = unsafe av_audio_fifo_alloc(AVSampleFormat(format.rawValue), Int32(clamping: channels), 4096) else {
      throw .outOfMemory("av_audio_fifo_alloc")
    }
    return unsafe SoundQueue(owning: raw, format: format, rate: rate, channels: channels, layout: layout)
  }

  deinit { unsafe av_audio_fifo_free(raw) }

  package var count: Int { unsafe Int(av_audio_fifo_size(raw)) }

  package mutating func append(_ planes: [UnsafeMutableRawPointer], count: Int) throws(AVError) {
    var pointers: [UnsafeMutableRawPointer?] = unsafe planes
    try check(unsafe av_audio_fifo_write(raw, &pointers, Int32(clamping: count)), "av_audio_fifo_write")
  }

  package mutating func append(_ frame: Frame) throws(AVError) {
    unsafe try append(frame.soundPlanes, count: frame.sampleCount)
  }

  /// Takes `count` samples as a frame.
  package mutating func take(_ count: Int) throws(AVError) -> Frame {
    let frame = unsafe try Frame.sound(
      count: count, format: format, rate: rate, channels: channels, layout: layout, planes: nil)
    var pointers: [UnsafeMutableRawPointer?] = unsafe frame.soundPlanes
    try check(unsafe av_audio_fifo_read(raw, &pointers, Int32(clamping: count)), "av_audio_fifo_read")
    return frame
  }
}
