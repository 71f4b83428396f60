package import Foundation

/// What a test server serves.
package enum ServedContent: Sendable {
  case bytes([UInt8])
  case file(URL)

  func load() throws -> [UInt8] {
    switch self {
    case .bytes(let bytes): bytes
    case .file(let url): [UInt8](try Data(contentsOf: url))
    }
  }
}
