import ISOMedia
import Testing

@Suite struct FragmentTests {
  private let defaults = [
    TrackExtends(
      trackID: 1, sampleDescriptionIndex: 1, sampleDuration: 1000, sampleSize: 0,
      sampleFlags: 0x0101_0000),
    TrackExtends(trackID: 2, sampleDuration: 1024, sampleSize: 100),
  ]

  /// Track 1: three samples with sizes and offsets, the first sync. Track 2: two of default size.
  private func fragment(time: UInt64, number: UInt32 = 1) -> [UInt8] {
    bytes {
      $0.box("moof") {
        $0.fullBox("mfhd") { $0.u32(number) }
        $0.box("traf") {
          $0.fullBox("tfhd", flags: 0x20000) { $0.u32(1) }
          $0.fullBox("tfdt", version: 1) { $0.u64(time) }
          $0.fullBox("trun", version: 1, flags: 0x1 | 0x4 | 0x200 | 0x800) {
            $0.u32(3)
            $0.i32(200)
            $0.u32(0x0200_0000)
            for (size, offset) in [(500, 1000), (60, 2000), (70, -500)] as [(UInt32, Int32)] {
              $0.u32(size)
              $0.i32(offset)
            }
          }
        }
        $0.box("traf") {
          $0.fullBox("tfhd") { $0.u32(2) }
          $0.fullBox("trun") { $0.u32(2) }
        }
      }
    }
  }

