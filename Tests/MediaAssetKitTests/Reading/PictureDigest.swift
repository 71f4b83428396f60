import LibAV
import MediaTestSupport

@testable import MediaAssetKit

/// A picture by a quick sum of its packed bytes: the same for the same pixels, and cheap enough for every frame.
struct PictureDigest: Hashable, Sendable, CustomStringConvertible {
  private let sum: UInt64
  private let size: Int

  var description: String { "\(String(sum, radix: 16))/\(size)" }

  init(_ frame: Frame) throws {
    size = try frame.packedSize
    let words = (size + 7) / 8
    let bytes = UnsafeMutableRawBufferPointer.allocate(byteCount: words * 8, alignment: 8)
    defer { bytes.deallocate() }
    bytes.storeBytes(of: 0, toByteOffset: words * 8 - 8, as: UInt64.self)
    try frame.copyPacked(into: UnsafeMutableRawBufferPointer(rebasing: bytes[..<size]))
    var sum: UInt64 = 0xcbf2_9ce4_8422_2325
    for word in bytes.bindMemory(to: UInt64.self) {
      sum = (sum ^ word) &* 0x9E37_79B9_7F4A_7C15
      sum ^= sum >> 29
    }
    self.sum = sum
  }
}

extension PixelBuffer {
  /// The MD5 of the packed bytes, as `framemd5` has it.
  func md5() throws -> String {
    try withPackedBytes { bytes in
      var hash = MD5()
      bytes.withUnsafeBufferPointer { hash.update(Array($0)) }
      return hash.finish()
    }
  }
}

/// One picture of a track as a session gives it.
struct ReadPicture: Sendable, Hashable {
  var time: Int64
  var digest: PictureDigest
}

extension VideoSession {
  /// All pictures from the beginning on, in the decoder's order.
  func allPictures() async throws -> [ReadPicture] {
    try await rewind()
    var pictures: [ReadPicture] = []
    while let picture = try await nextPicture() {
      pictures.append(
        ReadPicture(time: picture.time, digest: try PictureDigest(picture.frame)))
    }
    return pictures
  }

  /// The picture on show at a stored time.
  func digest(onShowAt time: Int64) async throws -> ReadPicture? {
    guard let picture = try await picture(onShowAt: time) else { return nil }
    return ReadPicture(time: picture.time, digest: try PictureDigest(picture.frame))
  }
}

/// What is on show when, by sequential decoding: the truth for random access.
struct ShownPictures: Sendable {
  /// Ascending; one entry a time.
  let entries: [ReadPicture]

  init(_ pictures: [ReadPicture]) {
    var byTime: [Int64: (order: Int, picture: ReadPicture)] = [:]
    for (order, picture) in pictures.enumerated() {
      if let other = byTime[picture.time], (other.order) > order { continue }
      byTime[picture.time] = (order, picture)
    }
    entries = byTime.values.map(\.picture).sorted { $0.time < $1.time }
  }

  /// Moments to ask for: every picture's own time, and one inside its interval.
  var moments: [(time: Int64, expected: ReadPicture)] {
    entries.indices.flatMap { index -> [(time: Int64, expected: ReadPicture)] in
      let picture = entries[index]
      guard index + 1 < entries.count else { return [(picture.time, picture)] }
      let middle = picture.time + (entries[index + 1].time - picture.time) / 2
      return middle > picture.time
        ? [(picture.time, picture), (middle, picture)] : [(picture.time, picture)]
    }
  }
}
