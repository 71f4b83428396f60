import LibAV

/// Owns the encoder of one track of sound, on a strand of its own: resamples, cuts into the encoder's frames, and counts
/// so that exactly what was put in is presented.
actor SoundEncodingSession {
  private let executor = StrandExecutor(pool: .decoding)
  nonisolated var unownedExecutor: UnownedSerialExecutor { executor.asUnownedSerialExecutor() }

  private let settings: AudioSettings
  private let container: WritableContainer
  private let subject: String
  private let interrupt: Interrupt
  private var encoder: Encoder?
  private var queue: SoundQueue?
  private var resampler: Resampler?
  private var format = SampleFormatID.f32Planar
  private var rate = 0
  private var channels = 0
  private var layout: String?
  /// Where the run of sound began that the resampler knows, and the samples of the source since.
  private var origin = MediaTime.invalid
  private var sourceRate = 0
  private var taken: Int64 = 0
  /// Samples put out since `origin`.
  private var given: Int64 = 0
  /// The place of the queue's next sample, in samples of the output.
  private var position: Int64 = 0
  private var hasBegun = false
  /// Where the sound begins that was put in; what the encoder gives before is its priming.
  private var first: Int64 = 0

  init(settings: AudioSettings, container: WritableContainer, subject: String, interrupt: Interrupt) {
    self.settings = settings
    self.container = container
    self.subject = subject
    self.interrupt = interrupt
  }

  struct Output: Sendable {
    var samples: [QueuedSample] = []
    var parameters: CodecParameters?
    /// Where the sound ends that was put in; at the end only.
    var end: MediaTime?
  }

  /// Jumps up to this are rounding of times, not gaps.
  private static let tolerance = MediaTime(value: 1, timescale: 100)
  /// Sound that is missing is silence, up to an hour of it.
  private static let longestSilence: Int64 = 3600

  /// Encodes a stretch of sound, cut to the session where the container can't hide what is outside.
  func encode(_ buffer: AudioBuffer, start: MediaTime, end: MediaTime?) throws -> Output {
    try run { session in
      var output = Output()
      if session.encoder == nil { output.parameters = try session.open(buffer) }
      var (first, last) = (0, buffer.sampleCount)
      let bufferRate = Rational(1, Int64(max(1, buffer.sampleRate))) ?? .one
      if !session.container.isMovie, buffer.time < start {
        first = Int(min(Int64(last), (start - buffer.time).ticks(in: bufferRate) ?? 0))
      }
      if let end { last = Int(max(0, min(Int64(last), (end - buffer.time).ticks(in: bufferRate) ?? 0))) }
      guard first < last else { return output }
      try session.put(buffer, first..<last, start: start)
      output.samples = try session.takeFrames(isLast: false)
      return output
    }
  }

  func finish() throws -> Output {
    try run { session in
      guard session.encoder != nil else { return Output() }
      try session.breakOff()
      var output = Output()
      if session.hasBegun {
        output.end = MediaTime(
          value: session.position + Int64(session.queue?.count ?? 0), timescale: Int32(clamping: session.rate))
      }
      output.samples = try session.takeFrames(isLast: true)
      return output
    }
  }

  /// Opens the encoder by the settings alone.
  func prepare() throws -> CodecParameters {
    try run { session in
      guard session.settings.sampleRate != nil, session.settings.channels != nil || session.settings.layout != nil
      else {
        throw session.refuse("the settings don't tell the rate and the channels")
      }
      return try session.open(nil)
    }
  }

  private func run<R>(_ work: (isolated SoundEncodingSession) throws -> R) throws -> R {
    do { return try work(self) } catch let error as AVError {
      throw MediaError.libav(error, operation: "encode", subject: subject)
    }
  }

  private func refuse(_ reason: String) -> MediaError {
    MediaError(.invalidArgument, operation: "encode", subject: subject, reason: reason)
  }

  // MARK: Opening

  private func open(_ buffer: AudioBuffer?) throws -> CodecParameters {
    guard let name = EncoderChoice.encoder(codec: settings.codec, named: settings.encoder) else {
      throw MediaError(
        .encoderNotFound, operation: "encode", subject: subject,
        reason: "this FFmpeg has no encoder for \(settings.encoder ?? settings.codec)",
        remedy: "Install an FFmpeg that has one, or use another codec")
    }
    rate = settings.sampleRate ?? buffer?.sampleRate ?? 48_000
    if let rates = Formats.sampleRates(ofEncoder: name), !rates.contains(rate) {
      guard settings.sampleRate == nil else {
        throw refuse(
          "\(name) does not take \(rate) samples a second, only \(rates.sorted().map(String.init).joined(separator: ", "))"
        )
      }
      // The next rate above keeps all of the sound.
      rate = rates.filter { $0 >= rate }.min() ?? rates.max() ?? rate
    }
    if let layout = settings.layout {
      guard let count = Resampler.channelCount(ofLayout: layout) else { throw refuse("there is no layout \(layout)") }
      channels = count
      self.layout = layout
    } else {
      channels = settings.channels ?? buffer?.channels ?? 2
      layout = channels == buffer?.channels ? buffer?.layout : nil
      layout = layout ?? Resampler.defaultLayout(ofChannels: channels)
    }
    if !Formats.encoder(name, takesLayout: layout, channels: channels) {
      // 5.1 from the side and from the back differ in name more than in sound.
      let usual = Formats.usualLayout(ofEncoder: name, channels: channels)
      guard Formats.encoder(name, takesLayout: usual, channels: channels) else {
        throw refuse("\(name) does not take \(channels) channels (\(layout ?? "no layout"))")
      }
      layout = usual
    }
    format = EncoderChoice.sampleFormat(encoder: name, source: buffer?.format, bitDepth: settings.bitDepth)
    var options = Encoder.AudioOptions(
      encoder: name, sampleFormat: format, sampleRate: rate, channels: channels, layout: layout)
    options.bitRate = settings.bitRate.map(Int64.init)
    options.quality = settings.quality
    if settings.codec == "flac" || settings.codec == "alac" {
      options.bitDepth = settings.bitDepth ?? (format == .s32 || format == .s32Planar ? 24 : nil)
    }
    options.hasGlobalHeader = container.wantsGlobalHeader
    options.options = settings.encoderOptions
    encoder = try Encoder.open(options)
    queue = try SoundQueue.make(format: format, rate: rate, channels: channels, layout: layout)
    guard let parameters = try encoder?.parameters() else { throw CancellationError() }
    return parameters
  }

  // MARK: Samples

  /// Puts a part of a buffer behind what is there: silence into a gap, nothing twice.
  private func put(_ buffer: AudioBuffer, _ range: Range<Int>, start: MediaTime) throws {
    let key = Resampler.Key(
      format: buffer.format.identifier(isPlanar: buffer.isPlanar), rate: buffer.sampleRate, channels: buffer.channels,
      layout: buffer.layout, outputFormat: format, outputRate: rate, outputChannels: channels, outputLayout: layout)
    var range = range
    func time(_ sample: Int) -> MediaTime {
      buffer.time + MediaTime(value: Int64(sample), timescale: Int32(clamping: buffer.sampleRate))
    }
    let begin = time(range.lowerBound)
    guard begin.isNumeric else { throw refuse("a buffer of sound has no time") }
    if !hasBegun {
      hasBegun = true
      origin = begin
      (taken, given, sourceRate) = (0, 0, buffer.sampleRate)
      position = samples(begin)
      if !container.hasTimes, begin > start {
        // Nothing in the file says when it begins: what comes before is silent.
        position = samples(start)
        try appendSilence(samples(begin) - position)
      }
      first = samples(begin)
    }
    let expected = origin + MediaTime(value: taken, timescale: Int32(clamping: max(1, sourceRate)))
    let jump = begin - expected
    if jump > Self.tolerance {
      try breakOff()
      let missing = samples(begin) - position - Int64(queue?.count ?? 0)
      guard missing <= Self.longestSilence * Int64(rate) else {
        throw refuse("\(jump) of sound is missing before \(begin)")
      }
      try appendSilence(missing)
      (origin, taken, given, sourceRate) = (begin, 0, 0, buffer.sampleRate)
    } else if jump < .zero - Self.tolerance {
      let doubled = (expected - begin).ticks(in: Rational(1, Int64(buffer.sampleRate)) ?? .one) ?? 0
      guard doubled < Int64(range.count) else { return }
      range = range.lowerBound + Int(doubled)..<range.upperBound
    }
    let isPlain =
      key.format == key.outputFormat && key.rate == key.outputRate && key.channels == key.outputChannels
      && (key.layout == key.outputLayout || key.layout == nil)
    let frame = try buffer.frame(range)
    if isPlain {
      try breakOff()
      try queue?.append(frame)
      if sourceRate != buffer.sampleRate {
        (origin, taken, sourceRate) = (time(range.lowerBound), 0, buffer.sampleRate)
      }
      taken += Int64(range.count)
      return
    }
    if resampler?.key != key {
      try breakOff()
      resampler = try Resampler.make(key)
      (origin, taken, given, sourceRate) = (time(range.lowerBound), 0, 0, buffer.sampleRate)
    }
    let capacity = resampler?.capacity(for: range.count) ?? 0
    let target = try Frame.sound(
      count: max(1, capacity), format: format, rate: rate, channels: channels, layout: layout, planes: nil)
    let count =
      try resampler?.convert(frame, first: 0, count: range.count, into: target.soundPlanes, capacity: capacity) ?? 0
    taken += Int64(range.count)
    if count > 0 {
      given += Int64(count)
      try queue?.append(target.soundPlanes, count: count)
    }
  }

  /// Takes what the resampler holds back: as many samples as the sound lasts, to the nearest.
  private func breakOff() throws {
    guard let key = resampler?.key else { return }
    defer { resampler = nil }
    let total = (Rational(taken) * (Rational(Int64(key.outputRate), Int64(key.rate)) ?? .one)).rounded() ?? 0
    while given < total {
      let capacity = Int(min(total - given, 1 << 14))
      let target = try Frame.sound(
        count: capacity, format: format, rate: rate, channels: channels, layout: layout, planes: nil)
      let count = try resampler?.drain(into: target.soundPlanes, capacity: capacity) ?? 0
      guard count > 0 else { break }
      try queue?.append(target.soundPlanes, count: count)
      given += Int64(count)
    }
    if given < total { try appendSilence(total - given) }
    origin = origin + MediaTime(value: taken, timescale: Int32(clamping: max(1, sourceRate)))
    (taken, given) = (0, 0)
  }

  private func appendSilence(_ count: Int64) throws {
    var left = count
    while left > 0 {
      let part = Int(min(left, 1 << 14))
      try queue?.append(
        try Frame.sound(count: part, format: format, rate: rate, channels: channels, layout: layout, planes: nil))
      left -= Int64(part)
    }
  }

  /// The place of a time in samples of the output.
  private func samples(_ time: MediaTime) -> Int64 { time.ticks(in: Rational(1, Int64(rate)) ?? .one) ?? 0 }

  // MARK: Encoding

  private func takeFrames(isLast: Bool) throws -> [QueuedSample] {
    let stated = encoder?.frameSize ?? 0
    let size = stated > 0 ? stated : 4096
    var output: [QueuedSample] = []
    while let count = queue?.count, count >= size || isLast && count > 0 {
      if interrupt.isRaised { throw CancellationError() }
      let taken = min(size, count)
      guard let frame = try queue?.take(taken) else { break }
      output += try send(frame)
      position += Int64(taken)
    }
    if isLast {
      _ = try encoder?.send(nil)
      output += try receive()
    }
    return output
  }

  private func send(_ frame: Frame) throws -> [QueuedSample] {
    var output: [QueuedSample] = []
    while try encoder?.send(frame, time: position, duration: Int64(frame.sampleCount)) == false {
      let taken = try receive()
      guard !taken.isEmpty else { break }
      output += taken
    }
    return output + (try receive())
  }

  private func receive() throws -> [QueuedSample] {
    var output: [QueuedSample] = []
    while case .packet(let packet)? = try encoder?.receive() {
      let scale = Int32(clamping: rate)
      let place = packet.pts ?? position
      let time = MediaTime(value: place, timescale: scale)
      var sample = QueuedSample(
        packet: packet, presentation: time, decoding: time,
        duration: packet.duration > 0 ? MediaTime(value: packet.duration, timescale: scale) : .invalid)
      if place < first, packet.duration > 0 {
        sample.isHidden = place + packet.duration <= first
        sample.trim.start = MediaTime(value: first - place, timescale: scale)
      }
      output.append(sample)
    }
    return output
  }
}

extension AudioBuffer {
  /// A part of the buffer as a frame of libav's, copied.
  func frame(_ range: Range<Int>) throws(AVError) -> Frame {
    let frame = try Frame.sound(
      count: range.count, format: format.identifier(isPlanar: isPlanar), rate: sampleRate, channels: channels,
      layout: layout, planes: nil)
    let step = format.bytesPerSample * (isPlanar ? 1 : channels)
    for (index, target) in frame.soundPlanes.enumerated() where index < planeCount {
      withPlane(index) { span in
        span.withUnsafeBytes { bytes in
          let part = UnsafeRawBufferPointer(rebasing: bytes[range.lowerBound * step..<range.upperBound * step])
          if let base = part.baseAddress { target.copyMemory(from: base, byteCount: part.count) }
        }
      }
    }
    return frame
  }
}
