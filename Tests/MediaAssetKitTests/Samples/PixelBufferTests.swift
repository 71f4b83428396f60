import Foundation
import MediaTestSupport
import Testing

@testable import MediaAssetKit

@Suite struct PixelBufferTests {
  @Test(
    arguments: [
      ("yuv420p", [(7, 5, 7), (4, 3, 4), (4, 3, 4)]), ("nv12", [(7, 5, 7), (4, 3, 8)]), ("bgra", [(7, 5, 28)]),
      ("yuv422p10le", [(7, 5, 14), (4, 5, 8), (4, 5, 8)]), ("gray", [(7, 5, 7)]),
      ("gbrp", [(7, 5, 7), (7, 5, 7), (7, 5, 7)]),
      ("yuva420p", [(7, 5, 7), (4, 3, 4), (4, 3, 4), (7, 5, 7)]),
    ] as [(String, [(Int, Int, Int)])])
  func planes(_ format: String, _ wanted: [(Int, Int, Int)]) throws {
    let pool = try PixelBufferPool(pixelFormat: PixelFormat(rawValue: format), size: PixelSize(width: 7, height: 5))
    let picture = try pool.makeBuffer().publish()
    #expect(picture.planeCount == wanted.count)
    for (index, extent) in wanted.enumerated() {
      let plane = picture.plane(index)
      #expect(plane.width == extent.0 && plane.height == extent.1 && plane.rowBytes == extent.2)
      #expect(plane.bytesPerRow >= plane.rowBytes && plane.bytesPerRow % 64 == 0)
      picture.withPlane(index) { span, _ in
        #expect(span.byteCount == plane.bytesPerRow * (plane.height - 1) + plane.rowBytes)
      }
    }
  }

  @Test func bytesComeBack() throws {
    let size = PixelSize(width: 5, height: 3)
    let bytes = (0..<27).map { UInt8($0) }
    let picture = try PixelBuffer(
      packedBytes: bytes.span.bytes, pixelFormat: .yuv420p, size: size,
      colour: ColourProperties(primaries: "bt709", transfer: "bt709", matrix: "bt709", range: .limited))
    #expect(try picture.withPackedBytes { span in span.withUnsafeBytes { Array($0) } } == bytes)
    #expect(picture.colour == ColourProperties(primaries: "bt709", transfer: "bt709", matrix: "bt709", range: .limited))
    #expect(throws: MediaError.self) {
      try PixelBuffer(packedBytes: bytes.span.bytes, pixelFormat: .bgra, size: size)
    }
  }

  @Test func writingEndsWithPublishing() throws {
    var buffer = try PixelBufferPool(pixelFormat: .gray, size: PixelSize(width: 4, height: 2)).makeBuffer()
    buffer.withMutablePlane(0) { bytes, plane in
      for row in 0..<plane.height {
        for column in 0..<plane.width {
          bytes.storeBytes(of: UInt8(10 * row + column), toByteOffset: row * plane.bytesPerRow + column, as: UInt8.self)
        }
      }
    }
    let picture = buffer.publish()
    #expect(
      try picture.withPackedBytes { span in span.withUnsafeBytes { Array($0) } } == [0, 1, 2, 3, 10, 11, 12, 13])
  }

  @Test(arguments: [("nonsense", 4, 4), ("vaapi", 4, 4), ("gray", 0, 4), ("gray", 4, 1 << 17)])
  func impossiblePictures(_ format: String, _ width: Int, _ height: Int) {
    #expect(throws: MediaError.self) {
      try PixelBufferPool(pixelFormat: PixelFormat(rawValue: format), size: PixelSize(width: width, height: height))
    }
  }
}
