/// What a container says of the views in a picture and of its projection.
///
/// From Google's `st3d` and `sv3d`, Apple's `vexu`, `hfov` and `lhvC`, or another container's like.
package struct SpatialDescription: Hashable, Sendable {
  /// Both eyes' views are there, packed into one picture or coded apart.
  package var hasStereoLayout = false
  /// A second layer of the stream carries a view (`lhvC`).
  package var hasSecondLayer = false
  /// The horizontal field of view is stated.
  package var hasFieldOfView = false
  /// The picture is no plane.
  package var isProjected = false

  package init() {}

  /// Two views are coded apart in one stream.
  package var hasTwoCodedViews: Bool { hasStereoLayout && hasSecondLayer }

  mutating func note(_ type: FourCharacterCode, in payload: Range<Int>, of bytes: [UInt8]) {
    switch type {
    case "lhvC": hasSecondLayer = true
    case "hfov":
      var reader = ByteReader(bytes, in: payload)
      if reader.uint32() > 0 { hasFieldOfView = true }
    case "st3d":
      // 0 is one view.
      if Self.fullBoxByte(bytes, payload) ?? 0 != 0 { hasStereoLayout = true }
    case "sv3d":
      for box in BoxSequence(bytes, in: payload) where box.type == "proj" {
        let children = BoxSequence(bytes, in: box.payload)
        if children.contains(where: { ["equi", "cbmp", "mshp"].contains($0.type) }) { isProjected = true }
      }
    case "vexu": noteExtendedUsage(payload, bytes)
    default: break
    }
  }

  private mutating func noteExtendedUsage(_ payload: Range<Int>, _ bytes: [UInt8]) {
    for box in BoxSequence(bytes, in: payload) {
      for child in BoxSequence(bytes, in: box.payload) {
        switch (box.type, child.type) {
        case ("eyes", "stri"):
          // The lowest two bits: a left and a right eye's view.
          if (Self.fullBoxByte(bytes, child.payload) ?? 0) & 3 == 3 { hasStereoLayout = true }
        case ("proj", "prji"):
          var reader = ByteReader(bytes, in: child.payload)
          _ = reader.versionAndFlags()
          let kind = reader.code()
          if !reader.isExhausted, kind != "rect" { isProjected = true }
        default: break
        }
      }
    }
  }

  /// The byte behind a full box's version and flags.
  private static func fullBoxByte(_ bytes: [UInt8], _ payload: Range<Int>) -> UInt8? {
    var reader = ByteReader(bytes, in: payload)
    _ = reader.versionAndFlags()
    let value = reader.uint8()
    return reader.isExhausted ? nil : value
  }
}
