import LibAV

/// How a track of pictures is encoded: size, turn, fields, colour, rate.
struct ExportPictures {
  let planner: ExportPlanner
  let fact: ExportFacts.Track

  init(_ planner: ExportPlanner, _ fact: ExportFacts.Track) {
    self.planner = planner
    self.fact = fact
  }

  private var container: WritableContainer { planner.container }
  private var preset: ExportPreset { planner.preset }

  func encode(_ start: ExportPlan.Track, why: String) -> ExportPlan.Track {
    var track = start
    var settings = planner.videoSettings(for: fact)
    if let reason = container.reasonAgainst(codec: settings.codec, mediaType: .video) {
      track.reason = reason
      return track
    }
    guard let format = fact.video, !format.encodedSize.isEmpty else {
      track.reason = "the size of its pictures is unknown"
      return track
    }
    guard EncoderChoice.encoder(codec: settings.codec, named: settings.encoder) != nil else {
      track.reason = "this FFmpeg has no encoder for \(settings.encoder ?? settings.codec)"
      return track
    }
    setSize(&settings, &track, format)
    setTurn(&settings, &track)
    setRate(&track)
    setFields(&settings, &track, format)
    setColour(&settings, &track, format)
    setEncoder(&settings, track)
    track.action = .encode
    track.codec = settings.codec
    track.video = settings
    track.reason = ([why] + details(track)).joined(separator: "; ")
    return track
  }

  /// Some encoders don't take small pictures; the one that does has options of its own.
  private func setEncoder(_ settings: inout VideoSettings, _ track: ExportPlan.Track) {
    guard settings.encoder == nil, let usual = EncoderChoice.encoder(codec: settings.codec, named: nil),
      let chosen = EncoderChoice.encoder(codec: settings.codec, named: nil, size: track.size), chosen != usual
    else { return }
    for key in ExportPreset.pace(settings.codec, encoder: usual).keys { settings.encoderOptions[key] = nil }
    settings.encoderOptions.merge(ExportPreset.pace(settings.codec, encoder: chosen)) { own, _ in own }
    settings.encoder = chosen
  }

  private func details(_ track: ExportPlan.Track) -> [String] {
    var parts: [String] = []
    if track.drawnOrientation != nil {
      parts.append("it is turned upright, since the file type does not hold the turn")
    }
    guard let order = fact.video?.fieldOrder, order != .progressive else { return parts }
    parts.append(track.deinterlacing == .off ? "its pictures stay interlaced" : "its fields become whole pictures")
    return parts
  }

  // MARK: Size

  /// The size that fits a box without growing, with the shape kept; both sides at least 1.
  static func fitted(_ size: PixelSize, into box: PixelSize) -> PixelSize {
    guard !size.isEmpty else { return size }
    // Widths and heights of at most 2¹⁶: products stay exact.
    var result = size
    if box.width > 0, result.width > box.width {
      result = PixelSize(width: box.width, height: max(1, rounded(size.height * box.width, size.width)))
    }
    if box.height > 0, result.height > box.height {
      result = PixelSize(width: max(1, rounded(size.width * box.height, size.height)), height: box.height)
    }
    return result
  }

  private static func rounded(_ numerator: Int, _ denominator: Int) -> Int {
    (2 * numerator + denominator) / (2 * denominator)
  }

