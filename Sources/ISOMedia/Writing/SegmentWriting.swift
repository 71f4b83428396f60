/// The parts of segmented MPEG-4 around what a muxer gives: the initialization segment, and media segments.
///
/// Pure: bytes in, bytes out.
package enum SegmentWriting {
  /// `ftyp` or `styp`.
  package static func brands(
    _ type: FourCharacterCode, major: FourCharacterCode, minor: UInt32 = 0, compatible: [FourCharacterCode]
  ) -> [UInt8] {
    var builder = BoxBuilder()
    builder.box(type) { builder in
      builder.append(major.rawValue)
      builder.append(minor)
      for brand in compatible { builder.append(brand.rawValue) }
    }
    return builder.bytes
  }

  /// One subsegment, which begins with a sync sample and follows at once.
  ///
  /// `start` and `duration` are in ticks of the media, before any edit list.
  package static func index(trackID: UInt32, timescale: UInt32, start: UInt64, duration: UInt32, size: UInt32)
    -> [UInt8]
  {
    var builder = BoxBuilder()
    builder.fullBox("sidx", version: 1, flags: 0) { builder, _ in
      builder.append(trackID)
      builder.append(timescale)
      builder.append(start)
      builder.append(UInt64(0))
      builder.append(UInt16(0))
      builder.append(UInt16(1))
      builder.append(size & 0x7FFF_FFFF)
      builder.append(duration)
      // Starts with a stream access point of type 1.
      builder.append(UInt32(9) << 28)
    }
    return builder.bytes
  }

  /// Puts decode times into `tfdt`, by track; those of other tracks stay.
  ///
  /// - Parameter moof: The box with its header.
  /// - Throws: `ISOMediaError` where a track's fragment has no `tfdt` that holds the time.
  package static func setDecodeTimes(_ times: [UInt32: UInt64], in moof: inout [UInt8]) throws(ISOMediaError) {
    guard let box = BoxSequence(moof).first(where: { _ in true }), box.type == "moof", !box.isCutOff else {
      throw ISOMediaError(.malformed, path: "moof", offset: 0)
    }
    let bytes = moof
    for track in BoxSequence(bytes, in: box.payload) where track.type == "traf" {
      var id: UInt32?
      for child in BoxSequence(bytes, in: track.payload) {
        var reader = ByteReader(bytes, in: child.payload)
        let version = reader.versionAndFlags().version
        if child.type == "tfhd" { id = reader.uint32() }
        guard child.type == "tfdt", let id, let time = times[id] else { continue }
        let size = version == 1 ? 8 : 4
        guard reader.remaining >= size, size == 8 || time <= UInt64(UInt32.max) else {
          throw ISOMediaError(.malformed, path: "moof/traf/tfdt", offset: child.range.lowerBound)
        }
        for index in 0..<size {
          moof[reader.position + index] = UInt8(truncatingIfNeeded: time >> UInt64(8 * (size - 1 - index)))
        }
      }
    }
  }
}
