import FoundationEssentials
import MediaAssetKit

#if canImport(Glibc)
  import Glibc
#elseif canImport(Darwin)
  import Darwin
#endif

/// What the process holds at a moment, from the system's own books.
struct ProcessHoldings {
  var residentKilobytes: Int
  var descriptors: Int
  var threads: Int

  static func now() -> ProcessHoldings {
    func count(_ folder: String) -> Int { (try? FileManager.default.contentsOfDirectory(atPath: folder).count) ?? 0 }
    let pages = (try? String(contentsOfFile: "/proc/self/statm", encoding: .utf8))?.split(separator: " ")[1]
    return ProcessHoldings(
      residentKilobytes: (pages.flatMap { Int($0) } ?? 0) * Int(getpagesize()) / 1024,
      descriptors: count("/proc/self/fd"),
      threads: count("/proc/self/task"))
  }

  var json: String {
    #"{"residentKilobytes":\#(residentKilobytes),"descriptors":\#(descriptors),"threads":\#(threads)}"#
  }
}

/// Jobs that look for what is left behind, in a process of their own; each prints what was held before and after.
enum StressJobs {
  static let all: [String: @Sendable (URL, Int) async throws -> Int] = [
    "stress_opens": opens, "stress_tasks": tasks, "stress_servers": servers,
    "stress_exports": exports,
    "stress_long": { _, minutes in try await long(minutes: minutes) },
  ]

