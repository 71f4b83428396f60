import FoundationEssentials
import LibAV

extension Timeline {
  /// The film that the timeline describes. Reads the headers of all files.
  ///
  /// - Throws: ``MediaError``: `invalidArgument` for what means nothing, with its place, `limitExceeded` for times beyond
  ///   ``maximumDuration``; what opening the files throws.
  public func make(
    assetOptions: MediaAsset.Options = .init()
  ) async throws -> (composition: Composition, videoComposition: VideoComposition?, audioMix: AudioMix) {
    var maker = TimelineMaker(timeline: self, assets: CompositionAssets(options: assetOptions))
    try await maker.make()
    return (maker.composition, maker.video, maker.mix)
  }
}

/// Makes a film of its description.
struct TimelineMaker {
  let timeline: Timeline
  let assets: CompositionAssets
  var composition = Composition()
  var video: VideoComposition?
  var mix = AudioMix()
  /// What is drawn, bottom first.
  private var layers: [Layer] = []

  init(timeline: Timeline, assets: CompositionAssets) {
    self.timeline = timeline
    self.assets = assets
  }

  private struct Layer {
    var id: Int32
    var place: Timeline.Place?
    var opacity: [Timeline.Change]
    var name: String
    /// Whether it is drawn as large as it is where nothing says more.
    var keepsSize: Bool
    var blend = BlendMode.normal
    var filter: VideoFilter?
  }

  func refuse(_ place: String, _ reason: String, _ code: MediaError.Code = .invalidArgument) -> MediaError {
    MediaError(code, operation: "compose", subject: "\(place) of the timeline", reason: reason)
  }

  /// Says where in the timeline the cause of an error stands.
  func at<Value>(_ place: String, _ body: () throws -> Value) throws -> Value {
    do { return try body() } catch var error as MediaError {
      error.subject = "\(place) of the timeline"
      throw error
    }
  }

  /// Refuses a time that no film has.
  func check(_ time: Timeline.Time?, _ place: String) throws {
    guard let time = time?.time else { return }
    guard time.isNumeric, time >= .zero else { throw refuse(place, "\(time) is no time from zero on") }
    guard time <= Timeline.maximumDuration else {
      throw refuse(
        place, "it is \(time.seconds) s, and a timeline lasts \(Timeline.maximumDuration.seconds) s at most",
        .limitExceeded)
    }
  }

  func check(_ place: Timeline.Place?, _ name: String) throws {
    if let fault = place?.fault { throw refuse("\(name).\(fault.field)", fault.reason) }
  }

  mutating func make() async throws {
    mix.limitsPeaks = timeline.limitsPeaks ?? false
    for (index, track) in timeline.tracks.enumerated() { try await add(track, "tracks[\(index)]") }
    let end = composition.duration
    let overlays = timeline.overlays ?? []
    // What does not move is a track of its own, which may last longer than the pictures do.
    let areTracks = !overlays.contains(where: \.moves)
    for (index, overlay) in overlays.enumerated() where areTracks {
      try await add(overlay, end: end, "overlays[\(index)]")
    }
    if !layers.isEmpty { video = try await draw() }
    guard !areTracks else { return }
    guard var video else { throw refuse("overlays", "there are no pictures that they could be drawn over") }
    for (index, overlay) in overlays.enumerated() {
      video.overlays.append(try await made(overlay, "overlays[\(index)]"))
    }
    self.video = video
  }

  func url(_ name: String) throws -> URL {
    guard !name.utf8.contains(0) else { throw refuse("the name of a file", "it holds a zero byte") }
    if let scheme = name.firstRange(of: "://"), !name[..<scheme.lowerBound].contains("/"), let url = URL(string: name) {
      return url
    }
    if name.hasPrefix("/") { return URL(filePath: name) }
    let folder = timeline.folder ?? URL(filePath: FileManager.default.currentDirectoryPath)
    return folder.appending(path: name)
  }

  // MARK: Tracks

