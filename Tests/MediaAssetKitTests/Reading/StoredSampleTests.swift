import Foundation
import MediaTestSupport
import Testing

@testable import MediaAssetKit

/// Stored samples against androidx's dumps, sample by sample: times after the edit list, sizes, sync flags, hashes.
@Suite struct StoredSampleTests {
  private struct Line: Equatable, CustomStringConvertible {
    var time: Int64
    var size: Int
    var isSync: Bool
    var hash: UInt32
    var description: String { "\(time) µs, \(size) bytes\(isSync ? ", sync" : ""), \(String(hash, radix: 16))" }
  }

  /// Files whose dumps differ on purpose.
  private static let exceptions: [String: String] = [
    "sample_opus.mp4": "the peer drops the samples behind the edit's end; every stored sample is listed here",
    "sample_ipcm_16be.mp4": "the peer joins PCM to pieces of its own size",
    "sample_fpcm_32le.mp4": "the peer joins PCM to pieces of its own size",
    "sample_empty_track.mp4": "the peer leaves the empty track out",
    "sample_missing_stsd.mp4": "the peer leaves the broken track out",
  ]

  /// The peer rounds to microseconds downwards or to nearest.
  private static func difference(_ line: Line, _ wanted: Line) -> String? {
    let isSame = abs(line.time - wanted.time) <= 1 && line.size == wanted.size && line.isSync == wanted.isSync
    return isSame && line.hash == wanted.hash ? nil : "\(line) for \(wanted)"
  }

  private static var rows: [CorpusRow] {
    guard let corpus = Corpus.orCount(1) else { return [] }
    return corpus.rows.filter { row in
      let name = row.path.split(separator: "/").last.map(String.init) ?? ""
      return row.path.hasPrefix("androidx+media/") && (name.hasSuffix(".mp4") || name.hasSuffix(".mov"))
        && row.expectations.contains { $0.hasSuffix(".dump") } && exceptions[name] == nil
    }
  }

  @Test(arguments: rows)
  func samplesAreThePeers(_ row: CorpusRow) async throws {
    let corpus = try #require(Corpus.shared)
    let dump = try AndroidDump(contentsOf: corpus.url(path: try #require(row.expectations.first { $0.hasSuffix(".dump") })))
    let asset = MediaAsset(url: corpus.url(path: row.path))
    let tracks = try await asset.load(.tracks)
    for (kind, prefix) in [(MediaType.video, "video/"), (.audio, "audio/")] {
      let peers = dump.tracks.filter { $0.format.sampleMimeType.hasPrefix(prefix) }
      let ours = tracks.filter { $0.mediaType == kind }
      #expect(ours.count == peers.count)
      for (track, peer) in zip(ours, peers) {
        let lengthSize = ["video/avc", "video/hevc"].contains(peer.format.sampleMimeType) ? 4 : nil
        var lines: [Line] = []
        for try await sample in try Reader(asset: asset).output(for: track) {
          let stored = try #require(sample.stored)
          let bytes = stored.withBytes { span in span.withUnsafeBytes { Array($0) } }
          let seconds = sample.presentationTime
          lines.append(
            Line(
              time: Int64((Double(seconds.value) * 1_000_000 / Double(seconds.timescale)).rounded()), size: stored.size,
              isSync: sample.isSync,
              hash: lengthSize.map { AndroidDump.hash(nalUnits: bytes, lengthSize: $0) } ?? AndroidDump.hash(bytes)))
        }
        let wanted = peer.samples.map { Line(time: $0.time, size: $0.size, isSync: $0.isSync, hash: $0.hash) }
        #expect(lines.count == wanted.count, "\(row.path) track \(track.trackID)")
        for (number, line) in lines.enumerated() where number < wanted.count {
          guard let difference = Self.difference(line, wanted[number]) else { continue }
          Issue.record("\(row.path) track \(track.trackID) sample \(number): \(difference)")
          break
        }
      }
    }
  }
}
