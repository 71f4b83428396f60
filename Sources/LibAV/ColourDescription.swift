internal import CFFmpeg

/// The four colour tags of a stream or frame, by FFmpeg's names; nil where untagged.
package struct ColourDescription: Sendable, Hashable {
  package var primaries: String?
  package var transfer: String?
  package var matrix: String?
  /// `true` for full (pc), `false` for limited (tv), nil for untagged.
  package var isFullRange: Bool?

  package init(
    primaries: String? = nil, transfer: String? = nil, matrix: String? = nil,
    isFullRange: Bool? = nil
  ) {
    self.primaries = primaries
    self.transfer = transfer
    self.matrix = matrix
    self.isFullRange = isFullRange
  }

  init(
    primaries: AVColorPrimaries, transfer: AVColorTransferCharacteristic, matrix: AVColorSpace,
    range: AVColorRange
  ) {
    self.primaries = unsafe Self.name(av_color_primaries_name(primaries))
    self.transfer = unsafe Self.name(av_color_transfer_name(transfer))
    self.matrix = unsafe Self.name(av_color_space_name(matrix))
    isFullRange = range == AVCOL_RANGE_JPEG ? true : range == AVCOL_RANGE_MPEG ? false : nil
  }

  /// By the numbers of ISO/IEC 23091-2 (the values of `colr` nclx and of VUI).
  package init(primariesCode: Int, transferCode: Int, matrixCode: Int, isFullRange: Bool?) {
    self.init(
      primaries: AVColorPrimaries(UInt32(clamping: primariesCode)),
      transfer: AVColorTransferCharacteristic(UInt32(clamping: transferCode)),
      matrix: AVColorSpace(UInt32(clamping: matrixCode)),
      range: isFullRange == true
        ? AVCOL_RANGE_JPEG : isFullRange == false ? AVCOL_RANGE_MPEG : AVCOL_RANGE_UNSPECIFIED)
  }

  /// These tags, with `other`'s where this has none.
  package func filled(from other: ColourDescription) -> ColourDescription {
    ColourDescription(
      primaries: primaries ?? other.primaries, transfer: transfer ?? other.transfer,
      matrix: matrix ?? other.matrix, isFullRange: isFullRange ?? other.isFullRange)
  }

  private static func name(_ text: UnsafePointer<CChar>?) -> String? {
    guard let text = unsafe text else { return nil }
    let name = unsafe String(cString: text)
    return name == "unknown" || name == "reserved" ? nil : name
  }
}

/// SMPTE ST 2086 mastering display data: chromaticities and luminance in cd/m².
package struct MasteringDisplay: Sendable, Hashable {
  /// x and y of red, green, blue; empty when absent.
  package var primaries: [(Double)]
  package var whitePoint: [Double]
  package var minimumLuminance: Double?
  package var maximumLuminance: Double?

  init?(bytes: UnsafePointer<UInt8>, count: Int) {
    guard count >= MemoryLayout<AVMasteringDisplayMetadata>.size else { return nil }
    let data = unsafe UnsafeRawPointer(bytes).loadUnaligned(as: AVMasteringDisplayMetadata.self)
    func number(_ value: AVRational) -> Double {
      value.den == 0 ? 0 : Double(value.num) / Double(value.den)
    }
    let p = data.display_primaries
    primaries =
      data.has_primaries == 0 ? [] : [p.0.0, p.0.1, p.1.0, p.1.1, p.2.0, p.2.1].map(number)
    whitePoint =
      data.has_primaries == 0 ? [] : [data.white_point.0, data.white_point.1].map(number)
    minimumLuminance = data.has_luminance == 0 ? nil : number(data.min_luminance)
    maximumLuminance = data.has_luminance == 0 ? nil : number(data.max_luminance)
  }
}

/// CTA-861.3 content light levels in cd/m².
package struct ContentLight: Sendable, Hashable {
  package var maximumContent: Int
  package var maximumFrameAverage: Int

  init?(bytes: UnsafePointer<UInt8>, count: Int) {
    guard count >= MemoryLayout<AVContentLightMetadata>.size else { return nil }
    let data = unsafe UnsafeRawPointer(bytes).loadUnaligned(as: AVContentLightMetadata.self)
    maximumContent = Int(data.MaxCLL)
    maximumFrameAverage = Int(data.MaxFALL)
  }
}
