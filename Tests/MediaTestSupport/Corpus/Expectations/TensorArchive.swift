package import Foundation

/// The raw values of a saved tensor (`.pt`): a zip of stored entries, of which the one that ends in
/// `/data/0` holds the numbers.
package struct TensorArchive: Sendable {
  /// The bytes of the tensor in the order of its storage: rows of RGB for a frame, little-endian
  /// floats for sound, one channel after the other.
  package var bytes: [UInt8]

  package init(contentsOf url: URL) throws {
    let archive = [UInt8](try Data(contentsOf: url))
    func number(_ at: Int, _ count: Int) throws -> Int {
      guard at >= 0, at + count <= archive.count else {
        throw MediaToolError.unexpected("\(url.path) is cut off.")
      }
      return (0..<count).reversed().reduce(0) { $0 << 8 | Int(archive[at + $1]) }
    }
    // The end record of the zip, found from the back; then the central directory.
    let end = stride(from: archive.count - 22, through: 0, by: -1).first {
      archive[$0...].starts(with: [0x50, 0x4b, 5, 6])
    }
    guard let end else { throw MediaToolError.unexpected("\(url.path) is not a zip.") }
    var entry = try number(end + 16, 4)
    for _ in 0..<(try number(end + 10, 2)) {
      let nameLength = try number(entry + 28, 2)
      let nameEnd = entry + 46 + nameLength
      guard try number(entry, 4) == 0x0201_4b50, nameEnd <= archive.count else { break }
      let name = String(decoding: archive[(entry + 46)..<nameEnd], as: UTF8.self)
      if name.hasSuffix("/data/0") {
        let size = try number(entry + 24, 4)
        let local = try number(entry + 42, 4)
        let start = local + 30 + (try number(local + 26, 2)) + (try number(local + 28, 2))
        guard try number(entry + 10, 2) == 0, start + size <= archive.count else { break }
        bytes = Array(archive[start..<start + size])
        return
      }
      entry = nameEnd + (try number(entry + 30, 2)) + (try number(entry + 32, 2))
    }
    throw MediaToolError.unexpected("\(url.path) has no stored member /data/0.")
  }

  /// The values as 32-bit floats.
  package var floats: [Float] {
    stride(from: 0, to: bytes.count - 3, by: 4).map { at in
      Float(bitPattern: (0..<4).reversed().reduce(0) { $0 << 8 | UInt32(bytes[at + $1]) })
    }
  }
}
