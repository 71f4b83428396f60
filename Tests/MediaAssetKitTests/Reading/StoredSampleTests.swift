import Foundation
import MediaTestSupport
import Testing

@testable import MediaAssetKit

/// Stored samples against androidx's dumps, sample by sample: times after the edit list, sizes, sync flags, hashes.
///
/// Where the peer hands out other bytes than the file holds, ours are rewritten in its way before they are hashed, so that
/// every hash is compared.
@Suite struct StoredSampleTests {
  struct Line: Equatable, CustomStringConvertible {
    var time: Int64
    var size: Int
    var isSync: Bool
    var hash: UInt32
    var description: String { "\(time) µs, \(size) bytes\(isSync ? ", sync" : ""), \(String(hash, radix: 16))" }
  }

  struct Stored {
    var time: Double
    var bytes: [UInt8]
    var isSync: Bool
    var isHidden: Bool
    var duration: Double
  }

  /// What of a dump can't be compared, and why.
  private enum Exclusion {
    /// The peer lists nothing there; ours lists the empty or broken track.
    static let tracks: Set = ["sample_empty_track.mp4", "sample_missing_stsd.mp4"]
    /// The peer decodes ADPCM while reading; a picture is no track here, and not every FFmpeg reads it.
    static let files: Set = ["sample_ima_adpcm.wav", "sample_still_photo.heic"]
    /// A second layer of the pictures is a format of its own for the peer; its samples are compared like all others.
    static let encrypted = "sample_fragmented_sgpd_v2.mp4"
    /// The file begins and ends within a sync frame: libav takes the pieces for frames and gives the first piece the time
    /// of the frame that begins behind it, so the first whole frame's time can't be compared either.
    static let pieces = "sample_ac3.ts"
    /// libav takes a short block behind a long one at the end of a page for 128 samples; it has 576 and begins 448
    /// earlier (of 48 000 a second). The bytes are compared; their hash holds the wrong count.
    static let misjudged = (name: "bear_vorbis.ogg", microseconds: Int64(9333))
  }

  /// By how much the peer's clock differs, in microseconds. CLI.md: the asset's zero is the earliest presented sample's in
  /// containers whose clock starts anywhere; priming lies before zero.
  private static let shifts: [String: [String: Int64]] = [
    // The peer counts from the first clock reference.
    "sample_h264_mpeg_audio.ts": ["": 66_733], "sample_h265.ts": ["": 66_666], "sample_ac3.ts": ["": 32_000],
    // The header's pre-skip: 312 samples at 48 kHz.
    "bear.opus": ["": 6500],
    // Matroska's CodecDelay, 23 ms in the track's ticks.
    "sample_with_chapters.mkv": ["audio/": 23_000],
  ]

  static var rows: [CorpusRow] {
    guard let corpus = Corpus.orCount(1) else { return [] }
    return corpus.rows.filter { row in
      row.path.hasPrefix("androidx+media/") && row.expectations.contains { $0.hasSuffix(".dump") }
        && !Exclusion.files.contains(name(row))
    }
  }

  static func name(_ row: CorpusRow) -> String { row.path.split(separator: "/").last.map(String.init) ?? "" }