  private mutating func add(_ track: Timeline.Track, _ name: String) async throws {
    let id = composition.addMutableTrack(withMediaType: track.media.type)
    try check(track.place, "\(name).place")
    // What does nothing was meant for another track.
    let idle: [(String, Bool)] =
      track.media == .video
      ? [("volume", track.volume != nil), ("varispeed", track.varispeed != nil)]
      : [
        ("place", track.place != nil), ("opacity", track.opacity != nil), ("blend", track.blend != nil),
        ("filter", track.filter != nil),
      ]
    if let field = idle.first(where: \.1)?.0 {
      throw refuse(
        "\(name).\(field)", "it means nothing for a track of \(track.media == .video ? "pictures" : "sound")")
    }
    for (index, segment) in track.segments.enumerated() {
      try await add(segment, to: id, track.media.type, "\(name).segments[\(index)]")
    }
    if track.media == .video {
      layers.append(
        Layer(
          id: id, place: track.place, opacity: track.opacity ?? [], name: name, keepsSize: false,
          blend: track.blend ?? .normal,
          filter: try track.filter.map { filter in try at("\(name).filter") { try VideoFilter(filter) } }))
    } else {
      var parameters = AudioMix.InputParameters(trackID: id)
      for (index, change) in (track.volume ?? []).enumerated() {
        try apply(change, "\(name).volume[\(index)]") { value, time in
          try parameters.setVolume(Float(value), at: time)
        } ramp: { start, end, range in
          try parameters.setVolumeRamp(fromStartVolume: Float(start), toEndVolume: Float(end), timeRange: range)
        }
      }
      if track.varispeed == true { parameters.audioTimePitchAlgorithm = .varispeed }
      if !parameters.ramps.isEmpty || parameters.audioTimePitchAlgorithm != nil {
        mix.inputParameters.append(parameters)
      }
    }
  }

  private mutating func add(
    _ segment: Timeline.Segment, to id: Int32, _ type: MediaType, _ name: String
  ) async throws {
    for (field, time) in [
      ("from", segment.from), ("to", segment.to), ("at", segment.at), ("duration", segment.duration),
    ] { try check(time, "\(name).\(field)") }
    let asset = assets.asset(try url(segment.file))
    let found =
      if let number = segment.track { try await asset.loadTrack(withTrackID: number) } else {
        try await asset.loadDefaultTrack(withMediaType: type)
      }
    guard let source = found, source.mediaType == type else {
      throw refuse(name, "\(segment.file) has no such track of the kind \(type)")
    }
    let own = try await source.load(.timeRange)
    let isStill = PictureRenderer.isStill(codec: source.track.stream?.codecName) && type == .video
    let start = segment.from?.time ?? (own.start.isNumeric ? own.start : .zero)
    let still = MediaTime(value: 1, timescale: 25)
    let end = segment.to?.time ?? (own.end.isNumeric && own.end > start ? own.end : isStill ? start + still : .invalid)
    guard isStill || !own.end.isNumeric || start < own.end else {
      throw refuse(name, "it begins at \(start.seconds) s, behind the end of \(segment.file)")
    }
    guard end.isNumeric, end > start else {
      throw refuse(
        name, "it is no stretch of \(segment.file): it ends at \(end.seconds) s and begins at \(start.seconds) s")
    }
    let length = segment.duration?.time ?? end - start
    guard length.isNumeric, length > .zero else { throw refuse(name, "it lasts \(length)") }
    if type == .audio,
      length.multiplied(by: 32, dividedBy: 1) < end - start
        || (end - start).multiplied(by: 32, dividedBy: 1) < length
    {
      throw refuse(
        name, "its sound would play at \((end - start).seconds / length.seconds) times its speed, not 1/32 to 32")
    }
    let place = segment.at?.time ?? composition[id].timeRange.end
    let target = MediaTimeRange(start: place, duration: length)
    guard target.end <= Timeline.maximumDuration else {
      throw refuse(
        name, "it ends at \(target.end.seconds) s, and a timeline lasts \(Timeline.maximumDuration.seconds) s at most",
        .limitExceeded)
    }
    if composition[id].segments.isEmpty {
      let description = try await Composition.Track(describing: source)
      composition[id].take(description, isNew: false)
    }
    composition[id].timeline.put(
      Composition.Segment(
        url: try asset.composableURL, trackID: source.trackID,
        sourceTimeRange: MediaTimeRange(start: start, end: end), targetTimeRange: target,
        isReversed: segment.reversed ?? false))
  }

  private mutating func add(_ overlay: Timeline.Overlay, end: MediaTime, _ name: String) async throws {
    let id = composition.addMutableTrack(withMediaType: .video)
    try check(overlay.place, "\(name).place")
    try check(overlay.from, "\(name).from")
    try check(overlay.to, "\(name).to")
    let start = overlay.from?.time ?? .zero
    let until = overlay.to?.time ?? end
    guard until > start else { throw refuse(name, "it is shown for no time") }
    guard let image = overlay.image else { throw refuse(name, "it has neither an image nor a text") }
    var segment = Timeline.Segment(file: image)
    segment.at = Timeline.Time(start)
    segment.duration = Timeline.Time(until - start)
    try await add(segment, to: id, .video, name)
    layers.append(
      Layer(id: id, place: overlay.place, opacity: overlay.opacity ?? [], name: name, keepsSize: true))
  }

