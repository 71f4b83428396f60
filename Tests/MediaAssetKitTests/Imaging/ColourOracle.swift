import Foundation

/// Y'CbCr to R'G'B' straight from the standards (BT.601, BT.709, BT.2020, SMPTE 240M, FCC), in `Double`.
struct ColourOracle {
  /// FFmpeg's name of the matrix and its luma coefficients of red and blue.
  struct Matrix: Sendable {
    var name: String
    var red: Double
    var blue: Double
  }

  static let matrices = [
    Matrix(name: "smpte170m", red: 0.299, blue: 0.114),
    Matrix(name: "bt470bg", red: 0.299, blue: 0.114),
    Matrix(name: "bt709", red: 0.2126, blue: 0.0722),
    Matrix(name: "bt2020nc", red: 0.2627, blue: 0.0593),
    Matrix(name: "smpte240m", red: 0.212, blue: 0.087),
    Matrix(name: "fcc", red: 0.30, blue: 0.11),
  ]

  static func matrix(_ name: String) -> Matrix {
    matrices.first { $0.name == name } ?? matrices[0]
  }

  /// R'G'B' of 0 to 1 for stored codes of `bits` bits, cut to the range.
  static func components(
    _ y: Int, _ cb: Int, _ cr: Int, bits: Int, matrix: Matrix, isFullRange: Bool
  ) -> [Double] {
    let unit = Double(1 << (bits - 8))
    let top = Double(1 << bits) - 1
    let luma = isFullRange ? Double(y) / top : (Double(y) - 16 * unit) / (219 * unit)
    func chroma(_ code: Int) -> Double {
      isFullRange ? (Double(code) - 128 * unit) / top : (Double(code) - 128 * unit) / (224 * unit)
    }
    let (b, r) = (chroma(cb), chroma(cr))
    let green = 1 - matrix.red - matrix.blue
    let red = luma + 2 * (1 - matrix.red) * r
    let blue = luma + 2 * (1 - matrix.blue) * b
    return [red, (luma - matrix.red * red - matrix.blue * blue) / green, blue].map {
      min(max($0, 0), 1)
    }
  }
}

/// A lossless picture of flat patches whose stored codes are chosen by the test.
struct PatchClip: Sendable {
  /// Sixteen patches of 16x16 in a row: codes in 8-bit terms, Y Cb Cr, within both ranges' colours.
  static let codes: [(Int, Int, Int)] = [
    (16, 128, 128), (235, 128, 128), (126, 128, 128), (180, 128, 128), (81, 90, 240),
    (145, 54, 34), (41, 240, 110), (92, 105, 190), (110, 160, 100), (60, 120, 150),
    (200, 110, 130), (170, 140, 90), (90, 100, 140), (128, 128, 180), (128, 180, 128),
    (50, 140, 118),
  ]
  static let patch = 16

  var pixelFormat: String
  var tags: [String] = []
  var height = 16
  var container = "mkv"
  var codec = "ffv1"
  var options: [String] = []

  /// Bits per component, by FFmpeg's names.
  var bits: Int {
    for bits in [10, 12, 14, 16]
    where pixelFormat.contains("p\(bits)") || pixelFormat.hasSuffix("y\(bits)le") {
      return bits
    }
    return 8
  }

  /// Where patches of a picture with more lines than usual lie: it is repeated downwards.
  func make() async throws -> URL {
    let shift = Self.subsampling(pixelFormat)
    let (width, bits) = (Self.patch * Self.codes.count, bits)
    var bytes: [UInt8] = []
    func put(_ code: Int) {
      let value = code << (bits - 8)
      bytes.append(UInt8(truncatingIfNeeded: value))
      if bits > 8 { bytes.append(UInt8(truncatingIfNeeded: value >> 8)) }
    }
    for _ in 0..<height {
      for x in 0..<width { put(Self.codes[x / Self.patch].0) }
    }
    if !pixelFormat.hasPrefix("gray") {
      for component in 0..<2 {
        for _ in 0..<height >> shift.vertical {
          for x in 0..<width >> shift.horizontal {
            let code = Self.codes[(x << shift.horizontal) / Self.patch]
            put(component == 0 ? code.1 : code.2)
          }
        }
      }
    }
    if pixelFormat.hasPrefix("yuva") {
      for _ in 0..<height {
        for x in 0..<width { put(Self.alpha(x / Self.patch)) }
      }
    }
    let raw = try await rawFile(bytes)
    return try await madeFile(
      "patches.\(container)",
      [
        "-f", "rawvideo", "-pix_fmt", pixelFormat, "-s", "\(width)x\(height)", "-i",
        "file:" + raw.path,
        "-c:v", codec,
      ] + options + tags)
  }

  static func alpha(_ patch: Int) -> Int { patch * 17 }

  private static func subsampling(_ format: String) -> (horizontal: Int, vertical: Int) {
    if format.contains("420") { return (1, 1) }
    if format.contains("422") { return (1, 0) }
    if format.contains("411") { return (2, 0) }
    return (0, 0)
  }
}

/// Bytes in a file whose name says what they are.
func rawFile(_ bytes: [UInt8]) async throws -> URL {
  let folder = FileManager.default.temporaryDirectory.appendingPathComponent(
    "imaging-raw-\(getuid())", isDirectory: true)
  try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
  let url = folder.appendingPathComponent("\(MD5Name.of(bytes)).raw")
  if !FileManager.default.fileExists(atPath: url.path) {
    try Data(bytes).write(to: url, options: .atomic)
  }
  return url
}

/// A name from content, so that fixtures made of it can be kept.
private enum MD5Name {
  static func of(_ bytes: [UInt8]) -> String {
    // FNV-1a, twice with different starts.
    func hash(_ start: UInt64) -> UInt64 {
      bytes.reduce(start) { ($0 ^ UInt64($1)) &* 0x100_0000_01b3 }
    }
    return String(hash(0xcbf2_9ce4_8422_2325), radix: 16) + String(hash(0x1234_5678), radix: 16)
      + "-\(bytes.count)"
  }
}
