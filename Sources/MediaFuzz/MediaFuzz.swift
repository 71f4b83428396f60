import Dispatch
import FoundationEssentials
import MediaAssetKit

/// libFuzzer's entry: opens the bytes, describes every track and draws a still. Built by scripts/fuzz alone.
@_cdecl("LLVMFuzzerTestOneInput")
public func fuzzOneInput(_ bytes: UnsafePointer<UInt8>?, _ count: Int) -> Int32 {
  let data = Data(UnsafeBufferPointer(start: bytes, count: count))
  let done = DispatchSemaphore(value: 0)
  Task.detached {
    defer { done.signal() }
    var options = MediaAsset.Options()
    // Small limits, so that what is slow but sound does not look like a hang.
    options.policy.maximumPixels = 1 << 20
    options.policy.maximumHeaderBytes = 1 << 20
    let asset = MediaAsset(data: data, options: options)
    _ = try? await asset.load(.duration, .tracks, .isPlayable)
    _ = try? await asset.load(.metadata, .commonMetadata, .trackGroups)
    _ = try? await asset.loadChapterMetadataGroups(bestMatchingPreferredLanguages: ["en"])
    for kind in [MediaCharacteristic.audible, .legible, .visual] {
      _ = try? await asset.loadMediaSelectionGroup(for: kind)
    }
    for track in (try? await asset.load(.tracks)) ?? [] {
      _ = try? await track.load(.formatDescriptions, .timeRange, .segments, .mediaCharacteristics)
    }
    var generator = ImageGenerator(asset: asset)
    generator.maximumSize = PixelSize(width: 64, height: 64)
    _ = try? await generator.image(at: MediaTime(value: 1, timescale: 1))
    generator.requestedTimeToleranceBefore = .zero
    generator.requestedTimeToleranceAfter = .zero
    _ = try? await generator.image(at: .zero)
    _ = try? await asset.loadArtwork()
  }
  done.wait()
  return 0
}
