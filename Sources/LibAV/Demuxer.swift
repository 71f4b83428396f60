internal import CFFmpeg

/// Owner of one input `AVFormatContext`, its `IOContext` and its callbacks.
@safe package struct Demuxer: ~Copyable {
  private let raw: UnsafeMutablePointer<AVFormatContext>
  private let io: IOContext
  private let callbacks: Callbacks

  package struct Options: Sendable {
    /// A demuxer's name, or nil to let libav find it.
    package var formatName: String?
    /// Names of demuxers that may be used, joined by commas.
    package var allowedFormats: String
    /// A file name extension, letters and digits only: a hint for formats without a signature.
    package var nameExtension: String?
    package var probeSize: Int64
    package var maximumStreams: Int
    /// Bytes that are read at once: 64 KiB keep seeks cheap and runs long. Less where a track's samples lie scattered
    /// among those of a larger one.
    package var bufferSize = 65_536
    /// Gives presentation times to packets that have none, from the decode times of those that follow: right where
    /// pictures lean on their two neighbours only (MPEG-1 and 2).
    package var fillsTimes = false
    /// Reads every packet by itself, straight into its memory: for large samples of a seekable file.
    package var readsDirectly = false
    /// Takes times and sync flags from the container's index alone: no parser looks into samples. For containers that
    /// list both, as ISO media does; durations that libav leaves out come from the index as well.
    package var trustsIndex = false
    /// Private options of demuxers (`ignore_editlist`).
    package var formatOptions: [String: String]
    /// Asked for everything else that the container wants to open; nil, alone or as the answer, denies it.
    package var openReference: (@Sendable (String) -> (any RandomAccessReader)?)?

    package init(
      formatName: String? = nil, allowedFormats: String = Formats.selfContainedDemuxers,
      nameExtension: String? = nil,
      probeSize: Int64 = 5_000_000, maximumStreams: Int = 1000,
      formatOptions: [String: String] = [:]
    ) {
      self.formatName = formatName
      self.allowedFormats = allowedFormats
      self.nameExtension = nameExtension
      self.probeSize = probeSize
      self.maximumStreams = maximumStreams
      self.formatOptions = formatOptions
    }
  }

  private init(
    owning raw: UnsafeMutablePointer<AVFormatContext>, io: IOContext, callbacks: Callbacks
  ) {
    unsafe self.raw = raw
    self.io = io
    self.callbacks = callbacks
  }

  /// Reads the header.
  package static func open(
    _ reader: any RandomAccessReader, options: Options, interrupt: Interrupt
  ) throws(AVError) -> Demuxer {
    var failure: (any Error)?
    return try open(reader, options: options, interrupt: interrupt, readerFailure: &failure)
  }

  /// As above; `readerFailure` tells what the reader threw when that is why opening failed.
  package static func open(
    _ reader: any RandomAccessReader, options: Options, interrupt: Interrupt,
    readerFailure: inout (any Error)?
  ) throws(AVError) -> Demuxer {
    Log.start()
    Log.clear()
    let io = try IOContext(reader: reader, interrupt: interrupt, bufferSize: options.bufferSize)
    let callbacks = Callbacks(interrupt: interrupt, openReference: options.openReference)
    guard let context = unsafe avformat_alloc_context() else {
      throw .outOfMemory("avformat_alloc_context")
    }
    unsafe context.pointee.pb = io.raw
    unsafe context.pointee.flags |= AVFMT_FLAG_CUSTOM_IO
    unsafe context.pointee.interrupt_callback = interrupt.callback
    unsafe context.pointee.opaque = Unmanaged.passUnretained(callbacks).toOpaque()
    unsafe context.pointee.io_open = openNested
    unsafe context.pointee.io_close2 = closeNested
    unsafe context.pointee.probesize = options.probeSize
    unsafe context.pointee.max_streams = Int32(clamping: options.maximumStreams)
    if options.fillsTimes { unsafe context.pointee.flags |= AVFMT_FLAG_GENPTS }
    if options.trustsIndex { unsafe context.pointee.flags |= AVFMT_FLAG_NOPARSE | AVFMT_FLAG_NOFILLIN }
    var format: UnsafePointer<AVInputFormat>? = nil
    if let name = options.formatName {
      unsafe format = av_find_input_format(name)
      guard unsafe format != nil else {
        unsafe avformat_free_context(context)
        throw AVError(
          code: cff_error(EINVAL), function: "av_find_input_format", log: "no demuxer named \(name)"
        )
      }
    }
    var values = options.formatOptions
    values["format_whitelist"] = options.allowedFormats
    values["protocol_whitelist"] = "none"
    // The name never reaches a protocol: bytes come from `pb`. It serves as a hint for signatures only.
    let name = "asset" + (options.nameExtension.map { "." + $0 } ?? "")
    var opened: UnsafeMutablePointer<AVFormatContext>? = unsafe context
    let result = unsafe Dictionary.lend(values) {
      unsafe avformat_open_input(&opened, name, format, &$0)
    }
    guard result >= 0, let context = unsafe opened else {
      readerFailure = io.takeFailure()
      throw AVError(
        code: result, function: "avformat_open_input",
        log: callbacks.denied.map { "reference to \($0) denied" } ?? Log.lastErrorLine())
    }
    // The header's many small reads came out of the buffer.
    if options.readsDirectly, reader.isSeekable { unsafe io.raw?.pointee.direct = 1 }
    return unsafe Demuxer(owning: context, io: io, callbacks: callbacks)
  }

  deinit {
    var context: UnsafeMutablePointer<AVFormatContext>? = unsafe raw
    unsafe avformat_close_input(&context)
    // `io` and `callbacks` must outlive the call above, which may still read and close.
    withExtendedLifetime((io, callbacks)) {}
  }

  /// What the reader threw below the last failed call.
  package func takeReaderFailure() -> (any Error)? { io.takeFailure() }
  /// The first reference that was denied.
  package var deniedReference: String? { callbacks.denied }

  package var formatName: String { unsafe String(cString: raw.pointee.iformat.pointee.name) }
  package var streamCount: Int { unsafe Int(raw.pointee.nb_streams) }
  package var metadata: [String: String] { unsafe Dictionary.read(raw.pointee.metadata) }
  /// In microseconds; nil when the header has none.
  package var duration: Int64? {
    unsafe raw.pointee.duration == cff_NO_PTS || raw.pointee.duration < 0
      ? nil : raw.pointee.duration
  }
  package var startTime: Int64? {
    unsafe raw.pointee.start_time == cff_NO_PTS ? nil : raw.pointee.start_time
  }
  package var bitRate: Int64 { unsafe raw.pointee.bit_rate }
  /// Whether the duration is a guess from the bit rate.
  package var isDurationEstimated: Bool {
    unsafe raw.pointee.duration_estimation_method == AVFMT_DURATION_FROM_BITRATE
  }

  package func stream(_ index: Int) -> StreamInfo { unsafe StreamInfo(pointer(index)) }

  private func pointer(_ index: Int) -> UnsafeMutablePointer<AVStream> {
    guard index >= 0, index < streamCount, let stream = unsafe raw.pointee.streams[index] else {
      preconditionFailure("the container has no stream \(index); ask for 0..<streamCount")
    }
    return unsafe stream
  }

  package func streams() -> [StreamInfo] { (0..<streamCount).map { stream($0) } }

  /// Programme number and its streams' indices, in the container's order.
  package func programs() -> [(number: Int, streams: [Int])] {
    unsafe (0..<Int(raw.pointee.nb_programs)).compactMap { index in
      guard let program = unsafe raw.pointee.programs[index] else { return nil }
      let streams = unsafe (0..<Int(program.pointee.nb_stream_indexes)).map {
        unsafe Int(program.pointee.stream_index[$0])
      }
      return unsafe (Int(program.pointee.program_num), streams)
    }
  }

  /// The picture stored with an attached-picture stream.
  package func attachedPicture(_ index: Int) -> [UInt8] {
    let stream = unsafe pointer(index)
    guard let data = unsafe stream.pointee.attached_pic.data else { return [] }
    return unsafe Array(
      UnsafeBufferPointer(start: data, count: Int(stream.pointee.attached_pic.size)))
  }

  /// Reads and decodes as much as libav wants to know of the streams; costs milliseconds.
  package mutating func findStreamInfo(probeSize: Int64, analyzeMicroseconds: Int64) throws(AVError) {
    Log.clear()
    unsafe raw.pointee.probesize = probeSize
    unsafe raw.pointee.max_analyze_duration = analyzeMicroseconds
    unsafe raw.pointee.fps_probe_size = 0
    try check(unsafe avformat_find_stream_info(raw, nil), "avformat_find_stream_info")
  }

  package enum Discard: Sendable { case nothing, nonKey, everything }

  /// Lets the demuxer leave out packets, where it can without reading them.
  package mutating func setDiscard(_ discard: Discard, stream: Int) {
    let value =
      switch discard {
      case .nothing: AVDISCARD_DEFAULT
      case .nonKey: AVDISCARD_NONKEY
      case .everything: AVDISCARD_ALL
      }
    unsafe pointer(stream).pointee.discard = value
  }

  /// The next packet in the file's order; nil at the end.
  package mutating func read() throws(AVError) -> Packet? {
    Log.clear()
    let packet = try Packet.make()
    let result = unsafe av_read_frame(raw, packet.raw)
    if result == cff_ERROR_EOF { return nil }
    try check(result, "av_read_frame")
    fillDuration(packet)
    return packet
  }

  /// FFmpeg before 6 leaves out how long reordered samples of movies last where no parser guesses it: until the next one
  /// is decoded, and what is left of the stream for the last.
  private func fillDuration(_ packet: Packet) {
    guard unsafe raw.pointee.flags & AVFMT_FLAG_NOFILLIN != 0, packet.duration == 0, let time = packet.dts else {
      return
    }
    let stream = unsafe pointer(packet.streamIndex)
    let index = unsafe av_index_search_timestamp(stream, time, AVSEEK_FLAG_ANY)
    guard index >= 0 else { return }
    if let next = unsafe avformat_index_get_entry(stream, index + 1) {
      unsafe packet.raw.pointee.duration = max(0, next.pointee.timestamp - time)
    } else if let first = unsafe avformat_index_get_entry(stream, 0), unsafe stream.pointee.duration > 0 {
      unsafe packet.raw.pointee.duration = max(0, first.pointee.timestamp + stream.pointee.duration - time)
    }
  }

  /// Reads the next packet into one that nobody else holds, without taking memory for it; false at the end.
  package mutating func read(into packet: Packet) throws(AVError) -> Bool {
    Log.clear()
    unsafe av_packet_unref(packet.raw)
    let result = unsafe av_read_frame(raw, packet.raw)
    if result == cff_ERROR_EOF { return false }
    try check(result, "av_read_frame")
    fillDuration(packet)
    return true
  }

  /// Moves to the last key frame at or before `time` in the stream's time base, as far as the demuxer knows: a hint.
  package mutating func seek(stream: Int, to time: Int64) throws(AVError) {
    Log.clear()
    try check(unsafe av_seek_frame(raw, Int32(stream), time, AVSEEK_FLAG_BACKWARD), "av_seek_frame")
  }

  package mutating func seek(toByte offset: Int64) throws(AVError) {
    Log.clear()
    try check(unsafe av_seek_frame(raw, -1, offset, AVSEEK_FLAG_BYTE), "av_seek_frame")
  }

  /// One entry of the stream's index.
  package struct IndexEntry: Sendable {
    package var time: Int64
    package var position: Int64
    package var isKey: Bool
  }

  /// How many samples the demuxer has in its index.
  package func indexEntryCount(stream: Int) -> Int {
    unsafe Int(avformat_index_get_entries_count(pointer(stream)))
  }

  package func indexEntries(stream: Int, keysOnly: Bool) -> [IndexEntry] {
    let stream = unsafe pointer(stream)
    var entries: [IndexEntry] = []
    let count = unsafe avformat_index_get_entries_count(stream)
    for index in 0..<count {
      guard let entry = unsafe avformat_index_get_entry(stream, index) else { continue }
      let isKey = unsafe entry.pointee.flags & AVINDEX_KEYFRAME != 0
      if keysOnly && !isKey { continue }
      unsafe entries.append(
        IndexEntry(time: entry.pointee.timestamp, position: entry.pointee.pos, isKey: isKey))
    }
    return entries
  }

  /// Lends the context to other files of this module.
  func withContext<R>(_ body: (UnsafeMutablePointer<AVFormatContext>) -> R) -> R { unsafe body(raw) }

  /// Lends the parameters of a stream to a decoder or parser of this module.
  func withParameters<R: ~Copyable, E: Error>(
    stream: Int, _ body: (UnsafePointer<AVStream>) throws(E) -> R
  ) throws(E) -> R {
    unsafe try body(unsafe pointer(stream))
  }
}

