package import Foundation

/// The STREAMINFO of a FLAC file (RFC 9639, section 8.2), whose MD5 proves a decoding.
package struct FLACStreamInfo: Sendable, Equatable {
  package var sampleRate: Int
  package var channels: Int
  package var bitsPerSample: Int
  /// Samples of one channel; 0 when the encoder did not know.
  package var totalSamples: Int
  /// Of the interleaved little-endian samples at the file's own width.
  package var md5: String

  package init(contentsOf url: URL) throws {
    let bytes = [UInt8](try Data(contentsOf: url, options: .mappedIfSafe).prefix(1 << 16))
    let mark = Array("fLaC".utf8)
    guard let start = bytes.indices.first(where: { bytes[$0...].starts(with: mark) }),
      start + 42 <= bytes.count
    else { throw MediaToolError.unexpected("\(url.path) is not FLAC.") }
    let block = bytes[(start + 8)..<(start + 42)]
    let packed = block.dropFirst(10).prefix(8).reduce(UInt64(0)) { $0 << 8 | UInt64($1) }
    sampleRate = Int(packed >> 44)
    channels = Int(packed >> 41 & 7) + 1
    bitsPerSample = Int(packed >> 36 & 31) + 1
    totalSamples = Int(packed & 0xf_ffff_ffff)
    md5 = block.suffix(16).map { ($0 < 16 ? "0" : "") + String($0, radix: 16) }.joined()
  }
}
