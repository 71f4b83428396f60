internal import CFFmpeg

/// Owner of one `AVVorbisParseContext`: tells how many samples a Vorbis packet gives, without decoding it.
@safe package struct VorbisCounter: ~Copyable {
  private let raw: OpaquePointer
  private var isFirst = true

  private init(owning raw: OpaquePointer) { unsafe self.raw = raw }

  /// nil when the codec's set-up bytes are none of Vorbis.
  package static func make(extradata: [UInt8]) -> VorbisCounter? {
    let raw = unsafe extradata.withUnsafeBufferPointer {
      unsafe av_vorbis_parse_init($0.baseAddress, Int32(clamping: $0.count))
    }
    guard let raw = unsafe raw else { return nil }
    return unsafe VorbisCounter(owning: raw)
  }

  deinit {
    var raw: OpaquePointer? = unsafe raw
    unsafe av_vorbis_parse_free(&raw)
  }

  /// The samples that a decoder gives for the next packet of the stream: none for the first.
  package mutating func samples(of packet: Packet) -> Int {
    let count = unsafe av_vorbis_parse_frame(raw, packet.raw.pointee.data, packet.raw.pointee.size)
    defer { isFirst = false }
    return isFirst ? 0 : max(0, Int(count))
  }
}