  @Test func readsRuns() throws {
    let data = fragment(time: 9_000_000_000, number: 7)
    let fragment = try MovieFragment.parse(data, at: 10_000, defaults: defaults)
    #expect(fragment.sequenceNumber == 7)
    #expect(fragment.problems == [])
    #expect(fragment.tracks.map(\.trackID) == [1, 2])
    #expect(fragment.tracks[0].baseDecodeTime == 9_000_000_000)
    #expect(fragment.tracks[1].baseDecodeTime == nil)
    let video = Array(fragment.tracks[0].runs[0].samples(in: data, from: 9_000_000_000))
    #expect(video.map(\.size) == [500, 60, 70])
    #expect(video.map(\.offset) == [10_200, 10_700, 10_760])
    #expect(video.map(\.isSync) == [true, false, false])
    #expect(video.map(\.dependency.dependsOn) == [2, 1, 1])
    #expect(
      video.map(\.presentationTime) == [9_000_001_000, 9_000_003_000, 9_000_001_500])
    // Without an offset of its own the second track's data follows the first one's.
    let sound = Array(fragment.tracks[1].runs[0].samples(in: data, from: 0))
    #expect(sound.map(\.offset) == [10_830, 10_930])
    #expect(sound.map(\.decodeTime) == [0, 1024])
    #expect(sound.map(\.isSync) == [true, true])
  }

  @Test func spansTheSamples() throws {
    let data = fragment(time: 5000)
    let fragment = try MovieFragment.parse(data, at: 0, defaults: defaults)
    #expect(
      fragment.tracks[0].span(in: data, from: 0)
        == SampleSpan(
          decodeStart: 5000, decodeEnd: 8000, presentationStart: 6000, presentationEnd: 9000,
          sampleCount: 3))
    #expect(
      fragment.tracks[1].span(in: data, from: 4096)
        == SampleSpan(
          decodeStart: 4096, decodeEnd: 6144, presentationStart: 4096, presentationEnd: 6144,
          sampleCount: 2))
  }

  /// All samples at their defaults: 2^32 - 1 of them need no bytes, and no time either.
  @Test func multipliesClaimedDefaults() throws {
    let data = bytes {
      $0.box("moof") {
        $0.box("traf") {
          $0.fullBox("tfhd") { $0.u32(2) }
          $0.fullBox("trun") { $0.u32(.max) }
        }
      }
    }
    let fragment = try MovieFragment.parse(data, at: 0, defaults: defaults)
    #expect(fragment.tracks[0].span(in: data, from: 0)?.decodeEnd == Int64(4_294_967_295) * 1024)
  }

  @Test func cutsRunsToTheirBytes() throws {
    let data = bytes {
      $0.box("moof") {
        $0.box("traf") {
          $0.fullBox("tfhd", flags: 0x8) {
            $0.u32(1)
            $0.u32(40)
          }
          $0.fullBox("trun", flags: 0x200) {
            $0.u32(1000)
            $0.u32(5)
          }
        }
      }
    }
    let fragment = try MovieFragment.parse(data, at: 0, defaults: [])
    #expect(fragment.tracks[0].sampleCount == 1)
    #expect(fragment.tracks[0].span(in: data, from: 0)?.decodeEnd == 40)
    #expect(fragment.problems.map(\.path) == ["moof/traf/trun"])
  }

  @Test(arguments: [true, false])
  func surveysAFile(isSizeKnown: Bool) throws {
    let file =
      bytes { $0.box("ftyp") { $0.code("iso6") } } + fragment(time: 0)
      + bytes { $0.box("mdat") { $0.zeros(10_000) } } + fragment(time: 3000, number: 2)
      + bytes { $0.box("mdat") { $0.zeros(6) } }
    let survey = FragmentSurvey.survey(
      from: 12, size: isSizeKnown ? Int64(file.count) : nil, defaults: defaults,
      decodeTimes: [2: 512], read: reading(file))
    #expect(survey.isComplete && !survey.isTruncated)
    #expect(survey.fragmentCount == 2)
    #expect(survey.spans[1]?.decodeStart == 0 && survey.spans[1]?.decodeEnd == 6000)
    #expect(survey.spans[1]?.presentationStart == 1000)
    #expect(survey.spans[1]?.presentationEnd == 7000)
    #expect(survey.spans[2]?.decodeStart == 512 && survey.spans[2]?.decodeEnd == 512 + 4 * 1024)
    #expect(survey.spans[2]?.sampleCount == 4)
    var limits = FragmentSurvey.Limits()
    limits.boxes = 2
    let short = FragmentSurvey.survey(
      from: 12, size: nil, defaults: defaults, limits: limits, read: reading(file))
    #expect(short.fragmentCount == 1 && !short.isComplete)
    #expect(short.problems.map(\.kind) == [.limit])
  }

  @Test(arguments: [0, 1] as [UInt8])
  func readsASegmentIndex(version: UInt8) throws {
    let data = bytes {
      $0.fullBox("sidx", version: version) {
        $0.u32(1)
        $0.u32(90_000)
        if version == 0 {
          $0.u32(3003)
          $0.u32(16)
        } else {
          $0.u64(3003)
          $0.u64(16)
        }
        $0.u16(0)
        $0.u16(3)
        for (size, duration) in [(5000, 180_000), (0x8000_0100, 90_000)] as [(UInt32, UInt32)] {
          $0.u32(size)
          $0.u32(duration)
          $0.u32(0x9000_0000)
        }
      }
    }
    let index = try SegmentIndex.parse(data)
    #expect(index.timescale == 90_000 && index.earliestPresentationTime == 3003)
    #expect(index.firstOffset == 16)
    #expect(index.references.count == 2)
    #expect(index.references.map(\.isIndex) == [false, true])
    #expect(index.references.map(\.size) == [5000, 256])
    #expect(index.references[0].startsWithStreamAccessPoint)
    #expect(index.references[0].streamAccessPointType == 1)
    #expect(index.duration == 270_000)
  }
}

/// A file in memory as a read closure.
func reading(_ file: [UInt8]) -> (Int64, Int) -> [UInt8] {
  { offset, count in
    guard offset >= 0, offset < Int64(file.count), count > 0 else { return [] }
    return Array(file[Int(offset)..<min(file.count, Int(offset) + count)])
  }
}
