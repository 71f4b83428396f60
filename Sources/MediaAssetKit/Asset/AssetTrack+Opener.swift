import ISOMedia
import LibAV

extension AssetTrack {
  /// What a session needs to decode this track; the index is built once and shared.
  func opener() async throws -> TrackOpener {
    let cell: LoadCell<TrackOpener> = asset.properties.cell("\(track.id).opener")
    return try await cell.value { [self] in
      let header = try await asset.header()
      guard let stream = track.stream, track.isDecodable else {
        let codec = track.codec ?? track.fourCharacterCode ?? "unknown"
        throw MediaError(
          .decoderNotFound, operation: "decode", subject: subject,
          reason: "this FFmpeg has no decoder for \(codec)",
          remedy: "Install an FFmpeg that has one, or use another track")
      }
      if header.movie?.track(withID: UInt32(bitPattern: track.id))?.sampleDescriptions.contains(
        where: \.isProtected) == true
      {
        throw MediaError(
          .contentIsProtected, operation: "decode", subject: subject,
          reason: "its samples are encrypted")
      }
      let source = try await trackSource()
      let opener = opener(track, stream, source: source, header: header)
      guard opener.source.needsStreamInfo, !source.needsStreamInfo else { return opener }
      // The header leaves out what decides how to decode.
      let probed = try await OpeningSession(isRemote: source.isRemote).run { interrupt in
        try opener.openDemuxer(interrupt: interrupt).stream(opener.streamIndex)
      }
      return self.opener(track, probed, source: source, header: header)
    }
  }

  /// The opener together with the key pictures that the container lists, for who wants to plan by them.
  func openerWithKeyTimes() async throws -> TrackOpener {
    let cell: LoadCell<TrackOpener> = asset.properties.cell("\(track.id).openerWithKeyTimes")
    return try await cell.value { [self] in
      let header = try await asset.header()
      var opener = try await opener()
      guard ["matroska", "webm", "avi"].contains(header.container), opener.randomAccess.hasStarts
      else { return opener }
      let plain = opener
      opener.keyTimes = try await OpeningSession(isRemote: opener.isRemote).run { interrupt in
        try plain.listedKeyTimes(interrupt: interrupt)
      }
      return opener
    }
  }

  private func opener(
    _ track: ContainerTrack, _ stream: StreamInfo, source: TrackSource, header: ContainerHeader
  ) -> TrackOpener {
    var track = track
    track.stream = stream
    let codec = stream.codecName ?? ""
    let traits = CodecTraits(codec: codec)
    let timing = traits.reorders ? track.timing(in: header.container) : .stored
    let index = header.movie.flatMap {
      track.videoIndex(movie: $0, containsFragments: header.containsFragments)
    }
    let nominal = track.nominalFrameRate?.reciprocal ?? Rational(1, 25) ?? .one
    var source = source
    // The delay of the decoder's output is learnt from pictures.
    source.needsStreamInfo = source.needsStreamInfo || timing != .stored
    return TrackOpener(
      source: source, index: index, timing: timing,
      canSeek: !header.container.isElementaryStream,
      trustsDecodeTimes: timing != .decodeOrder
        && !["matroska", "webm"].contains(header.container),
      timesDifferAfterSeek: header.container == "ogg",
      reorderLimit: traits.reorders ? track.reorderLimit : 0,
      randomAccess: RandomAccess(codec: codec, extradata: stream.extradata),
      hasWholePictures: track.hasWholePictures,
      givesEveryPicture: track.givesEveryPicture, maySkipNonReference: track.maySkipNonReference,
      reorderDelay: track.reorderDelay(index), decoderName: track.decoderName,
      maximumPixels: asset.options.policy.maximumPixels,
      maximumPacketsWithoutFrame: asset.options.policy.maximumPacketsWithoutFrame,
      secondTicks: max(1, Rational.floor(.one, in: stream.tick)),
      startTime: stream.startTime ?? 0,
      pictureTicks: max(1, Rational.floor(nominal, in: stream.tick)), keyTimes: [])
  }
}
