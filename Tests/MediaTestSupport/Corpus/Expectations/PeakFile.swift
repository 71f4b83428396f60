package import Foundation

/// The peaks of a waveform in audiowaveform's formats, JSON and binary.
package struct PeakFile: Sendable, Equatable {
  package var channels: Int
  package var sampleRate: Int
  package var samplesPerPixel: Int
  package var bits: Int
  /// Lowest and highest value, alternating; channel after channel within a pixel.
  package var values: [Int]

  package init(contentsOf url: URL) throws {
    let data = try Data(contentsOf: url)
    guard url.pathExtension == "json" else {
      try self.init(binary: [UInt8](data))
      return
    }
    let report = try JSONValue(parsing: data)
    self.init(
      channels: report["channels"]?.integer ?? 1, sampleRate: report["sample_rate"]?.integer ?? 0,
      samplesPerPixel: report["samples_per_pixel"]?.integer ?? 0,
      bits: report["bits"]?.integer ?? 0,
      values: report["data"]?.elements.compactMap(\.integer) ?? [])
  }

  private init(channels: Int, sampleRate: Int, samplesPerPixel: Int, bits: Int, values: [Int]) {
    self.channels = channels
    self.sampleRate = sampleRate
    self.samplesPerPixel = samplesPerPixel
    self.bits = bits
    self.values = values
  }

  /// Version 1 has one channel; version 2 says how many.
  private init(binary bytes: [UInt8]) throws {
    func number(_ at: Int) -> Int {
      Int((0..<4).reversed().reduce(0) { $0 << 8 | UInt32(bytes[at + $1]) })
    }
    guard bytes.count >= 24 else { throw MediaToolError.unexpected("The peak file is cut off.") }
    let version = number(0)
    bits = number(4) & 1 == 1 ? 8 : 16
    sampleRate = number(8)
    samplesPerPixel = number(12)
    channels = version == 2 ? number(20) : 1
    let body = bytes[(version == 2 ? 24 : 20)...]
    if bits == 8 {
      values = body.map { Int(Int8(bitPattern: $0)) }
    } else {
      values = stride(from: body.startIndex, to: body.endIndex - 1, by: 2).map {
        Int(Int16(truncatingIfNeeded: Int(body[$0]) | Int(body[$0 + 1]) << 8))
      }
    }
    guard values.count == number(16) * 2 * channels else {
      throw MediaToolError.unexpected("The peak file states \(number(16)) pixels.")
    }
  }
}
