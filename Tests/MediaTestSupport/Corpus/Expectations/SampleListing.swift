package import Foundation

/// The samples of a file in decode order, as mp4ff's golden texts list them.
///
/// Reads three forms: `Sample 1, pts=512 (1716B): SEI_6 (687B), IDR_5 [I] (1021B)` and, after a line
/// `Track 1 vide has 214 samples and timescale 6000`, `1 60000 (3815B) [SEI_6 SEI_6 IDR_5]` or
/// `2 303003 15015 0000001a63646174…` (time, duration, bytes).
package struct SampleListing: Sendable {
  package struct Sample: Sendable, Equatable {
    /// Presentation time in the media's own units, before the edit list.
    package var time: Int64
    package var size: Int
    /// The unit types, such as `IDR_5`.
    package var units: [String]
    /// Of a caption sample, in the media's own units.
    package var duration: Int64?
    /// All bytes of a caption sample.
    package var bytes: [UInt8]

    package init(
      time: Int64, size: Int, units: [String] = [], duration: Int64? = nil, bytes: [UInt8] = []
    ) {
      self.time = time
      self.size = size
      self.units = units
      self.duration = duration
      self.bytes = bytes
    }
  }

  package struct Track: Sendable {
    package var number = 1
    package var handler: String?
    package var timescale: Int?
    package var samples: [Sample] = []
  }

  package var tracks: [Track] = []

  package init(contentsOf url: URL) throws {
    for line in try String(contentsOf: url, encoding: .utf8).split(whereSeparator: \.isNewline) {
      let words = line.split(separator: " ")
      if words.count == 9, words[0] == "Track", words[7] == "timescale" {
        tracks.append(
          Track(number: Int(words[1]) ?? 0, handler: String(words[2]), timescale: Int(words[8])))
        continue
      }
      guard let sample = SampleListing.sample(line, words) else { continue }
      if tracks.isEmpty { tracks.append(Track()) }
      tracks[tracks.count - 1].samples.append(sample)
    }
    guard !tracks.isEmpty else { throw MediaToolError.unexpected("\(url.path) lists no samples.") }
  }

  private static func sample(_ line: Substring, _ words: [Substring]) -> Sample? {
    if words.count == 4, let time = Int64(words[1]), let duration = Int64(words[2]) {
      let digits = Array(words[3])
      let bytes = stride(from: 0, to: digits.count - 1, by: 2).compactMap {
        UInt8(String(digits[$0...$0 + 1]), radix: 16)
      }
      return Sample(time: time, size: bytes.count, duration: duration, bytes: bytes)
    }
    guard words.count > 2, let open = line.firstIndex(of: "("),
      let close = line.firstIndex(of: ")"), open < close,
      let size = Int(line[line.index(after: open)..<close].dropLast()),
      let time = Int64(words[0] == "Sample" ? words[2].dropFirst(4) : words[1])
    else { return nil }
    let units = line[close...].split(whereSeparator: { " [](),:".contains($0) })
      .filter { $0.contains("_") }
    return Sample(time: time, size: size, units: units.map { String($0) })
  }
}
