import ISOMedia

/// A movie header with a video, a sound and a timecode track, whose every field has a value that
/// the tests know.
enum SampleMovie {
  static let matrix: [Int32] = [0, 0x10000, 0, -0x10000, 0, 0, 1080 << 16, 0, 0x4000_0000]

  static func header() -> [UInt8] {
    bytes {
      $0.box("moov") { moov in
        moov.fullBox("mvhd") {
          $0.u32(3_600_000_000)
          $0.u32(3_600_000_001)
          $0.u32(600)
          $0.u32(6000)
          $0.i32(0x10000)
          $0.i16(0x100)
          $0.zeros(10)
          writeMatrix([0x10000, 0, 0, 0, 0x10000, 0, 0, 0, 0x4000_0000], &$0)
          $0.zeros(24)
          $0.u32(9)
        }
        videoTrack(&moov)
        soundTrack(&moov)
        timecodeTrack(&moov)
        moov.box("udta") { $0.box("name") { $0.text("movie") } }
      }
    }
  }

  static func writeMatrix(_ values: [Int32], _ writer: inout BoxWriter) {
    for value in values { writer.i32(value) }
  }

  static func videoTrack(_ moov: inout BoxWriter) {
    moov.box("trak") { trak in
      trak.fullBox("tkhd", version: 1, flags: 0x3) {
        $0.u64(3_600_000_002)
        $0.u64(3_600_000_003)
        $0.u32(1)
        $0.zeros(4)
        $0.u64(5000)
        $0.zeros(8)
        $0.i16(-2)
        $0.i16(7)
        $0.i16(0)
        $0.zeros(2)
        writeMatrix(matrix, &$0)
        $0.u32(1920 << 16)
        $0.u32(1080 << 16)
      }
      trak.box("tapt") {
        for (type, width) in [("clef", 1900), ("prof", 1910), ("enof", 1920)] {
          $0.fullBox(FourCharacterCode(stringLiteral: type)) {
            $0.u32(UInt32(width) << 16)
            $0.u32(1080 << 16)
          }
        }
      }
      trak.box("edts") {
        $0.fullBox("elst", version: 1) {
          $0.u32(2)
          $0.u64(300)
          $0.i64(-1)
          $0.i32(0x10000)
          $0.u64(5_000_000_000)
          $0.i64(2002)
          $0.i32(0x8000)
        }
      }
      trak.box("tref") {
        $0.box("tmcd") { $0.u32(3) }
        $0.box("chap") {
          $0.u32(4)
          $0.u32(0)
          $0.u32(5)
        }
      }
      trak.box("load") { for value in [1, 2, 3, 4] as [UInt32] { $0.u32(value) } }
      trak.box("mdia") { mdia in
        mdia.fullBox("mdhd", version: 1) {
          $0.zeros(16)
          $0.u32(30_000)
          $0.u64(10_010)
          $0.u16(packed("ger"))
          $0.u16(0)
        }
        mdia.fullBox("elng") {
          $0.text("de-CH")
          $0.u8(0)
        }
        handler(&mdia, "vide", name: "Video")
        mdia.box("minf") { minf in
          minf.fullBox("vmhd", flags: 1) { $0.zeros(8) }
          minf.box("dinf") {
            $0.fullBox("dref") {
              $0.u32(2)
              $0.fullBox("url ", flags: 1) { _ in }
              $0.fullBox("url ") {
                $0.text("file:///other.mov")
                $0.u8(0)
              }
            }
          }
          minf.box("stbl") { videoTables(&$0) }
        }
      }
      trak.box("udta") { $0.box("tagc") { $0.text("public.main-program-content") } }
    }
  }

  /// Five samples in decode order I P B B P, in three chunks of 2, 2 and 1.
  static func videoTables(_ stbl: inout BoxWriter) {
    stbl.fullBox("stsd") {
      $0.u32(1)
      videoEntry(&$0, "avc1") { entry in
        entry.box("avcC") { $0.raw(hex("01 64 00 1F FF E0 00")) }
      }
    }
    stbl.fullBox("stts") {
      $0.u32(2)
      for value in [4, 1001, 1, 2002] as [UInt32] { $0.u32(value) }
    }
    stbl.fullBox("ctts") {
      $0.u32(4)
      for (count, offset) in [(1, 2002), (1, 3003), (2, -1001), (1, 2002)] as [(UInt32, Int32)] {
        $0.u32(count)
        $0.i32(offset)
      }
    }
    stbl.fullBox("stss") {
      $0.u32(2)
      $0.u32(1)
      $0.u32(5)
    }
    stbl.fullBox("sdtp") { $0.raw([0x20, 0x14, 0x18, 0x18, 0x24]) }
    stbl.fullBox("stsz") {
      $0.u32(0)
      $0.u32(5)
      for size in [1000, 200, 30, 40, 500] as [UInt32] { $0.u32(size) }
    }
    stbl.fullBox("stsc") {
      $0.u32(2)
      for value in [1, 2, 1, 3, 1, 2] as [UInt32] { $0.u32(value) }
    }
    stbl.fullBox("co64") {
      $0.u32(3)
      for offset in [4_294_967_296, 5000, 9000] as [UInt64] { $0.u64(offset) }
    }
  }

