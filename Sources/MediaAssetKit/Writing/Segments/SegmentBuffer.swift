import LibAV

/// Collects what a muxer writes until a segment is complete.
// @unchecked: written and read on the strand of the session that owns the muxer.
final class SegmentBuffer: MuxerOutput, @unchecked Sendable {
  private var bytes: [UInt8] = []
  var isSeekable: Bool { false }
  var length: Int64 { Int64(bytes.count) }

  func write(_ bytes: UnsafeRawBufferPointer, at offset: Int64, marker: DataMarker, time: Int64?) throws {
    self.bytes.append(contentsOf: bytes)
  }

  func take() -> [UInt8] {
    defer { bytes = [] }
    return bytes
  }
}
