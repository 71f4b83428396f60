import Testing

@testable import MediaAssetKit

@Suite struct ImageGeometryTests {
  static func size(_ width: Int, _ height: Int) -> PixelSize {
    PixelSize(width: width, height: height)
  }

  @Test(arguments: [
    // size, limit, expected
    (size(1920, 1080), size(640, 640), size(640, 360)),
    (size(1080, 1920), size(640, 640), size(360, 640)),
    (size(1024, 576), size(512, 512), size(512, 288)),
    (size(1920, 1080), size(200, 0), size(200, 113)),  // 112.5 rounds up
    (size(1920, 1080), size(0, 200), size(356, 200)),  // 355.6
    (size(1920, 1080), size(0, 0), size(1920, 1080)),
    (size(1920, 1080), size(-1, -5), size(1920, 1080)),
    (size(320, 240), size(4000, 4000), size(320, 240)),  // never grows
    (size(320, 240), size(4000, 120), size(160, 120)),
    (size(320, 240), size(160, 4000), size(160, 120)),
    (size(10_000, 1), size(100, 100), size(100, 1)),  // at least 1
    (size(1, 10_000), size(100, 100), size(1, 100)),
    (size(65, 49), size(65, 49), size(65, 49)),
    (size(65, 49), size(33, 25), size(33, 25)),  // 24.88
    (size(1000, 999), size(500, 500), size(500, 500)),  // 499.5 rounds up, into the limit
    (size(.max, .max / 2), size(1000, 1000), size(1000, 500)),
  ])
  func fit(size: PixelSize, limit: PixelSize, expected: PixelSize) {
    #expect(PixelFitting.fit(size, within: limit) == expected)
  }

  @Test func fittedSizesNeverExceedTheLimit() {
    var state: UInt64 = 42
    func number(_ limit: UInt64) -> Int {
      state = state &* 6_364_136_223_846_793_005 &+ 1_442_695_040_888_963_407
      return Int((state >> 33) % limit) + 1
    }
    for _ in 0..<2000 {
      let (size, limit) = (
        Self.size(number(8192), number(8192)), Self.size(number(999), number(999))
      )
      let fitted = PixelFitting.fit(size, within: limit)
      #expect(fitted.width <= min(limit.width, size.width) && fitted.width >= 1)
      #expect(fitted.height <= min(limit.height, size.height) && fitted.height >= 1)
    }
  }

  @Test(arguments: [
    (size(720, 576), 64, 45, 1024), (size(720, 480), 8, 9, 640), (size(720, 480), 32, 27, 853),
    (size(1440, 1080), 4, 3, 1920), (size(100, 100), 1, 1, 100), (size(100, 100), 2, 1, 200),
    (size(101, 7), 1, 2, 51),
    // Says nothing, or damaged.
    (size(720, 576), 0, 1, 720), (size(720, 576), 1, 0, 720), (size(720, 576), -64, 45, 720),
    (size(720, 576), 1, 1_000_000, 720), (size(720, 576), 65_535, 1, 720),
    (size(720, 576), .max, .max - 1, 720), (size(720, 576), .max, 1, 720),
    (size(720, 576), 1_001_000, 1_000_000, 721),
  ])
  func displayWidth(size: PixelSize, horizontal: Int, vertical: Int, width: Int) {
    let ratio = PixelAspectRatio(horizontal: horizontal, vertical: vertical)
    #expect(PixelFitting.displaySize(size, ratio) == Self.size(width, size.height))
  }

  static func aperture(
    _ width: (UInt32, UInt32), _ height: (UInt32, UInt32), _ horizontal: (Int32, UInt32) = (0, 1),
    _ vertical: (Int32, UInt32) = (0, 1)
  ) -> CleanAperture {
    CleanAperture(
      widthNumerator: width.0, widthDenominator: width.1, heightNumerator: height.0,
      heightDenominator: height.1, horizontalOffsetNumerator: horizontal.0,
      horizontalOffsetDenominator: horizontal.1, verticalOffsetNumerator: vertical.0,
      verticalOffsetDenominator: vertical.1)
  }

