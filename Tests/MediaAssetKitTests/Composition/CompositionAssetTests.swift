import Foundation
import MediaTestSupport
import Testing

@testable import MediaAssetKit

/// A composition is asked, read and put into others as an asset is.
@Suite struct CompositionAssetTests {
  private func s(_ seconds: Int64) -> MediaTime { MediaTime(value: seconds, timescale: 1) }
  private func range(_ start: MediaTime, _ end: MediaTime) -> MediaTimeRange { MediaTimeRange(start: start, end: end) }
  private func frame(_ number: Int64) -> MediaTime { MediaTime(value: number, timescale: 25) }

  @Test func properties() async throws {
    let film = try await Composition.joined([try await greyClip(1), try await greyClip(2)])
    let (duration, tracks, size) = try await film.load(.duration, .tracks, .naturalSize)
    #expect(duration == s(2) && tracks.count == 2 && size == PixelSize(width: 64, height: 48))
    #expect(try await film.load(.preferredTransform) == .identity)
    #expect(try await film.load(.metadata).isEmpty)
    #expect(try await film.load(.isExportable))
    #expect(try await !Composition().load(.isPlayable))
    #expect(try await film.load(.providesPreciseDurationAndTiming))
    #expect(try await film.loadTracks(withMediaType: .audio).map(\.id) == [tracks[1].id])
    #expect(try await film.loadTracks(withMediaType: .text).isEmpty)
    #expect(try await film.loadTracks(withMediaCharacteristic: .audible).map(\.id) == [tracks[1].id])
    #expect(try await film.loadTracks(withMediaCharacteristic: .visual).map(\.id) == [tracks[0].id])
    #expect(try await film.loadTrack(withTrackID: tracks[0].id) == tracks[0])
    #expect(try await film.loadTrack(withTrackID: 99) == nil)
    #expect(try await film.findUnusedTrackID() == 3)
    let (segments, scale, volume) = try await tracks[1].load(.segments, .naturalTimeScale, .preferredVolume)
    #expect(segments.count == 2 && scale == 48_000 && volume == 1)
    #expect(try await tracks[0].load(.timeRange) == range(.zero, s(2)))
    #expect(try await tracks[0].load(.formatDescriptions).first?.codec == "h264")
    #expect(try await tracks[0].load(.naturalSize) == size)
    let new = Composition.Track(id: 1, mediaType: .video)
    #expect(new.naturalTimeScale == 600 && new.isEnabled && new.languageCode == nil)
  }

