import ISOMedia
import LibAV

/// The sizes of a video track, as far as headers and parameter sets tell; no picture is read.
struct TrackGeometry: Sendable, Hashable {
  var encodedSize: PixelSize
  var cleanAperture: CleanAperture?
  var pixelAspectRatio: PixelAspectRatio
  var transform: PictureTransform

  var cleanRect: PixelRect { cleanAperture?.rect(in: encodedSize) ?? PixelRect(encodedSize) }
  var naturalSize: PixelSize { PixelFitting.displaySize(cleanRect.size, pixelAspectRatio) }

  /// nil for tracks without pictures.
  init?(_ track: ContainerTrack, movie: MovieHeader?) {
    guard track.mediaType == .video else { return nil }
    let description = track.iso?.sampleDescriptions.first?.video
    let sets = track.stream.flatMap { ParameterSets($0) }
    let stored = track.stream.map { PixelSize(width: $0.width, height: $0.height) }
    let entry = description.map { PixelSize(width: Int($0.width), height: Int($0.height)) }
    encodedSize = [sets?.size, stored, entry].compactMap(\.self).first { !$0.isEmpty } ?? .zero
    cleanAperture = description?.cleanAperture.flatMap { CleanAperture($0) }
    let inStream = sets?.sampleAspectRatio.map {
      (Int($0.horizontalSpacing), Int($0.verticalSpacing))
    }
    var ratio: (Int, Int)?
    if track.iso != nil {
      // libav makes a ratio of the matrix's scale, which is applied with the matrix; so only what is stored counts.
      ratio = description?.pixelAspectRatio.map {
        (Int($0.horizontalSpacing), Int($0.verticalSpacing))
      }
    } else if let stream = track.stream, stream.sampleAspectRatio.0 > 0 {
      ratio = (Int(stream.sampleAspectRatio.0), Int(stream.sampleAspectRatio.1))
    }
    pixelAspectRatio = Self.reduced(ratio ?? inStream) ?? .square
    if let iso = track.iso {
      let own = PictureTransform(iso.matrix)
      transform = movie.map { own.concatenating(PictureTransform($0.matrix)) } ?? own
    } else {
      transform =
        track.stream?.displayMatrix.map { PictureTransform(fixedPoint: $0) }
        ?? track.orientation?.transform(for: .zero) ?? .identity
    }
  }

  private static func reduced(_ ratio: (Int, Int)?) -> PixelAspectRatio? {
    guard let (horizontal, vertical) = ratio, horizontal > 0, vertical > 0 else { return nil }
    var (a, b) = (horizontal, vertical)
    while b != 0 { (a, b) = (b, a % b) }
    return PixelAspectRatio(horizontal: horizontal / a, vertical: vertical / a)
  }
}

extension PictureTransform {
  /// The matrix of `tkhd` and `mvhd`: 16.16 fixed point, rows a b, c d, x y (ISO/IEC 14496-12, 6.2.2).
  init(_ matrix: TransformMatrix) {
    let scale = 65_536.0
    self.init(
      a: Double(matrix.a) / scale, b: Double(matrix.b) / scale, c: Double(matrix.c) / scale,
      d: Double(matrix.d) / scale,
      tx: Double(matrix.x) / scale, ty: Double(matrix.y) / scale)
    if a == 0, b == 0, c == 0, d == 0 { self = .identity }
  }

  /// libav's display matrix, nine numbers in the same order.
  init(fixedPoint numbers: [Int32]) {
    guard numbers.count == 9 else {
      self = .identity
      return
    }
    self.init(
      TransformMatrix(
        a: numbers[0], b: numbers[1], u: 0, c: numbers[3], d: numbers[4], v: 0, x: numbers[6],
        y: numbers[7], w: 0))
  }
}

extension CleanAperture {
  init?(_ box: ISOMedia.CleanAperture) {
    func unsigned(_ value: Int64) -> UInt32? { UInt32(exactly: value) }
    guard let wn = unsigned(box.width.numerator), let wd = unsigned(box.width.denominator),
      let hn = unsigned(box.height.numerator), let hd = unsigned(box.height.denominator),
      let xn = Int32(exactly: box.horizontalOffset.numerator),
      let xd = unsigned(box.horizontalOffset.denominator),
      let yn = Int32(exactly: box.verticalOffset.numerator),
      let yd = unsigned(box.verticalOffset.denominator)
    else { return nil }
    self.init(
      widthNumerator: wn, widthDenominator: wd, heightNumerator: hn, heightDenominator: hd,
      horizontalOffsetNumerator: xn,
      horizontalOffsetDenominator: xd, verticalOffsetNumerator: yn, verticalOffsetDenominator: yd)
  }
}

extension AssetTrack {
  /// nil for tracks without pictures. Cheap: the header is loaded already when a track exists.
  func geometry() -> TrackGeometry? {
    guard let header = asset.loadedHeader else { return nil }
    return TrackGeometry(track, movie: header.movie)
  }

  /// The preferred transform with its translation derived, so that the picture lands in the positive quadrant.
  func transform(for size: PixelSize) -> PictureTransform {
    geometry()?.transform.normalized(for: size) ?? .identity
  }
}
