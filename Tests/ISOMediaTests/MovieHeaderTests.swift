import ISOMedia
import Testing

@Suite struct MovieHeaderTests {
  let movie: MovieHeader

  init() throws { movie = try MovieHeader.parse(SampleMovie.header()) }

  @Test func readsTheMovie() {
    #expect(movie.timescale == 600)
    #expect(movie.duration == 6000)
    #expect(movie.creationTime == 3_600_000_000)
    #expect(movie.modificationTime == 3_600_000_001)
    #expect(movie.matrix == .identity)
    #expect(movie.preferredRate == 0x10000)
    #expect(movie.preferredVolume == 0x100)
    #expect(movie.nextTrackID == 9)
    #expect(movie.tracks.map(\.trackID) == [1, 2, 3])
    #expect(movie.movieExtends == nil)
    #expect(!movie.hasProtection)
    #expect(movie.problems == [])
    #expect(movie.userData.map { movie.bytes[$0].count } == 13)
  }

  @Test func readsATrack() throws {
    let track = try #require(movie.track(withID: 1))
    #expect(track.flags == [.enabled, .inMovie])
    #expect(track.creationTime == 3_600_000_002)
    #expect(track.modificationTime == 3_600_000_003)
    #expect(track.duration == 5000)
    #expect(track.layer == -2)
    #expect(track.alternateGroup == 7)
    #expect(track.matrix.b == 0x10000 && track.matrix.c == -0x10000)
    #expect(track.matrix.x == 1080 << 16)
    #expect(track.width == 1920 << 16 && track.height == 1080 << 16)
    #expect(
      track.edits == [
        EditListEntry(segmentDuration: 300, mediaTime: -1, mediaRate: 0x10000),
        EditListEntry(segmentDuration: 5_000_000_000, mediaTime: 2002, mediaRate: 0x8000),
      ])
    #expect(track.references(ofType: "tmcd") == [3])
    #expect(track.references(ofType: "chap") == [4, 5])
    #expect(track.apertures?.clean?.width == 1900 << 16)
    #expect(track.apertures?.production?.width == 1910 << 16)
    #expect(track.apertures?.encodedPixels?.width == 1920 << 16)
    #expect(track.loadSettings?.defaultHints == 4)
    let userData = try #require(track.userData)
    #expect(BoxSequence(movie.bytes, in: userData).map(\.type) == ["tagc"])
  }

  @Test func readsTheMedia() throws {
    let video = try #require(movie.track(withID: 1))
    #expect(video.mediaTimescale == 30_000)
    #expect(video.mediaDuration == 10_010)
    #expect(video.language == "deu")
    #expect(video.extendedLanguage == "de-CH")
    #expect(video.handler == "vide")
    #expect(video.handlerName == "Video")
    #expect(video.mediaInformationHeader == "vmhd")
    #expect(video.dataReferences.map(\.isSelfContained) == [true, false])
    #expect(video.dataReferences[1].text == "file:///other.mov")
    #expect(video.isSelfContained)
    let sound = try #require(movie.track(withID: 2))
    #expect(sound.flags == [.inMovie, .inPreview])
    #expect(sound.duration == nil)
    #expect(sound.mediaDuration == nil)
    #expect(sound.handlerName == "Sound")
    #expect(sound.language == "eng")
    #expect(sound.edits == nil)
    let timecode = try #require(movie.track(withID: 3))
    #expect(timecode.language == nil)
    #expect(timecode.mediaDuration == nil)
    #expect(timecode.mediaInformationHeader == "gmhd")
  }

  @Test func readsVersion0Edits() throws {
    let data = bytes {
      $0.box("moov") {
        $0.box("trak") { trak in
          SampleMovie.trackHeader(&trak, id: 1, group: 0)
          trak.box("edts") {
            $0.fullBox("elst") {
              $0.u32(1)
              $0.u32(4_000_000_000)
              $0.i32(-1)
              $0.i32(0x10000)
            }
          }
        }
      }
    }
    let track = try #require(try MovieHeader.parse(data).tracks.first)
    #expect(
      track.edits == [
        EditListEntry(segmentDuration: 4_000_000_000, mediaTime: -1, mediaRate: 0x10000)
      ])
  }

  @Test func readsFragmentDefaults() throws {
    let data = bytes {
      $0.box("moov") {
        $0.box("mvex") {
          $0.fullBox("mehd", version: 1) { $0.u64(90_000) }
          $0.fullBox("trex") {
            for value in [2, 1, 1024, 0, 0x10000] as [UInt32] { $0.u32(value) }
          }
        }
      }
    }
    let extends = try #require(try MovieHeader.parse(data).movieExtends)
    #expect(extends.fragmentDuration == 90_000)
    #expect(
      extends.tracks == [
        TrackExtends(
          trackID: 2, sampleDescriptionIndex: 1, sampleDuration: 1024, sampleSize: 0,
          sampleFlags: 0x10000)
      ])
  }

  @Test func keepsGoingAfterDamage() throws {
    let data = bytes {
      $0.box("moov") {
        $0.fullBox("mvhd") { $0.zeros(20) }
        $0.box("trak") { trak in
          SampleMovie.trackHeader(&trak, id: 5, group: 0)
          trak.box("edts") {
            $0.fullBox("elst") {
              $0.u32(0x4000_0000)
              $0.zeros(12)
            }
          }
        }
        $0.u32(3)
      }
    }
    let movie = try MovieHeader.parse(data)
    #expect(movie.tracks.map(\.trackID) == [5])
    #expect(movie.tracks[0].edits?.count == 1)
    #expect(movie.problems.map(\.path).contains("moov/mvhd"))
    #expect(movie.problems.map(\.path).contains("moov/trak/edts/elst"))
  }

  @Test func bounds() throws {
    let many = bytes { $0.box("moov") { for _ in 0..<50 { $0.box("trak") { _ in } } } }
    var limits = MovieHeader.Limits()
    limits.tracks = 10
    let movie = try MovieHeader.parse(many, limits: limits)
    #expect(movie.tracks.count == 10)
    #expect(movie.problems.contains { $0.kind == .limit })
    limits.boxes = 5
    #expect(try MovieHeader.parse(many, limits: limits).tracks.count == 5)
  }

  @Test(arguments: [
    ([], ISOMediaError.Kind.truncated), (hex("00000008 6D646174"), .malformed),
    (hex("00000010 6D6F6F76 00000008 636D6F76"), .malformed),
  ])
  func refusesWhatIsNoMovie(data: [UInt8], kind: ISOMediaError.Kind) {
    let error = #expect(throws: ISOMediaError.self) { try MovieHeader.parse(data) }
    #expect(error?.kind == kind)
  }

  @Test(
    arguments: [
      (SampleMovie.packed("eng"), "eng"), (SampleMovie.packed("fre"), "fra"),
      (SampleMovie.packed("und"), nil), (0x7FFF, nil), (0, "eng"), (2, "deu"), (11, "jpn"),
      (33, "zho"), (94, "epo"), (95, nil), (128, "cym"), (138, "jav"), (200, nil), (0x400, nil),
      (0xFFFF, nil),
    ] as [(UInt16, String?)])
  func languages(value: UInt16, expected: String?) {
    #expect(LanguageCode.terminological(packed: value) == expected)
  }

  /// Counted, counted with a NUL behind, ended by NUL, neither, and text whose first letter (#, 35)
  /// could be a count.
  @Test(arguments: [
    ("\u{5}Sound", "Sound"), ("\u{5}Sound\0", "Sound"), ("Sound\0", "Sound"), ("Sound", "Sound"),
    ("#Mainconcept MP4 Sound Media Handler\0", "Mainconcept MP4 Sound Media Handler"),
    ("#1 handler\0", "#1 handler"), ("\0", ""), ("\u{5}So\0\0\0", "\u{5}So"),
  ])
  func handlerNames(stored: String, name: String) throws {
    let data = bytes {
      $0.box("moov") {
        $0.box("trak") {
          $0.box("mdia") {
            $0.fullBox("hdlr") {
              $0.zeros(4)
              $0.code("soun")
              $0.zeros(12)
              $0.text(stored)
            }
          }
        }
      }
    }
    #expect(try MovieHeader.parse(data).tracks.first?.handlerName == name)
  }

  @Test func readsTheFolderOfAnAlias() throws {
    let data = bytes {
      $0.box("moov") {
        $0.box("trak") {
          $0.box("mdia") {
            $0.box("minf") {
              $0.box("dinf") {
                $0.fullBox("dref") {
                  $0.u32(1)
                  $0.fullBox("alis") {
                    $0.zeros(50)
                    $0.u8(5)
                    $0.text("a.mov")
                    $0.zeros(58 + 36)
                    $0.u16(2)
                    $0.u16(9)
                    $0.text("HD:a.mov\0")
                    $0.u8(0)
                    $0.u16(18)
                    $0.u16(12)
                    $0.text("/films/a.mov")
                    $0.i16(-1)
                    $0.u16(0)
                  }
                }
              }
            }
          }
        }
      }
    }
    let reference = try #require(try MovieHeader.parse(data).tracks.first?.dataReferences.first)
    #expect(reference.type == "alis")
    #expect(!reference.isSelfContained)
    #expect(reference.text == "/films/a.mov")
  }
}
