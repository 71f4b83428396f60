internal import CFFmpeg

/// What a muxer says of the bytes that it hands out.
package enum DataMarker: Sendable, Hashable {
  /// The beginning of the file: of a fragmented file, its `ftyp` and `moov`.
  case header
  /// Decoding can begin here.
  case syncPoint
  /// A boundary (a fragment, a cluster) without a sync sample at its start.
  case boundaryPoint
  case trailer
  /// The bytes so far are whole; more of the same kind follow.
  case flushPoint
  case unknown

  init(_ number: Int32) {
    self =
      switch number {
      case cff_MARKER_HEADER: .header
      case cff_MARKER_SYNC_POINT: .syncPoint
      case cff_MARKER_BOUNDARY_POINT: .boundaryPoint
      case cff_MARKER_TRAILER: .trailer
      case cff_MARKER_FLUSH_POINT: .flushPoint
      default: .unknown
      }
  }
}

/// Where a muxer's bytes go: a file, or a closure that cuts segments. Called on the muxer's own thread, in order.
package protocol MuxerOutput: AnyObject, Sendable {
  /// Whether bytes may be written at any offset; headers can be completed then.
  var isSeekable: Bool { get }
  /// The number of bytes so far, where that is known.
  var length: Int64 { get }
  /// Takes all bytes, or throws why not. `time` is in microseconds, where the muxer tells.
  func write(_ bytes: UnsafeRawBufferPointer, at offset: Int64, marker: DataMarker, time: Int64?) throws
}

/// An `AVIOContext` over a `MuxerOutput`: the only way by which a muxer hands out bytes.
///
/// A class, because the C callbacks need its address; used by one muxer.
@safe final class OutputContext {
  private let output: any MuxerOutput
  private let interrupt: Interrupt
  private var position: Int64 = 0
  /// What the output threw first. A later write must not hide it: a muxer may go on after a failure.
  private(set) var failure: (any Error)?
  private(set) var raw: UnsafeMutablePointer<AVIOContext>?

  /// `bufferSize`: fits the second level cache of processors in use; one system call each.
  init(output: any MuxerOutput, interrupt: Interrupt, bufferSize: Int = 1 << 18) throws(AVError) {
    self.output = output
    self.interrupt = interrupt
    guard let buffer = unsafe av_malloc(bufferSize) else { throw .outOfMemory("av_malloc") }
    let opaque = unsafe Unmanaged.passUnretained(self).toOpaque()
    let context = unsafe cff_io_make_writer(
      buffer.assumingMemoryBound(to: UInt8.self), Int32(bufferSize), opaque, ioWrite,
      output.isSeekable ? ioSeekOutput : nil)
    guard let context = unsafe context else {
      unsafe av_free(buffer)
      throw .outOfMemory("avio_alloc_context")
    }
    unsafe raw = context
  }

  fileprivate func write(_ bytes: UnsafeRawBufferPointer, marker: Int32, time: Int64) -> Int32 {
    if failure != nil { return cff_error(EIO) }
    if interrupt.isRaised { return cff_ERROR_EXIT }
    do {
      unsafe try output.write(
        bytes, at: position, marker: DataMarker(marker), time: time == cff_NO_PTS ? nil : time)
      position += Int64(bytes.count)
      return Int32(clamping: bytes.count)
    } catch {
      failure = error
      return cff_error(EIO)
    }
  }

  fileprivate func seek(to offset: Int64, whence: Int32) -> Int64 {
    switch whence & ~AVSEEK_FORCE {
    case AVSEEK_SIZE: return output.length
    case SEEK_SET: position = offset
    case SEEK_CUR: position = position.addingReportingOverflow(offset).partialValue
    case SEEK_END: position = output.length.addingReportingOverflow(offset).partialValue
    default: return Int64(cff_error(EINVAL))
    }
    guard position >= 0 else {
      position = 0
      return Int64(cff_error(EINVAL))
    }
    return position
  }

  /// Hands out what is buffered, and tells what went wrong so far.
  func flush() -> Int32 {
    guard let raw = unsafe raw else { return 0 }
    unsafe avio_flush(raw)
    return unsafe raw.pointee.error
  }

  deinit {
    if let raw = unsafe raw {
      // libav may have replaced the buffer, so its current pointer is the one to free.
      unsafe av_freep(&raw.pointee.buffer)
      var context: UnsafeMutablePointer<AVIOContext>? = unsafe raw
      unsafe avio_context_free(&context)
    }
  }
}

private func ioWrite(
  opaque: UnsafeMutableRawPointer?, bytes: UnsafePointer<UInt8>?, count: Int32, marker: Int32, time: Int64
) -> Int32 {
  guard let opaque = unsafe opaque, let bytes = unsafe bytes else { return cff_error(EINVAL) }
  let context = unsafe Unmanaged<OutputContext>.fromOpaque(opaque).takeUnretainedValue()
  return unsafe context.write(UnsafeRawBufferPointer(start: bytes, count: Int(count)), marker: marker, time: time)
}

private func ioSeekOutput(opaque: UnsafeMutableRawPointer?, offset: Int64, whence: Int32) -> Int64 {
  guard let opaque = unsafe opaque else { return Int64(cff_error(EINVAL)) }
  return unsafe Unmanaged<OutputContext>.fromOpaque(opaque).takeUnretainedValue().seek(to: offset, whence: whence)
}
