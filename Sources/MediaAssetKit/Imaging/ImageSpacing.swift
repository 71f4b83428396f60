/// At which times of an asset pictures are drawn.
public enum ImageSpacing: Sendable, Hashable {
  /// This many, in the middles of equal parts of the video.
  case count(Int)
  /// One at the video's beginning, and then one each time so much time has passed.
  case every(MediaTime)
  /// At these times, in this order.
  case times([MediaTime])

  /// The most pictures that one call draws.
  public static let maximumCount = 1_000_000

  /// The times in an asset, and how far from them a picture may be without coming nearer to the next one.
  ///
  /// That is just below half the distance between two times, and infinite for given times.
  /// - Throws: ``MediaError``: `noSourceTrack`, `operationNotSupported` for a video of unknown duration,
  ///   `invalidArgument` for a count or an interval that is not positive, `limitExceeded` above ``maximumCount``;
  ///   what loading the asset throws.
  public func times(
    in asset: MediaAsset
  ) async throws -> (times: [MediaTime], tolerance: MediaTime) {
    func refuse(_ code: MediaError.Code, _ reason: String) -> MediaError {
      MediaError(code, operation: "draw", subject: asset.subject, reason: reason)
    }
    let isPositive =
      switch self {
      case .count(let count): count > 0
      case .every(let interval): interval.isNumeric && interval > .zero
      case .times: true
      }
    guard isPositive else {
      throw refuse(.invalidArgument, "the number of pictures must be positive")
    }
    guard let track = try await asset.loadDefaultTrack(withMediaType: .video) else {
      throw refuse(.noSourceTrack, "it has no video track")
    }
    if case .times(let times) = self { return (times, .positiveInfinity) }
    let range = try await track.load(.timeRange)
    guard range.isNumeric else {
      throw MediaError(
        .operationNotSupported, operation: "draw", subject: asset.subject,
        reason: "the duration of its video is unknown", remedy: "Name the times")
    }
    guard let step = step(in: range), step > .zero else {
      throw refuse(.invalidArgument, "its video is too short for that many pictures")
    }
    // Less than half, so that no picture serves two times.
    let nearly = step.multiplied(by: 49, dividedBy: 100)
    var times: [MediaTime] = []
    if case .count(let count) = self {
      guard count <= Self.maximumCount else {
        throw refuse(.limitExceeded, "\(count) are too many")
      }
      for number in 0..<count {
        // From the beginning each time, so that nothing adds up.
        times.append(
          range.start
            + range.duration.multiplied(by: Int32(2 * number + 1), dividedBy: Int32(2 * count)))
      }
      return (times, nearly)
    }
    while true {
      let time = range.start + step.multiplied(by: Int32(times.count))
      guard time < range.end || times.isEmpty else { return (times, nearly) }
      guard times.count < Self.maximumCount else {
        throw refuse(.limitExceeded, "that makes more than \(Self.maximumCount) pictures")
      }
      times.append(time)
    }
  }

  /// The time from one picture to the next.
  private func step(in range: MediaTimeRange) -> MediaTime? {
    switch self {
    case .count(let count):
      Int32(exactly: count).map { range.duration.multiplied(by: 1, dividedBy: $0) }
    case .every(let interval): interval
    case .times: nil
    }
  }
}
