extension VideoComposition {
  /// What shows a composition as it is: an instruction for every stretch in which the same segments are on show, a layer
  /// for every track, turned by its own transform.
  ///
  /// The first track lies at the bottom. A single track keeps its source's times; of several the highest frame rate
  /// holds, 30 pictures a second where none is known. The size is the composition's own, or the union of the turned
  /// tracks'. Without pictures there are no instructions.
  ///
  /// - Parameters:
  ///   - composition: The composition.
  ///   - prototypeInstruction: What all instructions have apart from times and layers: background, post-processing,
  ///     samples that a compositor gets.
  ///   - assetOptions: How the sources are opened.
  /// - Throws: What opening the sources throws.
  public init(
    propertiesOf composition: Composition, prototypeInstruction: Instruction? = nil,
    assetOptions: MediaAsset.Options = .init()
  ) async throws {
    let assets = CompositionAssets(options: assetOptions)
    let tracks = composition.shownTracks(.video)
    var size = PixelSize.zero
    var sizes: [Int32: PixelSize] = [:]
    for track in tracks {
      var own = track.naturalSize
      // Segments that were put in by their place alone say nothing of their size.
      if own.isEmpty, let source = track.sources.first {
        own = try await assets.track(source, .video).load(.naturalSize)
      }
      sizes[track.id] = own
      let shown = track.preferredTransform.applied(to: own)
      size = PixelSize(width: max(size.width, shown.width), height: max(size.height, shown.height))
    }
    if composition.hasOwnSize { size = composition.naturalSize }
    self.init(renderSize: size, frameDuration: try await Self.frameDuration(tracks, assets))
    sourceSampleDataTrackIDs = prototypeInstruction?.requiredSourceSampleDataTrackIDs ?? []
    instructions = try Self.stretches(tracks).map { stretch in
      var made = prototypeInstruction ?? Instruction(timeRange: stretch.range)
      (made.timeRange, made.passthroughTrackID) = (stretch.range, nil)
      made.layerInstructions =
        try stretch.tracks.reversed().map { track in
          var layer = LayerInstruction(trackID: track.id)
          let turn = track.preferredTransform.normalized(for: sizes[track.id] ?? track.naturalSize)
          if !turn.isIdentity { try layer.setTransform(turn, at: stretch.range.start) }
          return layer
        }
      return made
    }
  }

  /// What shows an asset's default pictures upright.
  public init(propertiesOf asset: MediaAsset, prototypeInstruction: Instruction? = nil) async throws {
    try await self.init(
      propertiesOf: try await Self.pictures(of: asset), prototypeInstruction: prototypeInstruction,
      assetOptions: asset.options)
  }

  static func pictures(of asset: MediaAsset) async throws -> Composition {
    try await Composition(tracks: try await asset.load(.tracks).filter { $0.mediaType == .video })
  }

  /// What shows every segment of a composition upright and whole, as large as fits into one size, on black: for clips of
  /// different sizes and turns.
  ///
  /// - Parameters:
  ///   - composition: The composition.
  ///   - renderSize: The size; nil: that of the first segment, upright, with even sides.
  ///   - assetOptions: How the sources are opened.
  /// - Throws: What opening the sources throws.
  public static func fitting(
    _ composition: Composition, renderSize: PixelSize? = nil, assetOptions: MediaAsset.Options = .init()
  ) async throws -> VideoComposition {
    let assets = CompositionAssets(options: assetOptions)
    let tracks = composition.shownTracks(.video)
    var made = VideoComposition(
      renderSize: renderSize ?? .zero, frameDuration: try await frameDuration(tracks, assets))
    for stretch in stretches(tracks) {
      try Task.checkCancellation()
      var layers: [LayerInstruction] = []
      for track in stretch.tracks {
        guard let source = track.segment(forTrackTime: stretch.range.start)?.source else { continue }
        let found = try await assets.track(source, .video)
        let (size, turn) = try await found.load(.naturalSize, .preferredTransform)
        if made.renderSize.isEmpty {
          let shown = turn.applied(to: size)
          made.renderSize = PixelSize(width: (shown.width + 1) & ~1, height: (shown.height + 1) & ~1)
        }
        var layer = LayerInstruction(trackID: track.id)
        let map = turn.fitted(size, into: made.renderSize)
        if !map.isIdentity { try layer.setTransform(map, at: stretch.range.start) }
        layers.insert(layer, at: 0)
      }
      made.instructions.append(Instruction(timeRange: stretch.range, layerInstructions: layers))
    }
    return made
  }

