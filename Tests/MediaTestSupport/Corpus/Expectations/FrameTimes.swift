package import Foundation

/// The times of all decoded frames, as torchcodec's `*.all_frames_info.json` lists them.
package struct FrameTimes: Sendable, Equatable {
  package struct Frame: Sendable, Equatable {
    /// Seconds, six decimals.
    package var time: Double
    package var duration: Double
  }

  package var frames: [Frame]

  package init(contentsOf url: URL) throws {
    let report = try JSONValue(parsing: Data(contentsOf: url))
    frames = try report.elements.map { element in
      guard let time = element["pts_time"]?.double, let duration = element["duration_time"]?.double
      else { throw MediaToolError.unexpected("\(url.path) has a frame without a time.") }
      return Frame(time: time, duration: duration)
    }
  }

  /// The number of the stream in a name such as `x.mp4.stream3.all_frames_info.json`.
  package static func stream(of path: String) -> Int? {
    guard let range = path.range(of: ".stream", options: .backwards) else { return nil }
    return Int(path[range.upperBound...].prefix { $0.isNumber })
  }
}
