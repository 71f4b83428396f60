import LibAV

/// Brings layers to the dynamic range of the canvas: HDR layers on a standard canvas are tone-mapped as stills are, standard
/// ones on an HDR canvas are raised.
///
/// What is raised keeps its light on a display whose white has BT.2408's 203 cd/m²: white becomes 58 % of PQ and 75 % of
/// HLG. Primaries are converted in linear light.
final class LayerRange {
  private var scalers = ScalerCache()
  private var raiser: (source: MediaImage.ColorSpace, target: MediaImage.ColorSpace, raiser: LightRaiser)?

  static func isHDR(_ colour: ColourDescription) -> Bool {
    colour.transfer.map { TransferFunction(name: $0).isHDR } ?? false
  }

  /// An HDR picture as RGB of BT.709.
  func toneMapped(_ frame: Frame, _ tags: ColourDescription) throws -> Frame {
    let renderer = PictureRenderer(
      geometry: TrackGeometry(square: PixelSize(width: frame.width, height: frame.height)), colour: tags,
      isStillCodec: false, maximumSize: .zero, apertureMode: .encodedPixels, appliesTransform: false,
      dynamicRange: .forceSDR, contentPeak: PictureRenderer.peak(frame.contentLight, frame.masteringDisplay))
    let image = try renderer.render(frame, &scalers)
    return try Frame.picture(
      width: image.width, height: image.height, format: .rgba,
      colour: ColourDescription(primaries: "bt709", transfer: "bt709", matrix: "gbr", isFullRange: true)
    ) { planes, strides in
      guard let target = planes[0] else { return }
      for row in 0..<image.height {
        image.withRowBytes(row) { bytes in
          let source = bytes.baseAddress ?? UnsafeRawPointer(target)
          (target + row * strides[0]).copyMemory(from: source, byteCount: min(bytes.count, strides[0]))
        }
      }
    }
  }

  /// A picture of RGB of 16 bits and standard range in the colours of an HDR canvas.
  func raised(_ frame: Frame, from tags: ColourDescription, to colour: ColourDescription) throws -> Frame {
    let source = MediaImage.ColorSpace(primaries: tags.primaries ?? "bt709", transfer: tags.transfer ?? "bt709")
    let target = MediaImage.ColorSpace(
      primaries: colour.primaries ?? "bt2020", transfer: colour.transfer ?? "smpte2084")
    let made: LightRaiser
    if let raiser, raiser.source == source, raiser.target == target {
      made = raiser.raiser
    } else {
      made = LightRaiser(from: source, to: target)
      raiser = (source, target, made)
    }
    return try made.raised(frame)
  }
}

/// Raises standard pictures to an HDR curve.
struct LightRaiser {
  private let decoding: ComponentTable
  private let encoding: LightTable
  /// What light of a luminance is multiplied by before it is encoded; nil: nothing.
  private let scene: LightTable?
  private let columns: (SIMD4<Float>, SIMD4<Float>, SIMD4<Float>)
  private let luminance: SIMD4<Float>

  init(from source: MediaImage.ColorSpace, to target: MediaImage.ColorSpace) {
    decoding = .decoding(TransferFunction(name: source.transfer))
    let (from, to) = (ColorPrimaries(name: source.primaries), ColorPrimaries(name: target.primaries))
    let matrix = from.matrix(to: to)
    columns = (
      SIMD4(SIMD4(matrix.first, 0)), SIMD4(SIMD4(matrix.second, 0)), SIMD4(SIMD4(matrix.third, 0))
    )
    luminance = SIMD4(SIMD4(to.luminance, 0))
    let curve = TransferFunction(name: target.transfer)
    if curve == .hybridLogGamma {
      let white = ToneMap.referenceWhite / ToneMap.hybridLogGammaPeak
      // BT.2100-2, table 5: the OOTF of gamma 1.2 read backwards.
      scene = LightTable { light in
        light > 0 ? white * TransferFunction.power((1 - 1.2) / 1.2 + 1).decode(white * light) / (white * light) : 0
      }
      encoding = LightTable { curve.encode(min(1, $0)) }
    } else {
      scene = nil
      encoding = LightTable { curve.encode(min(1, $0 * ToneMap.referenceWhite / 10_000)) }
    }
  }

  func raised(_ frame: Frame) throws(AVError) -> Frame {
    try Frame.picture(
      width: frame.width, height: frame.height, format: .rgba64,
      colour: ColourDescription(primaries: nil, transfer: nil, matrix: "gbr", isFullRange: true)
    ) { planes, strides in
      guard let target = planes[0], let source = frame.planeAddress(0) else { return }
      let stride = frame.plane(0).bytesPerRow
      decoding.values.withUnsafeBufferPointer { light in
        encoding.lines.withUnsafeBufferPointer { codes in
          for row in 0..<frame.height {
            let from = (source + row * stride).assumingMemoryBound(to: SIMD4<UInt16>.self)
            let to = (target + row * strides[0]).assumingMemoryBound(to: SIMD4<UInt16>.self)
            for column in 0..<frame.width { to[column] = raised(from[column], light, codes) }
          }
        }
      }
    }
  }

  @inline(__always)
  private func raised(
    _ pixel: SIMD4<UInt16>, _ light: UnsafeBufferPointer<Float>, _ codes: UnsafeBufferPointer<LightTable.Line>
  ) -> SIMD4<UInt16> {
    var color =
      columns.0 * light[Int(pixel.x)] + columns.1 * light[Int(pixel.y)] + columns.2 * light[Int(pixel.z)]
    color.replace(with: 0, where: color .< 0)
    if let scene {
      let weighted = color * luminance
      color *= scene.value(min(8, weighted.x + weighted.y + weighted.z))
    }
    func code(_ value: Float) -> UInt16 {
      UInt16(min(65_535, max(0, LightTable.value(min(7.9, value), codes) * 65_535 + 0.5)))
    }
    return SIMD4(code(color.x), code(color.y), code(color.z), pixel.w)
  }
}
