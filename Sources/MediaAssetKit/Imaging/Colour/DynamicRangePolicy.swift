/// What becomes of high dynamic range and wide colour in an image.
public enum DynamicRangePolicy: String, Sendable, Hashable {
  /// 8 bits of BT.709: PQ and HLG are tone-mapped, wide primaries converted in linear light; the default.
  ///
  /// 203 cd/m² (BT.2408 reference white) comes out at about level 215, 1000 cd/m² at about 249. A colour outside
  /// BT.709 moves toward the grey of its own luminance until it is inside; its hue stays.
  case forceSDR
  /// As stored: 16 bits where the source has more than 8 or is HDR, tagged with the source's colour.
  case matchSource
}
