import ISOMedia
import Testing

@Suite struct SampleTableTests {
  @Test func walksAllTables() throws {
    let movie = try MovieHeader.parse(SampleMovie.header())
    let table = try movie.sampleTable(of: movie.tracks[0], maximumSamples: 5)
    let samples = Array(table)
    #expect(table.count == 5)
    #expect(table.problems == [])
    #expect(samples.map(\.decodeTime) == [0, 1001, 2002, 3003, 4004])
    #expect(samples.map(\.presentationTime) == [2002, 4004, 1001, 2002, 6006])
    #expect(samples.map(\.duration) == [1001, 1001, 1001, 1001, 2002])
    #expect(samples.map(\.size) == [1000, 200, 30, 40, 500])
    #expect(samples.map(\.offset) == [4_294_967_296, 4_294_968_296, 5000, 5030, 9000])
    #expect(samples.map(\.isSync) == [true, false, false, false, true])
    #expect(samples.map(\.descriptionIndex) == [1, 1, 1, 1, 2])
    #expect(samples.map(\.dependency.isDisposable) == [false, false, true, true, false])
    #expect(samples.map(\.dependency.dependsOn) == [2, 1, 1, 1, 2])
  }

  @Test func summarises() throws {
    let movie = try MovieHeader.parse(SampleMovie.header())
    let timing = movie.timing(of: movie.tracks[0])
    #expect(timing.entryCount == 2)
    #expect(timing.sampleCount == 5)
    #expect(timing.totalDuration == 6006)
    #expect(timing.minimumDelta == 1001)
    #expect(timing.maximumDelta == 2002)
    #expect(timing.mostCommonDelta == 1001)
    #expect(movie.totalSampleSize(of: movie.tracks[0]) == 1770)
    #expect(movie.tracks[0].samples.syncSampleCount == 2)
    #expect(movie.tracks[0].samples.compositionOffsets?.version == 0)
    let sound = movie.tracks[1]
    #expect(sound.samples.sampleCount == 480)
    #expect(sound.samples.fixedSize == 4)
    #expect(sound.samples.syncSampleCount == nil)
    #expect(movie.totalSampleSize(of: sound) == 1920)
    let last = try #require(try Array(movie.sampleTable(of: sound, maximumSamples: 1000)).last)
    #expect(last.offset == 7000 + 479 * 4)
    #expect(last.decodeTime == 479)
    #expect(last.isSync)
  }

  @Test func findsTheMostCommonOfManyDurations() throws {
    let movie = try movie { stbl in
      stbl.fullBox("stts") {
        $0.u32(2000)
        for index in 0..<2000 as Range<UInt32> {
          $0.u32(1)
          $0.u32(index % 2 == 0 ? 500 : 1000 + index)
        }
      }
    }
    let timing = movie.timing(of: movie.tracks[0])
    #expect(timing.mostCommonDelta == 500)
    #expect(timing.minimumDelta == 500)
    #expect(timing.sampleCount == 2000)
    // Half are 500; the odd indices below 2000 sum to 1,000,000.
    #expect(timing.totalDuration == 1000 * 500 + 1000 * 1000 + 1_000_000)
  }

  @Test(
    arguments: [
      (4, [0x12, 0x30], [1, 2, 3]), (8, [9, 8, 7], [9, 8, 7]),
      (16, [1, 0, 0, 2, 0, 3], [256, 2, 3]),
    ] as [(UInt32, [UInt8], [UInt32])])
  func readsCompactSizes(bits: UInt32, data: [UInt8], sizes: [UInt32]) throws {
    let movie = try movie { stbl in
      stbl.fullBox("stz2") {
        $0.u32(bits)
        $0.u32(3)
        $0.raw(data)
      }
      chunk(&stbl, samples: 3)
    }
    let samples = Array(try movie.sampleTable(of: movie.tracks[0], maximumSamples: 10))
    #expect(samples.map(\.size) == sizes)
    #expect(movie.totalSampleSize(of: movie.tracks[0]) == UInt64(sizes.reduce(0, +)))
  }

