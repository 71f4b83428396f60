import LibAV

/// Turns decoded frames into the sound that was asked for.
///
/// Owns a resampler, which is made anew whenever the kind of sound changes; what the old one held back comes first.
struct SoundConverter: ~Copyable {
  private let settings: AudioOutputSettings
  private let subject: String
  private let layoutChannels: Int?
  private var resampler: Resampler?
  /// Stored time of the resampler's first sample; samples put in and taken out since.
  private var start: Rational = .zero
  private var taken: Int64 = 0
  private var given: Int64 = 0
  private var pending: [DecodedSound] = []

  init(settings: AudioOutputSettings, subject: String) {
    self.settings = settings
    self.subject = subject
    layoutChannels = settings.layout.flatMap { Resampler.channelCount(ofLayout: $0) }
  }

  /// Forgets what is held back.
  mutating func reset() {
    resampler = nil
    pending = []
  }

  /// Ends a run of sound: what follows does not join on.
  mutating func breakOff() throws {
    defer { resampler = nil }
    guard let key = resampler?.key, key.rate != key.outputRate else { return }
    // As many samples as the sound lasts, to the nearest.
    let total =
      (Rational(taken) * (Rational(Int64(key.outputRate), Int64(key.rate)) ?? .one)).rounded() ?? 0
    while given < total {
      let capacity = Int(min(total - given, 1 << 16))
      let storage = storage(capacity: capacity, key: key)
      let count: Int
      do { count = try resampler?.drain(into: storage.planes, capacity: capacity) ?? 0 } catch {
        throw failure(error, key)
      }
      guard count > 0 else { return }
      pending.append(publish(storage, first: 0, count: count, key: key))
    }
  }

  /// What is left at the end.
  mutating func finish() throws -> [DecodedSound] {
    try breakOff()
    defer { pending = [] }
    return pending
  }

  /// Converts a part of a frame that begins at a stored time.
  mutating func convert(
    _ frame: Frame, _ range: Range<Int>, time: Rational
  ) throws -> [DecodedSound] {
    let key = key(for: frame)
    if key.isIdentity {
      try breakOff()
      defer { pending = [] }
      (start, given) = (time, 0)
      let storage = AudioBuffer.Storage(frame)
      return pending + [
        publish(storage, first: range.lowerBound, count: range.count, key: key)
      ]
    }
    do {
      if resampler?.key != key {
        try breakOff()
        resampler = try Resampler.make(key)
        (start, taken, given) = (time, 0, 0)
      } else if key.rate == key.outputRate {
        (start, given) = (time, 0)
      }
      taken += Int64(range.count)
      let capacity = resampler?.capacity(for: range.count) ?? 0
      let storage = storage(capacity: capacity, key: key)
      let count =
        try resampler?.convert(
          frame, first: range.lowerBound, count: range.count, into: storage.planes,
          capacity: capacity) ?? 0
      defer { pending = [] }
      return count == 0 ? pending : pending + [publish(storage, first: 0, count: count, key: key)]
    } catch let error as AVError {
      throw failure(error, key)
    }
  }

  private func failure(_ error: AVError, _ key: Resampler.Key) -> any Error {
    guard error.isOutOfMemory || key.channels == key.outputChannels else {
      return MediaError(
        .operationNotSupported, operation: "resample", subject: subject,
        reason:
          "\(key.channels) channels (\(key.layout ?? "no layout")) can't be mixed to \(key.outputChannels)",
        remedy: "Ask for the stored channels", ffmpegCode: error.code, ffmpegLog: error.log)
    }
    return MediaError.libav(error, operation: "resample", subject: subject)
  }

  private func key(for frame: Frame) -> Resampler.Key {
    let channels = layoutChannels ?? settings.channels ?? frame.channelCount
    let stored = frame.channelLayout
    let layout = settings.layout ?? (channels == frame.channelCount ? stored : nil)
    return Resampler.Key(
      format: frame.sampleFormat, rate: frame.sampleRate, channels: frame.channelCount,
      layout: stored, outputFormat: settings.format.identifier(isPlanar: settings.isPlanar),
      outputRate: settings.sampleRate ?? frame.sampleRate, outputChannels: channels,
      outputLayout: layout)
  }

  private func storage(capacity: Int, key: Resampler.Key) -> AudioBuffer.Storage {
    let bytes = capacity * settings.format.bytesPerSample
    return settings.isPlanar
      ? AudioBuffer.Storage(planeCount: key.outputChannels, bytesPerPlane: bytes)
      : AudioBuffer.Storage(planeCount: 1, bytesPerPlane: bytes * key.outputChannels)
  }

  private mutating func publish(
    _ storage: AudioBuffer.Storage, first: Int, count: Int, key: Resampler.Key
  ) -> DecodedSound {
    let time = start + (Rational(given, Int64(key.outputRate)) ?? .zero)
    given += Int64(count)
    let buffer = AudioBuffer(
      storage: storage, offset: first, sampleCount: count, time: MediaTime(time),
      sampleRate: key.outputRate, channels: key.outputChannels,
      layout: key.outputLayout ?? Resampler.defaultLayout(ofChannels: key.outputChannels),
      format: settings.format, isPlanar: settings.isPlanar)
    return DecodedSound(buffer: buffer, time: time)
  }
}

extension Resampler.Key {
  /// Whether nothing is to be done.
  fileprivate var isIdentity: Bool {
    format == outputFormat && rate == outputRate && channels == outputChannels
      && layout == outputLayout
  }
}
