package import Foundation

/// CEA-608 captions as a Scenarist file (`.scc`) lists them.
package struct CaptionListing: Sendable {
  package struct Line: Sendable, Equatable {
    /// `00:00:10:02`; a semicolon before the frames means drop frame.
    package var timecode: String
    /// Byte pairs with their parity bits.
    package var pairs: [UInt16]
  }

  package var lines: [Line]

  package init(contentsOf url: URL) throws {
    let text = try String(contentsOf: url, encoding: .utf8)
    guard text.hasPrefix("Scenarist_SCC V1.0") else {
      throw MediaToolError.unexpected("\(url.path) is not a Scenarist file.")
    }
    lines = text.split(whereSeparator: \.isNewline).dropFirst().compactMap { line in
      let words = line.split(whereSeparator: { $0 == " " || $0 == "\t" })
      guard let timecode = words.first else { return nil }
      return Line(
        timecode: String(timecode), pairs: words.dropFirst().compactMap { UInt16($0, radix: 16) })
    }
  }
}
