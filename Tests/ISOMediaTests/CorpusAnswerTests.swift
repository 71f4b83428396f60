import ISOMedia
import Testing

/// Facts that the files' own projects assert.
@Suite(.enabled(if: Corpus.root != nil, Corpus.isMissing))
struct CorpusAnswerTests {
  // MARK: mp4parse-rust

  @Test(
    arguments: [
      ("video_colr_nclx_hdr10", 9, 16, 9), ("video_colr_nclx_hlg", 9, 18, 9),
      ("video_colr_nclx_rgb", 1, 1, 0), ("video_colr_nclx_two_colr", 9, 18, 9),
    ] as [(String, UInt16, UInt16, UInt16)])
  func colors(file: String, primaries: UInt16, transfer: UInt16, matrix: UInt16) throws {
    let movie = try Corpus.movie("mozilla+mp4parse-rust/\(file).mp4")
    #expect(
      movie.tracks[0].sampleDescriptions[0].video?.color
        == ColorParameters(
          primaries: primaries, transfer: transfer, matrix: matrix, isFullRange: false))
  }

  @Test func absentColor() throws {
    let movie = try Corpus.movie("mozilla+mp4parse-rust/white.mp4")
    #expect(movie.tracks[0].sampleDescriptions[0].video?.color == nil)
    let short = try Corpus.movie("androidx+media/sample_18byte_nclx_colr.mp4")
    let color = try #require(short.tracks[0].sampleDescriptions[0].video?.color)
    #expect(color.isFullRange == nil)
  }

  @Test func minimal() throws {
    let movie = try Corpus.movie("mozilla+mp4parse-rust/minimal.mp4")
    let (video, sound) = (movie.tracks[0], movie.tracks[1])
    #expect(video.sampleDescriptions[0].video?.width == 320)
    #expect(video.sampleDescriptions[0].video?.height == 240)
    #expect(video.mediaDuration == 512 && video.duration == 40)
    #expect(sound.mediaDuration == 2944 && sound.duration == 62)
    #expect(movie.problems == [])
  }

  @Test func shapes() throws {
    let wide = try Corpus.movie("mozilla+mp4parse-rust/h264_white_frame_sar_16_9.mp4")
    #expect(
      wide.tracks[0].sampleDescriptions[0].video?.pixelAspectRatio
        == PixelAspectRatio(horizontalSpacing: 16, verticalSpacing: 9))
    let turned = try Corpus.movie("mozilla+mp4parse-rust/video_rotation_90.mp4").tracks[0].matrix
    #expect([turned.a, turned.b, turned.c, turned.d] == [0, 0x10000, -0x10000, 0])
  }

  @Test func codecs() throws {
    let usac = try Corpus.movie("mozilla+mp4parse-rust/sine-3s-xhe-aac-44khz-mono.mp4")
    let entry = usac.tracks[0].sampleDescriptions[0]
    #expect(entry.codecString(in: usac.bytes) == "mp4a.40.42")
    #expect(entry.audio?.sampleRate == 44_100)
    let h263 = try Corpus.movie(
      "mozilla+mp4parse-rust/bbb_sunflower_QCIF_30fps_h263_noaudio_1f.3gp")
    #expect(h263.tracks[0].sampleDescriptions[0].codec == "s263")
    #expect(h263.tracks[0].samples.sampleCount == 1)
  }

  @Test func damage() throws {
    let chunk = try Corpus.movie("mozilla+mp4parse-rust/chunk_out_of_range.mp4")
    let table = try chunk.sampleTable(of: chunk.tracks[0], maximumSamples: 1000)
    #expect(table.problems.contains { $0.path.hasSuffix("stsc") })
    #expect(Array(table).isEmpty)
    let untimed = try Corpus.movie("mozilla+mp4parse-rust/no_timescale.mp4")
    #expect(untimed.timescale == 0 && untimed.problems.contains { $0.path == "moov/mvhd" })
    #expect(try Corpus.movie("mozilla+mp4parse-rust/invalid_userdata.mp4").tracks.count == 2)
    let empty = try Corpus.movie("androidx+media/sample_missing_stsd.mp4")
    #expect(empty.tracks.map(\.sampleDescriptions.count) == [1, 0])
    let (cut, _) = try Corpus.layout("Eyevinn+mp4ff/init_truncated.mp4")
    #expect(cut.isTruncated)
  }

  @Test func scans() throws {
    let (late, _) = try Corpus.layout("Zeugma440+atldotnet/mdat_before_moov.m4a")
    let movie = try #require(late.movie)
    #expect(late.mediaData.contains { $0.offset < movie.offset })
    #expect(try Corpus.layout("taglib+taglib/zero-length-mdat.m4a").0.movie != nil)
    let (long, file) = try Corpus.layout("androidx+media/sample_mdat_too_long.mp4")
    #expect(long.isTruncated && long.movie != nil)
    #expect(long.mediaData.contains { ($0.end ?? 0) > Int64(file.count) })
    #expect(try Corpus.layout("androidx+media/sample_still_photo.heic").0.isImage)
    #expect(try Corpus.layout("meta-pytorch+torchcodec/gradient_rotated.heic").0.isImage)
    #expect(
      try Corpus.layout("androidx+media/sample_fragmented_seekable.mp4").0.segmentIndex != nil)
  }

  /// The survey's times against those of the samples, which are compared with the peer's elsewhere.
  @Test(arguments: [
    "sample_fragmented.mp4", "sample_fragmented_seekable.mp4", "sample_fragmented_sgpd_v2.mp4",
    "sample_partially_fragmented.mp4",
  ])
  func surveysFragments(file: String) throws {
    let (layout, data) = try Corpus.layout("androidx+media/\(file)")
    let (movie, samples) = try Corpus.samples("androidx+media/\(file)")
    let start = try #require(layout.firstFragment).offset
    let survey = FragmentSurvey.survey(
      from: start, size: Int64(data.count), defaults: movie.movieExtends?.tracks ?? [],
      read: reading(data))
    #expect(survey.isComplete && survey.problems == [])
    for track in movie.tracks {
      let own = try #require(samples[track.trackID]).dropFirst(Int(track.samples.sampleCount))
      let span = try #require(survey.spans[track.trackID])
      #expect(span.sampleCount == UInt64(own.count))
      #expect(span.presentationStart == own.map(\.presentationTime).min())
      #expect(
        span.presentationEnd == own.map { $0.presentationTime + Int64($0.duration) }.max())
      #expect(span.decodeEnd == own.last.map { $0.decodeTime + Int64($0.duration) })
    }
  }

  // MARK: mp4ff

  @Test(arguments: ["h264", "hevc"])
  func sampleLists(name: String) throws {
    let (_, samples) = try Corpus.samples("Eyevinn+mp4ff/\(name).mp4")
    let lines = try Corpus.lines("Eyevinn+mp4ff/expected/golden_\(name)_mp4.txt")
    let own = try #require(samples[1]).map { "pts=\($0.presentationTime) (\($0.size)B)" }
    let peers = lines.filter { $0.hasPrefix("Sample ") }.map { line in
      line.split(separator: ",", maxSplits: 1)[1].split(separator: ":")[0].dropFirst()
    }
    #expect(own == peers.map(String.init))
  }

  @Test func fragmentedSampleList() throws {
    let (movie, samples) = try Corpus.samples("Eyevinn+mp4ff/main_1.mp4")
    var tracks: [[[Substring]]] = []
    for line in try Corpus.lines("Eyevinn+mp4ff/expected/golden_samples.txt") {
      if line.hasPrefix("Track ") {
        tracks.append([])
      } else {
        tracks[tracks.count - 1].append(line.split(separator: " "))
      }
    }
    #expect(tracks.map(\.count) == [214, 9])
    #expect(movie.tracks.map(\.mediaTimescale) == [6000, 30_000])
    #expect(movie.tracks.map(\.handler) == ["vide", "clcp"])
    let video = try #require(samples[1])
    #expect(
      video.map { ["\($0.presentationTime)", "(\($0.size)B)"] }
        == tracks[0].map { $0[1...2].map(String.init) })
    let captions = try #require(samples[2])
    #expect(
      captions.map { ["\($0.presentationTime)", "\($0.duration)"] }
        == tracks[1].map { $0[1...2].map(String.init) })
    // The dump shows the captions' bytes: two digits each.
    #expect(captions.map { Int($0.size) * 2 } == tracks[1].map { $0[3].count })
  }

  @Test func boxDump() throws {
    let dump = try Corpus.lines("Eyevinn+mp4ff/expected/golden_init_prog_mp4_dump.txt")
    func values(_ box: String, _ names: [String]) -> [[Int]] {
      let start = dump.firstIndex { $0.contains("[\(box)]") } ?? dump.count
      let lines = dump[(start + 1)...].prefix { !$0.contains("] size=") || $0.contains("sample[") }
      return lines.filter { $0.contains("[") }.compactMap { line in
        let fields = line.split(separator: " ")
        let found = names.compactMap { name in
          fields.first { $0.hasPrefix("\(name)=") }.flatMap { Int($0.dropFirst(name.count + 1)) }
        }
        return found.count == names.count ? found : nil
      }
    }
    let movie = try Corpus.movie("Eyevinn+mp4ff/init_prog.mp4")
    let track = movie.tracks[0]
    let samples = Array(try movie.sampleTable(of: track, maximumSamples: 480))
    #expect(movie.timescale == 600 && movie.duration == 11_520)
    #expect(track.mediaTimescale == 100 && track.mediaDuration == 1920)
    #expect(track.handlerName == "264@GPAC0.8.0-revrelease")
    #expect(
      track.edits
        == [EditListEntry(segmentDuration: 11_520, mediaTime: 4, mediaRate: 0x10000)])
    #expect(samples.map { [Int($0.size)] } == values("stsz", ["size"]))
    #expect(
      samples.indices.filter { samples[$0].isSync }.map { [$0 + 1] }
        == values("stss", ["sampleNumber"]))
    let offsets = values("ctts", ["sampleCount", "sampleOffset"]).flatMap {
      Array(repeating: $0[1], count: $0[0])
    }
    #expect(samples.map { Int($0.compositionOffset) } == offsets)
    #expect(samples.map(\.decodeTime) == (0..<480).map { $0 * 4 })
    let chunks = Set(values("stco", ["chunkOffset"]).map { $0[0] })
    #expect(chunks.count == 40)
    #expect(chunks.isSubset(of: Set(samples.map { Int($0.offset) })))
  }

  // MARK: TimecodeKit, whose asserts run against AVFoundation

  @Test(
    arguments: [
      ("TimecodeTrack_23_976_Start-00-58-40-00", false, 24, 23_976),
      ("TimecodeTrack_29_97d_Start_00-00-00-00", true, 30, 29_970),
    ] as [(String, Bool, UInt8, UInt64)])
  func timecodes(file: String, isDropFrame: Bool, frames: UInt8, milliRate: UInt64) throws {
    let movie = try Corpus.movie("orchetect+TimecodeKit/\(file).mov")
    let entry = try #require(movie.tracks.first?.sampleDescriptions.first?.timecode)
    #expect(entry.flags.contains(.dropFrame) == isDropFrame)
    #expect(entry.numberOfFrames == frames)
    #expect(UInt64(entry.timescale) * 1000 / UInt64(entry.frameDuration) == milliRate)
  }

  // MARK: parameter sets against what the peers say of the files

  @Test(
    arguments: [
      ("meta-pytorch+torchcodec/testsrc2_odd_height_and_width_444.mp4", 321, 241, 8, 3),
      ("mozilla+mp4parse-rust/minimal.mp4", 320, 240, 8, 1),
      ("androidx+media/sample.mp4", 1080, 720, 8, 1), ("androidx+media/bt601.mov", 640, 428, 8, 1),
    ] as [(String, Int, Int, UInt8, UInt8)])
  func avcSizes(file: String, width: Int, height: Int, depth: UInt8, chroma: UInt8) throws {
    let movie = try Corpus.movie(file)
    let entry = try #require(
      movie.tracks.lazy.flatMap(\.sampleDescriptions).first { $0.codec == "avc1" })
    let range = try #require(entry.payload(of: "avcC"))
    let set = try #require(
      AVCConfiguration(movie.bytes, in: range)?.sequenceParameters(in: movie.bytes))
    #expect(set.width == width && set.height == height)
    #expect(set.lumaBitDepth == depth && set.chromaFormat == chroma)
  }

  @Test(
    arguments: [
      ("androidx+media/h265_bframes.mp4", 854, 480, 8, 1),
      ("androidx+media/sample_edit_list.mp4", 1920, 1080, 10, 1),
      ("androidx+media/water_180_mvhevc_5frames.mov", 1934, 2160, 8, 1),
      ("meta-pytorch+torchcodec/h265_10bits.mp4", 200, 200, 10, 1),
      ("meta-pytorch+torchcodec/h265_video.mp4", 128, 128, 8, 1),
      ("meta-pytorch+torchcodec/testsrc2_444_12bit_hevc.mp4", 321, 241, 12, 3),
    ] as [(String, Int, Int, UInt8, UInt8)])
  func hevcSizes(file: String, width: Int, height: Int, depth: UInt8, chroma: UInt8) throws {
    let movie = try Corpus.movie(file)
    let entry = try #require(
      movie.tracks.lazy.flatMap(\.sampleDescriptions).first { $0.payload(of: .hvcC) != nil })
    let range = try #require(entry.payload(of: "hvcC"))
    let set = try #require(
      HEVCConfiguration(movie.bytes, in: range)?.sequenceParameters(in: movie.bytes))
    #expect(set.width == width && set.height == height)
    #expect(set.lumaBitDepth == depth && set.chromaFormat == chroma)
  }

  @Test func colorsOfParameterSets() throws {
    let movie = try Corpus.movie("androidx+media/sample_edit_list.mp4")
    let entry = try #require(
      movie.tracks.lazy.flatMap(\.sampleDescriptions).first { $0.payload(of: .hvcC) != nil })
    let range = try #require(entry.payload(of: .hvcC))
    let set = try #require(
      HEVCConfiguration(movie.bytes, in: range)?.sequenceParameters(in: movie.bytes))
    // The dump: colour space 6 (BT.2020), transfer 7 (HLG), two pictures of reordering.
    #expect(set.usability.primaries == 9 && set.usability.transfer == 18)
    #expect(set.reorderPictureCount == 2)
    let light = try Corpus.movie("androidx+media/sample_with_colr_mdcv_and_clli.mp4")
    let video = try #require(light.tracks[0].sampleDescriptions.first?.video)
    #expect(video.color?.transfer == 16)
    #expect(video.masteringDisplay != nil && video.contentLight != nil)
    let sequence = try #require(
      light.tracks[0].sampleDescriptions[0].payload(of: .av1C).flatMap {
        AV1Configuration(light.bytes, in: $0)
      })
    #expect(sequence.bitDepth == 10)
    let header = try #require(sequence.sequenceHeader)
    #expect(header.maximumWidth == 1920 && header.maximumHeight == 1080 && header.bitDepth == 10)
  }
}
