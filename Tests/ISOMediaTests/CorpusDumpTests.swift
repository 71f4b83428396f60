import ISOMedia
import Testing

/// Every stored sample and the codec strings, against the dumps that androidx/media tests with.
@Suite(.enabled(if: Corpus.root != nil, Corpus.isMissing))
struct CorpusDumpTests {
  static let files = [
    "bt601.mov", "fragmented_captions.mp4", "h265_bframes.mp4", "sample.mp4",
    "sample_18byte_nclx_colr.mp4", "sample_ac3.mp4", "sample_alac.mp4",
    "sample_android_slow_motion.mp4", "sample_edit_list.mp4", "sample_empty_track.mp4",
    "sample_fpcm_32le.mp4", "sample_fragmented.mp4", "sample_fragmented_seekable.mp4",
    "sample_fragmented_sgpd_v2.mp4", "sample_ipcm_16be.mp4", "sample_mdat_too_long.mp4",
    "sample_missing_stsd.mp4", "sample_mp2_audio.mp4", "sample_opus.mp4",
    "sample_partially_fragmented.mp4", "sample_rotate_and_reflect.mp4", "sample_with_av1c.mp4",
    "sample_with_chapters.mp4", "sample_with_colr_mdcv_and_clli.mp4", "sample_with_metadata.mp4",
    "sample_with_numeric_genre.mp4", "water_180_mvhevc_5frames.mov",
  ]

  /// The peer leaves out sound outside the edits; here all samples are listed.
  static let cutByEdits = ["bt601.mov", "sample_opus.mp4"]

  @Test(arguments: files)
  func samplesAndCodecStrings(file: String) throws {
    let (movie, samples) = try Corpus.samples("androidx+media/\(file)")
    let dump = DumpedTrack.all(in: try Corpus.lines("androidx+media/expected/\(file).0.dump"))
    #expect(!dump.isEmpty)
    for expected in dump {
      // Captions inside video have no ID of their own; PCM is regrouped by the peer.
      guard let id = expected.fields["id"].flatMap(UInt32.init),
        expected.fields["sampleMimeType"] != "audio/raw"
      else { continue }
      let track = try #require(movie.track(withID: id))
      try compareFormat(track, expected, movie)
      var own = samples[id] ?? []
      if Self.cutByEdits.contains(file) { own = presented(own, track, movie) }
      compareSamples(own, expected.samples, track, file)
    }
  }

  private func compareFormat(
    _ track: TrackHeader, _ expected: DumpedTrack, _ movie: MovieHeader
  ) throws {
    let description = try #require(track.sampleDescriptions.first)
    if let width = expected.fields["width"].flatMap(UInt16.init) {
      #expect(description.video?.width == width)
      #expect(expected.fields["height"].flatMap(UInt16.init) == description.video?.height)
    }
    if let rate = expected.fields["sampleRate"].flatMap(Double.init) {
      #expect(description.audio?.sampleRate == rate)
    }
    guard let codecs = expected.fields["codecs"] else { return }
    let text = description.codecString(in: movie.bytes)
    switch description.codec {
    case "hev1":
      // The peer writes hvc1 for both.
      #expect(text.dropFirst(4) == codecs.dropFirst(4))
    case "av01":
      // The peer stops behind the mandatory fields.
      #expect(text == codecs || text.hasPrefix("\(codecs)."))
    case _ where description.payload(of: "lhvC") != nil:
      // The peer names the second view's layer; this is the entry's own, the base layer.
      #expect(text == "hvc1.1.6.L156.B0")
    case _ where codecs.hasPrefix("dv"):
      // The peer has one prefix for both kinds of base layer.
      #expect(description.supplementalCodecString?.dropFirst(4) == codecs.dropFirst(4))
    default:
      #expect(text == codecs)
    }
  }

  /// The samples that an edit touches.
  private func presented(
    _ samples: [Sample], _ track: TrackHeader, _ movie: MovieHeader
  ) -> [Sample] {
    let edits = (track.edits ?? []).filter { !$0.isEmpty }
    guard !edits.isEmpty, movie.timescale > 0 else { return samples }
    return samples.filter { sample in
      edits.contains { edit in
        let length = edit.segmentDuration * UInt64(track.mediaTimescale) / UInt64(movie.timescale)
        return sample.presentationTime < edit.mediaTime + Int64(length)
          && sample.presentationTime + Int64(sample.duration) > edit.mediaTime
      }
    }
  }

  private func compareSamples(
    _ own: [Sample], _ peers: [DumpedTrack.Sample], _ track: TrackHeader, _ file: String
  ) {
    #expect(own.count == peers.count)
    guard let first = own.first, let zero = peers.first, track.mediaTimescale > 0 else { return }
    for (index, (sample, peer)) in zip(own, peers).enumerated() {
      // Encrypted samples carry their subsample map in the peer's dump.
      if !peer.isEncrypted { #expect(Int(sample.size) == peer.size, "\(file) sample \(index)") }
      #expect(sample.isSync == peer.isSync, "\(file) sample \(index)")
      let ticks = sample.presentationTime - first.presentationTime
      let time = ticks * 1_000_000 / Int64(track.mediaTimescale)
      // Both times of a difference are rounded.
      #expect(abs(time - (peer.time - zero.time)) <= 1, "\(file) sample \(index)")
    }
  }
}
