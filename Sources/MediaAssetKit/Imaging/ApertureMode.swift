/// Which part and shape of the stored picture an image shows.
public enum ApertureMode: String, Hashable, Sendable, Codable, CaseIterable {
  /// The container's clean aperture, with pixels made square: the default.
  case cleanAperture = "CleanAperture"
  /// The whole picture, with pixels made square.
  case productionAperture = "ProductionAperture"
  /// The whole picture, its pixels as stored.
  case encodedPixels = "EncodedPixels"
}
