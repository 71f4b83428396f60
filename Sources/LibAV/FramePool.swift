internal import CFFmpeg

/// Owner of one `AVBufferPool`: memory for pictures of one format and size, used again when they are released.
// @unchecked: libav's pool locks by itself; everything else is constant.
@safe package final class FramePool: @unchecked Sendable {
  private let raw: OpaquePointer
  package let format: PixelFormatID
  package let width: Int
  package let height: Int
  private let strides: [Int32]
  private let offsets: [Int]

  /// Rows and planes begin at multiples of this: the widest vectors that libav uses.
  private static var alignment: Int { 64 }

  private init(
    owning raw: OpaquePointer, format: PixelFormatID, width: Int, height: Int, strides: [Int32],
    offsets: [Int]
  ) {
    unsafe self.raw = raw
    self.format = format
    self.width = width
    self.height = height
    self.strides = strides
    self.offsets = offsets
  }

  /// A pool; takes no memory before the first picture.
  package static func make(format: PixelFormatID, width: Int, height: Int) throws(AVError) -> FramePool {
    try check(
      av_image_check_size(UInt32(clamping: width), UInt32(clamping: height), 0, nil),
      "av_image_check_size")
    let number = AVPixelFormat(format.rawValue)
    let (width32, height32) = (Int32(clamping: width), Int32(clamping: height))
    var rows = [Int32](repeating: 0, count: 4)
    try check(unsafe av_image_fill_linesizes(&rows, number, width32), "av_image_fill_linesizes")
    let strides = rows.map { ($0 + Int32(alignment) - 1) & ~Int32(alignment - 1) }
    var sizes = [Int](repeating: 0, count: 4)
    try check(
      unsafe av_image_fill_plane_sizes(&sizes, number, height32, strides.map { Int($0) }),
      "av_image_fill_plane_sizes")
    var offsets: [Int] = []
    var total = 0
    for size in sizes {
      offsets.append(size > 0 ? total : -1)
      // The scaler may write whole vectors behind the last row.
      let (sum, overflow) = total.addingReportingOverflow((size + 2 * alignment - 1) & ~(alignment - 1))
      guard !overflow else { throw .outOfMemory("av_buffer_pool_init") }
      if size > 0 { total = sum }
    }
    // Zeroed when new, so that nothing of the process shows in a picture that its maker leaves half-written.
    guard let raw = unsafe av_buffer_pool_init(total + alignment, av_buffer_allocz) else {
      throw .outOfMemory("av_buffer_pool_init")
    }
    return unsafe FramePool(
      owning: raw, format: format, width: width, height: height, strides: strides, offsets: offsets)
  }

  deinit {
    // Pictures that are still held keep the pool's memory alive.
    var raw: OpaquePointer? = unsafe raw
    unsafe av_buffer_pool_uninit(&raw)
  }

  /// A picture of the pool's format and size; what its pixels are is left open.
  package func makeFrame() throws(AVError) -> Frame {
    let frame = try Frame.make()
    guard let buffer = unsafe av_buffer_pool_get(raw), let data = unsafe buffer.pointee.data else {
      throw .outOfMemory("av_buffer_pool_get")
    }
    let base = unsafe UnsafeMutablePointer<UInt8>(
      bitPattern: (UInt(bitPattern: data) + UInt(Self.alignment - 1)) & ~UInt(Self.alignment - 1))
    unsafe frame.raw.pointee.buf.0 = buffer
    unsafe frame.raw.pointee.format = format.rawValue
    unsafe frame.raw.pointee.width = Int32(clamping: width)
    unsafe frame.raw.pointee.height = Int32(clamping: height)
    func plane(_ index: Int) -> UnsafeMutablePointer<UInt8>? {
      offsets[index] < 0 ? nil : unsafe base?.advanced(by: offsets[index])
    }
    unsafe frame.raw.pointee.data = (plane(0), plane(1), plane(2), plane(3), nil, nil, nil, nil)
    unsafe frame.raw.pointee.linesize = (
      strides[0], strides[1], strides[2], strides[3], 0, 0, 0, 0
    )
    return frame
  }
}