  private func setSize(_ settings: inout VideoSettings, _ track: inout ExportPlan.Track, _ format: VideoFormat) {
    let natural = format.naturalSize
    let wanted = settings.size ?? Self.fitted(natural, into: preset.maximumSize)
    let isScaled = settings.size != nil || wanted != natural
    let encoder = EncoderChoice.encoder(codec: settings.codec, named: settings.encoder) ?? ""
    let pixels = EncoderChoice.pixelFormat(
      settings, encoder: encoder, source: format.pixelFormat.map { PixelFormatID.named($0) })
    let shift: (horizontal: Int, vertical: Int) =
      pixels.map { ($0.chromaShift.horizontal, $0.chromaShift.vertical) } ?? (1, 1)
    func even(_ size: PixelSize) -> PixelSize {
      PixelSize(
        width: max(1 << shift.horizontal, (size.width >> shift.horizontal) << shift.horizontal),
        height: max(1 << shift.vertical, (size.height >> shift.vertical) << shift.vertical))
    }
    track.transform = fact.transform
    guard isScaled else {
      track.size = even(format.encodedSize)
      // The container's word is what the asset is shown by; pictures may say something else themselves.
      settings.pixelAspectRatio = settings.pixelAspectRatio ?? format.sampleAspectRatio
      // What the clean aperture hides stays hidden.
      if format.cleanSize != format.encodedSize, container.isMovie {
        settings.size = track.size
        settings.cleanAperture = format.cleanAperture
      }
      return
    }
    // The scaler takes the whole stored picture: its edges keep their share.
    var size = wanted
    if format.cleanSize != format.encodedSize, settings.size == nil, !format.cleanSize.isEmpty {
      size.width = Self.rounded(wanted.width * format.encodedSize.width, format.cleanSize.width)
      size.height = Self.rounded(wanted.height * format.encodedSize.height, format.cleanSize.height)
    }
    size = even(size)
    settings.size = size
    settings.pixelAspectRatio = .square
    track.size = size
    if let orientation = fact.transform.orientation { track.transform = orientation.transform(for: size) }
  }

  private func setTurn(_ settings: inout VideoSettings, _ track: inout ExportPlan.Track) {
    guard !container.isMovie, let orientation = fact.transform.orientation, orientation != .up else {
      if !container.isMovie { track.transform = .identity }
      return
    }
    track.drawnOrientation = orientation
    track.transform = .identity
    if let size = track.size { track.size = orientation.applied(to: size) }
    if let size = settings.size { settings.size = orientation.applied(to: size) }
    if let ratio = settings.pixelAspectRatio, orientation.applied(to: PixelSize(width: 1, height: 2)).width == 2 {
      settings.pixelAspectRatio = PixelAspectRatio(horizontal: ratio.vertical, vertical: ratio.horizontal)
    }
  }

  // MARK: Rate and fields

  private func setRate(_ track: inout ExportPlan.Track) {
    if preset.frameDuration.isNumeric, preset.frameDuration > .zero {
      track.frameDuration = preset.frameDuration
    } else if preset.minimumFrameDuration.isNumeric,
      !fact.frameDuration.isNumeric || fact.frameDuration < preset.minimumFrameDuration
    {
      track.frameDuration = preset.minimumFrameDuration
    }
  }

  private func setFields(_ settings: inout VideoSettings, _ track: inout ExportPlan.Track, _ format: VideoFormat) {
    guard let order = format.fieldOrder, order != .progressive else { return }
    let marks = ["h264", "mpeg2video", "prores", "dnxhd", "mpeg4"].contains(settings.codec)
    // Fields live in rows: another height mixes them.
    let keepsRows = (settings.size?.height ?? format.encodedSize.height) == format.encodedSize.height
    let mayStay =
      marks && keepsRows && track.drawnOrientation == nil && !track.frameDuration.isNumeric
    switch preset.deinterlacing {
    case .off: track.deinterlacing = .off
    case .on, .fields: track.deinterlacing = preset.deinterlacing
    case .automatic: track.deinterlacing = mayStay ? .off : .on
    }
    if track.deinterlacing == .off {
      settings.fieldOrder = marks ? order : .progressive
      if settings.codec == "h264", settings.encoderOptions["x264-params"] == nil {
        settings.encoderOptions["x264-params"] = order == .topFirst ? "tff=1" : "bff=1"
      }
      if !marks { track.notes.append("its pictures stay interlaced, and \(settings.codec) can't say so") }
    } else {
      settings.fieldOrder = .progressive
      // A field has half the rows; the scaler brings them to the height asked for.
      settings.size = settings.size ?? track.size
      settings.pixelAspectRatio = settings.pixelAspectRatio ?? format.sampleAspectRatio
    }
  }

