import Testing

@testable import MediaAssetKit

@Suite struct MediaImageTests {
  static let red = MediaImage.RGBA(red: 255, green: 0, blue: 0)
  static let blue = MediaImage.RGBA(red: 0, green: 0, blue: 255)

  @Test(arguments: [8, 16])
  func rowsArePaddedAndRead(bits: Int) throws {
    let image = try MediaImage(width: 65, height: 49, bitsPerComponent: bits, fill: Self.red)
    #expect(image.bytesPerRow % 64 == 0 && image.bytesPerRow >= 65 * bits / 2)
    #expect(image.withBytes { $0.count } == image.bytesPerRow * 49)
    image.withRow(48) { #expect($0.count == 65 * bits / 2) }
    #expect(image.pixel(x: 64, y: 48) == Self.red)
    #expect(image.pixel16(x: 64, y: 48) == SIMD4(65_535, 0, 0, 65_535))
    #expect(image.alphaMode == .opaque)
    if bits == 16 {
      image.withRow16(0) { #expect($0.count == 260 && $0[0] == 65_535 && $0[1] == 0) }
      #expect(image.withComponents16 { $0.count } == image.bytesPerRow / 2 * 49)
    }
    // Padding is defined, so two pictures are the same bytes.
    image.withBytes { #expect($0[$0.count - 1] == 0) }
  }

  @Test func copiesAreIndependent() throws {
    let original = try MediaImage(width: 4, height: 4, fill: Self.red)
    var copy = original
    #expect(copy == original && copy.hashValue == original.hashValue)
    try copy.fill(PixelRect(x: 3, y: 3, width: 9, height: 9), with: Self.blue)
    #expect(original.pixel(x: 3, y: 3) == Self.red)
    #expect(copy.pixel(x: 3, y: 3) == Self.blue && copy.pixel(x: 2, y: 3) == Self.red)
    #expect(copy != original)
    try copy.fill(PixelRect(x: 3, y: 3, width: 1, height: 1), with: Self.red)
    #expect(copy == original && copy.hashValue == original.hashValue)
  }

  @Test func equalityIsByPixelsNotByPadding() throws {
    let bytes = [UInt8](0..<24)
    let tight = try MediaImage(
      width: 2, height: 3, bytesPerRow: 8, alphaMode: .straight, colorSpace: .sRGB,
      copying: bytes.span)
    let padded = bytes[0..<8] + [9, 9, 9] + bytes[8..<16] + [8, 8, 8] + bytes[16..<24]
    let loose = try MediaImage(
      width: 2, height: 3, bytesPerRow: 11, alphaMode: .straight, colorSpace: .sRGB,
      copying: padded.span)
    #expect(tight == loose)
    #expect(tight.pixel(x: 1, y: 2) == .init(red: 20, green: 21, blue: 22, alpha: 23))
    var tagged = tight
    tagged.colorSpace = .displayP3
    #expect(tagged != tight)
  }

  @Test(arguments: [
    (0, 1, 8), (1, 0, 8), (-1, -1, 8), (1, 1, 10), (.max, 1, 8), (1, .max, 8), (.max, .max, 16),
    (1 << 20, 1 << 20, 8), (23_170, 23_171, 8), (16_384, 16_384, 16),
  ])
  func refusesSizesBeforeTakingMemory(width: Int, height: Int, bits: Int) {
    let error = #expect(throws: MediaError.self) {
      try MediaImage(width: width, height: height, bitsPerComponent: bits, fill: .black)
    }
    let isEmpty = width <= 0 || height <= 0 || bits == 10
    #expect(error?.code == (isEmpty ? .invalidArgument : .limitExceeded))
  }

  @Test(arguments: [(8, 23), (7, 24), (.max, 24), (-8, 24)])
  func refusesBytesThatDoNotHoldThePicture(bytesPerRow: Int, count: Int) {
    let bytes = [UInt8](repeating: 0, count: count)
    let error = #expect(throws: MediaError.self) {
      try MediaImage(
        width: 2, height: 3, bytesPerRow: bytesPerRow, alphaMode: .opaque, colorSpace: .sRGB,
        copying: bytes.span)
    }
    #expect(error?.code == .invalidArgument)
  }

  @Test(arguments: [8, 16])
  func croppingCutsAtTheEdges(bits: Int) throws {
    let image = try OrientationTests.numbered(PixelSize(width: 20, height: 10), bits: bits)
    let part = try image.cropped(to: PixelRect(x: 15, y: 7, width: 100, height: .max))
    #expect(part.size == PixelSize(width: 5, height: 3))
    #expect(part.pixel16(x: 0, y: 0) == image.pixel16(x: 15, y: 7))
    #expect(part.pixel16(x: 4, y: 2) == image.pixel16(x: 19, y: 9))
    #expect(try image.cropped(to: PixelRect(x: -5, y: -5, width: 6, height: 6)).size.width == 1)
    for rect in [
      PixelRect(x: 20, y: 0, width: 1, height: 1), .init(x: 0, y: 0, width: 0, height: 5),
      .init(x: .max, y: .min, width: .max, height: .max),
    ] {
      let error = #expect(throws: MediaError.self) { try image.cropped(to: rect) }
      #expect(error?.code == .invalidArgument)
    }
  }

  @Test func depthsConvertAndRoundToNearest() throws {
    let bytes: [UInt8] = [0, 1, 128, 255]
    let image = try MediaImage(
      width: 1, height: 1, bytesPerRow: 4, alphaMode: .straight, colorSpace: .sRGB,
      copying: bytes.span)
    let wide = try image.converted(toBitsPerComponent: 16)
    #expect(wide.pixel16(x: 0, y: 0) == SIMD4(0, 257, 32_896, 65_535))
    #expect(try wide.converted(toBitsPerComponent: 8) == image)
    #expect(UInt8(rounding: 128) == 0 && UInt8(rounding: 129) == 1)
    #expect(
      (0...UInt16.max).allSatisfy { UInt8(rounding: $0) == UInt8((Double($0) / 257).rounded()) })
  }