  // MARK: Parts

  /// The stretches in which the same segments are on show, from zero to the end of the last track.
  private static func stretches(
    _ tracks: [Composition.Track]
  ) -> [(range: MediaTimeRange, tracks: [Composition.Track])] {
    var times: Set<MediaTime> = [.zero]
    for track in tracks {
      for segment in track.segments { times.formUnion([segment.timeRange.start, segment.timeRange.end]) }
    }
    let sorted = times.sorted()
    return zip(sorted, sorted.dropFirst()).map { start, end in
      let shown = tracks.filter { $0.segment(forTrackTime: start)?.isEmpty == false }
      return (MediaTimeRange(start: start, end: end), shown)
    }
  }

  private static func frameDuration(_ tracks: [Composition.Track], _ assets: CompositionAssets) async throws
    -> MediaTime
  {
    guard tracks.count > 1 else { return .invalid }
    var shortest = MediaTime.invalid
    for track in tracks {
      guard let source = track.sources.first else { continue }
      let duration = try await assets.track(source, .video).load(.nominalFrameDuration)
      if duration.isNumeric, duration > .zero { shortest = shortest.isNumeric ? min(shortest, duration) : duration }
    }
    return shortest.isNumeric ? shortest : MediaTime(value: 1, timescale: 30)
  }
}

extension VideoComposition.Instruction {
  /// How one track gives way to another.
  public enum Transition: String, Sendable, Hashable, Codable, CaseIterable {
    /// The first fades and shows the second.
    case dissolve
    /// The second is uncovered from left to right.
    case wipe
    /// The second comes in from the right and pushes the first out.
    case push
  }

  /// An instruction in which one track gives way to another, both of the size of the output unless `transforms` say more.
  ///
  /// - Parameters:
  ///   - transition: How.
  ///   - first: The track that goes: its number, its map to the output, its size as shown.
  ///   - second: The track that comes.
  ///   - timeRange: When; both tracks have pictures there.
  ///   - renderSize: The size of the output.
  public static func transition(
    _ transition: Transition, from first: (trackID: Int32, transform: PictureTransform, size: PixelSize),
    to second: (trackID: Int32, transform: PictureTransform, size: PixelSize), timeRange: MediaTimeRange,
    renderSize: PixelSize
  ) throws -> Self {
    var (going, coming) = (
      VideoComposition.LayerInstruction(trackID: first.trackID),
      VideoComposition.LayerInstruction(trackID: second.trackID)
    )
    switch transition {
    case .dissolve, .wipe:
      try going.setTransform(first.transform, at: timeRange.start)
      try coming.setTransform(second.transform, at: timeRange.start)
    case .push:
      let width = Double(renderSize.width)
      try going.setTransformRamp(
        fromStart: first.transform, toEnd: first.transform.concatenating(.translation(x: -width, y: 0)),
        timeRange: timeRange)
      try coming.setTransformRamp(
        fromStart: second.transform.concatenating(.translation(x: width, y: 0)), toEnd: second.transform,
        timeRange: timeRange)
    }
    if transition == .dissolve {
      try going.setOpacityRamp(fromStartOpacity: 1, toEndOpacity: 0, timeRange: timeRange)
    }
    if transition == .wipe {
      let size = first.size
      try going.setCropRectangleRamp(
        fromStartCropRectangle: PixelRect(size),
        toEndCropRectangle: PixelRect(x: size.width, y: 0, width: 0, height: size.height), timeRange: timeRange)
    }
    return Self(timeRange: timeRange, layerInstructions: [going, coming])
  }
}
