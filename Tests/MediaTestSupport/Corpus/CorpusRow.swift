/// One row of the corpus index: a media file and what is known of it.
package struct CorpusRow: Sendable, Hashable, CustomStringConvertible {
  /// The path below the corpus folder.
  package var path: String
  package var size: Int
  package var sha256: String
  /// The project that it comes from, such as `androidx/media`.
  package var project: String
  package var licence: String
  /// What it exercises, in words.
  package var exercises: String
  /// The peer's answer, in words.
  package var knownAnswer: String
  package var answerFrom: String
  /// Paths of its expectation files below the corpus folder.
  package var expectations: [String]
  package var note: String

  package var description: String { path }

  /// Reads one line; `nil` when it is not a row of twelve columns.
  init?(line: Substring) {
    let fields = line.split(separator: "\t", omittingEmptySubsequences: false).map { String($0) }
    guard fields.count == 12, let size = Int(fields[1]) else { return nil }
    path = fields[0]
    self.size = size
    sha256 = fields[2]
    project = fields[3]
    licence = fields[6]
    exercises = fields[7]
    knownAnswer = fields[8]
    answerFrom = fields[9]
    note = fields[11]
    expectations = fields[10].split(separator: " ").map { String($0) }
  }
}
