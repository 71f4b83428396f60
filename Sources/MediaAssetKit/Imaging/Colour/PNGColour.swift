import ISOMedia

/// Tags PNG files with coding-independent code points, as PNG (third edition) 11.3.2.6 defines `cICP`.
enum PNGColour {
  /// Whether a PNG file of this colour needs a tag: sRGB and plain BT.709 need none, viewers show untagged files so.
  static func needsTag(_ space: MediaImage.ColorSpace) -> Bool {
    space.isHDR || ColorPrimaries(name: space.primaries) != .bt709
      || TransferFunction(name: space.transfer) == .linear
  }

  /// The file with a `cICP` chunk where its colour needs one and the encoder wrote none.
  static func tagged(_ png: [UInt8], _ space: MediaImage.ColorSpace) -> [UInt8] {
    guard needsTag(space), let primaries = primaries[space.primaries],
      let transfer = transfers[space.transfer], png.count > header, !hasTag(png)
    else { return png }
    // RGB: matrix 0, full range.
    let body: [UInt8] = Array("cICP".utf8) + [primaries, transfer, 0, 1]
    let chunk: [UInt8] = [0, 0, 0, 4] + body + CyclicRedundancyCheck.crc32(body).bigEndianBytes()
    var result: [UInt8] = []
    result.reserveCapacity(png.count + chunk.count)
    result += png[..<header]
    result += chunk
    result += png[header...]
    return result
  }

  /// Signature (8) and IHDR (25): the tag comes behind them, before any pixel.
  private static let header = 33

  private static func hasTag(_ png: [UInt8]) -> Bool {
    var position = header
    while position + 8 <= png.count {
      let length = png[position..<position + 4].reduce(0) { $0 << 8 | Int($1) }
      let type = png[position + 4..<position + 8]
      if type.elementsEqual("cICP".utf8) { return true }
      if type.elementsEqual("IDAT".utf8) { return false }
      position += length + 12
    }
    return false
  }

  /// ISO/IEC 23091-2, table 2, by FFmpeg's names.
  private static let primaries: [String: UInt8] = [
    "bt709": 1, "bt470m": 4, "bt470bg": 5, "smpte170m": 6, "smpte240m": 7, "film": 8, "bt2020": 9,
    "smpte428": 10, "smpte431": 11, "smpte432": 12, "ebu3213": 22,
  ]

  /// ISO/IEC 23091-2, table 3, by FFmpeg's names.
  private static let transfers: [String: UInt8] = [
    "bt709": 1, "bt470m": 4, "gamma22": 4, "bt470bg": 5, "gamma28": 5, "smpte170m": 6,
    "smpte240m": 7, "linear": 8, "iec61966-2-4": 11, "iec61966-2-1": 13, "bt2020-10": 14,
    "bt2020-12": 15, "smpte2084": 16, "smpte428": 17, "arib-std-b67": 18,
  ]
}
