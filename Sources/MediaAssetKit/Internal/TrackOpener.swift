import LibAV

/// Everything it takes to open a demuxer for one track again, and what is known of the track's packets.
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

  var reader: any RandomAccessReader
  var options: Demuxer.Options
  var streamIndex: Int
  /// Whether streams are only known after packets were read.
  var needsStreamInfo: Bool
  var isRemote: Bool
  /// For errors: the asset's name and the track.
  var subject: String
  var index: VideoIndex?
  var timing: Timing
  /// False where the demuxer has nothing to seek by; the way to a picture is reading from the start then.
  var canSeek: Bool
  var trustsDecodeTimes: Bool
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

  /// A demuxer that reads this track alone.
  func openDemuxer(interrupt: Interrupt) throws -> Demuxer {
    do {
      var demuxer = try Demuxer.open(
        reader, options: options, interrupt: interrupt)
      if needsStreamInfo {
        try demuxer.findStreamInfo(probeSize: options.probeSize, analyzeMicroseconds: 5_000_000)
      }
      guard streamIndex < demuxer.streamCount else {
        throw MediaError(
          .readFailed, operation: "open", subject: subject,
          reason: "the track is gone: the source has changed")
      }
      for index in 0..<demuxer.streamCount where index != streamIndex {
        demuxer.setDiscard(.everything, stream: index)
      }
      return demuxer
    } catch let error as AVError {
      throw MediaError.libav(error, operation: "open", subject: subject)
    }
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
