/// Reads what `-f framemd5` prints for one stream.
enum FrameHashReport {
  static func parse(_ text: String) throws -> [JudgedFrame] {
    var base: ClipTime?
    var frames: [JudgedFrame] = []
    for line in text.split(whereSeparator: \.isNewline) {
      if line.hasPrefix("#tb 0:") {
        let numbers = line.dropFirst(6).split(separator: "/")
          .compactMap { Int64($0.filter { !$0.isWhitespace }) }
        guard numbers.count == 2, numbers[1] != 0 else { continue }
        base = ClipTime(numbers[0], numbers[1])
      }
      guard !line.hasPrefix("#") else { continue }
      // stream, dts, pts, duration, size, hash
      let fields = line.split(separator: ",").map { String($0.filter { !$0.isWhitespace }) }
      guard fields.count == 6, let base, let time = Int64(fields[2]),
        let duration = Int64(fields[3]), let size = Int(fields[4])
      else { throw MediaToolError.unexpected("Not a line of framemd5: \(line)") }
      frames.append(
        JudgedFrame(time: base * time, duration: base * duration, size: size, hash: fields[5]))
    }
    return frames
  }
}