  @Test(arguments: [(0, 0), (-3, -2), (7, 5), (8, 6), (-100, 0), (.max, .min), (.min, .max)])
  func drawingIsCutAtTheEdges(x: Int, y: Int) throws {
    var sheet = try MediaImage(width: 8, height: 6, fill: Self.red)
    let picture = try MediaImage(width: 4, height: 3, fill: Self.blue)
    try sheet.draw(picture, x: x, y: y)
    for row in 0..<6 {
      for column in 0..<8 {
        let inside =
          column >= x && row >= y && Double(column) < Double(x) + 4 && Double(row) < Double(y) + 3
        #expect(sheet.pixel(x: column, y: row) == (inside ? Self.blue : Self.red))
      }
    }
  }

  /// Source over, from Porter and Duff: αo = αs + αb(1 − αs), co = (cs·αs + cb·αb(1 − αs)) / αo.
  @Test(
    arguments: [
      // over, under, expected
      ([255, 0, 0, 128], [0, 0, 255, 255], [128, 0, 127, 255]),
      ([255, 0, 0, 0], [10, 20, 30, 255], [10, 20, 30, 255]),
      ([255, 0, 0, 255], [10, 20, 30, 40], [255, 0, 0, 255]),
      ([200, 100, 0, 128], [0, 0, 0, 0], [200, 100, 0, 128]),
      ([9, 9, 9, 0], [7, 7, 7, 0], [0, 0, 0, 0]),
      // αo = 128 + 128 · 127/255 = 191.7; red 255·128 / 191.75, blue the rest.
      ([255, 0, 0, 128], [0, 0, 255, 128], [170, 0, 85, 192]),
    ] as [([UInt8], [UInt8], [UInt8])])
  func alphaIsLaidOver(over: [UInt8], under: [UInt8], expected: [UInt8]) throws {
    func image(_ bytes: [UInt8]) throws -> MediaImage {
      try MediaImage(
        width: 1, height: 1, bytesPerRow: 4, alphaMode: .straight, colorSpace: .sRGB,
        copying: bytes.span)
    }
    var result = try image(under)
    try result.draw(try image(over), x: 0, y: 0)
    #expect(try result == image(expected))
    // The same in 16 bits, and from 16 bits.
    var wide = try image(under).converted(toBitsPerComponent: 16)
    try wide.draw(try image(over), x: 0, y: 0)
    #expect(try wide.converted(toBitsPerComponent: 8) == image(expected))
  }

  @Test func opaqueBelowStaysOpaque() throws {
    var sheet = try MediaImage(width: 2, height: 1, fill: .white)
    let half = try MediaImage(
      width: 2, height: 1, fill: .init(red: 0, green: 0, blue: 0, alpha: 128))
    #expect(half.alphaMode == .straight)
    try sheet.draw(half, x: 1, y: 0)
    #expect(sheet.alphaMode == .opaque)
    #expect(sheet.pixel(x: 0, y: 0) == .white)
    #expect(sheet.pixel(x: 1, y: 0) == .init(red: 127, green: 127, blue: 127))
    try sheet.fill(PixelRect(sheet.size), with: .clear)
    #expect(sheet.pixel(x: 0, y: 0) == .black)
  }

  @Test func premultipliedIsUnderstood() throws {
    let bytes: [UInt8] = [128, 0, 64, 128]
    let image = try MediaImage(
      width: 1, height: 1, bytesPerRow: 4, alphaMode: .premultiplied, colorSpace: .sRGB,
      copying: bytes.span)
    #expect(
      try image.straightened().pixel(x: 0, y: 0)
        == .init(red: 255, green: 0, blue: 128, alpha: 128))
    var sheet = try MediaImage(width: 1, height: 1, fill: .white)
    try sheet.draw(image, x: 0, y: 0)
    #expect(sheet.pixel(x: 0, y: 0) == .init(red: 255, green: 127, blue: 191))
  }

  @Test func aPictureCanBeDrawnIntoItself() throws {
    var image = try OrientationTests.numbered(PixelSize(width: 8, height: 8), bits: 8)
    let before = image
    try image.draw(image, x: 1, y: 1)
    #expect(image.pixel(x: 7, y: 7) == before.pixel(x: 6, y: 6))
    #expect(image.pixel(x: 0, y: 7) == before.pixel(x: 0, y: 7))
  }

  @Test func tasksShareAndChange() async throws {
    let image = try MediaImage(width: 64, height: 64, fill: Self.red)
    let changed = try await withThrowingTaskGroup(of: MediaImage.self) { group in
      for y in 0..<16 {
        group.addTask {
          var copy = image
          try copy.fill(PixelRect(x: 0, y: y, width: 64, height: 1), with: Self.blue)
          return copy
        }
      }
      return try await group.reduce(into: Set()) { $0.insert($1) }
    }
    #expect(changed.count == 16)
    #expect(image.pixel(x: 0, y: 0) == Self.red)
  }
}
