import ISOMedia
import Testing

@Suite struct SampleDescriptionTests {
  private func description(
    handler: FourCharacterCode, tableVersion: UInt8 = 0, _ entry: (inout BoxWriter) -> Void
  ) throws -> (SampleDescription, MovieHeader) {
    let movie = try MovieHeader.parse(
      SampleMovie.withEntry(handler: handler, tableVersion: tableVersion, entry))
    #expect(movie.problems.filter { $0.path.contains("stsd") } == [])
    return (try #require(movie.tracks.first?.sampleDescriptions.first), movie)
  }

  private func video(_ children: (inout BoxWriter) -> Void) throws -> VideoSampleDescription {
    let (entry, _) = try description(handler: "vide") {
      SampleMovie.videoEntry(&$0, "hvc1", children)
    }
    return try #require(entry.video)
  }

  @Test func readsAPicture() throws {
    let video = try video { entry in
      entry.box("pasp") {
        $0.u32(64)
        $0.u32(45)
      }
      entry.box("colr") {
        $0.code("nclx")
        for value in [9, 16, 9] as [UInt16] { $0.u16(value) }
        $0.u8(0x80)
      }
      entry.box("colr") {
        $0.code("prof")
        $0.text("ICC!")
      }
      entry.box("fiel") { $0.raw([2, 9]) }
      entry.box("gama") { $0.u32(0x23333) }
      entry.box("clli") {
        $0.u16(1000)
        $0.u16(400)
      }
      entry.box("mdcv") {
        for value in [8500, 39850, 6550, 2300, 35400, 14600, 15635, 16450] as [UInt16] {
          $0.u16(value)
        }
        $0.u32(10_000_000)
        $0.u32(50)
      }
      entry.box("dvvC") { $0.raw(hex("01 00 10 25 40 00 00 00")) }
      entry.box("btrt") { for value in [1, 2, 3] as [UInt32] { $0.u32(value) } }
    }
    #expect(video.width == 1920 && video.height == 1080 && video.depth == 24)
    #expect(video.compressorName == "H.264")
    #expect(video.pixelAspectRatio == PixelAspectRatio(horizontalSpacing: 64, verticalSpacing: 45))
    #expect(
      video.color == ColorParameters(primaries: 9, transfer: 16, matrix: 9, isFullRange: true))
    #expect(video.iccProfile?.count == 4)
    #expect(video.fields == FieldOrder(fieldCount: 2, detail: 9))
    #expect(video.gamma == 0x23333)
    #expect(video.contentLight == ContentLight(maximum: 1000, maximumFrameAverage: 400))
    let display = try #require(video.masteringDisplay)
    #expect(display.red == MasteringDisplay.Point(x: 35400, y: 14600))
    #expect(display.green == MasteringDisplay.Point(x: 8500, y: 39850))
    #expect(display.maximumLuminance / display.maximumDenominator == 1000)
    #expect(display.minimumLuminance == 50 && display.minimumDenominator == 10_000)
    // 0001000 000100 1 0 1 0100: profile 8, level 4, metadata and base layer, HLG below.
    #expect(video.dolbyVision?.profile == 8)
    #expect(video.dolbyVision?.level == 4)
    #expect(video.dolbyVision?.hasMetadata == true)
    #expect(video.dolbyVision?.hasEnhancementLayer == false)
    #expect(video.dolbyVision?.hasBaseLayer == true)
    #expect(video.dolbyVision?.baseLayerCompatibility == 4)
    #expect(video.bitRate == BitRate(bufferSize: 1, maximum: 2, average: 3))
  }

  /// What is said of views and projection: Google's boxes, Apple's, and none.
  @Test func readsSpatialBoxes() throws {
    let google = try video { entry in
      entry.fullBox("st3d") { $0.u8(2) }
      entry.box("sv3d") {
        $0.fullBox("svhd") { $0.text("tool\0") }
        $0.box("proj") {
          $0.fullBox("prhd") { $0.zeros(12) }
          $0.fullBox("equi") { $0.zeros(16) }
        }
      }
    }.spatial
    #expect(google.hasStereoLayout && google.isProjected && !google.hasTwoCodedViews && !google.hasFieldOfView)
    let apple = try video { entry in
      entry.box("lhvC") { $0.zeros(6) }
      entry.box("vexu") {
        $0.box("eyes") { $0.fullBox("stri") { $0.u8(3) } }
        $0.box("proj") { $0.fullBox("prji") { $0.code("rect") } }
      }
      entry.box("hfov") { $0.u32(63_500) }
    }.spatial
    #expect(apple.hasStereoLayout && apple.hasTwoCodedViews && apple.hasFieldOfView && !apple.isProjected)
    let immersive = try video { entry in
      entry.box("vexu") {
        $0.box("eyes") { $0.fullBox("stri") { $0.u8(1) } }
        $0.box("proj") { $0.fullBox("prji") { $0.code("hequ") } }
      }
    }.spatial
    #expect(immersive.isProjected && !immersive.hasStereoLayout)
    let flat = try video { entry in entry.fullBox("st3d") { $0.u8(0) } }.spatial
    #expect(flat == SpatialDescription())
  }

