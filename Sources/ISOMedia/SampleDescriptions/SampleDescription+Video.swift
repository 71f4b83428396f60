extension SampleDescription {
  mutating func readVideo(_ reader: inout ByteReader, _ state: inout ParseState) {
    var video = VideoSampleDescription()
    reader.skip(4)
    video.vendor = reader.code()
    reader.skip(8)
    video.width = reader.uint16()
    video.height = reader.uint16()
    reader.skip(14)
    var name = ByteReader(state.bytes, in: reader.range(32))
    if name.remaining > 0 { video.compressorName = name.pascalString() }
    video.depth = reader.uint16()
    let colorTable = reader.int16()
    guard !reader.isExhausted else {
      media = .video(video)
      return
    }
    Self.skipColorTable(id: colorTable, depth: video.depth, &reader)
    let first = extensions.count
    readExtensions(in: reader.rest, isWave: false, &state)
    for child in extensions[first...] { video.note(child, &state) }
    media = .video(video)
  }

  /// QuickTime: an indexed picture with table number 0 has its palette before the boxes.
  private static func skipColorTable(id: Int16, depth: UInt16, _ reader: inout ByteReader) {
    guard id == 0, [1, 2, 4, 8].contains(depth & 31), reader.remaining >= 8 else { return }
    var probe = reader
    probe.skip(6)
    let entries = Int(probe.uint16()) + 1
    if entries * 8 <= probe.remaining { reader.skip(8 + entries * 8) }
  }
}

extension VideoSampleDescription {
  mutating func note(_ child: SampleDescription.Extension, _ state: inout ParseState) {
    var reader = ByteReader(state.bytes, in: child.payload)
    switch child.type {
    case .pasp where pixelAspectRatio == nil:
      let ratio = PixelAspectRatio(
        horizontalSpacing: reader.uint32(), verticalSpacing: reader.uint32())
      if ratio.horizontalSpacing > 0, ratio.verticalSpacing > 0 {
        pixelAspectRatio = reader.isExhausted ? nil : ratio
      }
    case .clap where cleanAperture == nil:
      cleanAperture = CleanAperture(&reader)
      if cleanAperture == nil { report(child, .malformed, &state) }
    case .colr: readColor(&reader)
    case .fiel where reader.remaining >= 2:
      fields = FieldOrder(fieldCount: reader.uint8(), detail: reader.uint8())
    case .gama where reader.remaining >= 4: gamma = reader.uint32()
    case .mdcv where reader.remaining >= 24: masteringDisplay = .mdcv(&reader)
    case .SmDm where masteringDisplay == nil && reader.remaining >= 28:
      masteringDisplay = .smDm(&reader)
    case .clli where reader.remaining >= 4:
      contentLight = ContentLight(maximum: reader.uint16(), maximumFrameAverage: reader.uint16())
    case .CoLL where contentLight == nil && reader.remaining >= 8:
      reader.skip(4)
      contentLight = ContentLight(maximum: reader.uint16(), maximumFrameAverage: reader.uint16())
    case .dvcC, .dvvC, .dvwC:
      if dolbyVision == nil {
        dolbyVision = DolbyVisionConfiguration(state.bytes, in: child.payload)
      }
    case "st3d", "sv3d", "vexu", "hfov", "lhvC": spatial.note(child.type, in: child.payload, of: state.bytes)
    case .btrt where reader.remaining >= 12: bitRate = BitRate(&reader)
    default: return
    }
    if reader.isExhausted { report(child, .truncated, &state) }
  }

  private mutating func readColor(_ reader: inout ByteReader) {
    let type = reader.code()
    switch type {
    case .nclx, .nclc:
      guard color == nil else { return }
      let parameters = ColorParameters(
        primaries: reader.uint16(), transfer: reader.uint16(), matrix: reader.uint16(),
        isFullRange: nil)
      guard !reader.isExhausted else { return }
      color = parameters
      if type == .nclx, reader.remaining > 0 { color?.isFullRange = reader.uint8() & 0x80 != 0 }
    case FourCharacterCode.prof, FourCharacterCode.rICC:
      if iccProfile == nil { iccProfile = reader.rest }
    default: break
    }
  }

  private func report(
    _ child: SampleDescription.Extension, _ kind: ISOMediaError.Kind, _ state: inout ParseState
  ) {
    state.report(kind, "\(SampleDescription.path)/*/\(child.type)", at: child.payload.lowerBound)
  }
}

extension BitRate {
  init(_ reader: inout ByteReader) {
    self.init(
      bufferSize: reader.uint32(), maximum: reader.uint32(), average: reader.uint32())
  }
}

extension MasteringDisplay {
  private static func point(_ reader: inout ByteReader) -> Point {
    Point(x: UInt32(reader.uint16()), y: UInt32(reader.uint16()))
  }

  /// ISO's box: green, blue, red in steps of 0.00002, luminance of 0.0001 cd/m².
  static func mdcv(_ reader: inout ByteReader) -> MasteringDisplay {
    let (green, blue, red) = (point(&reader), point(&reader), point(&reader))
    return MasteringDisplay(
      red: red, green: green, blue: blue, whitePoint: point(&reader),
      chromaticityDenominator: 50_000, maximumLuminance: reader.uint32(),
      maximumDenominator: 10_000, minimumLuminance: reader.uint32(), minimumDenominator: 10_000)
  }

  /// VP9's box: red, green, blue as 0.16, luminance as 24.8 and 18.14 fixed point.
  static func smDm(_ reader: inout ByteReader) -> MasteringDisplay {
    reader.skip(4)
    return MasteringDisplay(
      red: point(&reader), green: point(&reader), blue: point(&reader),
      whitePoint: point(&reader), chromaticityDenominator: 65_536,
      maximumLuminance: reader.uint32(), maximumDenominator: 256,
      minimumLuminance: reader.uint32(), minimumDenominator: 16_384)
  }
}
