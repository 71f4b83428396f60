import LibAV

extension MediaAsset {
  /// The pictures stored beside the media: cover art of sound files, decoded as they are, in the file's order.
  ///
  /// Damaged pictures are left out. `maximumSize` is the box into which they are fitted; a side of 0 is free. Costs
  /// reading the header and decoding each picture.
  public func loadArtwork(maximumSize: PixelSize = .zero) async throws -> [MediaImage] {
    let header = try await header()
    guard !header.pictures.isEmpty else { return [] }
    let limit = options.policy.maximumPixels
    return try await OpeningSession(isRemote: false).run { _ in
      header.pictures.compactMap { picture in
        try? Self.decode(picture, maximumPixels: limit, maximumSize: maximumSize)
      }
    }
  }

  private static func decode(
    _ picture: AttachedPicture, maximumPixels: Int64, maximumSize: PixelSize
  ) throws -> MediaImage? {
    var decoder = try Decoder.open(
      codec: picture.codec, options: Decoder.Options(maximumPixels: maximumPixels))
    guard let frame = try decoder.decodePicture(picture.bytes) else { return nil }
    let size = PixelSize(width: frame.width, height: frame.height)
    let renderer = PictureRenderer(
      geometry: TrackGeometry(encodedSize: size), colour: ColourDescription(), isStillCodec: true,
      maximumSize: maximumSize, apertureMode: .cleanAperture, appliesTransform: false,
      dynamicRange: .forceSDR)
    var scalers = ScalerCache()
    return try renderer.render(frame, &scalers)
  }
}

extension TrackGeometry {
  /// A plain picture: square pixels, nothing cropped, nothing turned.
  init(encodedSize: PixelSize) {
    self.encodedSize = encodedSize
    cleanAperture = nil
    pixelAspectRatio = .square
    transform = .identity
  }
}
