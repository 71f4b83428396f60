import ISOMedia
import LibAV

/// What it takes to open a demuxer that reads one track alone.
struct TrackSource: Sendable {
  var reader: any RandomAccessReader
  var options: Demuxer.Options
  var streamIndex: Int
  /// FFmpeg's name of the codec; nil when unknown.
  var codec: String?
  /// Whether streams are only known after packets were read.
  var needsStreamInfo: Bool
  var isRemote: Bool
  /// For errors: the asset's name and the track.
  var subject: String

  func openDemuxer(interrupt: Interrupt) throws -> Demuxer {
    do {
      var demuxer = try Demuxer.open(reader, options: options, interrupt: interrupt)
      if needsStreamInfo {
        try demuxer.findStreamInfo(
          probeSize: options.probeSize, analyzeMicroseconds: ContainerHeaderReader.analyzedMicroseconds)
      }
      guard streamIndex < demuxer.streamCount else {
        throw MediaError(
          .readFailed, operation: "open", subject: subject, reason: "the track is gone: the source has changed")
      }
      for index in 0..<demuxer.streamCount where index != streamIndex { demuxer.setDiscard(.everything, stream: index) }
      return demuxer
    } catch let error as AVError {
      throw MediaError.libav(error, operation: "open", subject: subject)
    }
  }
}

extension TrackSource {
  /// Reads samples as the container lists them, and large ones at the least cost.
  ///
  /// Where a movie says which samples are sync samples, that is believed, as AVFoundation does; libav's parsers would copy
  /// every picture to find out for themselves.
  mutating func readsAsStored(_ track: AssetTrack, isFragmented: Bool) {
    guard let iso = track.track.iso, track.mediaType == .video else { return }
    options.trustsIndex = !isFragmented && iso.samples.syncSampleCount ?? 0 > 0
    guard !isRemote, let count = track.track.sampleCount, count > 0 else { return }
    options.readsDirectly = (reader.length ?? 0) / Int64(count) >= 16_384
  }
}

extension AssetTrack {
  /// The track as stored, whether or not it can be decoded.
  func trackSource() async throws -> TrackSource {
    let (opened, header) = (try await asset.opened(), try await asset.header())
    guard let stream = track.stream else {
      throw MediaError(
        .operationNotSupported, operation: "read", subject: subject, reason: "FFmpeg does not list this track",
        remedy: "Another FFmpeg may")
    }
    var options = header.demuxerOptions
    options.maximumStreams = max(options.maximumStreams, stream.index + 1)
    // Small samples between large ones: what is read along with them is the other tracks', and read there as well.
    if mediaType != .video, header.movie != nil, !opened.isRemote,
      header.tracks.contains(where: { $0.mediaType == .video })
    {
      options.bufferSize = 8192
    }
    return TrackSource(
      reader: header.reader(over: opened.reader), options: options, streamIndex: stream.index, codec: stream.codecName,
      needsStreamInfo: header.needsStreamInfo, isRemote: opened.isRemote, subject: subject)
  }
}
