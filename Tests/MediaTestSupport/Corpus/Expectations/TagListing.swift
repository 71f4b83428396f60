package import Foundation

/// The tags of a file as exiftool's tests expect them: `[Group, Group, Group] id - Name: value`.
package struct TagListing: Sendable {
  package struct Tag: Sendable, Equatable {
    package var groups: [String]
    package var identifier: String
    package var name: String
    package var value: String
  }

  /// All but the tags that describe the file on disk.
  package var tags: [Tag]

  package init(contentsOf url: URL) throws {
    let text = try String(contentsOf: url, encoding: .utf8)
    tags = text.split(whereSeparator: \.isNewline).compactMap { line in
      guard line.hasPrefix("["), let close = line.firstIndex(of: "]"),
        let dash = line.range(of: " - ", range: close..<line.endIndex),
        let colon = line.range(of: ": ", range: dash.upperBound..<line.endIndex)
      else { return nil }
      let groups = line[line.index(after: line.startIndex)..<close].split(separator: ",")
        .map { $0.trimmingCharacters(in: .whitespaces) }
      guard let first = groups.first, first != "File", first != "ExifTool" else { return nil }
      return Tag(
        groups: groups,
        identifier: line[line.index(after: close)..<dash.lowerBound]
          .trimmingCharacters(in: .whitespaces),
        name: String(line[dash.upperBound..<colon.lowerBound]),
        value: String(line[colon.upperBound...]))
    }
  }

  package func value(_ name: String) -> String? { tags.first { $0.name == name }?.value }
}