  /// Opens, loads and stills in turn, a third of them cancelled at some moment. The first tenth warms up.
  @Sendable private static func opens(_ url: URL, count: Int) async throws -> Int {
    var before = ProcessHoldings.now()
    for number in 0..<count {
      if number == max(1, count / 10) { before = .now() }
      let task = Task {
        let asset = MediaAsset(url: url)
        var generator = ImageGenerator(asset: asset)
        generator.maximumSize = PixelSize(width: 32, height: 0)
        let time = MediaTime(value: Int64(number % 40), timescale: 10)
        switch number % 4 {
        case 0: _ = try await asset.load(.duration, .tracks)
        case 1: _ = try await generator.image(at: time)
        case 2:
          generator.requestedTimeToleranceBefore = .zero
          generator.requestedTimeToleranceAfter = .zero
          _ = try await generator.image(at: time)
        default:
          for await _ in generator.images(for: [time, .zero, MediaTime(value: 1, timescale: 1)]) where number % 3 == 0 {
            break
          }
        }
      }
      if number % 3 == 0 {
        try await Task.sleep(for: .microseconds(number * 7919 % 3000))
        task.cancel()
      }
      _ = await task.result
    }
    try await settle()
    print(#"{"before":\#(before.json),"after":\#(ProcessHoldings.now().json)}"#)
    return count
  }

  /// `count` tasks at once on one asset, then on as many assets: each draws a still and reads some frames.
  @Sendable private static func tasks(_ url: URL, count: Int) async throws -> Int {
    let before = ProcessHoldings.now()
    let shared = MediaAsset(url: url)
    var served = 0
    var most = 0
    for asset in [shared, nil] {
      try await withThrowingTaskGroup(of: Void.self) { group in
        for number in 0..<count {
          group.addTask {
            let asset = asset ?? MediaAsset(url: url)
            var generator = ImageGenerator(asset: asset)
            generator.requestedTimeToleranceBefore = .zero
            generator.requestedTimeToleranceAfter = .zero
            _ = try await generator.image(at: MediaTime(value: Int64(number % 40), timescale: 10))
            // All iterators live at the same time: each waits for the others between its pictures.
            var frames = try await asset.loadDefaultTrack(withMediaType: .video)?.frames().makeAsyncIterator()
            for _ in 0..<5 {
              _ = try await frames?.next()
              await Task.yield()
            }
          }
        }
        while try await group.next() != nil {
          served += 1
          most = max(most, ProcessHoldings.now().threads)
        }
      }
    }
    print(#"{"before":\#(before.json),"after":\#(ProcessHoldings.now().json),"mostThreads":\#(most)}"#)
    return served
  }

  /// `count` assets on a server that never answers, and the time that a still from a local file takes beside them.
  @Sendable private static func servers(_ url: URL, count: Int) async throws -> Int {
    let port = try silentPort()
    let clock = ContinuousClock()
    let alone = try await clock.measure { try await still(url) }
    var options = MediaAsset.Options()
    options.policy.allowsNetwork = true
    options.policy.allowsLoopbackForAsset = true
    let allowed = options
    let silent = (0..<count).map { number in
      Task {
        guard let url = URL(string: "http://127.0.0.1:\(port)/\(number).mp4") else { return }
        _ = try await MediaAsset(url: url, options: allowed).load(.duration)
      }
    }
    try await Task.sleep(for: .seconds(1))
    let holdings = ProcessHoldings.now()
    let beside = try await clock.measure { try await still(url) }
    let start = clock.now
    for task in silent { task.cancel() }
    for task in silent { _ = await task.result }
    let ended = clock.now - start
    func milliseconds(_ duration: Duration) -> Double {
      Double(duration.components.attoseconds) / 1e15 + Double(duration.components.seconds) * 1e3
    }
    print(
      #"{"threads":\#(holdings.threads),"aloneMilliseconds":\#(milliseconds(alone)),"besideMilliseconds":\#(milliseconds(beside)),"cancelMilliseconds":\#(milliseconds(ended))}"#
    )
    return count
  }

  private static func still(_ url: URL) async throws {
    var generator = ImageGenerator(asset: MediaAsset(url: url))
    generator.maximumSize = PixelSize(width: 320, height: 0)
    _ = try await generator.image(at: MediaTime(value: 1, timescale: 1))
  }

  /// Exports in turn, every second one cancelled at some moment, then eight at once. The first tenth warms up.
  @Sendable private static func exports(_ url: URL, count: Int) async throws -> Int {
    let folder = FileManager.default.temporaryDirectory.appending(path: "stress-\(UInt64.random(in: 0 ... .max))")
    try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
    defer { try? FileManager.default.removeItem(at: folder) }
    let presets: [(ExportPreset, String)] = [
      (.passthrough, "mp4"), (.size640x480, "mp4"), (.passthrough, "mkv"), (.appleM4A, "m4a"), (.size640x480, "mkv"),
    ]
    @Sendable func export(_ number: Int) async throws {
      let (preset, kind) = presets[number % presets.count]
      let session = ExportSession(asset: MediaAsset(url: url), preset: preset)
      session.timeRange = MediaTimeRange(
        start: MediaTime(value: Int64(number % 10), timescale: 10), duration: MediaTime(value: 1, timescale: 2))
      session.cut = number % 3 == 0 ? .exact : .automatic
      session.synchronizesToDisk = false
      session.overwritesExisting = true
      let target = folder.appending(path: "\(number).\(kind)")
      try await session.export(to: target)
      try FileManager.default.removeItem(at: target)
    }
    var before = ProcessHoldings.now()
    var (completed, cancelled, failed) = (0, 0, 0)
    func note(_ result: Result<Void, any Error>) {
      switch result {
      case .success: completed += 1
      case .failure(let error): if error is CancellationError { cancelled += 1 } else { failed += 1 }
      }
    }
    for number in 0..<count {
      if number == max(1, count / 10) {
        // As many threads as eight exports ever need at once stay in the pools: many copies at once fill these, and hold
        // little. Each fifth export copies, and cuts by an edit list where its number is no multiple of three.
        for task in (0..<64).map({ number in Task { try await export(15 * number + 10) } }) { note(await task.result) }
        for task in (0..<8).map({ number in Task { try await export(number) } }) { note(await task.result) }
        try await settle()
        before = .now()
      }
      let task = Task { try await export(number) }
      if number % 2 == 0 {
        try await Task.sleep(for: .microseconds(number * 7919 % 40_000))
        task.cancel()
      }
      note(await task.result)
    }
    for _ in 0..<2 {
      let tasks = (0..<8).map { number in Task { try await export(number) } }
      for task in tasks { note(await task.result) }
    }
    try await settle()
    // Cancelled after the file was complete, it stays; anything else is left behind.
    let names = try FileManager.default.contentsOfDirectory(atPath: folder.path)
    let left = names.filter { name in !(0..<count).contains { name == "\($0).\(presets[$0 % presets.count].1)" } }
    print(
      #"{"before":\#(before.json),"after":\#(ProcessHoldings.now().json),"completed":\#(completed),"cancelled":\#(cancelled),"failed":\#(failed),"leftBehind":\#(left.count)}"#
    )
    return count
  }

  /// A listening socket that nobody accepts on: the kernel completes connections, and nothing ever answers.
  private static func silentPort() throws -> UInt16 {
    #if canImport(Glibc)
      let listener = socket(AF_INET, Int32(SOCK_STREAM.rawValue), 0)
    #else
      let listener = socket(AF_INET, SOCK_STREAM, 0)
    #endif
    var address = sockaddr_in()
    address.sin_family = sa_family_t(AF_INET)
    address.sin_addr.s_addr = UInt32(0x7F00_0001).bigEndian
    var length = socklen_t(MemoryLayout<sockaddr_in>.size)
    let port: UInt16? = withUnsafeMutablePointer(to: &address) { pointer in
      pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) { raw in
        guard bind(listener, raw, length) == 0, listen(listener, 4096) == 0, getsockname(listener, raw, &length) == 0
        else { return nil }
        return pointer.pointee.sin_port.bigEndian
      }
    }
    guard let port else {
      throw MediaError(.unknown, operation: "open", subject: "a listening socket", reason: "the system refuses it")
    }
    return port
  }

  /// Writes two tracks of telephone sound, 50 samples a second of 160 bytes each, of some minutes, and reads them: in
  /// fragments where the type has them. What the process holds must not depend on the length.
  private static func long(minutes: Int) async throws -> Int {
    let output = WritingJobs.output
    var options = Writer.Options()
    options.overwritesExisting = true
    options.synchronizesToDisk = false
    options.movieFragmentInterval = MediaTime(value: 10, timescale: 1)
    let count = minutes * 3000
    try await withWriter(url: output, fileType: WritingJobs.types[output.pathExtension] ?? .mov, options: options) {
      writer in
      for codec in ["pcm_alaw", "pcm_mulaw"] {
        var hint = FormatDescription(mediaType: .audio, codec: codec)
        hint.audio = AudioFormat(sampleRate: 8000, channels: 1)
        try writer.add(Writer.Input(mediaType: .audio, settings: nil, sourceFormatHint: hint))
      }
      try await writer.start()
      try writer.startSession(at: .zero)
      try await withThrowingTaskGroup(of: Void.self) { group in
        for input in writer.inputs {
          group.addTask {
            let bytes = (0..<160).map { UInt8($0) }
            for number in 0..<count {
              try await input.append(
                SampleBuffer(
                  bytes: bytes, presentationTime: MediaTime(value: Int64(number) * 160, timescale: 8000),
                  duration: MediaTime(value: 160, timescale: 8000)))
            }
            input.finish()
          }
        }
        try await group.waitForAll()
      }
    }
    let written = ProcessHoldings.now()
    let reader = Reader(asset: MediaAsset(url: output))
    var bytes = 0
    for track in try await reader.asset.load(.tracks) {
      for try await sample in try reader.output(for: track) { bytes += sample.stored?.size ?? 0 }
    }
    print(#"{"written":\#(written.json),"read":\#(ProcessHoldings.now().json),"isWhole":\#(bytes == count * 320)}"#)
    return 2 * count
  }

  /// Tear-down runs behind the last answer.
  private static func settle() async throws {
    try await Task.sleep(for: .milliseconds(500))
  }
}
