package import Foundation

/// What androidx/media's extractor tests expect of a file: its `.dump` text.
package struct AndroidDump: Sendable {
  package struct Sample: Sendable, Hashable {
    /// Presentation time in microseconds after the edit list; negative when an edit hides it.
    package var time: Int64
    /// 1 = sync sample; 0x40000000 = encrypted.
    package var flags: Int
    package var size: Int
    /// `AndroidDump.hash` of the bytes as the peer hands them out.
    package var hash: UInt32

    package var isSync: Bool { flags & 1 != 0 }
  }

  package struct Format: Sendable {
    /// Every line of the format as it is: `codecs`, `width`, `language`, `colorSpace`, …
    package var values: [String: String] = [:]

    package var sampleMimeType: String { values["sampleMimeType"] ?? "" }
    package var codecs: String? { values["codecs"] }
    package var width: Int? { number("width") }
    package var height: Int? { number("height") }
    /// Degrees clockwise.
    package var rotation: Int? { number("rotationDegrees") }
    package var frameRate: Double? { values["frameRate"].flatMap { Double($0) } }
    package var language: String? { values["language"] }
    package var channels: Int? { number("channelCount") }
    package var sampleRate: Int? { number("sampleRate") }
    package var encoderDelay: Int? { number("encoderDelay") }
    package var encoderPadding: Int? { number("encoderPadding") }
    /// 1 = BT.709, 2 = BT.601, 6 = BT.2020.
    package var colorSpace: Int? { number("colorSpace") }
    /// 1 = full, 2 = limited.
    package var colorRange: Int? { number("colorRange") }
    /// 2 = sRGB, 3 = SDR video, 6 = PQ, 7 = HLG, 10 = gamma 2.2.
    package var colorTransfer: Int? { number("colorTransfer") }
    package var bitDepth: Int? { number("lumaBitdepth") }
    package var metadata: String? { values["metadata"] }

    private func number(_ name: String) -> Int? { values[name].flatMap { Int($0) } }
  }

  package struct Track: Sendable {
    package var identifier: Int
    /// Several when the format changes between samples.
    package var formats: [Format] = []
    package var samples: [Sample] = []
    package var statedSampleCount = 0
    package var statedDuration: Int64?

    package var format: Format { formats.first ?? Format() }
  }

  /// Microseconds; `nil` when the peer can't know it without reading on.
  package var duration: Int64?
  package var isSeekable = false
  package var tracks: [Track] = []

  package init(contentsOf url: URL) throws {
    try self.init(parsing: String(contentsOf: url, encoding: .utf8))
  }

  /// Reads the text of a dump. Throws when the numbers of tracks or samples do not agree.
  package init(parsing text: String) throws {
    var statedTracks = 0
    var inSample = false
    for line in text.split(separator: "\n", omittingEmptySubsequences: true) {
      let indent = line.prefix { $0 == " " }.count
      let content = line.dropFirst(indent)
      let pair = AndroidDump.pair(content)
      let last = tracks.count - 1
      switch indent {
      case 0 where content.hasPrefix("track "):
        tracks.append(Track(identifier: Int(content.dropFirst(6).dropLast()) ?? -1))
      case 0:
        if let pair, pair.name == "numberOfTracks" { statedTracks = Int(pair.value) ?? 0 }
      case 2 where last < 0:
        if let pair, pair.name == "duration" { duration = Int64(pair.value) }
        if let pair, pair.name == "isSeekable" { isSeekable = pair.value == "true" }
      case 2 where content.hasPrefix("format "):
        inSample = false
        tracks[last].formats.append(Format())
      case 2 where content.hasPrefix("sample ") && content.hasSuffix(":"):
        inSample = true
        tracks[last].samples.append(Sample(time: 0, flags: 0, size: 0, hash: 0))
      case 2:
        if let pair, pair.name == "sample count" {
          tracks[last].statedSampleCount = Int(pair.value) ?? 0
        }
        if let pair, pair.name == "track duration" {
          tracks[last].statedDuration = Int64(pair.value)
        }
      case 4... where inSample:
        guard let pair, !tracks[last].samples.isEmpty else { continue }
        AndroidDump.set(pair, in: &tracks[last].samples[tracks[last].samples.count - 1])
      case 4...:
        guard let pair, last >= 0, !tracks[last].formats.isEmpty, pair.name != "data" else {
          continue
        }
        tracks[last].formats[tracks[last].formats.count - 1].values[pair.name] = pair.value
      default: continue
      }
    }
    guard statedTracks == tracks.count,
      tracks.allSatisfy({ $0.samples.count == $0.statedSampleCount })
    else { throw MediaToolError.unexpected("The dump is not complete.") }
  }

  private static func pair(_ content: Substring) -> (name: String, value: String)? {
    guard let range = content.range(of: " = ") else { return nil }
    return (String(content[..<range.lowerBound]), String(content[range.upperBound...]))
  }

  private static func set(_ pair: (name: String, value: String), in sample: inout Sample) {
    switch pair.name {
    case "time": sample.time = Int64(pair.value) ?? 0
    case "flags": sample.flags = Int(pair.value) ?? 0
    case "data":
      // length 78829, hash 9265686F
      let words = pair.value.split(whereSeparator: { $0 == " " || $0 == "," })
      guard words.count == 4 else { return }
      sample.size = Int(words[1]) ?? -1
      sample.hash = UInt32(words[3], radix: 16) ?? 0
    default: return
    }
  }

  /// Java's `Arrays.hashCode(byte[])`, which the dumps use.
  package static func hash(_ bytes: some Sequence<UInt8>) -> UInt32 {
    bytes.reduce(1) { 31 &* $0 &+ UInt32(bitPattern: Int32(Int8(bitPattern: $1))) }
  }

  /// The same of an H.264 or HEVC sample, whose lengths the peer replaces by start codes first.
  ///
  /// `lengthSize` is the size of a length in bytes; only 4 keeps the size of the sample.
  package static func hash(nalUnits bytes: [UInt8], lengthSize: Int = 4) -> UInt32 {
    var rewritten: [UInt8] = []
    rewritten.reserveCapacity(bytes.count)
    var position = 0
    while position + lengthSize <= bytes.count {
      let length = bytes[position..<position + lengthSize].reduce(0) { $0 << 8 | Int($1) }
      position += lengthSize
      let end = min(bytes.count, position + length)
      rewritten += [0, 0, 0, 1] + bytes[position..<end]
      position = end
    }
    return hash(rewritten)
  }
}