  @Test(arguments: rows)
  func samplesAreThePeers(_ row: CorpusRow) async throws {
    let corpus = try #require(Corpus.shared)
    let dump = try AndroidDump(
      contentsOf: corpus.url(path: try #require(row.expectations.first { $0.hasSuffix(".dump") })))
    let asset = MediaAsset(url: corpus.url(path: row.path))
    let tracks = try await asset.load(.tracks)
    for (kind, prefix) in [(MediaType.video, "video/"), (.audio, "audio/")] {
      let peers = dump.tracks.filter { $0.format.sampleMimeType.hasPrefix(prefix) }
      let ours = tracks.filter { $0.mediaType == kind }
      if Exclusion.tracks.contains(Self.name(row)) {
        #expect(ours.count >= peers.count)
      } else {
        #expect(ours.count == peers.count)
      }
      for (track, peer) in zip(ours, peers) { try await compare(track, peer, row, prefix) }
    }
  }

  private func compare(_ track: AssetTrack, _ peer: AndroidDump.Track, _ row: CorpusRow, _ prefix: String) async throws
  {
    let name = Self.name(row)
    var stored = try await Self.samples(of: track)
    var wanted = peer.samples.map { Line(time: $0.time, size: $0.size, isSync: $0.isSync, hash: $0.hash) }
    // The peer leaves out what the edit list hides, of sound.
    if prefix == "audio/", stored.count > wanted.count { stored.removeAll(where: \.isHidden) }
    if name == Exclusion.pieces {
      stored = Array(stored[2..<(stored.count - 1)])
      wanted.removeFirst()
    }
    var shift = Self.shifts[name]?[""] ?? Self.shifts[name]?[prefix] ?? 0
    // The peer states priming and does not take it off the times.
    if let delay = peer.format.encoderDelay, let rate = peer.format.sampleRate {
      shift += Int64((Double(delay) * 1_000_000 / Double(rate)).rounded())
    }
    if peer.format.sampleMimeType == "audio/raw" {
      stored = Self.rechunked(stored, sizes: wanted.map(\.size))
    }
    if name == "sample_h265.ts" {
      // The zero byte before a start code ends a sample here and begins the next one there.
      let pieces = Self.rechunked(stored, sizes: wanted.map(\.size))
      for index in stored.indices where index < pieces.count { stored[index].bytes = pieces[index].bytes }
    }
    #expect(stored.count == wanted.count, "\(row.path) track \(track.trackID)")
    for (number, sample) in stored.enumerated() where number < wanted.count {
      let line = Self.line(sample, peer, name)
      let difference = abs(line.time + shift - wanted[number].time)
      let isSame =
        difference <= Self.tolerance(name, number)
        && line.size == wanted[number].size && line.isSync == wanted[number].isSync
        && (line.hash == wanted[number].hash || name == Exclusion.encrypted)
      guard !isSame else { continue }
      if name == Exclusion.misjudged.name, line.size == wanted[number].size,
        abs(difference - Exclusion.misjudged.microseconds) <= 1 || number == wanted.count - 1 && difference <= 1
      {
        // The last packet is longer than what the file presents of it.
        continue
      }
      Issue.record("\(row.path) track \(track.trackID) sample \(number): \(line) for \(wanted[number])")
      break
    }
  }

  /// The peer rounds to microseconds downwards or to nearest.
  private static func tolerance(_ name: String, _ number: Int) -> Int64 {
    // It adds up rounded durations where the file has no times.
    if name.hasSuffix(".adts") || name.hasSuffix(".amr") { return Int64(number) * 2 + 1 }
    // It places the frames of a laced block by their duration, libav by Matroska's milliseconds: two ticks at most.
    if name == "sample.mkv" { return 2000 }
    return 2
  }

  static func samples(of track: AssetTrack) async throws -> [Stored] {
    var list: [Stored] = []
    for try await sample in try Reader(asset: track.asset).output(for: track) {
      let bytes = try #require(sample.stored).withBytes { span in span.withUnsafeBytes { Array($0) } }
      list.append(
        Stored(
          time: sample.presentationTime.seconds * 1_000_000, bytes: bytes, isSync: sample.isSync,
          isHidden: sample.isHidden, duration: sample.duration.seconds))
    }
    return list
  }

  /// The same bytes cut at other places; a piece has the time of its first byte.
  private static func rechunked(_ stored: [Stored], sizes: [Int]) -> [Stored] {
    let all = stored.flatMap(\.bytes)
    var starts: [(offset: Int, sample: Stored)] = []
    var offset = 0
    for sample in stored {
      starts.append((offset, sample))
      offset += sample.bytes.count
    }
    var place = 0
    return sizes.map { size in
      let end = min(all.count, place + size)
      let holder = starts.last { $0.offset <= place } ?? starts[0]
      let share = Double(place - holder.offset) / Double(max(1, holder.sample.bytes.count))
      defer { place = end }
      return Stored(
        time: holder.sample.time + share * holder.sample.duration * 1_000_000,
        bytes: Array(all[min(place, end)..<end]), isSync: holder.sample.isSync, isHidden: false, duration: 0)
    }
  }

  private static func line(_ sample: Stored, _ peer: AndroidDump.Track, _ name: String) -> Line {
    var bytes = sample.bytes
    var time = sample.time
    switch peer.format.sampleMimeType {
    case "audio/mp4a-latm" where name.hasSuffix(".adts"):
      // The peer takes off the headers: seven bytes, or nine with a checksum.
      bytes.removeFirst(bytes[1] & 1 == 1 ? 7 : 9)
    case "audio/vorbis":
      // The peer adds how many samples the packet gives (the first gives none), or -1 in Matroska, and begins at 0.
      let rate = Double(peer.format.sampleRate ?? 0)
      let count = name.hasSuffix(".ogg") ? UInt32((time < 0 ? 0 : sample.duration * rate).rounded()) : .max
      bytes += (0..<4).map { UInt8(truncatingIfNeeded: count >> (8 * $0)) }
      time = max(0, time)
    case "video/avc", "video/hevc", "video/dolby-vision", "video/mv-hevc":
      if !name.hasSuffix(".ts") {
        // 25 bytes more of an encrypted sample: a signal byte, a vector of 16, a count of 2, one part of 6.
        let extra = name == Exclusion.encrypted ? 25 : 0
        return Line(
          time: Int64(time.rounded()), size: bytes.count + extra, isSync: sample.isSync,
          hash: AndroidDump.hash(nalUnits: bytes))
      }
    default: break
    }
    return Line(
      time: Int64(time.rounded()), size: bytes.count, isSync: sample.isSync, hash: AndroidDump.hash(bytes))
  }
}

/// Stored samples against mp4ff's tables: media time, sizes, caption bytes.
@Suite struct ListedSampleTests {
  private static var rows: [CorpusRow] {
    guard let corpus = Corpus.orCount(1) else { return [] }
    return corpus.rows.filter { row in
      row.path.hasPrefix("Eyevinn+mp4ff/") && row.expectations.contains { $0.hasSuffix(".txt") && !$0.contains("dump") }
    }
  }

  @Test(arguments: rows)
  func samplesAreListed(_ row: CorpusRow) async throws {
    let corpus = try #require(Corpus.shared)
    let path = try #require(row.expectations.first { $0.hasSuffix(".txt") && !$0.contains("dump") })
    let listing = try SampleListing(contentsOf: corpus.url(path: path))
    let asset = MediaAsset(url: corpus.url(path: row.path))
    for listed in listing.tracks {
      let track = try #require(try await asset.loadTrack(withTrackID: Int32(listed.number)))
      let scale = try await track.load(.naturalTimeScale)
      if let timescale = listed.timescale { #expect(Int(scale) == timescale) }
      let stored = try await StoredSampleTests.samples(of: track)
      #expect(stored.count >= listed.samples.count)
      // The listing's times are the media's, before the edit list.
      let first = try #require(listed.samples.first)
      let offset = Double(first.time) - stored[0].time / 1e6 * Double(scale)
      for (sample, wanted) in zip(stored, listed.samples) {
        // libav hands out the pairs of a `cdat` box as triples with a type.
        if !wanted.bytes.isEmpty, listed.handler == "clcp" {
          let pairs = Array(wanted.bytes.dropFirst(8))
          let triples = stride(from: 0, to: pairs.count, by: 2).flatMap { place -> [UInt8] in
            [0xFC, pairs[place], pairs[place + 1]]
          }
          #expect(sample.bytes == triples)
          continue
        }
        #expect(abs(sample.time / 1e6 * Double(scale) + offset - Double(wanted.time)) < 0.5)
        #expect(sample.bytes.count == wanted.size)
      }
    }
  }
}
