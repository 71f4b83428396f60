import LibAV

/// A picture on its way into an encoder.
struct PictureInput: Sendable {
  var frame: Frame
  var time: MediaTime
  /// Invalid when unknown.
  var duration: MediaTime
}

/// Owns the encoder of one track of pictures, on a strand of its own.
///
/// Holds one picture back, because how long it lasts is known when the next one comes.
actor VideoEncodingSession {
  private let executor = StrandExecutor(pool: .decoding)
  nonisolated var unownedExecutor: UnownedSerialExecutor { executor.asUnownedSerialExecutor() }

  private let settings: VideoSettings
  private let container: WritableContainer
  private let timescale: Int32?
  private let subject: String
  private let interrupt: Interrupt
  private var encoder: Encoder?
  private var fitting: PictureFitting?
  private var held: PictureInput?
  private var tick = Rational.one
  private var lastTicks: Int64?
  private var lastDuration: Int64 = 0
  private var lastKey: MediaTime?
  /// Which segment a time belongs into: the first picture of each has to be a sync sample.
  private let segmentCell: (@Sendable (MediaTime) -> Int64?)?
  private var lastCell: Int64?
  private let pass: EncodingPass?
  private var encoderName = ""
  /// What the encoder has gathered for a second pass.
  private(set) var statistics = ""
  /// By presentation tick, for pictures inside the encoder.
  private var durations: [Int64: Int64] = [:]

  init(
    settings: VideoSettings, container: WritableContainer, timescale: Int32?, subject: String, interrupt: Interrupt,
    pass: EncodingPass? = nil, segmentCell: (@Sendable (MediaTime) -> Int64?)? = nil
  ) {
    self.segmentCell = segmentCell
    self.pass = pass
    self.settings = settings
    self.container = container
    self.timescale = timescale
    self.subject = subject
    self.interrupt = interrupt
  }

  struct Output: Sendable {
    var samples: [QueuedSample] = []
    /// Once, when the encoder was opened.
    var parameters: CodecParameters?
  }

  /// Encodes the picture before this one.
  func encode(_ picture: PictureInput) throws -> Output {
    guard let previous = held else {
      held = picture
      return Output()
    }
    guard picture.time.isNumeric, picture.time >= previous.time else {
      throw MediaError(
        .invalidArgument, operation: "encode", subject: subject,
        reason: "the times of pictures have to rise, and \(picture.time) comes behind \(previous.time)")
    }
    held = picture
    return try run { session in
      var output = try session.openIfNeeded(previous, next: picture)
      output.samples = try session.send(previous, until: picture.time)
      return output
    }
  }

  /// Encodes what is left.
  ///
  /// - Parameter end: Where the last picture ends at the latest; nil: where it says itself.
  func finish(end: MediaTime?) throws -> Output {
    guard let last = held else { return Output() }
    held = nil
    return try run { session in
      var output = try session.openIfNeeded(last, next: nil)
      var until = last.duration.isNumeric && last.duration > .zero ? last.time + last.duration : nil
      if until == nil, let end, end > last.time { until = end }
      output.samples = try session.send(last, until: until)
      output.samples += try session.drain()
      return output
    }
  }

  /// Opens the encoder by the settings alone.
  func prepare() throws -> CodecParameters {
    try run { session in
      guard session.settings.size != nil else {
        throw MediaError(
          .invalidArgument, operation: "encode", subject: session.subject,
          reason: "the settings don't tell the pictures' size")
      }
      return try session.open(nil, next: nil)
    }
  }

  private func run<R>(_ work: (isolated VideoEncodingSession) throws -> R) throws -> R {
    do { return try work(self) } catch let error as AVError {
      throw MediaError.libav(error, operation: "encode", subject: subject)
    }
  }

  // MARK: Opening

  private func openIfNeeded(_ first: PictureInput, next: PictureInput?) throws -> Output {
    guard encoder == nil else { return Output() }
    return Output(parameters: try open(first, next: next))
  }

  private func open(_ first: PictureInput?, next: PictureInput?) throws -> CodecParameters {
    let frame = first?.frame
    let size = settings.size ?? frame.map { PixelSize(width: $0.width, height: $0.height) }
    guard let name = EncoderChoice.encoder(codec: settings.codec, named: settings.encoder, size: size) else {
      throw MediaError(
        .encoderNotFound, operation: "encode", subject: subject,
        reason: "this FFmpeg has no encoder for \(settings.encoder ?? settings.codec)",
        remedy: "Install an FFmpeg that has one, or use another codec")
    }
    guard let format = EncoderChoice.pixelFormat(settings, encoder: name, source: frame?.format) else {
      throw MediaError(
        .invalidArgument, operation: "encode", subject: subject,
        reason: "\(name) does not take the pixel format \(settings.pixelFormat ?? "of the source")")
    }
    if let reason = EncoderChoice.reasonAgainst(settings, encoder: name, format: format) {
      throw MediaError(.invalidArgument, operation: "encode", subject: subject, reason: reason)
    }
    let fitting = PictureFitting(settings, source: frame, format: format)
    let rate = frameRate(first, next)
    let base = timeBase(name, rate, first, next)
    var options = Encoder.VideoOptions(
      encoder: name, width: fitting.size.width, height: fitting.size.height, pixelFormat: format, timeBase: base)
    // SVT-AV1 takes no more than 240 pictures a second; its times say more than the rate anyway.
    let limit = name == "libsvtav1" ? Rational(240) : Rational(1000)
    if let rate = rate.map({ min($0, limit) }) {
      options.frameRate = (Int32(clamping: rate.numerator), Int32(clamping: rate.denominator))
    }
    options.bitRate = settings.averageBitRate.map(Int64.init)
    let quality = EncoderChoice.quality(settings, encoder: name)
    options.quantizer = quality.quantizer
    options.maximumKeyFrameInterval = settings.maximumKeyFrameInterval
    options.maximumBFrames = settings.allowsFrameReordering ? settings.maximumBFrames : 0
    options.sampleAspectRatio = fitting.sampleAspectRatio
    options.colour = fitting.colour
    options.fieldOrder = settings.fieldOrder.map { .init($0) } ?? frame.map { .init($0) }
    options.threads = settings.threads ?? MediaConfiguration.current.threadBudget
    options.hasGlobalHeader = container.wantsGlobalHeader
    options.options = encoderOptions(name, quality.options, format)
    encoderName = name
    if let pass {
      (options.pass, options.statistics) = (pass.number, pass.statistics)
      options.options.merge(pass.options(encoder: name, options.options)) { $1 }
    }
    encoder = try Encoder.open(options)
    let isHDR = LayerRange.isHDR(options.colour)
    self.fitting = consume fitting
    tick = Rational(Int64(base.numerator), Int64(base.denominator)) ?? .one
    guard let parameters = try encoder?.parameters() else { throw CancellationError() }
    guard isHDR, let frame else { return parameters }
    return try parameters.adding(lightOf: frame)
  }

  private func encoderOptions(
    _ name: String, _ quality: [String: String], _ format: PixelFormatID
  ) -> [String: String] {
    var values = quality
    // FFmpeg's own choice is the profile of the highest rate.
    if name == "prores_ks" { values["profile"] = format.chromaShift.horizontal > 0 ? "standard" : "4444" }
    if let profile = settings.profile { values["profile"] = profile }
    if let level = settings.level { values["level"] = level }
    if name == "libx264" || name == "libx265" { values["forced-idr"] = "1" }
    // Its notes would go past the log that this library hands out.
    if name == "libx265" { values["x265-params"] = "log-level=none" }
    if (name == "libvpx" || name == "libvpx-vp9" || name == "libaom-av1"), settings.averageBitRate == nil,
      values["crf"] != nil
    {
      values["b"] = "0"
    }
    return values.merging(settings.encoderOptions) { $1 }
  }

  private func frameRate(_ first: PictureInput?, _ next: PictureInput?) -> Rational? {
    if let rate = settings.expectedFrameRate, rate > 0 { return Rational(Int64(rate)) }
    guard let first else { return Rational(25) }
    // A cut may leave little of the first picture; the second one then tells.
    var step = next.map { $0.time - first.time } ?? first.duration
    if let length = next?.duration, length.isNumeric, step.isNumeric { step = max(step, length) }
    guard step.isNumeric, step > .zero, let length = step.rational, let rate = length.reciprocal,
      rate.numerator <= Int64(Int32.max), rate.denominator <= Int64(Int32.max), rate < Rational(1000)
    else { return Rational(25) }
    return rate
  }

  /// Ticks in which the times of the pictures are exact, as far as the codec allows.
  private func timeBase(
    _ encoder: String, _ rate: Rational?, _ first: PictureInput?, _ next: PictureInput?
  ) -> (numerator: Int32, denominator: Int32) {
    let rate = rate ?? Rational(25)
    let perPicture = (Int32(clamping: rate.denominator), Int32(clamping: rate.numerator))
    // These count pictures, not time.
    if ["mpeg1video", "mpeg2video", "libtheora", "libxvid"].contains(encoder) { return perPicture }
    if let timescale { return (1, timescale) }
    var scale: Int64 = encoder == "mpeg4" ? 1 : 90_000
    let limit: Int64 = encoder == "mpeg4" ? 65_535 : 10_000_000
    for time in [first?.time, next?.time] {
      guard let time, time.isNumeric, let exact = time.rational else { continue }
      let divisor = Int64(WideArithmetic.greatestCommonDivisor(UInt128(scale), UInt128(exact.denominator)))
      let (common, overflow) = scale.multipliedReportingOverflow(by: exact.denominator / max(1, divisor))
      scale = overflow || common > limit ? min(limit, max(scale, exact.denominator)) : common
    }
    if encoder == "mpeg4" { while scale < 1000 { scale *= 10 } }
    return (1, Int32(clamping: scale))
  }

  // MARK: Encoding

  private func send(_ picture: PictureInput, until: MediaTime?) throws -> [QueuedSample] {
    if interrupt.isRaised { throw CancellationError() }
    guard let ticks = picture.time.ticks(in: tick) else {
      throw MediaError(.invalidArgument, operation: "encode", subject: subject, reason: "a picture's time is none")
    }
    let time = lastTicks.map { max($0 + 1, ticks) } ?? ticks
    let end = until?.ticks(in: tick)
    let duration = end.map { max(1, $0 - time) } ?? max(1, lastDuration)
    (lastTicks, lastDuration) = (time, duration)
    durations[time] = duration
    var isForced = lastKey == nil
    if let interval = settings.maximumKeyFrameIntervalDuration, interval.isNumeric, let lastKey,
      picture.time - lastKey >= interval
    {
      isForced = true
    }
    if let cell = segmentCell?(picture.time), cell > lastCell ?? .min {
      isForced = true
      lastCell = cell
    }
    if isForced { lastKey = picture.time }
    guard let frame = try fitting?.fit(picture.frame) else { return [] }
    var samples: [QueuedSample] = []
    while try encoder?.send(frame, time: time, duration: duration, isForcedKey: isForced) == false {
      let taken = try receive()
      guard !taken.isEmpty else { break }
      samples += taken
    }
    return samples + (try receive())
  }

  private func drain() throws -> [QueuedSample] {
    _ = try encoder?.send(nil)
    var samples: [QueuedSample] = []
    while true {
      if interrupt.isRaised { throw CancellationError() }
      let taken = try receive()
      if taken.isEmpty { break }
      samples += taken
    }
    if pass?.number == 1, !EncodingPass.comesWithEveryPacket(encoder: encoderName) {
      statistics = encoder?.statistics ?? ""
    }
    // Closes the encoder's own files, which the next pass reads.
    if pass != nil { encoder = nil }
    return samples
  }

  private func receive() throws -> [QueuedSample] {
    var samples: [QueuedSample] = []
    while case .packet(let packet)? = try encoder?.receive() {
      if pass?.number == 1, EncodingPass.comesWithEveryPacket(encoder: encoderName) {
        statistics += encoder?.statistics ?? ""
      }
      let time = packet.pts ?? packet.dts ?? 0
      let duration = durations.removeValue(forKey: time) ?? packet.duration
      samples.append(
        QueuedSample(
          packet: packet, presentation: MediaTime(ticks: time, timeBase: tick),
          decoding: MediaTime(ticks: packet.dts ?? time, timeBase: tick),
          duration: MediaTime(ticks: duration, timeBase: tick)))
    }
    return samples
  }
}

extension StreamInfo.FieldOrder {
  init(_ order: VideoFormat.FieldOrder) {
    self =
      switch order {
      case .progressive: .progressive
      case .topFirst: .topFirst
      case .bottomFirst: .bottomFirst
      }
  }

  init(_ frame: Frame) { self = frame.isInterlaced ? frame.isTopFieldFirst ? .topFirst : .bottomFirst : .progressive }
}
