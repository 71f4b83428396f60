import MediaAssetKit
import Testing

@Suite struct StoryboardIndexTests {
  static let tile = PixelSize(width: 160, height: 90)

  @Test func textAsPlayersReadIt() throws {
    let index = try StoryboardIndex(
      starts: StoryboardIndex.starts(every: 5000, duration: 23_040), end: 23_040,
      tileSize: Self.tile, columns: 2, rows: 2)
    #expect(index.sheetCount == 2)
    #expect(index.sheetSize(at: 0) == PixelSize(width: 320, height: 180))
    #expect(index.sheetSize(at: 1) == Self.tile)
    #expect(
      index.webVTT() == """
        WEBVTT

        00:00:00.000 --> 00:00:05.000
        sprite-0001.jpg#xywh=0,0,160,90

        00:00:05.000 --> 00:00:10.000
        sprite-0001.jpg#xywh=160,0,160,90

        00:00:10.000 --> 00:00:15.000
        sprite-0001.jpg#xywh=0,90,160,90

        00:00:15.000 --> 00:00:20.000
        sprite-0001.jpg#xywh=160,90,160,90

        00:00:20.000 --> 00:00:23.040
        sprite-0002.jpg#xywh=0,0,160,90

        """)
  }

  @Test(
    arguments: [
      (3_599_999, "00:59:59.999"), (3_600_000, "01:00:00.000"), (360_061_001, "100:01:01.001"),
    ] as [(Int64, String)])
  func timesGrowPastHours(start: Int64, text: String) throws {
    let index = try StoryboardIndex(starts: [start], end: start + 1, tileSize: Self.tile)
    #expect(index.webVTT().contains("\n\(text) --> "))
  }

  @Test func namesBecomeURLs() throws {
    let index = try StoryboardIndex(starts: [0], end: 1, tileSize: Self.tile)
    #expect(
      index.webVTT(sheetNames: ["a b/ü --> #\n.jpg"])
        .contains("\na%20b/%C3%BC%20--%3E%20%23%0A.jpg#xywh=0,0,160,90\n"))
  }

  @Test func emptyStretchesHaveNoCue() throws {
    let index = try StoryboardIndex(starts: [0, 40, 40], end: 40, tileSize: Self.tile)
    #expect(index.webVTT().split(separator: "\n").count == 3)
    let none = try StoryboardIndex(starts: [], end: 0, tileSize: Self.tile)
    #expect(none.webVTT() == "WEBVTT\n" && none.sheetCount == 0)
  }

  @Test func lastSheetHasTheRowsItNeeds() throws {
    let index = try StoryboardIndex(
      starts: (0..<32).map { $0 * 10 }, end: 320, tileSize: Self.tile, columns: 5, rows: 5)
    #expect(index.sheetSize(at: 1) == PixelSize(width: 800, height: 180))
    #expect(index.place(at: 31).sheet == 1)
    #expect(index.place(at: 31).rect == PixelRect(x: 160, y: 90, width: 160, height: 90))
  }

  @Test func refusesWhatCannotBe() {
    for (starts, end, side) in [
      ([5, 4], 9, 5), ([0], -1, 5), ([-1], 9, 5), ([0], 9, 0),
      ([0], 9, 100_000), ([0], 9, .max),
    ] as [([Int64], Int64, Int)] {
      #expect(throws: MediaError.self) {
        try StoryboardIndex(
          starts: starts, end: end, tileSize: Self.tile, columns: side, rows: side)
      }
    }
    #expect(throws: MediaError.self) { try StoryboardIndex.starts(every: 0, duration: .max) }
  }
}
