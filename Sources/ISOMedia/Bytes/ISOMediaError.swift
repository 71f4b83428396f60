/// What is wrong with a box, where.
///
/// Thrown where nothing useful can be returned, and collected in `problems` where reading went on.
package struct ISOMediaError: Error, Hashable, Sendable, CustomStringConvertible {
  /// The kind of damage.
  package enum Kind: String, Hashable, Sendable {
    /// The bytes end before the box does.
    case truncated
    /// A value contradicts the format or another value.
    case malformed
    /// A limit of the caller or of the reader was reached.
    case limit
  }

  package var kind: Kind
  /// The box, as types joined by slashes from the outermost one: `moov/trak/mdia/mdhd`.
  package var path: String
  /// Byte offset of the damage: in the bytes that were parsed, or in the file for a file scan.
  package var offset: Int64

  package init(_ kind: Kind, path: String, offset: Int64) {
    self.kind = kind
    self.path = path
    self.offset = offset
  }

  package init(_ kind: Kind, path: String, offset: Int) {
    self.init(kind, path: path, offset: Int64(offset))
  }

  package var description: String { "\(path) at byte \(offset): \(kind.rawValue)" }
}