  /// 2^32 - 1 samples of equal size in one chunk, in a file of some hundred bytes.
  @Test func refusesMoreSamplesThanTheCallerAllows() throws {
    let movie = try movie { stbl in
      stbl.fullBox("stsz") {
        $0.u32(1)
        $0.u32(.max)
      }
      chunk(&stbl, samples: .max)
    }
    let error = #expect(throws: ISOMediaError.self) {
      try movie.sampleTable(of: movie.tracks[0], maximumSamples: 1_000_000)
    }
    #expect(error?.kind == .limit)
  }

  @Test func cutsAClaimToTheBytes() throws {
    let movie = try movie { stbl in
      stbl.fullBox("stsz") {
        $0.u32(0)
        $0.u32(.max)
        $0.u32(77)
      }
      chunk(&stbl, samples: .max)
    }
    #expect(movie.problems.contains { $0.kind == .truncated && $0.path.hasSuffix("stsz") })
    let samples = Array(try movie.sampleTable(of: movie.tracks[0], maximumSamples: 10))
    #expect(samples.map(\.size) == [77])
  }

  @Test func endsWhereTheChunksEnd() throws {
    let movie = try movie { stbl in
      stbl.fullBox("stsz") {
        $0.u32(10)
        $0.u32(9)
      }
      stbl.fullBox("stsc") {
        $0.u32(2)
        for value in [1, 2, 1, 7, 4, 1] as [UInt32] { $0.u32(value) }
      }
      stbl.fullBox("stco") {
        $0.u32(2)
        $0.u32(100)
        $0.u32(200)
      }
    }
    let table = try movie.sampleTable(of: movie.tracks[0], maximumSamples: 10)
    #expect(Array(table).map(\.offset) == [100, 110, 200, 210])
    #expect(table.count == 4)
    #expect(!table.problems.isEmpty)
  }

  @Test func stepsOverEmptyRuns() throws {
    let movie = try movie { stbl in
      stbl.fullBox("stsz") {
        $0.u32(10)
        $0.u32(3)
      }
      stbl.fullBox("stsc") {
        $0.u32(3)
        for value in [1, 9, 1, 1, 1, 1, 2, 2, 1] as [UInt32] { $0.u32(value) }
      }
      stbl.fullBox("stco") {
        $0.u32(2)
        $0.u32(100)
        $0.u32(200)
      }
    }
    let table = try movie.sampleTable(of: movie.tracks[0], maximumSamples: 10)
    #expect(Array(table).map(\.offset) == [100, 200, 210])
    #expect(table.problems == [])
  }

  @Test func stopsWhereRunsGoBackwards() throws {
    let movie = try movie { stbl in
      stbl.fullBox("stsz") {
        $0.u32(10)
        $0.u32(9)
      }
      stbl.fullBox("stsc") {
        $0.u32(3)
        for value in [1, 2, 1, 3, 1, 1, 2, 5, 1] as [UInt32] { $0.u32(value) }
      }
      stbl.fullBox("stco") {
        $0.u32(4)
        for value in [100, 200, 300, 400] as [UInt32] { $0.u32(value) }
      }
    }
    let table = try movie.sampleTable(of: movie.tracks[0], maximumSamples: 10)
    #expect(Array(table).map(\.offset) == [100, 110, 200, 210])
    #expect(table.problems.contains { $0.kind == .malformed })
  }

  @Test func readsACompositionShift() throws {
    let movie = try movie { stbl in
      stbl.fullBox("cslg", version: 1) {
        for value in [1001, -1001, 2002, 0, 9009] as [Int64] { $0.i64(value) }
      }
    }
    let shift = try #require(movie.tracks[0].samples.compositionShift)
    #expect(shift.compositionToDecodeShift == 1001)
    #expect(shift.leastDecodeToDisplayDelta == -1001)
    #expect(shift.compositionEndTime == 9009)
  }

  private func chunk(_ stbl: inout BoxWriter, samples: UInt32) {
    stbl.fullBox("stsc") {
      $0.u32(1)
      for value in [1, samples, 1] as [UInt32] { $0.u32(value) }
    }
    stbl.fullBox("stco") {
      $0.u32(1)
      $0.u32(48)
    }
  }

  private func movie(_ tables: (inout BoxWriter) -> Void) throws -> MovieHeader {
    try MovieHeader.parse(
      bytes {
        $0.box("moov") {
          $0.box("trak") { trak in
            SampleMovie.trackHeader(&trak, id: 1, group: 0)
            trak.box("mdia") {
              SampleMovie.mediaHeader(&$0, timescale: 1000, duration: 1, language: 0)
              $0.box("minf") { $0.box("stbl", tables) }
            }
          }
        }
      })
  }
}
