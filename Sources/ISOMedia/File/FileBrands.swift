/// The brands of an `ftyp` or `styp` box.
package struct FileBrands: Hashable, Sendable {
  package var major: FourCharacterCode
  package var minorVersion: UInt32
  package var compatible: [FourCharacterCode]

  /// Parses the payload of an `ftyp`; nil when it is too short for a major brand.
  package init?(_ bytes: [UInt8], in range: Range<Int>? = nil) {
    var reader = ByteReader(bytes, in: range)
    guard reader.remaining >= 4 else { return nil }
    major = reader.code()
    minorVersion = reader.remaining >= 4 ? reader.uint32() : 0
    compatible = []
    compatible.reserveCapacity(reader.remaining / 4)
    while reader.remaining >= 4 {
      let brand = reader.code()
      if brand.rawValue != 0 { compatible.append(brand) }
    }
  }

  package func contains(_ brand: FourCharacterCode) -> Bool {
    major == brand || compatible.contains(brand)
  }

  /// Whether the file says it is QuickTime.
  package var isQuickTime: Bool { contains(.qt) }

  /// Whether a brand of still images or image collections is present (HEIF, AVIF).
  package var hasImageBrand: Bool {
    Self.imageBrands.contains(major) || compatible.contains { Self.imageBrands.contains($0) }
  }

  private static let imageBrands: [FourCharacterCode] = [
    .heic, .heix, .heim, .heis, .avif, .mif1, .mif2,
  ]
}