/// What libav calls back; kept alive by the demuxer.
final class Callbacks {
  let interrupt: Interrupt
  let openReference: (@Sendable (String) -> (any RandomAccessReader)?)?
  private(set) var denied: String?
  private var nested: [IOContext] = []

  init(interrupt: Interrupt, openReference: (@Sendable (String) -> (any RandomAccessReader)?)?) {
    self.interrupt = interrupt
    self.openReference = openReference
  }

  fileprivate func open(_ url: String) throws(AVError) -> IOContext? {
    guard let reader = openReference?(url) else {
      if denied == nil { denied = url }
      return nil
    }
    let context = try IOContext(reader: reader, interrupt: interrupt, bufferSize: 65_536)
    nested.append(context)
    return context
  }

  fileprivate func close(_ raw: UnsafeMutablePointer<AVIOContext>?) {
    nested.removeAll { unsafe $0.raw == raw }
  }
}

private func openNested(
  context: UnsafeMutablePointer<AVFormatContext>?,
  io: UnsafeMutablePointer<UnsafeMutablePointer<AVIOContext>?>?,
  url: UnsafePointer<CChar>?, flags: Int32, options: UnsafeMutablePointer<OpaquePointer?>?
) -> Int32 {
  guard let context = unsafe context, let opaque = unsafe context.pointee.opaque,
    let io = unsafe io, let url = unsafe url
  else { return cff_error(EINVAL) }
  let callbacks = unsafe Unmanaged<Callbacks>.fromOpaque(opaque).takeUnretainedValue()
  do {
    guard flags & AVIO_FLAG_WRITE == 0, let nested = try callbacks.open(unsafe String(cString: url))
    else {
      return cff_error(EACCES)
    }
    unsafe io.pointee = nested.raw
    return 0
  } catch { return error.code }
}

private func closeNested(
  context: UnsafeMutablePointer<AVFormatContext>?, io: UnsafeMutablePointer<AVIOContext>?
) -> Int32 {
  guard let context = unsafe context, let opaque = unsafe context.pointee.opaque else {
    return cff_error(EINVAL)
  }
  unsafe Unmanaged<Callbacks>.fromOpaque(opaque).takeUnretainedValue().close(io)
  return 0
}