  @Test(arguments: [
    // Centred: (720 − 704) / 2 = 8.
    (aperture((704, 1), (576, 1)), PixelRect(x: 8, y: 0, width: 704, height: 576)),
    // A fraction: 702.91 wide, from (720 − 702.91) / 2 = 8.55.
    (aperture((7732, 11), (576, 1)), PixelRect(x: 9, y: 0, width: 703, height: 576)),
    // Offset from centre to centre, right and down positive.
    (
      aperture((700, 1), (500, 1), (-10, 1), (38, 1)),
      PixelRect(x: 0, y: 76, width: 700, height: 500)
    ),
    // Half a pixel: (720 − 703) / 2 = 8.5, up.
    (aperture((703, 1), (576, 1)), PixelRect(x: 9, y: 0, width: 703, height: 576)),
    (aperture((703, 1), (576, 1), (-1, 2)), PixelRect(x: 8, y: 0, width: 703, height: 576)),
    // Leaves the picture: cut off.
    (aperture((720, 1), (576, 1), (100, 1)), PixelRect(x: 100, y: 0, width: 620, height: 576)),
    (aperture((800, 1), (576, 1)), PixelRect(x: 0, y: 0, width: 720, height: 576)),
    // No use.
    (aperture((704, 0), (576, 1)), PixelRect(x: 0, y: 0, width: 720, height: 576)),
    (aperture((704, 1), (576, 1), (0, 0)), PixelRect(x: 0, y: 0, width: 720, height: 576)),
    (aperture((0, 1), (576, 1)), PixelRect(x: 0, y: 0, width: 720, height: 576)),
    (aperture((10, 1), (10, 1), (.max, 1)), PixelRect(x: 0, y: 0, width: 720, height: 576)),
    (
      aperture((.max, .max), (.max, 1), (.min, .max), (.max, .max)),
      PixelRect(x: 359, y: 0, width: 1, height: 576)
    ),
  ])
  func cleanAperture(aperture: CleanAperture, expected: PixelRect) {
    #expect(aperture.rect(in: Self.size(720, 576)) == expected)
  }

  @Test func theOrderIsCropThenShapeThenTurnThenFit() {
    // 720x576, crop to 704 (8 at each side), 12:11 → 768, turned → 576x768, into 384 → 288x384.
    let plan = ImageGeometry(
      encodedSize: Self.size(720, 576), cleanAperture: Self.aperture((704, 1), (576, 1)),
      pixelAspectRatio: PixelAspectRatio(horizontal: 12, vertical: 11),
      transform: PictureTransform(a: 0, b: 1, c: -1, d: 0, tx: 0, ty: 0),
      maximumSize: Self.size(384, 384))
    #expect(plan.sourceCrop == PixelRect(x: 8, y: 0, width: 704, height: 576))
    #expect(plan.naturalSize == Self.size(768, 576))
    #expect(plan.orientation == .right)
    #expect(plan.finalSize == Self.size(288, 384))
    #expect(plan.scaledSize == Self.size(384, 288))
  }

  @Test(arguments: [
    (ApertureMode.cleanAperture, size(768, 576)), (.productionAperture, size(785, 576)),
    (.encodedPixels, size(720, 576)),
  ])
  func apertureModes(mode: ApertureMode, natural: PixelSize) {
    let plan = ImageGeometry(
      encodedSize: Self.size(720, 576), cleanAperture: Self.aperture((704, 1), (576, 1)),
      pixelAspectRatio: PixelAspectRatio(horizontal: 12, vertical: 11), apertureMode: mode)
    #expect(plan.naturalSize == natural)
    #expect(plan.finalSize == natural)
    #expect(plan.sourceCrop.width == (mode == .cleanAperture ? 704 : 720))
  }

  /// Cases G1, G5, G7.
  @Test func casesOfTheField() {
    let anamorphic = PixelAspectRatio(horizontal: 64, vertical: 45)
    #expect(
      ImageGeometry(encodedSize: Self.size(720, 576), pixelAspectRatio: anamorphic).finalSize
        == Self.size(1024, 576))
    #expect(
      ImageGeometry(
        encodedSize: Self.size(720, 576), pixelAspectRatio: anamorphic,
        maximumSize: Self.size(512, 512)
      ).finalSize == Self.size(512, 288))
    #expect(ImageGeometry(encodedSize: Self.size(65, 49)).finalSize == Self.size(65, 49))
    let turn = PictureTransform(a: 0, b: -1, c: 1, d: 0, tx: 0, ty: 64)
    let turned = ImageGeometry(
      encodedSize: Self.size(64, 48), transform: turn, maximumSize: Self.size(24, 64))
    #expect(turned.finalSize == Self.size(24, 32))
    let stored = ImageGeometry(
      encodedSize: Self.size(64, 48), transform: turn, appliesTransform: false)
    #expect(stored.finalSize == Self.size(64, 48) && stored.orientation == .up)
    let skewed = PictureTransform(a: 1, b: 0.3, c: 0, d: 1, tx: 0, ty: 0)
    let left = ImageGeometry(encodedSize: Self.size(64, 48), transform: skewed)
    #expect(left.finalSize == Self.size(64, 48) && left.orientation == .up)
  }
}
