/// What a parse carries along: the bytes, what went wrong so far, and how many boxes it may still
/// look at.
struct ParseState {
  let bytes: [UInt8]
  var problems: [ISOMediaError] = []
  var remainingBoxes: Int

  /// Enough to see what is wrong; a hostile file could otherwise make millions.
  static let maximumProblems = 64

  init(_ bytes: [UInt8], maximumBoxes: Int) {
    self.bytes = bytes
    remainingBoxes = maximumBoxes
  }

  mutating func report(
    _ kind: ISOMediaError.Kind, _ path: @autoclosure () -> String, at offset: Int
  ) {
    guard problems.count < Self.maximumProblems else { return }
    problems.append(ISOMediaError(kind, path: path(), offset: offset))
  }

  /// Calls `body` for every box in `range`, within the limit of boxes, and reports damage.
  @inline(__always)
  mutating func forEachBox(
    in range: Range<Int>, path: @autoclosure () -> String, _ body: (Box, inout ParseState) -> Void
  ) {
    var boxes = BoxSequence(bytes, in: range)
    while let box = boxes.next() {
      guard remainingBoxes > 0 else {
        return report(.limit, path(), at: box.range.lowerBound)
      }
      remainingBoxes -= 1
      if box.isCutOff { report(.truncated, "\(path())/\(box.type)", at: box.range.lowerBound) }
      body(box, &self)
    }
    if boxes.isMalformed { report(.malformed, path(), at: boxes.position) }
  }

  /// Parses the fields of a box; nil, with a problem, when the box is too short for them.
  @inline(__always)
  mutating func fields<Value>(
    of box: Box, path: @autoclosure () -> String, _ body: (inout ByteReader) -> Value
  ) -> Value? {
    var reader = ByteReader(bytes, in: box.payload)
    let value = body(&reader)
    guard !reader.isExhausted else {
      report(.truncated, path(), at: box.range.lowerBound)
      return nil
    }
    return value
  }
}
