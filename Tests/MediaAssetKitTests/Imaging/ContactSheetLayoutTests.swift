import MediaAssetKit
import Testing

@Suite struct ContactSheetLayoutTests {
  static let wide = PixelSize(width: 1920, height: 1080)

  @Test func tilesShareTheWidth() throws {
    // 1000 − 2·10 − 2·5 = 970; 970 / 3 = 323 rest 1; 323 · 9 / 16 = 181.7.
    let sheet = try ContactSheetLayout(
      pictureCount: 7, pictureSize: Self.wide, sheetWidth: 1000, columns: 3, spacing: 5, margin: 10)
    #expect(sheet.columns == 3 && sheet.rows == 3)
    #expect(sheet.tileSize == PixelSize(width: 323, height: 182))
    #expect(sheet.size == PixelSize(width: 1000, height: 3 * 182 + 2 * 5 + 2 * 10))
    #expect(sheet.tile(at: 0) == PixelRect(x: 10, y: 10, width: 323, height: 182))
    #expect(sheet.tile(at: 2) == PixelRect(x: 666, y: 10, width: 323, height: 182))
    #expect(sheet.tile(at: 6) == PixelRect(x: 10, y: 384, width: 323, height: 182))
  }

  @Test(arguments: [
    // 12 tiles of 16:9 as 3x4 are exactly 4:3.
    (12, 1920, 1080, 3), (9, 1920, 1080, 3), (16, 1920, 1080, 4), (1, 1920, 1080, 1),
    // Upright: 1:1.78, 8 as 4x2 are 1.125, 5x2 1.41.
    (10, 1080, 1920, 5), (100, 4, 3, 10),
  ])
  func columns(count: Int, width: Int, height: Int, expected: Int) {
    #expect(
      ContactSheetLayout.columns(
        for: count, pictureSize: PixelSize(width: width, height: height)) == expected)
  }

  @Test func otherPicturesLieInTheMiddleOfTheirTile() throws {
    let sheet = try ContactSheetLayout(
      pictureCount: 2, pictureSize: Self.wide, sheetWidth: 320, columns: 1, spacing: 0, margin: 0)
    // 1080x1920 into 320x180: 101.25x180.
    #expect(
      sheet.frame(at: 1, pictureSize: PixelSize(width: 1080, height: 1920))
        == PixelRect(x: 109, y: 180, width: 101, height: 180))
    // Smaller ones stay small.
    #expect(
      sheet.frame(at: 0, pictureSize: PixelSize(width: 100, height: 100))
        == PixelRect(x: 110, y: 40, width: 100, height: 100))
  }

  @Test(arguments: [
    (0, 100, 1), (1, 0, 1), (1, 100, 0), (5, 100, 50), (1, .max, 1), (.max, 100, 1),
    (2_000_000_000, 100, 1),
  ])
  func refusesWhatHasNoRoom(count: Int, width: Int, columns: Int) {
    #expect(throws: MediaError.self) {
      try ContactSheetLayout(
        pictureCount: count, pictureSize: Self.wide, sheetWidth: width, columns: columns)
    }
  }
}
