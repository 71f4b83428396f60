import Foundation
import MediaTestSupport
import Testing

@testable import MediaAssetKit

/// What playlists say besides their segments: date ranges, moments, variants. Texts follow RFC 8216's examples.
@Suite("Playlists read") struct PlaylistReadingTests {
  private static func playlist(_ lines: String) throws -> PlaylistText {
    try #require(PlaylistText(Array("#EXTM3U\n#EXT-X-VERSION:7\n#EXT-X-TARGETDURATION:10\n\(lines)\n".utf8)))
  }

  /// RFC 8216, 8.10: a splice of SCTE-35, told in two tags.
  @Test func splice() throws {
    let out = "FC002F0000000000FF000014056FFFFFF000E011622DCAFF000052636200000000000A0008029896F50000008700000000"
    let back = "FC002A0000000000FF00000F056FFFFFF000401162802E6100000000000A0008029896F50000008700000000"
    let playlist = try Self.playlist(
      """
      #EXT-X-PROGRAM-DATE-TIME:2014-03-05T11:14:51.000Z
      #EXTINF:9.009,
      a.ts
      #EXT-X-DATERANGE:ID="splice-6FFFFFF0",START-DATE="2014-03-05T11:15:00Z",PLANNED-DURATION=59.993,SCTE35-OUT=0x\(out)
      #EXTINF:9.009,
      b.ts
      #EXT-X-DATERANGE:ID="splice-6FFFFFF0",DURATION=59.993,SCTE35-IN=0x\(back)
      #EXTINF:3.003,
      c.ts
      """)
    let ranges = DateRangeMetadataGroup.ranges(in: playlist)
    #expect(ranges.count == 1)
    let range = try #require(ranges.first)
    #expect(range.uniqueID == "splice-6FFFFFF0" && range.classifyingLabel == nil)
    // 2014-03-05 is 16,134 days after 1970-01-01.
    let start: Double = 16_134 * 86_400 + 11 * 3600 + 15 * 60
    #expect(range.startDate.timeIntervalSince1970 == start)
    let length = try #require(range.endDate).timeIntervalSince(range.startDate)
    #expect(abs(length - 59.993) < 1e-6)
    #expect(range.timeRange?.start == MediaTime(value: 9, timescale: 1))
    #expect(range.timeRange?.duration == MediaTime(value: 59_993, timescale: 1000))
    #expect(
      range.items.map(\.identifier.rawValue) == ["lsdr/PLANNED-DURATION", "lsdr/SCTE35-OUT", "lsdr/SCTE35-IN"])
    #expect(range.items[0].value == .number(59.993))
    let bytes = try #require(range.items[1].dataValue)
    #expect(bytes.map { String(format: "%02X", $0) }.joined() == out)
    #expect(range.items[1].time == MediaTime(value: 9, timescale: 1) && range.items[1].startDate == range.startDate)
    #expect(range.items[2].dataValue?.count == back.count / 2)
  }

  @Test func everyAttribute() throws {
    let playlist = try Self.playlist(
      """
      #EXT-X-DATERANGE:ID="1",CLASS="com.example.ad",START-DATE="2024-01-01T00:00:10+01:00",END-ON-NEXT=YES,\
      X-COM-EXAMPLE-AD-ID="XYZ,123",X-COM-EXAMPLE-COUNT=3, X-COM-EXAMPLE-RATE=2.5
      #EXT-X-DATERANGE:ID="2",CLASS="com.example.ad",START-DATE="2023-12-31T23:00:40Z",END-DATE="2023-12-31T23:00:50Z"
      #EXT-X-DATERANGE:ID="3",CLASS="com.example.other",START-DATE="2023-12-31T23:00:20Z",CUE="PRE,ONCE"
      #EXT-X-DATERANGE:START-DATE="2023-12-31T23:00:20Z"
      #EXT-X-DATERANGE:ID="4"
      #EXT-X-DATERANGE:ID="5",START-DATE="not a date"
      #EXTINF:10,
      a.ts
      """)
    let ranges = DateRangeMetadataGroup.ranges(in: playlist)
    #expect(ranges.map(\.uniqueID) == ["1", "2", "3"])
    #expect(ranges.map(\.classifyingLabel) == ["com.example.ad", "com.example.ad", "com.example.other"])
    #expect(ranges.map { $0.endDate?.timeIntervalSince($0.startDate) } == [30, 10, nil])
    // Without program dates nothing ties the moments to the timeline.
    #expect(ranges.allSatisfy { $0.timeRange == nil })
    #expect(
      ranges[0].items.map(\.key) == [
        "END-ON-NEXT", "X-COM-EXAMPLE-AD-ID", "X-COM-EXAMPLE-COUNT", "X-COM-EXAMPLE-RATE",
      ])
    #expect(ranges[0].items.map(\.value) == [.string("YES"), .string("XYZ,123"), .integer(3), .number(2.5)])
    #expect(ranges[2].items.map(\.stringValue) == ["PRE,ONCE"])
  }

  /// Moments in seconds after the first stated one, and where they lie: before it, in the first run, in the gap that a
  /// later program date makes, after that, beyond the end.
  @Test(arguments: [(-4, 4), (0, 8), (5, 13), (6, 14), (60, 14), (110, 18), (130, 38)] as [(Int64, Int64)])
  func moments(offset: Int64, time: Int64) throws {
    let playlist = try Self.playlist(
      """
      #EXTINF:8,
      a.ts
      #EXT-X-PROGRAM-DATE-TIME:2024-01-01T00:00:00Z
      #EXTINF:6,
      b.ts
      #EXT-X-DISCONTINUITY
      #EXT-X-PROGRAM-DATE-TIME:2024-01-01T00:01:46.000Z
      #EXTINF:7,
      c.ts
      """)
    // 2024-01-01 is 19,723 days after 1970-01-01.
    let moment = Rational(19_723 * 86_400 + offset)
    #expect(PlaylistClock(playlist).time(of: moment) == Rational(time))
  }

  @Test(
    arguments: [
      ("9.009", 9009, 1000), ("0", 0, 1), ("-1.5", -3, 2), ("10.", 10, 1),
      ("3.0030030030030", 3_003_003_003, 1_000_000_000),
    ] as [(String, Int64, Int64)])
  func decimals(text: String, numerator: Int64, denominator: Int64) {
    #expect(Rational(decimal: text) == Rational(numerator, denominator))
  }

  @Test(arguments: ["", ".5", "1e3", "1.2.3", "x", "1234567890123456", "-", "0x10"])
  func noDecimals(text: String) { #expect(Rational(decimal: text) == nil) }

  /// Cut off anywhere, with any byte changed: ranges or none, never a trap.
  @Test func damage() throws {
    let text = """
      #EXTM3U
      #EXT-X-PROGRAM-DATE-TIME:2024-01-01T00:00:00Z
      #EXTINF:8,
      a.ts
      #EXT-X-DATERANGE:ID="1",CLASS="c",START-DATE="2024-01-01T00:00:10Z",DURATION=3.5,END-ON-NEXT=YES,X-A=0xFF
      #EXT-X-STREAM-INF:BANDWIDTH=1280000,CODECS="avc1.4d401f,mp4a.40.2",RESOLUTION=640x360
      b.m3u8
      """
    let bytes = Array(text.utf8)
    func look(_ bytes: [UInt8]) {
      guard let playlist = PlaylistText(bytes) else { return }
      _ = DateRangeMetadataGroup.ranges(in: playlist)
      _ = AssetVariant.variants(in: playlist, base: nil)
    }
    for count in bytes.indices { look(Array(bytes.prefix(count))) }
    for index in stride(from: 0, to: bytes.count, by: 2) {
      for value: UInt8 in [0x0A, 0x22] {
        var changed = bytes
        changed[index] = value
        look(changed)
      }
    }
    #expect(PlaylistText(Array("#EXTINF".utf8)) == nil)
  }

  /// Segments by ffmpeg, a range in the playlist, and a multivariant playlist above it.
  @Test func ofAnAsset() async throws {
    try await withScratchFolder { folder in
      let clip = try await GeneratedClip.make(.h264ClosedGroups).url
      let list = folder.appending(path: "list.m3u8")
      try await MediaTool("ffmpeg").check([
        "-nostdin", "-v", "error", "-i", clip.path, "-c", "copy", "-f", "hls", "-hls_time", "2", "-hls_list_size", "0",
        "-hls_segment_filename", folder.appending(path: "part%d.ts").path, list.path,
      ])
      let range = #"#EXT-X-DATERANGE:ID="a",START-DATE="2024-01-01T00:00:01Z",DURATION=2,X-TITLE="Words""#
      let text = try String(contentsOf: list, encoding: .utf8).replacingOccurrences(
        of: "#EXTINF:2.000000,\npart0.ts",
        with: "#EXT-X-PROGRAM-DATE-TIME:2024-01-01T00:00:00Z\n\(range)\n#EXTINF:2.000000,\npart0.ts")
      #expect(text.contains("DATERANGE"))
      try text.write(to: list, atomically: true, encoding: .utf8)
      let master = folder.appending(path: "master.m3u8")
      try Self.master.write(to: master, atomically: true, encoding: .utf8)

      for url in [list, master] {
        let asset = MediaAsset(url: url, options: ReferenceTests.options(.localOnly))
        let ranges = try await asset.load(.dateRanges)
        #expect(ranges.map(\.uniqueID) == ["a"])
        #expect(ranges.first?.timeRange == MovieTests.range(100, 300))
        let items = try await asset.loadMetadata(for: .hlsMetadata)
        #expect(items.map(\.identifier.rawValue) == ["lsdr/X-TITLE"] && items.first?.stringValue == "Words")
        #expect(try await asset.load(.availableMetadataFormats).contains(.hlsMetadata))
      }
      // The asset's own playlist is its own bytes; a variant's is a reference.
      #expect(try await MediaAsset(url: list).load(.dateRanges).count == 1)
      let closed = MediaAsset(url: master)
      #expect(try await closed.load(.variants).count == 3)
      let error = await #expect(throws: MediaError.self) { try await closed.load(.dateRanges) }
      #expect(error?.code == .referenceForbidden)
      // Other assets have neither.
      let (ranges, variants) = try await MediaAsset(url: clip).load(.dateRanges, .variants)
      #expect(ranges.isEmpty && variants.isEmpty)
    }
  }

  private static let master = """
    #EXTM3U
    #EXT-X-MEDIA:TYPE=AUDIO,GROUP-ID="aac",NAME="English",DEFAULT=YES,LANGUAGE="en",CHANNELS="2",URI="list.m3u8"
    #EXT-X-MEDIA:TYPE=AUDIO,GROUP-ID="aac",NAME="Described",LANGUAGE="en",CHANNELS="6/-",\
    CHARACTERISTICS="public.accessibility.describes-video"
    #EXT-X-STREAM-INF:BANDWIDTH=2560000,AVERAGE-BANDWIDTH=2000000,CODECS="hvc1.2.4.L123.B0, mp4a.40.2",\
    RESOLUTION=1920x1080,FRAME-RATE=29.970,VIDEO-RANGE=PQ
    list.m3u8
    #EXT-X-STREAM-INF:BANDWIDTH=1280000,CODECS="avc1.4d401f",RESOLUTION=640x360,AUDIO="aac"
    list.m3u8
    #EXT-X-STREAM-INF:BANDWIDTH=65000,CODECS="mp4a.40.5"
    list.m3u8

    """

  @Test func variants() throws {
    let playlist = try #require(PlaylistText(Array(Self.master.utf8)))
    #expect(playlist.isMultivariant)
    let base = URL(string: "https://example.com/show/master.m3u8")
    let variants = AssetVariant.variants(in: playlist, base: base).map(\.variant)
    #expect(variants.map(\.peakBitRate) == [2_560_000, 1_280_000, 65_000])
    #expect(variants.map(\.averageBitRate) == [2_000_000, nil, nil])
    #expect(variants[0].url?.absoluteString == "https://example.com/show/list.m3u8")
    let video = try #require(variants[0].videoAttributes)
    #expect(video.videoRange == .pq && video.codecs == ["hvc1.2.4.L123.B0"])
    #expect(video.presentationSize == PixelSize(width: 1920, height: 1080) && video.nominalFrameRate == 29.97)
    #expect(variants[0].audioAttributes?.codecs == ["mp4a.40.2"] && variants[0].audioAttributes?.renditions == [])
    #expect(variants[1].videoAttributes?.videoRange == .sdr)
    let renditions = try #require(variants[1].audioAttributes?.renditions)
    #expect(renditions.map(\.name) == ["English", "Described"] && renditions.map(\.channelCount) == [2, 6])
    #expect(renditions.map(\.isDefault) == [true, false])
    #expect(renditions[1].characteristics == [.describesVideoForAccessibility])
    #expect(renditions.map(\.url?.lastPathComponent) == ["list.m3u8", nil])
    #expect(variants[2].videoAttributes == nil && variants[2].audioAttributes?.codecs == ["mp4a.40.5"])
  }
}
