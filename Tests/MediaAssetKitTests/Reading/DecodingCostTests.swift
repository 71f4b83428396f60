import LibAV
import MediaTestSupport
import Testing

@testable import MediaAssetKit

/// What an access costs: packets that went to the decoder.
@Suite struct DecodingCostTests {
  /// Clips with a key picture every twelve pictures that decoding can begin at.
  private static let grouped = CodedClip.all.filter { clip in
    clip.frames == 100
      && !["refresh", "one-key", "gif", "apng", "pyramid", "vp8-hidden"].contains {
        clip.name.contains($0)
      }
  }

  private static func reader(_ clip: CodedClip, threads: Int = 1) async throws -> PictureReader {
    let opener = try await RandomAccessTests.track(try await clip.make()).opener()
    return try PictureReader(opener: opener, threads: threads, interrupt: Interrupt())
  }

  private static func times(_ clip: CodedClip) async throws -> [Int64] {
    var reader = try await reader(clip)
    var times: [Int64] = []
    while let picture = try reader.next() { times.append(picture.time) }
    return times
  }

  /// One group, the leading pictures of the next, and the codec's delay; and a second try where a field or a hidden
  /// picture stands in the way.
  @Test(arguments: grouped) func onePictureCostsOneGroup(_ clip: CodedClip) async throws {
    let times = try await Self.times(clip)
    for number in [95, 60, 33] {
      var reader = try await Self.reader(clip)
      #expect(try reader.exactPicture(onShowAt: times[number])?.time == times[number])
      #expect(reader.packetsSent <= 12 + 12 + 5, "\(clip.name), picture \(number)")
    }
  }

  @Test(arguments: grouped) func sortedTimesCostEveryGroupOnce(_ clip: CodedClip) async throws {
    let times = try await Self.times(clip)
    var reader = try await Self.reader(clip)
    for time in times { #expect(try reader.exactPicture(onShowAt: time)?.time == time) }
    #expect(reader.packetsSent <= 101, "\(clip.name)")
  }

  @Test(arguments: grouped) func keyPictureCostsOnePacket(_ clip: CodedClip) async throws {
    let times = try await Self.times(clip)
    var reader = try await Self.reader(clip)
    let picture = try #require(try reader.keyPicture(near: times[60], twice: 2 * times[60]))
    #expect(picture.frame.isKey)
    // Interlaced H.264 may store the key picture's second field by itself.
    #expect(reader.packetsSent <= (clip.name.contains("h264-interlaced") ? 29 : 1), "\(clip.name)")
    var again = try await Self.reader(clip)
    let exact = try #require(try again.exactPicture(onShowAt: picture.time))
    #expect(try PictureDigest(exact.frame) == PictureDigest(picture.frame))
  }

  /// Of a hundred pictures before the goal in one group, those that no other needs are left out undecoded.
  @Test func picturesThatNoneNeedsAreLeftOut() async throws {
    let clip = try #require(CodedClip.all.first { $0.name == "h264-one-key" })
    let times = try await Self.times(clip)
    var reader = try await Self.reader(clip)
    var shown = 0
    while let picture = try reader.next(skippingTo: times[99]) {
      shown += 1
      if picture.time == times[99] { break }
    }
    #expect(shown < 75)
  }
}
