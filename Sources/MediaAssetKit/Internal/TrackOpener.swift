import LibAV

/// Everything it takes to decode one track: how to open it, and what is known of its packets.
struct TrackOpener: Sendable {
  /// Where a picture's time comes from.
  enum Timing: Sendable, Hashable {
    /// From its packet.
    case stored
    /// From its packet, or from its neighbours' decode times where that has none (programme streams).
    case partlyStored
    /// From its packet's place in decode order (AVI, elementary streams); see `DecodeOrderTimes`.
    case decodeOrder
  }

  var source: TrackSource
  var index: VideoIndex?
  var timing: Timing
  /// False where the demuxer has nothing to seek by; the way to a picture is reading from the start then.
  var canSeek: Bool
  var trustsDecodeTimes: Bool
  /// Whether the demuxer may give the first page after a seek other times than when it reads on to it.
  ///
  /// Ogg stores the time of a page's end. After a seek libav counts back from it; reading on it counts from the page
  /// before, and so misses pictures that the encoder left out in between (Theora).
  var timesDifferAfterSeek = false
  /// How many pictures that are shown behind a picture may be stored before it.
  var reorderLimit: Int
  var randomAccess: RandomAccess
  /// Whether every packet is a whole picture, not a field.
  var hasWholePictures: Bool
  /// Whether every packet gives a picture, so that a missing one is damage.
  var givesEveryPicture: Bool
  var maySkipNonReference: Bool
  /// The least delay of the decoder's output.
  var reorderDelay: Int
  var decoderName: String?
  var maximumPixels: Int64
  var maximumPacketsWithoutFrame: Int
  /// One second in the stream's ticks, at least 1.
  var secondTicks: Int64
  /// The first presentation time as far as known.
  var startTime: Int64
  /// The nominal duration of a picture in ticks, for packets that say nothing of theirs; at least 1.
  var pictureTicks: Int64
  /// Key pictures that the container lists, ascending; empty where it lists none or they were not asked for.
  var keyTimes: [Int64]

  func hasKey(after time: Int64, upTo end: Int64) -> Bool {
    var low = 0
    var high = keyTimes.count
    while low < high {
      let middle = (low + high) / 2
      if keyTimes[middle] <= time { low = middle + 1 } else { high = middle }
    }
    return low < keyTimes.count && keyTimes[low] <= end
  }

  /// Pictures that are larger than the policy allows are not decoded.
  func checkSize(width: Int, height: Int) throws {
    let (pixels, overflow) = Int64(width).multipliedReportingOverflow(by: Int64(height))
    guard overflow || pixels > maximumPixels else { return }
    throw MediaError(
      .limitExceeded, operation: "decode", subject: subject,
      reason: "a picture of \(width)x\(height) exceeds the limit of \(maximumPixels) pixels",
      remedy: "Raise maximumPixels in the resource policy if the source is trusted")
  }

  var streamIndex: Int { source.streamIndex }
  var isRemote: Bool { source.isRemote }
  var subject: String { source.subject }

  /// A demuxer that reads this track alone.
  func openDemuxer(interrupt: Interrupt) throws -> Demuxer {
    try source.openDemuxer(interrupt: interrupt)
  }

  /// The key pictures that the container lists by itself (Matroska's Cues, AVI's index), without reading media.
  func listedKeyTimes(interrupt: Interrupt) throws -> [Int64] {
    var demuxer = try openDemuxer(interrupt: interrupt)
    // Matroska's Cues lie behind the media and are loaded by the first seek.
    do { try demuxer.seek(stream: streamIndex, to: startTime) } catch { return [] }
    let times = demuxer.indexEntries(stream: streamIndex, keysOnly: true).map(\.time)
    // Without a list of its own libav notes what it happens to read: the first clusters' keys.
    guard times.count > 2, zip(times, times.dropFirst()).allSatisfy({ $0 < $1 }) else { return [] }
    return times
  }
}
