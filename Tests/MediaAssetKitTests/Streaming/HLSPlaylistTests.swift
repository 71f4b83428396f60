import Foundation
import Testing

@testable import MediaAssetKit

/// Playlists as text, by the letter of RFC 8216.
@Suite struct HLSPlaylistTests {
  private func playlist(_ durations: [(Int64, Int32)], sizes: [Int]) -> HLSMediaPlaylist {
    HLSMediaPlaylist(
      initializationURI: "i.mp4",
      segments: zip(durations, sizes).enumerated().map { index, pair in
        .init(uri: "\(index).m4s", duration: MediaTime(value: pair.0.0, timescale: pair.0.1), size: pair.1)
      })
  }

  @Test func media() {
    #expect(
      playlist([(2, 1), (1001, 30_000)], sizes: [1, 1]).text == """
        #EXTM3U
        #EXT-X-VERSION:7
        #EXT-X-TARGETDURATION:2
        #EXT-X-MEDIA-SEQUENCE:0
        #EXT-X-PLAYLIST-TYPE:VOD
        #EXT-X-INDEPENDENT-SEGMENTS
        #EXT-X-MAP:URI="i.mp4"
        #EXTINF:2.000000,
        0.m4s
        #EXTINF:0.033367,
        1.m4s
        #EXT-X-ENDLIST

        """)
    var event = playlist([(2, 1)], sizes: [9])
    (event.kind, event.isEnded, event.isIFramesOnly) = (.event, false, true)
    event.segments[0].byteRange = .init(offset: 4, length: 5)
    #expect(event.text.contains("#EXT-X-PLAYLIST-TYPE:EVENT\n#EXT-X-I-FRAMES-ONLY\n"))
    #expect(event.text.hasSuffix("#EXTINF:2.000000,\n#EXT-X-BYTERANGE:5@4\n0.m4s\n"))
  }

  /// EXTINF rounded to the nearest second is at most the target duration.
  @Test func targetDuration() {
    let expected: [[Int64]: Int64] = [[600]: 6, [649]: 6, [650]: 7, [200, 151]: 2, [10]: 1]
    for (hundredths, seconds) in expected {
      let list = playlist(hundredths.map { ($0, 100) }, sizes: hundredths.map { _ in 1 })
      #expect(list.targetDuration == seconds, "\(hundredths)")
    }
  }

  /// However many segments: their printed durations add up to the whole.
  @Test func sumOfDurations() {
    let text = playlist(Array(repeating: (1001 * 61, 30_000), count: 500), sizes: Array(repeating: 1, count: 500)).text
    let sum = text.split(separator: "\n").filter { $0.hasPrefix("#EXTINF:") }.reduce(0) { sum, line in
      let parts = line.dropFirst(8).dropLast().split(separator: ".")
      return sum + (Int(parts[0]) ?? 0) * 1_000_000 + (Int(parts[1]) ?? 0)
    }
    // 500 · 61 · 1001 / 30000 s = 1017.683333… s
    #expect(sum == 1_017_683_333)
  }

  /// The peak is that of any run between half and one and a half target durations.
  @Test func bandwidth() {
    // Target 4: runs of 2 to 6 seconds. 2000 bytes in 2 s are 8000 bits a second; 2500 in 5 s are fewer.
    let uneven = playlist([(4, 1), (1, 1), (2, 1), (4, 1)], sizes: [400, 500, 2000, 100])
    #expect(uneven.peakBandwidth == 8000)
    #expect(uneven.averageBandwidth == (3000 * 8 + 10) / 11)
    // One second alone is too short for a target of 4; with its neighbour it is 3 s and 2500 bytes.
    let short = playlist([(4, 1), (1, 1), (4, 1)], sizes: [400, 4000, 400])
    #expect(short.peakBandwidth == 4400 * 8 / 5)
  }

  @Test func master() {
    var playlist = HLSMasterPlaylist()
    var sound = HLSMasterPlaylist.AudioRendition(group: "audio", name: "The \"best\"", isDefault: true, uri: "a.m3u8")
    (sound.language, sound.channels) = ("de", 2)
    playlist.audio = [sound]
    var variant = HLSMasterPlaylist.Variant(
      uri: "v.m3u8", peakBandwidth: 20, averageBandwidth: 10, codecs: ["avc1.64001F", "mp4a.40.2"])
    variant.resolution = PixelSize(width: 640, height: 360)
    variant.frameDuration = MediaTime(value: 1001, timescale: 30_000)
    variant.audioGroup = "audio"
    playlist.variants = [variant]
    playlist.iFrames = [
      .init(
        uri: "i.m3u8", peakBandwidth: 3, averageBandwidth: 2, codecs: ["avc1.64001F"],
        resolution: PixelSize(width: 640, height: 360))
    ]
    #expect(
      playlist.text == """
        #EXTM3U
        #EXT-X-VERSION:7
        #EXT-X-INDEPENDENT-SEGMENTS
        #EXT-X-MEDIA:TYPE=AUDIO,GROUP-ID="audio",NAME="The 'best'",LANGUAGE="de",DEFAULT=YES,AUTOSELECT=YES,CHANNELS="2",URI="a.m3u8"
        #EXT-X-STREAM-INF:BANDWIDTH=20,AVERAGE-BANDWIDTH=10,CODECS="avc1.64001F,mp4a.40.2",RESOLUTION=640x360,FRAME-RATE=29.970,AUDIO="audio"
        v.m3u8
        #EXT-X-I-FRAME-STREAM-INF:BANDWIDTH=3,AVERAGE-BANDWIDTH=2,CODECS="avc1.64001F",RESOLUTION=640x360,URI="i.m3u8"

        """)
  }

  /// None larger than the source, all even, all of its shape.
  @Test(arguments: [
    (1920, 1080), (1080, 1920), (1280, 720), (641, 361), (320, 240), (64, 48), (7680, 4320), (4096, 512),
  ])
  func ladder(_ width: Int, _ height: Int) {
    let rungs = HLSLadder.rungs(source: PixelSize(width: width, height: height), frameRate: 30)
    #expect((1...5).contains(rungs.count))
    if min(width, height) >= 72 { #expect(rungs.count >= 2) }
    #expect(rungs.first?.size == PixelSize(width: width / 2 * 2, height: height / 2 * 2))
    for (index, rung) in rungs.enumerated() {
      #expect(rung.size.width <= width && rung.size.height <= height)
      #expect(rung.size.width.isMultiple(of: 2) && rung.size.height.isMultiple(of: 2))
      #expect(abs(rung.size.width * height - rung.size.height * width) <= 2 * max(width, height))
      if index > 0 { #expect(rung.maximumBitRate < rungs[index - 1].maximumBitRate) }
    }
  }
}
