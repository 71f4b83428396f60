#if canImport(Glibc)
  import Glibc
#elseif canImport(Musl)
  import Musl
#else
  import Darwin
#endif

/// The memory of one picture.
// Sendable although it is memory: it is written only while one value alone refers to it (before
// the picture is published, or after a uniqueness check), and never while it is shared.
final class MediaImageStorage: @unchecked Sendable {
  /// The first row; a multiple of ``alignment``.
  let base: UnsafeMutableRawPointer
  /// All rows with their padding.
  let byteCount: Int

  /// Rows and the whole begin at multiples of this, and so much lies behind the last row: libav's
  /// and our own vector code may touch whole vectors at the end of a row.
  static let alignment = 64

  /// Takes memory with undefined content, or `nil` when there is none.
  init?(byteCount: Int) {
    let (padded, overflow) = byteCount.addingReportingOverflow(2 * Self.alignment - 1)
    guard !overflow, byteCount >= 0,
      let base = aligned_alloc(Self.alignment, padded & ~(Self.alignment - 1))
    else { return nil }
    self.base = base
    self.byteCount = byteCount
  }

  deinit { free(base) }

  var bytes: UnsafeMutableRawBufferPointer {
    UnsafeMutableRawBufferPointer(start: base, count: byteCount)
  }
}