  /// Pictures, sound, stored samples and text of a track, each at its place.
  @Test func reading() async throws {
    let film = try await Composition.joined([try await greyClip(1), try await greyClip(7)])
    let (pictures, sound) = (film.tracks[0], film.tracks[1])
    let reader = Reader(composition: film, timeRange: range(frame(20), frame(30)))
    var shown: [(MediaTime, Int)] = []
    for try await sample in try reader.output(for: pictures, settings: .video()) {
      shown.append((sample.presentationTime, try #require(sample.pixelBuffer).value(0, 5, 5)))
    }
    #expect(shown.map(\.0) == (20..<30).map { frame($0) })
    #expect(shown.map(\.1) == (20..<30).map { $0 < 25 ? 55 : 145 })
    var samples = 0
    var first: MediaTime?
    for try await sample in try reader.output(for: sound, settings: .audio(.init())) {
      first = first ?? sample.presentationTime
      samples += sample.audioBuffer?.sampleCount ?? 0
    }
    #expect(first == frame(20) && samples == 19_200)
    var stored: [MediaTime] = []
    for try await sample in try Reader(composition: film).output(for: pictures) {
      #expect(sample.stored != nil)
      stored.append(sample.presentationTime)
    }
    #expect(stored == (0..<50).map { frame($0) })
    #expect(throws: MediaError.self) { try reader.output(for: pictures, settings: .audio(.init())) }
    #expect(throws: MediaError.self) { try reader.output(for: Composition.Track(id: 1, mediaType: .video)) }
  }

  /// A slow segment: its pictures last longer.
  @Test func readingScaledPictures() async throws {
    var film = try await Composition.joined([try await greyClip(1)])
    try film.scaleTimeRange(range(.zero, s(1)), toDuration: s(2))
    var times: [MediaTime] = []
    for try await sample in try Reader(composition: film).output(for: film.tracks[0], settings: .video()) {
      #expect(sample.duration == frame(2))
      times.append(sample.presentationTime)
    }
    #expect(times == (0..<25).map { frame(2 * $0) })
  }

  /// A segment backwards, beside one that is not.
  @Test func readingBackwards() async throws {
    var film = try await Composition.joined([try await greyClip(1), try await greyClip(7)])
    try film[film.tracks[0].id].reverseTimeRange(range(frame(15), frame(35)))
    var shown: [(MediaTime, Int)] = []
    for try await sample in try Reader(composition: film).output(for: film.tracks[0], settings: .video()) {
      shown.append((sample.presentationTime, try #require(sample.pixelBuffer).value(0, 5, 5)))
    }
    #expect(shown.map(\.0) == (0..<50).map { frame($0) })
    #expect(shown.map(\.1) == (0..<50).map { ($0 < 15 || 25..<35 ~= $0) ? 55 : 145 })
    await #expect(throws: MediaError.self) {
      for try await _ in try Reader(composition: film).output(for: film.tracks[0]) {}
    }
    // Copied where it goes forward.
    let plan = try await ExportSession(composition: film, preset: .automatic).plan(for: .mp4)
    #expect(plan.kept.first?.parts?.map(\.isCopied).contains(true) == true)
    #expect(plan.kept.first?.reason.contains("backwards") == true)
  }

  @Test func nesting() async throws {
    let inner = try await Composition.joined([try await greyClip(1), try await greyClip(7)])
    var outer = Composition()
    try outer.insertTimeRange(range(frame(15), frame(35)), of: inner, at: .zero)
    try outer.insertTimeRange(range(.zero, s(1)), of: inner, at: .invalid)
    #expect(outer.duration == frame(45))
    let frames = try await outer.composed()
    #expect(frames.map { $0.pixelBuffer.value(0, 5, 5) } == (0..<45).map { (10..<20).contains($0) ? 145 : 55 })
    // Track by track.
    var track = Composition.Track(id: 1, mediaType: .video)
    try track.insertTimeRange(range(frame(15), frame(35)), of: inner.tracks[0], at: .invalid)
    try track.insertTimeRange(range(.zero, frame(5)), of: inner.tracks[0], at: frame(10))
    #expect(track.timeRange.end == frame(25) && track.segments.count == 3)
    #expect(track.naturalSize == PixelSize(width: 64, height: 48))
    let before = track
    #expect(throws: MediaError.self) { try track.insertTimeRange(range(.zero, s(1)), of: inner.tracks[1], at: .zero) }
    #expect(throws: MediaError.self) { try track.insertTimeRange(range(.zero, s(3)), of: inner.tracks[0], at: .zero) }
    #expect(track == before)
  }

  /// Inserting whole assets: tracks as needed, gaps behind the end, nothing of a failed call, no turn taken over by a
  /// track that has pictures.
  @Test func insertingAssets() async throws {
    let asset = MediaAsset(url: try await greyClip(1))
    let silent = MediaAsset(
      url: try await madeClip(
        "silent.mp4", ["-f", "lavfi", "-i", "color=gray:s=64x48:r=25:d=1", "-c:v", "libx264", "-pix_fmt", "yuv420p"]))
    var film = Composition()
    try await film.insertTimeRange(range(.zero, s(1)), of: silent, at: s(2))
    #expect(film.tracks.map(\.mediaType) == [.video])
    #expect(film.tracks[0].segments.map(\.isEmpty) == [true, false] && film.duration == s(3))
    try await film.insertTimeRange(range(.zero, s(1)), of: asset, at: .zero)
    #expect(film.tracks.map(\.mediaType) == [.video, .audio])
    // What was there moved back.
    #expect(film.tracks[0].segments.map(\.timeRange) == [range(.zero, s(1)), range(s(1), s(3)), range(s(3), s(4))])
    let before = film
    await #expect(throws: MediaError.self) { try await film.insertTimeRange(range(.zero, s(2)), of: asset, at: .zero) }
    await #expect(throws: MediaError.self) {
      try await film.insertTimeRange(range(.zero, s(1)), of: asset, at: .positiveInfinity)
    }
    await #expect(throws: MediaError.self) {
      try await film.insertTimeRange(
        range(.zero, s(1)), of: MediaAsset(data: try Data(contentsOf: try #require(asset.url))), at: .zero)
    }
    let (picture, sound) = (
      try #require(try await asset.loadDefaultTrack(withMediaType: .video)),
      try #require(try await asset.loadDefaultTrack(withMediaType: .audio))
    )
    let id = film.tracks[0].id
    await #expect(throws: MediaError.self) {
      try await film[id].insertTimeRanges([(range(.zero, s(1)), picture), (range(.zero, s(1)), sound)], at: .zero)
    }
    #expect(film == before)
    // An empty edit among others.
    try await film[id].insertTimeRanges([(range(.zero, s(1)), nil), (range(.zero, s(1)), picture)], at: .invalid)
    #expect(film[id].segments.suffix(2).map(\.isEmpty) == [true, false] && film.duration == s(6))
    #expect(try await film.mutableTrack(compatibleWith: picture) == id)
    #expect(try await asset.compatibleTrack(for: film[id])?.trackID == picture.trackID)
    #expect(film.mutableTrack(compatibleWith: film.tracks[1]) == film.tracks[1].id)
    #expect(try await before.compatibleTrack(for: film[id])?.id == id)
  }

  /// The codes of AVFoundation's errors, by name.
  @Test func segmentErrors() throws {
    var track = Composition.Track(id: 1, mediaType: .video)
    func segment(_ target: MediaTimeRange, _ source: MediaTimeRange) -> Composition.Segment {
      .init(url: URL(fileURLWithPath: "/a"), trackID: 1, sourceTimeRange: source, targetTimeRange: target)
    }
    let one = range(.zero, s(1))
    let cases: [(Composition.Segment, MediaError.Code)] = [
      (segment(range(s(1), s(2)), one), .compositionTrackSegmentsNotContiguous),
      (segment(MediaTimeRange(start: .zero, duration: .zero), one), .invalidCompositionTrackSegmentDuration),
      (segment(one, range(s(-1), s(1))), .invalidCompositionTrackSegmentSourceStartTime),
      (
        segment(one, MediaTimeRange(start: .zero, duration: .indefinite)), .invalidCompositionTrackSegmentSourceDuration
      ),
    ]
    for (segment, code) in cases {
      let error = #expect(throws: MediaError.self) { try track.setSegments([segment]) }
      #expect(error?.code == code)
      #expect(track.segments.isEmpty)
    }
    try track.setSegments([segment(one, one), .init(timeRange: range(s(1), s(2)))])
    // Nothing is kept behind the last media.
    #expect(track.timeRange == one)
  }

  /// A tap sees each sample of its track once, at its place, and changes that track alone.
  @Test func audioTaps() async throws {
    let url = try await stepClip("tap.wav", expression: "0.25")
    var film = Composition()
    for _ in 0..<2 {
      let id = film.addMutableTrack(withMediaType: .audio)
      try film[id].insertTimeRange(range(.zero, s(1)), of: .init(url: url, trackID: 1), at: id == 1 ? .zero : s(1))
    }
    let seen = Monitor<[(MediaTime, Int)]>([])
    var parameters = AudioMix.InputParameters(trackID: 2)
    parameters.audioTapProcessor = AudioTap { block in
      seen.withLock { $0.append((block.time, block.samples[0].count)) }
      for channel in block.samples.indices { block.samples[channel] = block.samples[channel].map { $0 * -2 } }
    }
    try parameters.setVolume(0.5, at: .zero)
    let samples = try await film.mixed(AudioMix(inputParameters: [parameters])).samples[0]
    #expect(samples.prefix(48_000).allSatisfy { $0 == 0.25 })
    #expect(samples.dropFirst(48_000).allSatisfy { $0 == -0.25 })
    var place = s(1)
    for (time, count) in seen.withLock({ $0 }) {
      #expect(time == place)
      place = place + MediaTime(value: Int64(count), timescale: 48_000)
    }
    #expect(place == s(2))
    // What a tap throws arrives; a tap that loses samples is told so.
    struct Refusal: Error {}
    parameters.audioTapProcessor = AudioTap { _ in throw Refusal() }
    await #expect(throws: Refusal.self) { _ = try await film.mixed(AudioMix(inputParameters: [parameters])) }
    parameters.audioTapProcessor = AudioTap { $0.samples[0].removeLast() }
    await #expect(throws: MediaError.self) { _ = try await film.mixed(AudioMix(inputParameters: [parameters])) }
    // A stored mix has no tap.
    let stored = try JSONDecoder().decode(AudioMix.InputParameters.self, from: JSONEncoder().encode(parameters))
    #expect(stored.audioTapProcessor == nil && stored.ramps == parameters.ramps)
  }

  /// Files that are open while many clips are read one after another: those of one clip, and a bounded number of headers.
  @Test func fewFilesAreOpen() async throws {
    try await withScratchFolder { folder in
      let clip = try await greyClip(3, name: "short.mp4", seconds: "0.2")
      var clips: [URL] = []
      for number in 0..<200 {
        let copy = folder.appendingPathComponent("\(number).mp4")
        try FileManager.default.copyItem(at: clip, to: copy)
        clips.append(copy)
      }
      func open() -> Int {
        let folderName = folder.lastPathComponent
        let names = (try? FileManager.default.contentsOfDirectory(atPath: "/proc/self/fd")) ?? []
        return names.count {
          (try? FileManager.default.destinationOfSymbolicLink(atPath: "/proc/self/fd/\($0)"))?.contains(folderName)
            == true
        }
      }
      var film = Composition()
      for clip in clips { try await film.append(MediaAsset(url: clip)) }
      // Some headers are kept, and each track of two reads one clip.
      let limit = CompositionAssets.capacity + 4
      var most = 0
      for try await _ in try Reader.AudioMixOutput(composition: film) { most = max(most, open()) }
      #expect(most <= limit, "\(most) files were open")
      for try await _ in try Reader.VideoCompositionOutput(composition: film) { most = max(most, open()) }
      #expect(most <= limit, "\(most) files were open")
      try await ExportSession(composition: film, preset: .passthrough)
        .export(to: folder.appendingPathComponent("o.mp4"))
    }
  }
}
