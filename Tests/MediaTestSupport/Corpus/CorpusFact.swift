/// One thing that another project's own tests state of a real file.
package struct CorpusFact: Sendable {
  /// The path below the corpus folder.
  package var file: String
  package var kind: Kind
  /// Who says so: the peer's test, or the arithmetic that replaces it.
  package var source: String

  package init(file: String, kind: Kind, source: String) {
    self.file = file
    self.kind = kind
    self.source = source
  }

  package enum Kind: Sendable, Hashable {
    /// The file opens as an asset.
    case opens
    /// Opening must throw.
    case failsToOpen
    /// Opens or throws, and reading ends; nothing crashes or hangs. The other facts of such a file
    /// hold when it opens.
    case survives
    /// Seconds that are presented, within `tolerance`.
    case duration(Double, tolerance: Double)
    /// Seconds that the header states although the data is cut off.
    case declaredDuration(Double, tolerance: Double)
    /// How many tracks of a kind there are; attached pictures and chapter tracks do not count.
    case trackCount(TrackKind, Int)
    case chapterCount(Int)
    case track(Track, Property)

    package static func video(_ property: Property) -> Kind { .track(Track(.video, 0), property) }
    package static func audio(_ property: Property) -> Kind { .track(Track(.audio, 0), property) }
  }

  package enum TrackKind: String, Sendable, Hashable {
    case video, audio, subtitle, caption, timecode
  }

  /// A track by its place among the tracks of its kind, in the order of the file.
  package struct Track: Sendable, Hashable {
    package var kind: TrackKind
    package var number: Int

    package init(_ kind: TrackKind, _ number: Int) {
      self.kind = kind
      self.number = number
    }
  }

  package enum Property: Sendable, Hashable {
    /// FFmpeg's name of the codec; `pcm` stands for every PCM codec.
    case codec(String)
    /// The RFC 6381 string.
    case codecString(String)
    /// The four-character code of the sample description.
    case fourCharacterCode(String)
    /// The stored picture in pixels.
    case size(Int, Int)
    /// As it is to be shown: sample aspect and turn applied.
    case displaySize(Int, Int)
    /// Degrees clockwise to show it upright.
    case rotation(Int)
    /// The matrix also mirrors; `rotation` of the same track is then what the peer says besides.
    case mirrored
    case sampleAspectRatio(Int, Int)
    /// Samples over the track's media duration.
    case frameRate(Double, tolerance: Double)
    /// Frame intervals over the time between the first and the last frame.
    case meanFrameRate(Double, tolerance: Double)
    /// The shortest time between two frames, in seconds.
    case shortestFrameDuration(Double, tolerance: Double)
    /// BCP 47 or ISO 639; `und` for undetermined.
    case language(String)
    case channels(Int)
    case sampleRate(Int)
    /// Stored samples (packets), whether presented or not.
    case sampleCount(Int)
    /// How many of them are marked as sync samples.
    case syncSampleCount(Int)
    /// Bytes of the first samples in file order.
    case firstSampleSizes([Int])
    /// The first presentation time in seconds, in the clock of the file itself.
    case firstTime(Double, tolerance: Double)
    /// Seconds that this track lasts.
    case duration(Double, tolerance: Double)
    case bitDepth(Int)
    case fullRange(Bool)
    /// ITU-T H.273 numbers.
    case colourPrimaries(Int)
    case transferCharacteristics(Int)
    case matrixCoefficients(Int)
    /// The track is tagged with no colour at all.
    case noColour
    case hasAlpha
    /// Samples of the encoder's delay and padding, as the file states them.
    case encoderDelay(Int)
    case encoderPadding(Int)
  }

  /// Builds a table: one line a file.
  static func table(
    _ folder: String, _ source: String, _ rows: [(file: String, source: String, kinds: [Kind])]
  ) -> [CorpusFact] {
    rows.flatMap { row in
      row.kinds.map {
        CorpusFact(file: folder + "/" + row.file, kind: $0, source: source + " " + row.source)
      }
    }
  }
}
