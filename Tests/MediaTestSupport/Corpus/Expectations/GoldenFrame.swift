package import Foundation

/// A picture that androidx/media's frame tests expect: `x_8.531.png` is the frame at 8.531 s.
package struct GoldenFrame: Sendable {
  package var url: URL
  /// The frame's own time in seconds, three decimals. Ask for this time, not for one before it:
  /// the peer looks for the first frame at or after what is asked.
  package var time: Double

  /// `nil` when the name is not that of a golden frame.
  package init?(_ url: URL) {
    let name = url.deletingPathExtension().lastPathComponent
    guard url.pathExtension == "png", let mark = name.lastIndex(of: "_"),
      let time = Double(name[name.index(after: mark)...])
    else { return nil }
    self.url = url
    self.time = time
  }
}