  @Test func readsVP9Light() throws {
    let video = try video { entry in
      entry.fullBox("SmDm") {
        for value in [1, 2, 3, 4, 5, 6, 7, 8] as [UInt16] { $0.u16(value) }
        $0.u32(1000 << 8)
        $0.u32(1)
      }
      entry.fullBox("CoLL") {
        $0.u16(900)
        $0.u16(300)
      }
      entry.box("colr") {
        $0.code("nclc")
        for value in [1, 1, 1] as [UInt16] { $0.u16(value) }
      }
    }
    #expect(video.masteringDisplay?.red == MasteringDisplay.Point(x: 1, y: 2))
    #expect(video.masteringDisplay?.maximumDenominator == 256)
    #expect(video.contentLight?.maximum == 900)
    #expect(
      video.color == ColorParameters(primaries: 1, transfer: 1, matrix: 1, isFullRange: nil))
  }

  /// Half of 1080 - 1062.5 above, moved down by 1/4 pixel: (1080 - 1062.5) / 2 + 1/4 = 9.
  @Test func placesTheCleanAperture() throws {
    let video = try video { entry in
      entry.box("clap") {
        for value in [1888, 1, 2125, 2, -4, 1, 1, 4] as [Int32] { $0.i32(value) }
      }
    }
    let aperture = try #require(video.cleanAperture)
    let origin = try #require(aperture.origin(width: 1920, height: 1080))
    #expect(origin.x == CleanAperture.Rational(numerator: 12, denominator: 1))
    #expect(origin.y == CleanAperture.Rational(numerator: 9, denominator: 1))
  }

  @Test func ignoresACleanApertureThatDividesByZero() throws {
    let movie = try MovieHeader.parse(
      SampleMovie.withEntry(handler: "vide") {
        SampleMovie.videoEntry(&$0, "avc1") { entry in
          entry.box("clap") { for value in [9, 0, 9, 1, 0, 1, 0, 1] as [UInt32] { $0.u32(value) } }
        }
      })
    #expect(movie.tracks[0].sampleDescriptions[0].video?.cleanAperture == nil)
    #expect(movie.problems.contains { $0.path.hasSuffix("clap") })
  }

  @Test func stepsOverAPalette() throws {
    let (entry, _) = try description(handler: "vide") { stsd in
      stsd.box("raw ") {
        $0.zeros(6)
        $0.u16(1)
        $0.zeros(16)
        $0.u16(8)
        $0.u16(8)
        $0.zeros(14 + 32)
        $0.u16(2)
        $0.i16(0)
        $0.zeros(6)
        $0.u16(3)
        $0.zeros(4 * 8)
        $0.box("gama") { $0.u32(0x10000) }
      }
    }
    #expect(entry.video?.gamma == 0x10000)
  }

  private func soundFields(_ writer: inout BoxWriter, version: UInt16) {
    writer.zeros(6)
    writer.u16(1)
    writer.u16(version)
    writer.zeros(6)
    writer.u16(version == 2 ? 3 : 2)
    writer.u16(16)
    writer.i16(version == 0 ? 0 : -2)
    writer.zeros(2)
    writer.u32(version == 2 ? 0x10000 : 44_100 << 16)
  }

  @Test func readsQuickTimeSoundOfVersion1() throws {
    let (entry, _) = try description(handler: "soun") { stsd in
      stsd.box("mp4a") {
        soundFields(&$0, version: 1)
        for value in [1024, 3, 6, 2] as [UInt32] { $0.u32(value) }
        $0.box("wave") {
          $0.box("frma") { $0.code("mp4a") }
          $0.box("enda") { $0.u16(1) }
          $0.fullBox("esds") { $0.zeros(2) }
          $0.zeros(8)
        }
        $0.fullBox("chan") { $0.zeros(12) }
      }
    }
    let audio = try #require(entry.audio)
    #expect(audio.channelCount == 2)
    #expect(audio.sampleRate == 44_100)
    #expect(audio.packets?.samplesPerPacket == 1024)
    #expect(audio.isLittleEndian == true)
    #expect(audio.waveFormat == "mp4a")
    #expect(entry.extensions.map(\.type) == ["wave", "frma", "enda", "esds", "chan"])
    #expect(entry.payload(of: "esds")?.count == 6)
  }

  @Test func readsQuickTimeSoundOfVersion2() throws {
    let (entry, _) = try description(handler: "soun") { stsd in
      stsd.box("lpcm") {
        soundFields(&$0, version: 2)
        $0.u32(72)
        $0.u64((96_000.0).bitPattern)
        $0.u32(6)
        $0.u32(0x7F00_0000)
        $0.u32(24)
        $0.u32(0xC)
        $0.u32(18)
        $0.u32(1)
        $0.fullBox("chan") { $0.zeros(12) }
      }
    }
    let audio = try #require(entry.audio)
    #expect(audio.channelCount == 6 && audio.sampleSize == 24 && audio.sampleRate == 96_000)
    #expect(audio.linearPCM?.formatFlags == 0xC && audio.linearPCM?.bytesPerPacket == 18)
    #expect(entry.extensions.map(\.type) == ["chan"])
  }

  /// ISO's version 1 entry (in a version 1 table) has no QuickTime fields, and `srat` may follow.
  @Test func readsISOSoundOfVersion1() throws {
    let (entry, _) = try description(handler: "soun", tableVersion: 1) { stsd in
      stsd.box("ipcm") {
        soundFields(&$0, version: 1)
        $0.fullBox("srat") { $0.u32(192_000) }
        $0.fullBox("pcmC") { $0.raw([1, 24]) }
      }
    }
    #expect(entry.audio?.sampleRate == 192_000)
    #expect(entry.audio?.packets == nil)
    #expect(entry.audio?.pcm?.isLittleEndian == true)
    #expect(entry.audio?.pcm?.sampleSize == 24)
  }

  @Test func readsATimecode() throws {
    let movie = try MovieHeader.parse(SampleMovie.header())
    let timecode = try #require(movie.tracks[2].sampleDescriptions.first?.timecode)
    #expect(timecode.flags == [.dropFrame, .wrapsAt24Hours])
    #expect(timecode.timescale == 30_000 && timecode.frameDuration == 1001)
    #expect(timecode.numberOfFrames == 30)
  }

  @Test func readsSubtitles() throws {
    let (timed, _) = try description(handler: "sbtl") { stsd in
      stsd.box("tx3g") {
        $0.zeros(6)
        $0.u16(1)
        $0.u32(0xC000_0000)
        $0.zeros(26)
        $0.box("ftab") { $0.zeros(2) }
      }
    }
    #expect(timed.text?.allSamplesAreForced == true)
    #expect(timed.text?.someSamplesAreForced == true)
    #expect(timed.extensions.map(\.type) == ["ftab"])
    let (xml, movie) = try description(handler: "subt") { stsd in
      stsd.box("stpp") {
        $0.zeros(6)
        $0.u16(1)
        $0.text("http://www.w3.org/ns/ttml\0\0\0")
      }
    }
    #expect(xml.text?.kind == "http://www.w3.org/ns/ttml")
    #expect(xml.codecString(in: movie.bytes) == "stpp")
  }

  @Test func looksThroughProtection() throws {
    let (entry, movie) = try description(handler: "vide") {
      SampleMovie.videoEntry(&$0, "encv") { entry in
        entry.box("avcC") { $0.raw(hex("01 4D 40 1E FF E0 00")) }
        entry.box("sinf") {
          $0.box("frma") { $0.code("avc1") }
          $0.fullBox("schm") {
            $0.code("cbcs")
            $0.u32(0x10000)
          }
        }
      }
    }
    #expect(entry.isProtected && movie.hasProtection)
    #expect(entry.format == "encv" && entry.codec == "avc1")
    #expect(entry.protection?.scheme == "cbcs")
    #expect(entry.codecString(in: movie.bytes) == "avc1.4D401E")
  }
}
