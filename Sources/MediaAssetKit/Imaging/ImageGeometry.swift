/// The way from the decoded picture to the image, as a plan that is made before any pixel moves.
///
/// The order is fixed: decode, crop to the clean aperture, make pixels square, turn, fit into the
/// maximum size. Scaling does all of the sizes in one pass and comes before the turn, because
/// turning fewer pixels is cheaper; so ``scaledSize`` is ``finalSize`` lying on its side when the
/// turn swaps the sides.
struct ImageGeometry: Hashable, Sendable {
  /// The part of the decoded picture that is used.
  let sourceCrop: PixelRect
  /// The size with square pixels, before the turn: AVFoundation's `naturalSize`.
  let naturalSize: PixelSize
  /// What to ask of the scaler.
  let scaledSize: PixelSize
  /// How to turn what the scaler returns.
  let orientation: Orientation
  /// The size of the image.
  let finalSize: PixelSize

  /// Plans an image of a decoded picture.
  ///
  /// - Parameters:
  ///   - encodedSize: the decoded picture after the codec's own cropping.
  ///   - cleanAperture: the container's, where it has one.
  ///   - transform: the track's matrix; its shift is not needed. Only right angles are honoured,
  ///     the picture stays as stored for other angles and skewed ones.
  ///   - appliesTransform: whether to turn at all.
  ///   - maximumSize: sides that are not positive are unconstrained; the picture never grows.
  init(
    encodedSize: PixelSize, cleanAperture: CleanAperture? = nil,
    pixelAspectRatio: PixelAspectRatio = .square, transform: PictureTransform = .identity,
    appliesTransform: Bool = true, apertureMode: ApertureMode = .cleanAperture,
    maximumSize: PixelSize = .zero
  ) {
    let crops = apertureMode == .cleanAperture
    sourceCrop = (crops ? cleanAperture?.rect(in: encodedSize) : nil) ?? PixelRect(encodedSize)
    naturalSize =
      apertureMode == .encodedPixels
      ? sourceCrop.size : PixelFitting.displaySize(sourceCrop.size, pixelAspectRatio)
    orientation = (appliesTransform ? transform.orientation : nil) ?? .up
    finalSize = PixelFitting.fit(orientation.applied(to: naturalSize), within: maximumSize)
    // Its own inverse: swapped twice is as before.
    scaledSize = orientation.applied(to: finalSize)
  }
}
