internal import CAVFilter
internal import CFFmpeg

/// Owner of one graph of libavfilter with one input and one output, for pictures of one kind.
@safe package final class FilterGraph {
  private let raw: OpaquePointer
  package let key: Key

  /// Everything that a graph depends on; a frame with another key needs another graph.
  package struct Key: Sendable, Hashable {
    package var format: PixelFormatID
    package var width: Int
    package var height: Int
    package var matrix: UInt32
    package var range: UInt32
    package var aspect: Int64

    package init(_ frame: Frame) {
      format = frame.format
      (width, height) = (frame.width, frame.height)
      matrix = unsafe frame.raw.pointee.colorspace.rawValue
      range = unsafe frame.raw.pointee.color_range.rawValue
      aspect = Int64(frame.sampleAspectRatio.0) << 32 | Int64(frame.sampleAspectRatio.1)
    }
  }

  /// The ticks of the times that pictures are given: of a millionth of a second.
  package static let ticksPerSecond: Int64 = 1_000_000

  private init(owning raw: OpaquePointer, key: Key) {
    unsafe self.raw = raw
    self.key = key
  }

  /// Why there is no libavfilter; nil where it can be used.
  package static var missing: String? { unsafe cavfilter_load().map { unsafe String(cString: $0) } }

  /// A graph for pictures like `frame`. The description is libav's own: whoever calls has checked what it may open.
  package static func make(
    _ description: String, like frame: Frame, maximumPixels: Int
  ) throws(AVError) -> FilterGraph {
    Log.start()
    Log.clear()
    if let missing { throw AVError(code: cff_error(ENOSYS), function: "dlopen", log: missing) }
    let key = Key(frame)
    var input = CAVFilterInput(
      width: Int32(clamping: frame.width), height: Int32(clamping: frame.height), format: frame.format.rawValue,
      sample_aspect_num: frame.sampleAspectRatio.0, sample_aspect_den: frame.sampleAspectRatio.1, time_base_num: 1,
      time_base_den: Int32(ticksPerSecond), color_space: Int32(clamping: key.matrix),
      color_range: Int32(clamping: key.range))
    var code: Int32 = 0
    guard let raw = unsafe cavfilter_make(description, &input, Int64(maximumPixels), &code) else {
      throw AVError(code: code, function: "avfilter_graph_parse", log: Log.lastErrorLine())
    }
    return unsafe FilterGraph(owning: raw, key: key)
  }

  deinit { unsafe cavfilter_free(raw) }

  /// What the graph makes of a picture at a time; nil while it makes nothing of it yet.
  package func run(_ frame: Frame, at ticks: Int64) throws(AVError) -> Frame? {
    Log.clear()
    let sent = try Frame.make()
    try check(unsafe av_frame_ref(sent.raw, frame.raw), "av_frame_ref")
    unsafe sent.raw.pointee.pts = ticks
    unsafe sent.raw.pointee.pict_type = AV_PICTURE_TYPE_NONE
    try check(unsafe cavfilter_send(raw, sent.raw), "av_buffersrc_add_frame")
    let result = try Frame.make()
    let code = unsafe cavfilter_receive(raw, result.raw)
    if code == cff_ERROR_EAGAIN { return nil }
    try check(code, "av_buffersink_get_frame")
    return result
  }

  /// Whether more pictures wait than one came for: such a graph is no map of pictures to pictures.
  package func hasMore() throws(AVError) -> Bool {
    let result = try Frame.make()
    let code = unsafe cavfilter_receive(raw, result.raw)
    return code >= 0
  }
}
