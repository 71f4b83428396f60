extension VideoComposition {
  /// What is drawn for a while.
  ///
  /// There are no instruction types of one's own (`AVVideoCompositionInstructionProtocol`): a custom compositor keeps what it
  /// has to know beside the video composition, by time.
  public struct Instruction: Sendable, Hashable, Codable {
    /// When.
    public var timeRange: MediaTimeRange
    /// What lies behind the layers; black by default.
    public var backgroundColor: Color
    /// The layers, topmost first.
    public var layerInstructions: [LayerInstruction]
    /// The track whose pictures are those of the instruction, with no layer drawn and no custom compositor called; nil:
    /// none.
    ///
    /// A picture of the render size passes without a copy; others are brought to it whole, stretched where their shape is
    /// another one. The composition's filter and overlays lie over it all the same.
    public var passthroughTrackID: Int32?
    /// Whether the composition's filter and overlays lie over the pictures; true by default, as AVFoundation's for its
    /// animation tool.
    public var enablePostProcessing = true
    /// The tracks, neither of pictures nor of sound, whose samples a custom compositor gets; each is one of
    /// ``VideoComposition/sourceSampleDataTrackIDs``.
    public var requiredSourceSampleDataTrackIDs: [Int32] = []

    /// An instruction of given parts.
    public init(
      timeRange: MediaTimeRange, backgroundColor: Color = .black, layerInstructions: [LayerInstruction] = []
    ) {
      self.timeRange = timeRange
      self.backgroundColor = backgroundColor
      self.layerInstructions = layerInstructions
    }

    /// Reads what is there; what is missing is as in a new instruction.
    public init(from decoder: any Decoder) throws {
      let values = try decoder.container(keyedBy: CodingKeys.self)
      timeRange = try values.decode(MediaTimeRange.self, forKey: .timeRange)
      backgroundColor = try values.decodeIfPresent(Color.self, forKey: .backgroundColor) ?? .black
      layerInstructions = try values.decodeIfPresent([LayerInstruction].self, forKey: .layerInstructions) ?? []
      passthroughTrackID = try values.decodeIfPresent(Int32.self, forKey: .passthroughTrackID)
      enablePostProcessing = try values.decodeIfPresent(Bool.self, forKey: .enablePostProcessing) ?? true
      requiredSourceSampleDataTrackIDs =
        try values.decodeIfPresent([Int32].self, forKey: .requiredSourceSampleDataTrackIDs) ?? []
    }

    /// The tracks that are drawn, bottom first, each once.
    public var requiredSourceTrackIDs: [Int32] {
      if let passthroughTrackID { return [passthroughTrackID] }
      var seen: Set<Int32> = []
      return layerInstructions.reversed().map(\.trackID).filter { seen.insert($0).inserted }
    }
    /// Whether something moves or fades.
    public var containsTweening: Bool {
      passthroughTrackID == nil && layerInstructions.contains(where: \.containsTweening)
    }
    /// What is drawn: the layers, or the one track that passes.
    var drawnLayers: [LayerInstruction] {
      passthroughTrackID.map { [LayerInstruction(trackID: $0)] } ?? layerInstructions
    }
  }
}
