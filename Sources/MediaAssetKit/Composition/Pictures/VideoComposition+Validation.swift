extension VideoComposition {
  /// Something that keeps a video composition from being drawn.
  public struct Defect: Sendable, Hashable, CustomStringConvertible {
    /// What kind of thing is wrong.
    public enum Kind: Sendable, Hashable {
      /// The render size.
      case renderSize
      /// The frame duration.
      case frameDuration
      /// An instruction's range is none.
      case invalidTimeRange
      /// An instruction begins before the one ahead of it ends.
      case overlap
      /// Nothing says what is drawn for a while.
      case emptyTimeRange
      /// A track's number.
      case trackID
      /// An overlay.
      case overlay
    }

    /// What kind of thing is wrong.
    public let kind: Kind
    /// The place of the instruction in ``VideoComposition/instructions``; nil where it is none's.
    public let instructionIndex: Int?
    /// From when on it matters; nil: all the time.
    public let time: MediaTime?
    /// The track's number, where that is wrong.
    public let trackID: Int32?
    /// What is wrong, as a sentence without a full stop that names the instruction, counted from 1, and the time.
    public let description: String

    init(
      _ kind: Kind, _ description: String, instruction: Int? = nil, at time: MediaTime? = nil, trackID: Int32? = nil
    ) {
      (self.kind, self.description) = (kind, description)
      (instructionIndex, self.time, self.trackID) = (instruction, time, trackID)
    }
  }

  /// What is wrong with it for a composition, nothing where it can be drawn.
  ///
  /// - Parameters:
  ///   - composition: The composition whose tracks are drawn.
  ///   - timeRange: What the instructions have to cover; nil: all that has pictures.
  public func defects(for composition: Composition, timeRange: MediaTimeRange? = nil) -> [Defect] {
    var found = ownDefects
    let ids = Set(composition.tracks(withMediaType: .video).map(\.id))
    let samples = Set(composition.tracks.filter { ![.video, .audio].contains($0.mediaType) }.map(\.id))
    if let timing = sourceTrackIDForFrameTiming, !ids.contains(timing) {
      found.append(
        Defect(.trackID, "the times follow track \(timing), which is no track of pictures", trackID: timing))
    }
    for id in sourceSampleDataTrackIDs where !samples.contains(id) {
      found.append(
        Defect(.trackID, "samples of track \(id) are wanted, which is no track of metadata, times or text", trackID: id)
      )
    }
    var end: MediaTime?
    for (index, instruction) in instructions.enumerated() {
      let (name, range) = ("instruction \(index + 1)", instruction.timeRange)
      guard range.isNumeric, range.duration > .zero else {
        found.append(Defect(.invalidTimeRange, "\(name) has the range \(range)", instruction: index))
        continue
      }
      if let end, range.start != end {
        let isOverlap = range.start < end
        let what = isOverlap ? "overlaps the one before" : "leaves a gap behind the one before"
        found.append(
          Defect(
            isOverlap ? .overlap : .emptyTimeRange,
            "\(name) begins at \(range.start) and \(what), which ends at \(end)",
            instruction: index, at: min(end, range.start)))
      }
      end = range.end
      for layer in instruction.drawnLayers where !ids.contains(layer.trackID) {
        found.append(
          Defect(
            .trackID, "\(name) at \(range.start) draws track \(layer.trackID), which is no track of pictures",
            instruction: index, at: range.start, trackID: layer.trackID))
      }
      for id in instruction.requiredSourceSampleDataTrackIDs where !sourceSampleDataTrackIDs.contains(id) {
        found.append(
          Defect(
            .trackID,
            "\(name) at \(range.start) wants samples of track \(id), which the video composition does not list",
            instruction: index, at: range.start, trackID: id))
      }
    }
    for (index, overlay) in overlays.enumerated() {
      if let defect = overlay.defect {
        found.append(Defect(.overlay, "overlay \(index + 1) \(defect)", at: overlay.timeRange?.start))
      }
    }
    return found + uncovered(composition, timeRange, until: end)
  }

  private var ownDefects: [Defect] {
    var found: [Defect] = []
    let sides = 1...1 << 15
    if !sides.contains(renderSize.width) || !sides.contains(renderSize.height) {
      found.append(Defect(.renderSize, "the render size is \(renderSize)"))
    }
    if frameDuration.isValid, !frameDuration.isNumeric || frameDuration <= .zero {
      found.append(Defect(.frameDuration, "the frame duration is \(frameDuration)"))
    }
    return found
  }

  /// Times before the first instruction and behind the last one.
  private func uncovered(
    _ composition: Composition, _ timeRange: MediaTimeRange?, until end: MediaTime?
  ) -> [Defect] {
    let last = composition.shownTracks(.video).map(\.timeRange.end).max() ?? .zero
    let asked = timeRange ?? MediaTimeRange(start: .zero, end: last)
    let (start, stop) = (max(.zero, asked.start), min(asked.end, last))
    guard start < stop else { return [] }
    var found: [Defect] = []
    if let first = instructions.first?.timeRange, first.start > start {
      found.append(
        Defect(
          .emptyTimeRange, "instruction 1 begins at \(first.start), and nothing says what is drawn at \(start)",
          instruction: 0, at: start))
    }
    guard (end ?? .zero) < stop else { return found }
    let what =
      instructions.isEmpty
      ? "there is no instruction"
      : "instruction \(instructions.count) ends at \(end ?? .zero), and pictures are wanted until \(stop)"
    let place = instructions.isEmpty ? nil : instructions.count - 1
    found.append(Defect(.emptyTimeRange, what, instruction: place, at: max(start, end ?? .zero)))
    return found
  }

  /// Whether it can be drawn for a composition.
  ///
  /// - Parameters:
  ///   - composition: The composition whose tracks are drawn.
  ///   - timeRange: What the instructions have to cover; nil: all that has pictures.
  ///   - shouldContinue: Is told every defect in turn, as AVFoundation's validation delegate; false ends the look.
  public func isValid(
    for composition: Composition, timeRange: MediaTimeRange? = nil,
    shouldContinueValidatingAfterFinding shouldContinue: (Defect) -> Bool = { _ in false }
  ) -> Bool {
    let defects = defects(for: composition, timeRange: timeRange)
    for defect in defects where !shouldContinue(defect) { break }
    return defects.isEmpty
  }

  /// Whether it can be drawn for an asset's tracks of pictures. Reads the asset's header.
  ///
  /// - Throws: What opening the asset throws.
  public func isValid(
    for asset: MediaAsset, timeRange: MediaTimeRange? = nil,
    shouldContinueValidatingAfterFinding shouldContinue: (Defect) -> Bool = { _ in false }
  ) async throws -> Bool {
    isValid(
      for: try await Self.pictures(of: asset), timeRange: timeRange,
      shouldContinueValidatingAfterFinding: shouldContinue)
  }

  /// Refuses what can't be drawn, with all that is wrong with it.
  func validate(for composition: Composition, timeRange: MediaTimeRange?) throws {
    let defects = defects(for: composition, timeRange: timeRange)
    guard defects.isEmpty else {
      throw MediaError(
        .invalidVideoComposition, operation: "compose", subject: "a video composition",
        reason: defects.map(\.description).joined(separator: "; "))
    }
  }
}