  func apply(
    _ change: Timeline.Change, _ name: String, atOnce: (Double, MediaTime) throws -> Void,
    ramp: (Double, Double, MediaTimeRange) throws -> Void
  ) throws {
    try check(change.at, "\(name).at")
    try check(change.from, "\(name).from")
    try check(change.to, "\(name).to")
    if let time = change.at?.time, let value = change.value { return try at(name) { try atOnce(value, time) } }
    guard let from = change.from?.time, let to = change.to?.time, let start = change.start, let end = change.end else {
      throw refuse(name, "a change has neither at and value, nor from, to, start and end")
    }
    guard to >= from else { throw refuse(name, "it ends before it begins") }
    try at(name) { try ramp(start, end, MediaTimeRange(start: from, end: to)) }
  }

  // MARK: Pictures

  private func draw() async throws -> VideoComposition {
    var size = PixelSize.zero
    if let asked = timeline.renderSize {
      guard asked.count == 2, asked.allSatisfy({ (1...1 << 15).contains($0) }) else {
        throw refuse("renderSize", "\(asked) is no width and height")
      }
      size = PixelSize(width: asked[0], height: asked[1])
      // What FFmpeg takes for a picture, with its borders.
      guard (size.width + 128) * (size.height + 128) < Int(Int32.max) / 8 else {
        throw refuse("renderSize", "pictures of \(size) are larger than can be drawn", .limitExceeded)
      }
    }
    let options = assets.options
    var made = try await VideoComposition.fitting(
      composition, renderSize: size.isEmpty ? nil : size, assetOptions: options)
    if let duration = timeline.frameDuration?.time {
      guard duration.isNumeric, duration >= Timeline.minimumFrameDuration else {
        throw refuse(
          "frameDuration",
          "\(duration.seconds) s is too short: pictures last \(Timeline.minimumFrameDuration.seconds) s at least")
      }
      try check(timeline.frameDuration, "frameDuration")
      made.frameDuration = duration
    } else if layers.count == 1 {
      made.frameDuration = .invalid
    }
    let background = try timeline.background.map(colour) ?? .black
    made.filter = try timeline.filter.map { filter in try at("filter") { try VideoFilter(filter) } }
    for index in made.instructions.indices {
      let range = made.instructions[index].timeRange
      made.instructions[index].backgroundColor = background
      for number in made.instructions[index].layerInstructions.indices {
        let id = made.instructions[index].layerInstructions[number].trackID
        guard let layer = layers.first(where: { $0.id == id }) else { continue }
        made.instructions[index].layerInstructions[number] = try await self.layer(
          layer, made.instructions[index].layerInstructions[number], from: range.start)
      }
    }
    return made
  }

  private func layer(
    _ layer: Layer, _ fitted: VideoComposition.LayerInstruction, from start: MediaTime
  ) async throws -> VideoComposition.LayerInstruction {
    var made = fitted
    made.blendMode = layer.blend
    made.filter = layer.filter
    for (index, change) in layer.opacity.enumerated() {
      try apply(change, "\(layer.name).opacity[\(index)]") { value, time in
        try made.setOpacity(value, at: time)
      } ramp: { start, end, range in
        try made.setOpacityRamp(fromStartOpacity: start, toEndOpacity: end, timeRange: range)
      }
    }
    guard layer.place != nil || layer.keepsSize,
      let source = composition[layer.id].segment(forTrackTime: start)?.source
    else { return made }
    let (size, turn) = try await assets.track(source, .video).load(.naturalSize, .preferredTransform)
    let map = (layer.place ?? Timeline.Place()).transform(of: size, turned: turn)
    try made.setTransform(map, at: start)
    return made
  }

  private func colour(_ text: String) throws -> VideoComposition.Color {
    guard text.hasPrefix("#"), text.utf8.count == 7, let value = Int(text.dropFirst(), radix: 16) else {
      throw refuse("background", "“\(text)” is no colour such as #ff8000")
    }
    func part(_ shift: Int) -> Double { Double(value >> shift & 255) / 255 }
    return VideoComposition.Color(red: part(16), green: part(8), blue: part(0))
  }
}
