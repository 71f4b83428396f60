import Foundation

/// One plane of 8-bit values with its row pitch, to compare pictures.
package struct BytePlane: Sendable {
  /// The rows, one after the other, each `bytesPerRow` long (the last may be shorter).
  package var bytes: [UInt8]
  /// Bytes of a row that count.
  package var width: Int
  package var height: Int
  package var bytesPerRow: Int

  package init(_ bytes: [UInt8], width: Int, height: Int, bytesPerRow: Int? = nil) {
    self.bytes = bytes
    self.width = width
    self.height = height
    self.bytesPerRow = bytesPerRow ?? width
  }

  /// The arithmetic mean, from 0 to 255; 0 when the plane is empty.
  package var mean: Double {
    guard width > 0, height > 0 else { return 0 }
    var sum = 0
    for row in 0..<height {
      for column in 0..<width { sum += Int(bytes[row * bytesPerRow + column]) }
    }
    return Double(sum) / Double(width * height)
  }

  /// Peak signal-to-noise ratio in decibels; infinite when equal, `nil` when the sizes differ.
  package func peakSignalToNoiseRatio(to other: BytePlane) -> Double? {
    guard width == other.width, height == other.height, width > 0, height > 0 else { return nil }
    var squares = 0
    for row in 0..<height {
      for column in 0..<width {
        let first = Int(bytes[row * bytesPerRow + column])
        let second = Int(other.bytes[row * other.bytesPerRow + column])
        squares += (first - second) * (first - second)
      }
    }
    guard squares > 0 else { return .infinity }
    return 10 * log10(255 * 255 * Double(width * height) / Double(squares))
  }

  /// The largest difference of one value, `nil` when the sizes differ.
  package func largestDifference(to other: BytePlane) -> Int? {
    guard width == other.width, height == other.height else { return nil }
    var largest = 0
    for row in 0..<height {
      for column in 0..<width {
        let first = Int(bytes[row * bytesPerRow + column])
        let second = Int(other.bytes[row * other.bytesPerRow + column])
        largest = max(largest, abs(first - second))
      }
    }
    return largest
  }
}
