import ISOMedia
import Testing

@Suite struct FileLayoutTests {
  private let movie = SampleMovie.header()

  private func brands(_ codes: [FourCharacterCode]) -> [UInt8] {
    bytes {
      $0.box("ftyp") {
        $0.code(codes[0])
        $0.u32(512)
        for code in codes { $0.code(code) }
      }
    }
  }

  private func scan(
    _ file: [UInt8], isSizeKnown: Bool, through extent: FileLayout.ScanExtent = .everything
  ) -> FileLayout {
    FileLayout.scan(
      size: isSizeKnown ? Int64(file.count) : nil, through: extent, read: reading(file))
  }

  @Test(arguments: [true, false], [true, false])
  func findsTheMovieBeforeAndAfterTheMedia(isFirst: Bool, isSizeKnown: Bool) {
    let head = brands(["isom", "avc1"])
    let media = bytes { $0.box("mdat") { $0.zeros(100_000) } }
    let wide = bytes { $0.box("wide") { _ in } }
    let file = head + (isFirst ? movie + wide + media : wide + media + movie)
    let layout = scan(file, isSizeKnown: isSizeKnown)
    #expect(layout.brands?.major == "isom")
    #expect(layout.brands?.minorVersion == 512)
    #expect(layout.brands?.compatible == ["isom", "avc1"])
    #expect(layout.movie?.bytes == movie)
    #expect(layout.movie?.offset == Int64(isFirst ? head.count : head.count + 8 + media.count))
    #expect(layout.mediaData.count == 1)
    #expect(layout.mediaData.first?.end.map { $0 - 100_008 } == layout.mediaData.first?.offset)
    #expect(layout.isComplete && !layout.isTruncated && layout.isRecognized)
    #expect(layout.problems == [])
    #expect(layout.boxCount == 4)
  }

  @Test func readsNoMediaAndTheMovieOnce() {
    let file = brands(["qt  "]) + bytes { $0.box("mdat") { $0.zeros(1_000_000) } } + movie
    var total = 0
    var calls = 0
    let layout = FileLayout.scan(size: Int64(file.count)) { offset, count in
      calls += 1
      total += count
      return reading(file)(offset, count)
    }
    #expect(layout.movie?.bytes == movie)
    #expect(calls <= 3)
    #expect(total <= 2 * 4096 + movie.count)
  }

  @Test func readsQuickTimeWithoutBrands() {
    let file = bytes { $0.box("mdat") { $0.zeros(9) } } + movie
    let layout = scan(file, isSizeKnown: true)
    #expect(layout.brands == nil)
    #expect(layout.movie?.bytes == movie)
    #expect(layout.isRecognized)
  }

  @Test(arguments: [true, false])
  func readsSizesOf64BitsAndToTheEnd(isSizeKnown: Bool) {
    let wide = bytes {
      $0.u32(1)
      $0.code("mdat")
      $0.u64(16 + 5)
      $0.zeros(5)
      $0.u32(0)
      $0.code("mdat")
      $0.zeros(50)
    }
    let file = movie + wide
    let layout = scan(file, isSizeKnown: isSizeKnown)
    #expect(layout.mediaData.count == 2)
    #expect(layout.mediaData[0].payloadOffset == Int64(movie.count + 16))
    #expect(layout.mediaData[1].end == (isSizeKnown ? Int64(file.count) : nil))
    #expect(layout.isComplete && !layout.isTruncated)
  }

  @Test(arguments: [true, false])
  func saysThatAFileIsCutOff(isSizeKnown: Bool) {
    let whole = movie + bytes { $0.box("mdat") { $0.zeros(10_000) } }
    for keep in [movie.count / 2, movie.count - 1, movie.count + 8, whole.count - 1] {
      let layout = scan(Array(whole[..<keep]), isSizeKnown: isSizeKnown)
      #expect(layout.isTruncated, "\(keep) bytes")
      #expect(layout.movie?.bytes.count == min(keep, movie.count), "\(keep) bytes")
      #expect(!layout.problems.isEmpty)
    }
  }

  @Test func seesFragments() {
    let fragment = bytes { $0.box("moof") { $0.fullBox("mfhd") { $0.u32(1) } } }
    let file =
      bytes { $0.box("styp") { $0.code("msdh") } }
      + bytes { $0.fullBox("sidx") { $0.zeros(20) } } + movie + fragment
      + bytes { $0.box("mdat") { $0.zeros(3) } } + fragment + bytes { $0.box("mfra") { _ in } }
    let layout = scan(file, isSizeKnown: true)
    #expect(layout.hasSegmentType && layout.hasFragmentRandomAccess)
    #expect(layout.segmentIndex?.offset == 12)
    #expect(layout.firstFragment?.offset == Int64(12 + 32 + movie.count))
    let short = scan(file, isSizeKnown: true, through: .firstFragment)
    #expect(short.firstFragment == layout.firstFragment)
    #expect(!short.isComplete && short.mediaData.isEmpty)
    #expect(scan(file, isSizeKnown: true, through: .movie).firstFragment == nil)
  }

  @Test func tellsCompressedHeaders() {
    let file = bytes { $0.box("moov") { $0.box("cmov") { $0.zeros(30) } } }
    #expect(scan(file, isSizeKnown: true).movie?.isCompressed == true)
    #expect(scan(movie, isSizeKnown: true).movie?.isCompressed == false)
  }

  @Test(
    arguments: [
      (["heic", "mif1"], true), (["avif", "miaf"], true), (["mif1"], true), (["isom"], false),
    ] as [([FourCharacterCode], Bool)])
  func tellsImages(codes: [FourCharacterCode], isImage: Bool) {
    let meta = bytes { $0.fullBox("meta") { $0.zeros(10) } }
    #expect(scan(brands(codes) + meta, isSizeKnown: true).isImage == isImage)
    #expect(!scan(brands(codes) + meta + movie, isSizeKnown: true).isImage)
  }

  @Test func refusesOtherBytes() {
    for file in [[], hex("1A45DFA3 9F4286810142F781"), [UInt8](repeating: 0, count: 64)] {
      #expect(!scan(file, isSizeKnown: true).isRecognized)
      #expect(!scan(file, isSizeKnown: false).isRecognized)
    }
  }

  @Test func bounds() {
    let file = bytes { for _ in 0..<100 { $0.box("free") { _ in } } }
    var limits = FileLayout.Limits()
    limits.boxes = 10
    let layout = FileLayout.scan(size: nil, limits: limits, read: reading(file))
    #expect(layout.boxCount == 10 && !layout.isComplete)
    limits.movieBytes = 100
    let large = FileLayout.scan(size: Int64(movie.count), limits: limits, read: reading(movie))
    #expect(large.movie?.bytes == [])
    #expect(large.problems.map(\.kind) == [.limit])
  }

  @Test func passesOnReadErrors() {
    struct Refused: Error {}
    #expect(throws: Refused.self) {
      try FileLayout.scan(size: nil) { _, _ in throw Refused() }
    }
  }
}
