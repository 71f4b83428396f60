internal import CFFmpeg

/// One stored packet; reference counted by libav and never changed after the demuxer returned it.
// @unchecked: `raw` is written by the demuxer alone, before the packet is published.
@safe package final class Packet: @unchecked Sendable {
  let raw: UnsafeMutablePointer<AVPacket>

  private init(adopting raw: UnsafeMutablePointer<AVPacket>) { unsafe self.raw = raw }

  /// An empty packet; filled by a demuxer while its maker alone holds it.
  package static func make() throws(AVError) -> Packet {
    guard let raw = unsafe av_packet_alloc() else { throw .outOfMemory("av_packet_alloc") }
    return unsafe Packet(adopting: raw)
  }

  deinit {
    var raw: UnsafeMutablePointer<AVPacket>? = unsafe raw
    unsafe av_packet_free(&raw)
  }

  package var streamIndex: Int { unsafe Int(raw.pointee.stream_index) }
  /// Presentation time in the stream's time base; nil where the container gives none.
  package var pts: Int64? { unsafe Self.time(raw.pointee.pts) }
  package var dts: Int64? { unsafe Self.time(raw.pointee.dts) }
  /// 0 when unknown.
  package var duration: Int64 { unsafe raw.pointee.duration }
  package var isKey: Bool { unsafe raw.pointee.flags & AV_PKT_FLAG_KEY != 0 }
  package var isCorrupt: Bool { unsafe raw.pointee.flags & AV_PKT_FLAG_CORRUPT != 0 }
  /// Whether no other packet needs this one.
  package var isDisposable: Bool { unsafe raw.pointee.flags & AV_PKT_FLAG_DISPOSABLE != 0 }
  package var isDiscard: Bool { unsafe raw.pointee.flags & AV_PKT_FLAG_DISCARD != 0 }
  /// Offset of the packet in the file; nil when unknown.
  package var position: Int64? { unsafe raw.pointee.pos < 0 ? nil : raw.pointee.pos }
  package var size: Int { unsafe Int(raw.pointee.size) }

  /// Samples to drop at the start and at the end (`AV_PKT_DATA_SKIP_SAMPLES`), where the container says so.
  package var skippedSamples: (start: Int, end: Int)? {
    var size = 0
    guard let data = unsafe av_packet_get_side_data(raw, AV_PKT_DATA_SKIP_SAMPLES, &size),
      size >= 10
    else { return nil }
    let bytes = unsafe UnsafeRawBufferPointer(start: data, count: size)
    let start = unsafe UInt32(littleEndian: bytes.loadUnaligned(as: UInt32.self))
    let end = unsafe UInt32(littleEndian: bytes.loadUnaligned(fromByteOffset: 4, as: UInt32.self))
    return (Int(start), Int(end))
  }

  /// Whether the codec's set-up bytes change with this packet.
  package var hasNewExtradata: Bool {
    unsafe av_packet_get_side_data(raw, AV_PKT_DATA_NEW_EXTRADATA, nil) != nil
  }

  /// The set-up bytes that hold from this packet on; nil where they stay.
  package var newExtradata: [UInt8]? {
    var size = 0
    guard let data = unsafe av_packet_get_side_data(raw, AV_PKT_DATA_NEW_EXTRADATA, &size) else { return nil }
    return unsafe Array(UnsafeBufferPointer(start: data, count: size))
  }

  /// A copy of the payload.
  package var bytes: [UInt8] { withBytes { span in unsafe span.withUnsafeBytes { unsafe Array($0) } } }

  package func withBytes<R>(_ body: (Span<UInt8>) throws -> R) rethrows -> R {
    let buffer = unsafe UnsafeBufferPointer(start: raw.pointee.data, count: Int(raw.pointee.size))
    return try body(unsafe Span(_unsafeElements: buffer))
  }

  private static func time(_ value: Int64) -> Int64? { value == cff_NO_PTS ? nil : value }
}

extension Packet {
  /// A packet over a copy of `bytes`, without times.
  package static func copying(
    _ bytes: [UInt8], isKey: Bool = true, isDisposable: Bool = false
  ) throws(AVError) -> Packet {
    let packet = try make()
    try check(unsafe av_new_packet(packet.raw, Int32(clamping: bytes.count)), "av_new_packet")
    unsafe bytes.withUnsafeBytes { source in
      unsafe UnsafeMutableRawBufferPointer(start: packet.raw.pointee.data, count: bytes.count)
        .copyMemory(from: source)
    }
    if isKey { unsafe packet.raw.pointee.flags |= AV_PKT_FLAG_KEY }
    if isDisposable { unsafe packet.raw.pointee.flags |= AV_PKT_FLAG_DISPOSABLE }
    return packet
  }
}
