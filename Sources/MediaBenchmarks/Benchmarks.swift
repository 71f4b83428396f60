import FoundationEssentials
import MediaAssetKit

#if canImport(Glibc)
  import Glibc
#elseif canImport(Darwin)
  import Darwin
#endif

/// `MediaBenchmarks JOB FILE COUNT REPETITIONS`: one JSON line with the median and the fastest repetition.
///
/// Pictures are 320 pixels wide, as the floor's. Exit status 2 for a job that this version does not have.
@main struct Benchmarks {
  static func main() async throws {
    let arguments = CommandLine.arguments
    guard arguments.count >= 3,
      let job = jobs[arguments[1]] ?? ExportJobs.all[arguments[1]] ?? CompositionJobs.all[arguments[1]]
        ?? LayerJobs.all[arguments[1]] ?? StressJobs.all[arguments[1]]
    else {
      let names =
        Array(jobs.keys) + ExportJobs.all.keys + CompositionJobs.all.keys + LayerJobs.all.keys
      print("jobs: \(names.sorted().joined(separator: " "))")
      exit(2)
    }
    let url = URL(filePath: arguments[2])
    let count = arguments.count > 3 ? Int(arguments[3]) ?? 0 : 0
    let repetitions = arguments.count > 4 ? max(1, Int(arguments[4]) ?? 5) : 5
    let clock = ContinuousClock()
    var durations: [Duration] = []
    var units = 0
    let processor = processorTime()
    for _ in 0..<repetitions {
      let start = clock.now
      units = try await job(url, count)
      durations.append(clock.now - start)
    }
    let spent = (processorTime() - processor) / Double(repetitions)
    let milliseconds = durations.map { Double($0.components.attoseconds) / 1e15 + Double($0.components.seconds) * 1e3 }
      .sorted()
    print(
      """
      {"job":"\(arguments[1])","count":\(count),"medianMilliseconds":\(milliseconds[milliseconds.count / 2]),\
      "minimumMilliseconds":\(milliseconds[0]),"processorMilliseconds":\(spent * 1e3),"units":\(units),\
      "peakKilobytes":\(peakMemory())}
      """)
  }

  private static let jobs: [String: @Sendable (URL, Int) async throws -> Int] = [
    "probe": { url, _ in
      let (_, tracks) = try await MediaAsset(url: url).load(.duration, .tracks)
      return tracks.count
    },
    "thumbs_key": { url, count in try await images(url, evenTimes: count, tolerance: .positiveInfinity) },
    "thumbs_exact": { url, count in try await images(url, evenTimes: count, tolerance: .zero) },
    "thumbs_random": { url, count in
      let (asset, generator) = generator(url, tolerance: .zero)
      let duration = try await asset.load(.duration)
      var state: UInt64 = 42
      let times = (0..<count).map { _ in
        // Knuth's multiplier: the same times in every run.
        state = state &* 6_364_136_223_846_793_005 &+ 1_442_695_040_888_963_407
        let part = Int64(state >> 33)
        return MediaTime(value: (duration.value * 1000 * part) >> 31, timescale: duration.timescale * 1000)
      }
      return try await served(generator.images(for: times, order: .asCompleted))
    },
    "decode": { url, _ in
      guard let track = try await MediaAsset(url: url).loadDefaultTrack(withMediaType: .video) else { return 0 }
      var frames = 0
      for try await _ in track.frames() { frames += 1 }
      return frames
    },
    "decode_bgra": { url, _ in
      guard let track = try await MediaAsset(url: url).loadDefaultTrack(withMediaType: .video) else { return 0 }
      var frames = 0
      for try await _ in track.frames(settings: VideoOutputSettings(pixelFormat: .bgra)) { frames += 1 }
      return frames
    },
    "decodescale": { url, _ in
      let (asset, generator) = generator(url, tolerance: .zero)
      guard let track = try await asset.loadDefaultTrack(withMediaType: .video) else { return 0 }
      let (range, step) = try await track.load(.timeRange, .nominalFrameDuration)
      var times: [MediaTime] = []
      var time = range.start
      while time < range.end {
        times.append(time)
        time = time + step
      }
      return try await served(generator.images(for: times))
    },
    "peaks": { url, _ in
      // A hundred bins a second, as the floor's.
      guard let track = try await MediaAsset(url: url).loadDefaultTrack(withMediaType: .audio) else { return 0 }
      let rate = try await track.load(.naturalTimeScale)
      return Int(try await track.waveform(samplesPerPixel: max(1, Int(rate) / 100)).sampleCount)
    },
    "remux": { url, _ in try await WritingJobs.remux(url, isHeaderFirst: false) },
    "players": { url, _ in try await PlayerJobs.write(url) },
    "record": { url, count in try await WritingJobs.record(url, pause: max(1, count)) },
    "remux_faststart": { url, _ in try await WritingJobs.remux(url, isHeaderFirst: true) },
    "thumbs_thousand": { url, count in
      let (_, generator) = generator(url, tolerance: .positiveInfinity)
      return try await served(generator.images(for: try await generator.evenlySpacedTimes(count: max(count, 1000))))
    },
  ]

  private static func images(_ url: URL, evenTimes count: Int, tolerance: MediaTime) async throws -> Int {
    let (_, generator) = generator(url, tolerance: tolerance)
    let times = try await generator.evenlySpacedTimes(count: count)
    if count == 1 {
      _ = try await generator.image(at: times[0])
      return 1
    }
    return try await served(generator.images(for: times, order: .asCompleted))
  }

  private static func generator(_ url: URL, tolerance: MediaTime) -> (MediaAsset, ImageGenerator) {
    let asset = MediaAsset(url: url)
    var generator = ImageGenerator(asset: asset)
    generator.maximumSize = PixelSize(width: 320, height: 0)
    generator.requestedTimeToleranceBefore = tolerance
    generator.requestedTimeToleranceAfter = tolerance
    return (asset, generator)
  }

  private static func served(_ images: Images) async throws -> Int {
    var count = 0
    for await element in images {
      _ = try element.image
      count += 1
    }
    return count
  }

  private static func processorTime() -> Double {
    var usage = rusage()
    getrusage(0, &usage)  // RUSAGE_SELF
    func seconds(_ time: timeval) -> Double { Double(time.tv_sec) + Double(time.tv_usec) / 1e6 }
    return seconds(usage.ru_utime) + seconds(usage.ru_stime)
  }

  private static func peakMemory() -> Int {
    var usage = rusage()
    getrusage(0, &usage)  // RUSAGE_SELF
    return Int(usage.ru_maxrss)
  }
}
