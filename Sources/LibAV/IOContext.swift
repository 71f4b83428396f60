internal import CFFmpeg

/// An `AVIOContext` over a reader: the only way by which libav sees bytes in this library.
///
/// A class, because the C callbacks need its address; used by one demuxer at a time.
@safe final class IOContext {
  private let reader: any RandomAccessReader
  private let interrupt: Interrupt
  private var position: Int64 = 0
  /// What the reader threw; libav only carries a number.
  private(set) var failure: (any Error)?
  private(set) var raw: UnsafeMutablePointer<AVIOContext>?

  /// `bufferSize`: one system call each.
  init(reader: any RandomAccessReader, interrupt: Interrupt, bufferSize: Int) throws(AVError) {
    self.reader = reader
    self.interrupt = interrupt
    guard let buffer = unsafe av_malloc(bufferSize) else { throw .outOfMemory("av_malloc") }
    let opaque = unsafe Unmanaged.passUnretained(self).toOpaque()
    let context = unsafe avio_alloc_context(
      buffer.assumingMemoryBound(to: UInt8.self), Int32(bufferSize), 0, opaque, ioRead, nil,
      reader.isSeekable ? ioSeek : nil)
    guard let context = unsafe context else {
      unsafe av_free(buffer)
      throw .outOfMemory("avio_alloc_context")
    }
    unsafe context.pointee.seekable = reader.isSeekable ? AVIO_SEEKABLE_NORMAL : 0
    unsafe raw = context
  }

  func takeFailure() -> (any Error)? {
    defer { failure = nil }
    return failure
  }

  fileprivate func read(into buffer: UnsafeMutableRawBufferPointer) -> Int32 {
    do {
      let interrupt = interrupt
      let count = unsafe try reader.read(at: position, into: buffer) { interrupt.isRaised }
      guard count > 0 else { return cff_ERROR_EOF }
      position += Int64(count)
      return Int32(clamping: count)
    } catch {
      if interrupt.isRaised { return cff_ERROR_EXIT }
      failure = error
      return cff_error(EIO)
    }
  }

  fileprivate func seek(to offset: Int64, whence: Int32) -> Int64 {
    let length = reader.length
    switch whence & ~AVSEEK_FORCE {
    case AVSEEK_SIZE: return length ?? Int64(cff_error(ENOSYS))
    case SEEK_SET: position = offset
    case SEEK_CUR: position = position.addingReportingOverflow(offset).partialValue
    case SEEK_END:
      guard let length else { return Int64(cff_error(ENOSYS)) }
      position = length.addingReportingOverflow(offset).partialValue
    default: return Int64(cff_error(EINVAL))
    }
    guard position >= 0 else { return Int64(cff_error(EINVAL)) }
    return position
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

private func ioRead(
  opaque: UnsafeMutableRawPointer?, buffer: UnsafeMutablePointer<UInt8>?, count: Int32
) -> Int32 {
  guard let opaque = unsafe opaque, let buffer = unsafe buffer else { return cff_error(EINVAL) }
  let context = unsafe Unmanaged<IOContext>.fromOpaque(opaque).takeUnretainedValue()
  return unsafe context.read(into: UnsafeMutableRawBufferPointer(start: buffer, count: Int(count)))
}

private func ioSeek(opaque: UnsafeMutableRawPointer?, offset: Int64, whence: Int32) -> Int64 {
  guard let opaque = unsafe opaque else { return Int64(cff_error(EINVAL)) }
  return unsafe Unmanaged<IOContext>.fromOpaque(opaque).takeUnretainedValue().seek(
    to: offset, whence: whence)
}
