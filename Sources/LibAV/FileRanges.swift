internal import CFFmpeg

/// Calls on ranges of a file that the system's C headers hide.
package enum FileRanges {
  /// Copies inside the kernel and moves both offsets; the number of bytes, or -1 and `errno`.
  package static func copy(
    from source: Int32, at offset: inout Int64, to target: Int32, at targetOffset: inout Int64, count: Int
  ) -> Int64 {
    unsafe cff_copy_file_range(source, &offset, target, &targetOffset, count)
  }

  /// Lets the disk begin with what was written; does not wait.
  package static func startWriteback(_ file: Int32, _ range: Range<Int64>) {
    cff_start_writeback(file, range.lowerBound, range.upperBound - range.lowerBound)
  }
}
