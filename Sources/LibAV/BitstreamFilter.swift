internal import CFFmpeg

/// Owner of one `AVBSFContext` that gives a packet for every packet.
@safe final class BitstreamFilter {
  private let raw: UnsafeMutablePointer<AVBSFContext>

  private init(owning raw: UnsafeMutablePointer<AVBSFContext>) { unsafe self.raw = raw }

  /// A filter by FFmpeg's name for packets of a stream.
  static func make(_ name: String, for stream: UnsafeMutablePointer<AVStream>) throws(AVError) -> BitstreamFilter {
    guard let filter = unsafe av_bsf_get_by_name(name) else {
      throw AVError(code: cff_error(ENOSYS), function: "av_bsf_get_by_name", log: "there is no filter named \(name)")
    }
    var context: UnsafeMutablePointer<AVBSFContext>? = nil
    try check(unsafe av_bsf_alloc(filter, &context), "av_bsf_alloc")
    guard let context = unsafe context else { throw .outOfMemory("av_bsf_alloc") }
    let made = unsafe BitstreamFilter(owning: context)
    try check(
      unsafe avcodec_parameters_copy(context.pointee.par_in, stream.pointee.codecpar), "avcodec_parameters_copy")
    unsafe context.pointee.time_base_in = stream.pointee.time_base
    try check(unsafe av_bsf_init(context), "av_bsf_init")
    return made
  }

  deinit {
    var context: UnsafeMutablePointer<AVBSFContext>? = unsafe raw
    unsafe av_bsf_free(&context)
  }

  /// Puts a packet's filtered form in its place.
  func run(_ packet: UnsafeMutablePointer<AVPacket>) throws(AVError) {
    try check(unsafe av_bsf_send_packet(raw, packet), "av_bsf_send_packet")
    try check(unsafe av_bsf_receive_packet(raw, packet), "av_bsf_receive_packet")
  }
}
