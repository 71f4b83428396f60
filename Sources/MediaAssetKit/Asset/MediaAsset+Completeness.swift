import FoundationEssentials
import LibAV

extension MediaAsset {
  /// How many bytes a local file lacks of those that its own headers tell of; nil where none is missing, or nothing tells.
  ///
  /// Reads the heads of its boxes or chunks, no media. Files that end early are often read well up to there, and whoever
  /// copies or joins them should know.
  func missingBytes() async throws -> Int64? {
    guard url?.isFileURL == true else { return nil }
    let (header, opened) = (try await header(), try await opened())
    guard !opened.isRemote, header.joined == nil, let size = opened.reader.length else { return nil }
    let reader = opened.reader
    return try await OpeningSession(isRemote: false).run { interrupt in
      let read: (Int64, Int) throws -> [UInt8] = { offset, count in
        if interrupt.isRaised { throw CancellationError() }
        return try reader.bytes(at: offset, count: count, interrupt: interrupt)
      }
      let end = try FileExtent(container: header.container, size: size).end(read)
      return end.flatMap { $0 > size ? $0 - size : nil }
    }
  }

  /// The same in words.
  func noteOfMissingBytes() async throws -> String? {
    guard let missing = try await missingBytes() else { return nil }
    return "\(subject) is cut off: the last \(missing) bytes that its header tells of are missing"
  }
}
