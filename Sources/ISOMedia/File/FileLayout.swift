/// What lies at the top level of an ISO base media or QuickTime file.
package struct FileLayout: Sendable {
  /// The `moov` box: where it lies, and its bytes with the header.
  package struct Movie: Sendable {
    /// Offset of the box in the file.
    package var offset: Int64
    /// The size that the box claims.
    package var size: Int64
    /// The box's bytes from its header on, as many as there are; empty above the caller's limit.
    package var bytes: [UInt8]
    /// Whether the header is compressed (`cmov`); it is not inflated here.
    package var isCompressed: Bool
  }

  /// A box at the top level that is not read.
  package struct Extent: Hashable, Sendable {
    /// Offset of the box in the file, and of what follows its header.
    package var offset: Int64
    package var payloadOffset: Int64
    /// Where the box ends by its own size; nil when it runs to the end of a file of unknown size.
    package var end: Int64?
  }

  /// The brands of `ftyp`; nil for QuickTime files from before brands.
  package var brands: FileBrands?
  package var movie: Movie?
  /// The `mdat` boxes that were passed.
  package var mediaData: [Extent] = []
  /// The first `moof`.
  package var firstFragment: Extent?
  /// The first `sidx`.
  package var segmentIndex: Extent?
  package var hasSegmentType = false
  package var hasFragmentRandomAccess = false
  /// A `meta` box at the top level, as image files have.
  package var metadata: Extent?
  /// Whether a box reaches past the end of the file.
  package var isTruncated = false
  /// Whether the scan saw the whole file; false when it stopped early, at damage or at a limit.
  package var isComplete = false
  /// How many top-level boxes were passed.
  package var boxCount = 0
  package var problems: [ISOMediaError] = []

  package init() {}

  /// Whether this is a still image or a collection of them, with no movie.
  package var isImage: Bool {
    movie == nil && metadata != nil && brands?.hasImageBrand == true
  }

  /// Whether any box of the format was found.
  package var isRecognized: Bool {
    brands != nil || movie != nil || firstFragment != nil || hasSegmentType
      || segmentIndex != nil || (!mediaData.isEmpty && problems.isEmpty)
  }
}

extension FileLayout {
  /// How far a scan goes.
  package enum ScanExtent: Sendable {
    /// Stop once `moov` is read: fragments and media data behind it stay unknown.
    case movie
    /// Go on behind `moov` until the first fragment or the end: one read for each box on the way.
    case firstFragment
    /// Look at every top-level box, within the limit.
    case everything
  }

  /// Limits of a scan.
  package struct Limits: Sendable {
    /// Top-level boxes to pass.
    package var boxes = 16_384
    /// Bytes of `moov` to read. An hour of film needs about 4 MB.
    package var movieBytes: Int64 = 256 << 20
    /// Bytes to ask for when a box header is needed: neighbours then cost no further read.
    package var readAhead = 4096

    package init() {}
  }
}
