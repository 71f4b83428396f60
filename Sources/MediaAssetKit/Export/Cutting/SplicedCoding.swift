import LibAV

/// How pictures that are encoded and pictures that are copied stand in one stream.
struct SplicedCoding: Sendable {
  private let settings: VideoSettings?
  private let codec: String
  private let subject: String
  private let interrupt: Interrupt
  /// The source's set-up bytes.
  private let extradata: [UInt8]
  /// Open already: its parameter sets are in the header.
  private let opened: VideoEncodingSession?
  private let sets: ParameterSetSplice?
  /// Whether parameter sets travel with the pictures, because the container's header holds none.
  private let carriesSets: Bool

  /// Opens the encoder where its parameter sets have to be in the header.
  ///
  /// - Parameters:
  ///   - codec: The source's codec.
  ///   - settings: How pictures are encoded; nil where none are.
  /// - Returns: The coding, and the set-up bytes for the header; nil where they are the source's.
  static func make(
    codec: String, settings: VideoSettings?, source: CodecParameters, container: WritableContainer, subject: String,
    interrupt: Interrupt
  ) async throws -> (SplicedCoding, header: [UInt8]?) {
    var opened: VideoEncodingSession?
    var sets: ParameterSetSplice?
    if let settings, codec == "h264" || codec == "hevc" {
      let (session, parameters) = try await EdgeEncoder.prepare(settings, subject: subject, interrupt: interrupt)
      guard let made = ParameterSetSplice(codec: codec, source: source.extradata, encoder: parameters.extradata) else {
        throw MediaError(
          .operationNotSupported, operation: "export", subject: subject,
          reason: "the encoder's parameter sets can't stand beside the source's",
          remedy: "Cut it automatically, or encode the track")
      }
      (opened, sets) = (session, made)
    }
    let coding = SplicedCoding(
      settings: settings, codec: codec, subject: subject, interrupt: interrupt, extradata: source.extradata,
      opened: opened, sets: sets,
      carriesSets: !container.isMovie && !["matroska", "webm", "flv"].contains(container.muxer))
    return (coding, sets?.extradata)
  }

  /// An encoder for pictures in a row; nil where none are encoded.
  ///
  /// - Parameter isFirst: Whether it is the stream's first: that one is open already.
  func encoder(isFirst: Bool) async throws -> EdgeEncoder? {
    guard let settings else { return nil }
    var session = isFirst ? opened : nil
    if session == nil, let sets {
      // A later encoder has to have the first one's parameter sets.
      let made = try await EdgeEncoder.prepare(settings, subject: subject, interrupt: interrupt)
      guard sets.hasSameSets(made.parameters.extradata) else {
        throw MediaError(
          .encodeFailed, operation: "export", subject: subject,
          reason: "the encoder describes the encoded parts in different ways")
      }
      session = made.session
    }
    return EdgeEncoder(
      try session ?? EdgeEncoder.makeSession(settings, subject: subject, interrupt: interrupt), subject: subject)
  }

  /// What the encoder gave, in the stream's form.
  func form(_ packet: Packet, isFirst: Bool) throws -> Packet? {
    guard let sets else { return packet }
    guard let bytes = sets.encoded(packet.bytes, withSets: isFirst && carriesSets) else { return nil }
    return try Packet.copying(bytes, isKey: packet.isKey)
  }

  /// The first copied picture behind encoded ones.
  func joined(_ packet: Packet) throws -> Packet {
    if let sets { return try Packet.copying(sets.joined(packet.bytes, withSets: carriesSets)) }
    let bytes = SequenceHeader.prefixed(packet.bytes, codec: codec, extradata: extradata)
    return try Packet.copying(bytes)
  }
}
