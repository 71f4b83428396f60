import Foundation
import MediaTestSupport
import Testing

@testable import MediaAssetKit

/// Files that are cut off or changed at random open or fail with an error of this library: none traps, none hangs.
@Suite("Damaged files") struct DamagedFileTests {
  private static let isThorough = ProcessInfo.processInfo.environment["MEDIA_ALL"] == "1"

  /// A generated clip of every kind of container, and on machines that have them small real files.
  private static func files() async throws -> [(name: String, bytes: [UInt8])] {
    var files: [(String, [UInt8])] = []
    for kind: GeneratedClip.Kind in [
      .h264ClosedGroups, .severalEdits, .vp9, .mpeg2Transport, .mjpegAVI, .gif,
    ] {
      let clip = try await GeneratedClip.make(kind)
      files.append((kind.rawValue, [UInt8](try Data(contentsOf: clip.url))))
    }
    for (name, file) in [("D3", "d3.mp3"), ("S1", "s1.mp3"), ("C10", "c10.mpg")] {
      let url = try await AcceptanceCase.file(name, file)
      files.append((file, [UInt8](try Data(contentsOf: url).prefix(200_000))))
    }
    guard let corpus = Corpus.orCount() else { return files }
    for row in corpus.rows where row.size <= 100_000 {
      files.append((row.path, [UInt8](try Data(contentsOf: corpus.url(row)))))
    }
    return files
  }

  private static func damage(_ bytes: [UInt8], _ generator: inout SeededGenerator) -> [UInt8] {
    var bytes = bytes
    guard !bytes.isEmpty else { return bytes }
    // Headers stand at the beginning or at the end; most of the rest is media.
    func place() -> Int {
      switch Int.random(in: 0..<3, using: &generator) {
      case 0: Int.random(in: 0..<min(bytes.count, 4096), using: &generator)
      case 1:
        max(0, bytes.count - 1 - Int.random(in: 0..<min(bytes.count, 16_384), using: &generator))
      default: Int.random(in: 0..<bytes.count, using: &generator)
      }
    }
    switch Int.random(in: 0..<5, using: &generator) {
    case 0: bytes.removeLast(bytes.count - place())
    case 1:
      let start = place()
      for index in start..<min(bytes.count, start + 64) { bytes[index] = 0 }
    case 2:
      // Big numbers where sizes, counts and times stand.
      let start = place()
      let value: UInt8 = Bool.random(using: &generator) ? 0xFF : 0x7F
      for index in start..<min(bytes.count, start + 1 << Int.random(in: 0...3, using: &generator)) {
        bytes[index] = value
      }
    default:
      for _ in 0..<Int.random(in: 1...12, using: &generator) {
        bytes[place()] = UInt8.random(in: .min ... .max, using: &generator)
      }
    }
    return bytes
  }

  @Test(.timeLimit(.minutes(10))) func openOrFail() async throws {
    var generator = SeededGenerator(seed: Corpus.seed)
    let files = try await Self.files()
    let rounds = Self.isThorough ? 2000 : 120
    for round in 0..<rounds {
      let (name, bytes) = try #require(files.randomElement(using: &generator))
      let damaged = Self.damage(bytes, &generator)
      if ProcessInfo.processInfo.environment["MEDIA_REPORT"] == "1" {
        FileHandle.standardError.write(Data("round \(round) \(name)\n".utf8))
      }
      let start = ContinuousClock.now
      do {
        try await LoadedAsset.load(everythingOf: MediaAsset(data: Data(damaged)))
      } catch is MediaError {
      } catch { Issue.record("\(name), round \(round): \(error)") }
      let time = ContinuousClock.now - start
      #expect(time < .within(.seconds(10)), "\(name), round \(round), took \(time)")
    }
  }

  /// Cut off at every length up to the end of its header.
  @Test(
    .timeLimit(.minutes(5)),
    arguments: [
      "sample_fragmented.mp4", "sample_edit_list_no_sync_frame_before_edit.mp4", "bear.opus",
      "bear-vbr-xing-header.mp3",
    ])
  func everyLength(_ name: String) async throws {
    guard let corpus = Corpus.orCount(), let row = corpus.row("androidx+media/" + name) else {
      return
    }
    let bytes = [UInt8](try Data(contentsOf: corpus.url(row)))
    let step = Self.isThorough ? 7 : 211
    for count in stride(from: 0, to: min(bytes.count, 12_000), by: step) {
      do {
        try await LoadedAsset.load(everythingOf: MediaAsset(data: Data(bytes.prefix(count))))
      } catch is MediaError {
      } catch { Issue.record("\(name), \(count) bytes: \(error)") }
    }
  }
}

/// Asks an asset for everything that its header layer knows.
enum LoadedAsset {
  static func load(everythingOf asset: MediaAsset) async throws {
    let (_, _, tracks) = try await asset.load(.duration, .durationQuality, .tracks)
    _ = try await asset.load(.preferredRate, .preferredVolume, .preferredTransform, .fileType)
    _ = try await asset.load(.isPlayable, .isReadable, .hasProtectedContent, .containsFragments)
    _ = try await asset.load(.overallDurationHint, .container, .fileSize)
    for track in tracks {
      _ = try await track.load(.timeRange, .naturalTimeScale, .estimatedDataRate, .nominalFrameRate)
      _ = try await track.load(.minFrameDuration, .nominalFrameDuration, .languageCode)
      _ = try await track.load(.naturalSize, .preferredTransform, .segments, .sampleCount)
      _ = try await track.load(.isDecodable, .isEnabled, .requiresFrameReordering)
      _ = try await track.load(.totalSampleDataLength, .programNumber, .preferredVolume)
      _ = try await track.load(.formatDescriptions, .mediaCharacteristics)
    }
  }
}