  static func videoEntry(
    _ writer: inout BoxWriter, _ format: FourCharacterCode, _ children: (inout BoxWriter) -> Void
  ) {
    writer.box(format) {
      $0.zeros(6)
      $0.u16(1)
      $0.zeros(16)
      $0.u16(1920)
      $0.u16(1080)
      $0.u32(72 << 16)
      $0.u32(72 << 16)
      $0.zeros(4)
      $0.u16(1)
      $0.u8(5)
      $0.text("H.264")
      $0.zeros(26)
      $0.u16(24)
      $0.i16(-1)
      children(&$0)
    }
  }

  static func soundTrack(_ moov: inout BoxWriter) {
    moov.box("trak") { trak in
      trackHeader(&trak, id: 2, group: 1)
      trak.box("mdia") { mdia in
        mediaHeader(&mdia, timescale: 48_000, duration: 0, language: packed("eng"))
        // QuickTime: component type and a counted name.
        mdia.fullBox("hdlr") {
          $0.code("mhlr")
          $0.code("soun")
          $0.zeros(12)
          $0.u8(5)
          $0.text("Sound")
        }
        mdia.box("minf") { minf in
          minf.fullBox("smhd") { $0.zeros(4) }
          minf.box("stbl") { stbl in
            stbl.fullBox("stsd") {
              $0.u32(1)
              $0.box("sowt") {
                $0.zeros(6)
                $0.u16(1)
                $0.zeros(8)
                $0.u16(2)
                $0.u16(16)
                $0.zeros(4)
                $0.u32(48_000 << 16)
              }
            }
            stbl.fullBox("stts") {
              $0.u32(1)
              $0.u32(480)
              $0.u32(1)
            }
            stbl.fullBox("stsz") {
              $0.u32(4)
              $0.u32(480)
            }
            stbl.fullBox("stsc") {
              $0.u32(1)
              for value in [1, 480, 1] as [UInt32] { $0.u32(value) }
            }
            stbl.fullBox("stco") {
              $0.u32(1)
              $0.u32(7000)
            }
          }
        }
      }
    }
  }

  static func timecodeTrack(_ moov: inout BoxWriter) {
    moov.box("trak") { trak in
      trackHeader(&trak, id: 3, group: 0)
      trak.box("mdia") { mdia in
        mediaHeader(&mdia, timescale: 30_000, duration: .max, language: 0x7FFF)
        handler(&mdia, "tmcd", name: "")
        mdia.box("minf") { minf in
          minf.box("gmhd") { $0.fullBox("gmin") { $0.zeros(12) } }
          minf.box("stbl") { stbl in
            stbl.fullBox("stsd") {
              $0.u32(1)
              $0.box("tmcd") {
                $0.zeros(6)
                $0.u16(1)
                $0.zeros(4)
                $0.u32(3)
                $0.u32(30_000)
                $0.u32(1001)
                $0.u8(30)
                $0.u8(0)
              }
            }
          }
        }
      }
    }
  }

  static func trackHeader(_ trak: inout BoxWriter, id: UInt32, group: Int16) {
    trak.fullBox("tkhd", flags: 0x6) {
      $0.zeros(8)
      $0.u32(id)
      $0.zeros(4)
      $0.u32(.max)
      $0.zeros(8)
      $0.i16(0)
      $0.i16(group)
      $0.i16(0x100)
      $0.zeros(2)
      writeMatrix([0x10000, 0, 0, 0, 0x10000, 0, 0, 0, 0x4000_0000], &$0)
      $0.zeros(8)
    }
  }

  static func mediaHeader(
    _ mdia: inout BoxWriter, timescale: UInt32, duration: UInt32, language: UInt16
  ) {
    mdia.fullBox("mdhd") {
      $0.zeros(8)
      $0.u32(timescale)
      $0.u32(duration)
      $0.u16(language)
      $0.u16(0)
    }
  }

  static func handler(_ mdia: inout BoxWriter, _ type: FourCharacterCode, name: String) {
    mdia.fullBox("hdlr") {
      $0.zeros(4)
      $0.code(type)
      $0.zeros(12)
      $0.text(name)
      $0.u8(0)
    }
  }

  static func packed(_ language: String) -> UInt16 {
    language.utf8.reduce(0) { $0 << 5 | UInt16($1 - 0x60) }
  }

  /// A movie with one track of a handler and one sample entry.
  static func withEntry(
    handler type: FourCharacterCode, tableVersion: UInt8 = 0, _ entry: (inout BoxWriter) -> Void
  ) -> [UInt8] {
    bytes {
      $0.box("moov") {
        $0.box("trak") { trak in
          trackHeader(&trak, id: 1, group: 0)
          trak.box("mdia") { mdia in
            mediaHeader(&mdia, timescale: 1000, duration: 1000, language: packed("und"))
            handler(&mdia, type, name: "")
            mdia.box("minf") {
              $0.box("stbl") {
                $0.fullBox("stsd", version: tableVersion) {
                  $0.u32(1)
                  entry(&$0)
                }
              }
            }
          }
        }
      }
    }
  }
}
