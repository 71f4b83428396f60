/// The fields of a visual sample entry and the boxes that describe its picture.
package struct VideoSampleDescription: Sendable {
  /// Stored size in pixels.
  package var width: UInt16 = 0
  package var height: UInt16 = 0
  /// Bits of a pixel as stored: 24, or 32 with alpha; 33 to 40 are grey scale in QuickTime.
  package var depth: UInt16 = 0
  package var compressorName = ""
  package var vendor = FourCharacterCode(rawValue: 0)
  /// `pasp`.
  package var pixelAspectRatio: PixelAspectRatio?
  /// `clap`.
  package var cleanAperture: CleanAperture?
  /// The first `colr` of type `nclx` or `nclc`.
  package var color: ColorParameters?
  /// The first `colr` of type `prof` or `rICC`: the ICC profile in the movie's bytes.
  package var iccProfile: Range<Int>?
  /// `fiel`.
  package var fields: FieldOrder?
  /// `gama`, 16.16 fixed point.
  package var gamma: UInt32?
  /// `mdcv` or `SmDm`.
  package var masteringDisplay: MasteringDisplay?
  /// `clli` or `CoLL`.
  package var contentLight: ContentLight?
  /// `dvcC`, `dvvC` or `dvwC`.
  package var dolbyVision: DolbyVisionConfiguration?
  /// `btrt`.
  package var bitRate: BitRate?
  /// What `st3d`, `sv3d`, `vexu` and `hfov` say.
  package var spatial = SpatialDescription()
}

/// `pasp`: the shape of a pixel.
package struct PixelAspectRatio: Hashable, Sendable {
  package var horizontalSpacing: UInt32
  package var verticalSpacing: UInt32

  package init(horizontalSpacing: UInt32, verticalSpacing: UInt32) {
    self.horizontalSpacing = horizontalSpacing
    self.verticalSpacing = verticalSpacing
  }
}

/// `colr`: code points of ISO/IEC 23091-2; 2 means unspecified.
package struct ColorParameters: Hashable, Sendable {
  package var primaries: UInt16
  package var transfer: UInt16
  package var matrix: UInt16
  /// Nil in QuickTime's `nclc`, which does not say, and in an `nclx` that is a byte short.
  package var isFullRange: Bool?

  package init(primaries: UInt16, transfer: UInt16, matrix: UInt16, isFullRange: Bool? = nil) {
    self.primaries = primaries
    self.transfer = transfer
    self.matrix = matrix
    self.isFullRange = isFullRange
  }
}

/// `fiel`: fields of a frame and their order.
package struct FieldOrder: Hashable, Sendable {
  /// 1 progressive, 2 interlaced.
  package var fieldCount: UInt8
  /// 1 top first stored and shown, 6 bottom first, 9 top stored but bottom shown first, 14 the
  /// reverse of 9; 0 unknown.
  package var detail: UInt8

  package init(fieldCount: UInt8, detail: UInt8) {
    self.fieldCount = fieldCount
    self.detail = detail
  }
}

/// `mdcv` or `SmDm`: the display that the picture was graded on.
///
/// Values are numerators; the denominators differ by the box, so nothing is rounded.
package struct MasteringDisplay: Hashable, Sendable {
  package struct Point: Hashable, Sendable {
    package var x: UInt32
    package var y: UInt32

    package init(x: UInt32, y: UInt32) {
      self.x = x
      self.y = y
    }
  }

  package var red, green, blue, whitePoint: Point
  /// 50,000 (`mdcv`) or 65,536 (`SmDm`).
  package var chromaticityDenominator: UInt32
  /// In cd/m² over ``maximumDenominator`` and ``minimumDenominator``.
  package var maximumLuminance: UInt32
  package var maximumDenominator: UInt32
  package var minimumLuminance: UInt32
  package var minimumDenominator: UInt32
}

/// `clli` or `CoLL`, in cd/m².
package struct ContentLight: Hashable, Sendable {
  package var maximum: UInt16
  package var maximumFrameAverage: UInt16

  package init(maximum: UInt16, maximumFrameAverage: UInt16) {
    self.maximum = maximum
    self.maximumFrameAverage = maximumFrameAverage
  }
}

/// `btrt`, in bytes and bits a second.
package struct BitRate: Hashable, Sendable {
  package var bufferSize: UInt32
  package var maximum: UInt32
  package var average: UInt32

  package init(bufferSize: UInt32, maximum: UInt32, average: UInt32) {
    self.bufferSize = bufferSize
    self.maximum = maximum
    self.average = average
  }
}
