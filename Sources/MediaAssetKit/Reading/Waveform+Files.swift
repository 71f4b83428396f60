public import FoundationEssentials

extension Waveform {
  /// How wide a value is in a file.
  public enum Bits: Int, Sendable, Hashable, CaseIterable {
    /// The 16-bit value over 256, toward zero.
    case eight = 8
    /// The value itself.
    case sixteen = 16
  }

  /// audiowaveform's JSON, version 2.
  ///
  /// `data` holds the lowest and the highest value of each channel, bin after bin.
  public func json(bits: Bits = .sixteen) -> String {
    var text = """
      {"version":2,"channels":\(channels),"sample_rate":\(sampleRate),\
      "samples_per_pixel":\(samplesPerPixel),"bits":\(bits.rawValue),"length":\(length),"data":[
      """
    text.reserveCapacity(text.utf8.count + peaks.count * 12)
    var isFirst = true
    for peak in peaks {
      if !isFirst { text += "," }
      isFirst = false
      text += "\(Self.value(peak.minimum, bits)),\(Self.value(peak.maximum, bits))"
    }
    return text + "]}\n"
  }

  /// audiowaveform's binary format: version 1 for one channel, version 2 for several; little-endian.
  public func dat(bits: Bits = .sixteen) -> [UInt8] {
    var bytes: [UInt8] = []
    bytes.reserveCapacity(24 + peaks.count * bits.rawValue / 4)
    func append(_ number: Int, count: Int = 4) {
      for shift in 0..<count { bytes.append(UInt8(truncatingIfNeeded: number >> (8 * shift))) }
    }
    append(channels == 1 ? 1 : 2)
    append(bits == .eight ? 1 : 0)
    append(sampleRate)
    append(samplesPerPixel)
    append(length)
    if channels > 1 { append(channels) }
    for peak in peaks {
      append(Self.value(peak.minimum, bits), count: bits.rawValue / 8)
      append(Self.value(peak.maximum, bits), count: bits.rawValue / 8)
    }
    return bytes
  }

  private static func value(_ value: Int16, _ bits: Bits) -> Int {
    bits == .eight ? Int(value) / 256 : Int(value)
  }

  /// Writes the peaks under exactly this name; its extension (`json`, `dat`) tells the format.
  ///
  /// The file appears under its name only when it is complete; a failure leaves nothing behind.
  /// - Throws: ``MediaError``: `invalidArgument` for other extensions and URLs that name no file, `fileAlreadyExists`
  ///   unless `overwrite`, `fileNotFound` where the folder is missing, `accessDenied`, `writeFailed`.
  public func write(to url: URL, bits: Bits = .sixteen, overwrite: Bool = false) async throws {
    let path = url.path(percentEncoded: false)
    guard url.isFileURL, ["json", "dat"].contains(url.pathExtension.lowercased()) else {
      throw MediaError(
        .invalidArgument, operation: "write", subject: url.isFileURL ? path : url.absoluteString,
        reason: "peaks are written to files that end in .json or .dat")
    }
    let isJSON = url.pathExtension.lowercased() == "json"
    try await WorkerPool.opening.run {
      try AtomicFile.checkAbsent(path, overwrite: overwrite)
      try AtomicFile.write(
        isJSON ? Array(json(bits: bits).utf8) : dat(bits: bits), to: path, overwrite: overwrite)
    }
  }
}
