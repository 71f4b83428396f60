package import Foundation

/// The tree of boxes of an MP4 file, as mp4ff's golden dumps print it: a line `[type] size=…` for a
/// box and lines ` - name: value` for what is in it.
package struct BoxDump: Sendable {
  package struct Box: Sendable {
    /// 0 at the top of the file.
    package var depth: Int
    /// Four characters, spaces included.
    package var type: String
    package var size: Int
    /// Every other line of the box, without the dash.
    package var fields: [String] = []
  }

  /// All boxes in the order of the file.
  package var boxes: [Box] = []

  package init(contentsOf url: URL) throws {
    for line in try String(contentsOf: url, encoding: .utf8).split(whereSeparator: \.isNewline) {
      let indent = line.prefix { $0 == " " }.count
      let content = line.dropFirst(indent)
      if content.hasPrefix("["), let close = content.range(of: "] size=") {
        let type = content[content.index(after: content.startIndex)..<close.lowerBound]
        let size = Int(content[close.upperBound...].prefix { $0.isNumber }) ?? 0
        boxes.append(Box(depth: indent / 2, type: String(type), size: size))
      } else if content.hasPrefix("- "), !boxes.isEmpty {
        boxes[boxes.count - 1].fields.append(String(content.dropFirst(2)))
      }
    }
    guard !boxes.isEmpty else { throw MediaToolError.unexpected("\(url.path) lists no boxes.") }
  }

  /// The value of a field `name: value` in the first box of that type that has it.
  package func value(_ name: String, in type: String) -> String? {
    for box in boxes where box.type == type {
      if let field = box.fields.first(where: { $0.hasPrefix(name + ": ") }) {
        return String(field.dropFirst(name.count + 2))
      }
    }
    return nil
  }
}