  // MARK: Colour

  private func setColour(_ settings: inout VideoSettings, _ track: inout ExportPlan.Track, _ format: VideoFormat) {
    settings.colour.primaries = settings.colour.primaries ?? format.colour.primaries
    settings.colour.transfer = settings.colour.transfer ?? format.colour.transfer
    settings.colour.matrix = settings.colour.matrix ?? format.colour.matrix
    settings.colour.range = settings.colour.range ?? format.colour.range
    guard let hdr = format.hdr else { return }
    guard holdsHDR(settings) else {
      let standard = ColourProperties(primaries: "bt709", transfer: "bt709", matrix: "bt709", range: .limited)
      settings.colour = standard
      track.isToneMapped = true
      track.notes.append("HDR is brought to BT.709: \(settings.profile ?? settings.codec) can't hold it")
      return
    }
    let encoder = EncoderChoice.encoder(codec: settings.codec, named: settings.encoder) ?? ""
    let taken = Formats.pixelFormats(ofEncoder: encoder) ?? []
    if settings.pixelFormat == nil, settings.codec == "h264" {
      // Ten bits carry PQ and HLG; eight would band, and would be tagged as what they can't show.
      let deep = PixelFormatID.named("yuv420p10le")
      if taken.contains(deep) { settings.pixelFormat = "yuv420p10le" }
      track.notes.append("HDR is kept in ten bits of H.264 (High 10), which not every player shows")
    }
    if encoder == "libx265" { setMastering(&settings, hdr) }
  }

  /// Eight bits can't: they would band, and be tagged as what they are not.
  private func holdsHDR(_ settings: VideoSettings) -> Bool {
    if let format = settings.pixelFormat { return (PixelFormatID.named(format).bitDepth ?? 8) > 8 }
    if settings.codec == "h264", let profile = settings.profile {
      return profile.hasPrefix("high") && profile != "high"
    }
    let encoder = EncoderChoice.encoder(codec: settings.codec, named: settings.encoder) ?? ""
    return Formats.pixelFormats(ofEncoder: encoder)?.contains { ($0.bitDepth ?? 8) > 8 && !$0.isRGB } ?? false
  }

  /// x265 takes these by its own options; they get into the stream's SEI.
  private func setMastering(_ settings: inout VideoSettings, _ hdr: HDRProperties) {
    let parts = ["log-level=none", "repeat-headers=0"] + Self.mastering(hdr)
    if settings.encoderOptions["x265-params"] == nil {
      settings.encoderOptions["x265-params"] = parts.joined(separator: ":")
    }
  }

  static func mastering(_ hdr: HDRProperties) -> [String] {
    var parts: [String] = []
    if hdr.kind == .hdr10 { parts.append("hdr10=1") }
    if let display = hdr.masteringDisplay, display.primaries.count == 6, display.whitePoint.count == 2 {
      func chroma(_ value: Double) -> Int { Int((value * 50_000).rounded()) }
      func light(_ value: Double?) -> Int { Int(((value ?? 0) * 10_000).rounded()) }
      let p = display.primaries.map(chroma)
      let w = display.whitePoint.map(chroma)
      parts.append(
        "master-display=G(\(p[2]),\(p[3]))B(\(p[4]),\(p[5]))R(\(p[0]),\(p[1]))WP(\(w[0]),\(w[1]))"
          + "L(\(light(display.maximumLuminance)),\(light(display.minimumLuminance)))")
    }
    if let most = hdr.maxContentLight { parts.append("max-cll=\(most),\(hdr.maxFrameAverageLight ?? 0)") }
    return parts
  }
}
