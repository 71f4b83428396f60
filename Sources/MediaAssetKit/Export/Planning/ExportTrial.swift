import FoundationEssentials
import LibAV

extension ExportSession {
  /// How large a file will be, as a short trial tells.
  public struct SizeEstimate: Sendable, Hashable {
    /// Bytes of the file.
    public var length: Int64
    /// Between these it lies, most of the time: closer together where the parts that were tried agree.
    public var bounds: ClosedRange<Int64>
    /// Whether something was encoded to find out; else the samples or the bit rates told.
    public var isTried: Bool
  }

  /// About how many bytes the file will have. Where only encoding tells, four short stretches are exported to the
  /// temporary folder: that takes as long as an export of a few seconds.
  ///
  /// - Returns: nil when nothing tells: a live source without an end.
  /// - Throws: What ``plan(for:)`` and ``export(to:as:)`` throw; `CancellationError`. Nothing is left behind.
  public func trialEstimate(for fileType: FileType) async throws -> SizeEstimate? {
    try Self.checkFolder(options.directoryForTemporaryFiles)
    let plan = try await plan(for: fileType)
    if plan.certainty == .good, let length = plan.expectedFileLength {
      return SizeEstimate(length: length, bounds: length - length / 10...length + length / 10, isTried: false)
    }
    let range = plan.presentedRange
    guard range.duration.isNumeric, range.duration > .zero else { return nil }
    let folder = options.directoryForTemporaryFiles ?? MediaConfiguration.current.temporaryDirectory
    var stretches: [ExportTrial.Stretch] = []
    for part in ExportTrial.parts(of: range) {
      let url = folder.appending(path: ".export-trial-\(UInt64.random(in: 0 ... .max))")
      defer { try? FileManager.default.removeItem(at: url) }
      var trial = options
      trial.timeRange = part
      trial.fileLengthLimit = 0
      trial.metadataFilter = .none
      trial.metadataTags = [:]
      trial.synchronizesToDisk = false
      trial.movieFragmentInterval = .invalid
      try await ExportSession(asset: asset, preset: preset, options: trial).export(to: url, as: fileType)
      stretches.append(try await ExportTrial.Stretch(url, duration: part.duration))
    }
    return ExportTrial(stretches, isWhole: stretches.count == 1).estimate(for: range.duration)
  }
}

/// What stretches of an export tell of the whole. Pure arithmetic, but for reading them.
struct ExportTrial {
  /// One stretch of the new file.
  struct Stretch: Sendable {
    var seconds: Double
    /// Of the file.
    var bytes: Int64
    /// Pictures, and bytes of those that are sync samples only because the stretch begins there.
    var pictures = 0
    var firstBytes: Int64 = 0
    /// Bytes of the pictures that lean on others, and how many they are.
    var otherBytes: Int64 = 0
    var others = 0
  }

  private let stretches: [Stretch]
  private let isWhole: Bool
  /// Encoders in use put a sync sample at every 250th picture at the latest.
  private static let group = 250.0

  init(_ stretches: [Stretch], isWhole: Bool) {
    self.stretches = stretches
    self.isWhole = isWhole
  }

  /// Four stretches of one and a half seconds in the middle of each quarter; all of what is short.
  static func parts(of range: MediaTimeRange) -> [MediaTimeRange] {
    let length = MediaTime(value: 3, timescale: 2)
    guard range.duration > length.multiplied(by: 5) else { return [range] }
    return (0..<4).map { quarter in
      let middle = range.start + range.duration.multiplied(by: 2 * Int32(quarter) + 1, dividedBy: 8)
      return MediaTimeRange(start: middle - length.multiplied(by: 1, dividedBy: 2), duration: length)
    }
  }

  func estimate(for duration: MediaTime) -> ExportSession.SizeEstimate? {
    guard !stretches.isEmpty else { return nil }
    if isWhole {
      let bytes = stretches.reduce(0) { $0 + $1.bytes }
      return .init(length: bytes, bounds: bytes - bytes / 50...bytes + bytes / 50, isTried: true)
    }
    // A whole file has a picture that stands alone once in a group, a stretch one at its beginning.
    let rates = stretches.filter { $0.seconds > 0 }.map { stretch in
      let pictures = Double(stretch.pictures)
      let average = stretch.others > 0 ? Double(stretch.otherBytes) / Double(stretch.others) : 0
      let spared = stretch.others > 0 ? (Double(stretch.firstBytes) - average) * max(0, 1 - pictures / Self.group) : 0
      return max(1, Double(stretch.bytes) - max(0, spared)) / stretch.seconds
    }
    guard !rates.isEmpty else { return nil }
    let mean = rates.reduce(0, +) / Double(rates.count)
    let spread = (rates.reduce(0) { $0 + ($1 - mean) * ($1 - mean) } / Double(max(1, rates.count - 1))).squareRoot()
    // Two standard errors of the mean, and what the stretches' own beginnings leave unsure.
    let unsure = min(0.9, 0.25 + 2 * spread / mean / Double(rates.count).squareRoot())
    let length = mean * duration.seconds
    guard length < 9e15 else { return nil }
    return .init(
      length: Int64(length), bounds: Int64(length * (1 - unsure))...Int64(length * (1 + unsure)), isTried: true)
  }
}

extension ExportTrial.Stretch {
  /// Reads what was made.
  init(_ url: URL, duration: MediaTime) async throws {
    let asset = MediaAsset(url: url)
    self.init(seconds: duration.seconds, bytes: try await asset.header().size ?? 0)
    guard let track = try await asset.loadDefaultTrack(withMediaType: .video) else { return }
    for try await sample in try Reader(asset: asset).output(for: track) {
      guard let stored = sample.stored else { continue }
      if pictures == 0 {
        firstBytes = Int64(stored.size)
      } else {
        others += 1
        otherBytes += Int64(stored.size)
      }
      pictures += 1
    }
  }
}
