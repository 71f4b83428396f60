/// What a ``ByteSource`` tells about itself when it is opened.
public struct ByteSourceInfo: Sendable, Hashable {
  /// The number of bytes, or nil when it is not known before the end.
  public var length: Int64?
  /// Whether bytes may be read at any offset; otherwise they are only read in order.
  public var isSeekable: Bool
  /// The MIME type, where it is known; a hint for the container format.
  public var contentType: String?
  /// A name for messages, such as an object key; its extension is a hint for the container format.
  public var name: String

  /// Describes a source.
  public init(
    length: Int64? = nil, isSeekable: Bool = true, contentType: String? = nil, name: String
  ) {
    self.length = length
    self.isSeekable = isSeekable
    self.contentType = contentType
    self.name = name
  }
}

/// A place to read media from that is neither a file nor a URL: an object store, a database, an
/// archive.
///
/// The library calls one method at a time. A read that it no longer waits for is cancelled like any
/// task; what such a read still returns is not lost but used by the next one.
/// Errors that a source throws become the ``MediaError/underlying`` error of a
/// ``MediaError/Code/readFailed``.
public protocol ByteSource: Sendable {
  /// Gets ready, and tells what there is; called once, before the first read.
  func open() async throws -> ByteSourceInfo

  /// Returns up to `length` bytes from `offset` on; an empty array means that the source has ended.
  ///
  /// Fewer bytes than asked for are fine, more are an error. A source that is not seekable is asked
  /// for each byte once and in order. The wait ends after the policy's
  /// ``ResourcePolicy/deadline`` with ``MediaError/Code/timedOut``.
  func read(at offset: Int64, length: Int) async throws -> [UInt8]

  /// Lets go of what `open` acquired; called once, after the last read.
  func close() async
}

extension ByteSource {
  /// Does nothing.
  public func close() async {}
}
