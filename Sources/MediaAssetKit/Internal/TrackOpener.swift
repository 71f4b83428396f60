import LibAV

/// Everything it takes to open a demuxer for one track again, and what is known of the track's packets.
struct TrackOpener: Sendable {
  var reader: any RandomAccessReader
  var options: Demuxer.Options
  var streamIndex: Int
  /// Whether streams are only known after packets were read.
  var needsStreamInfo: Bool
  var isRemote: Bool
  /// For errors: the asset's name and the track.
  var subject: String
  var index: VideoIndex?
  /// False where packets carry no presentation times and pictures are reordered: times follow the order of output.
  var hasTimes: Bool
  var trustsDecodeTimes: Bool
  var maySkipNonReference: Bool
  var decoderName: String?
  var maximumPixels: Int64
  /// One second in the stream's ticks, at least 1.
  var secondTicks: Int64
  /// The first presentation time as far as known.
  var startTime: Int64
  /// Key pictures that the container lists, ascending; empty where it lists none.
  var keyTimes: [Int64]

  /// Times up to this one are reached by decoding from the start.
  var nearStart: Int64 { startTime.addingReportingOverflow(secondTicks).partialValue }

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
}
