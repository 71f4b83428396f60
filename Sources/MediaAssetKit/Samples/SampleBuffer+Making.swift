import LibAV

extension SampleBuffer {
  /// A stored sample of these bytes, for an input that passes samples on: coded as its track's, framed as in MPEG-4 files.
  ///
  /// Copies the bytes.
  ///
  /// - Parameters:
  ///   - bytes: The sample; at least one byte.
  ///   - presentationTime: When it is shown or heard.
  ///   - decodeTime: Invalid where samples are shown in the order in which they are stored.
  ///   - duration: Invalid when the next sample tells.
  ///   - isSync: Whether decoding can begin here.
  ///   - isDisposable: Whether no other sample needs this one.
  /// - Throws: ``MediaError`` with `invalidArgument` for no bytes or 2 GiB of them, `outOfMemory`.
  public init(
    bytes: [UInt8], presentationTime: MediaTime, decodeTime: MediaTime = .invalid, duration: MediaTime = .invalid,
    isSync: Bool = true, isDisposable: Bool = false
  ) throws {
    // FFmpeg puts padding behind them.
    guard !bytes.isEmpty, bytes.count < Int(Int32.max) - 1024 else {
      throw MediaError(
        .invalidArgument, operation: "make", subject: "a sample", reason: "\(bytes.count) bytes are no sample")
    }
    do {
      let packet = try Packet.copying(bytes, isKey: isSync, isDisposable: isDisposable)
      self.init(
        content: .stored(StoredSample(packet: packet)), presentationTime: presentationTime, decodeTime: decodeTime,
        duration: duration, isSync: isSync, isDisposable: isDisposable)
    } catch {
      throw MediaError.libav(error, operation: "make", subject: "a sample")
    }
  }

  /// A picture that is shown from a time on; without a duration until the next one's.
  public init(_ picture: PixelBuffer, presentationTime: MediaTime, duration: MediaTime = .invalid) {
    self.init(content: .picture(picture), presentationTime: presentationTime, duration: duration)
  }

  /// The sample at other times; shares its memory. What was trimmed off stays trimmed off.
  public func retimed(
    presentationTime: MediaTime, decodeTime: MediaTime = .invalid, duration: MediaTime
  ) -> SampleBuffer {
    var copy = SampleBuffer(
      content: content, presentationTime: presentationTime, decodeTime: decodeTime, duration: duration, isSync: isSync,
      isDisposable: isDisposable, isHidden: isHidden
    ).trimmed(start: trimDurationAtStart, end: trimDurationAtEnd)
    copy.takeFormat(of: self)
    return copy
  }
}
