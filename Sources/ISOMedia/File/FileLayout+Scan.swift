extension FileLayout {
  /// Walks the top-level boxes of a file without reading media data.
  ///
  /// - Parameters:
  ///   - size: The file's size, nil when unknown (then a cut-off box is found by one more read).
  ///   - read: Returns `count` bytes at `offset`, fewer only where the file ends. What it throws
  ///     is passed on.
  /// - Returns: What was found; damage ends the walk and is in `problems`, never thrown.
  package static func scan(
    size: Int64?, through extent: ScanExtent = .firstFragment, limits: Limits = Limits(),
    read: (_ offset: Int64, _ count: Int) throws -> [UInt8]
  ) rethrows -> FileLayout {
    var scanner = Scanner(size: size, limits: limits)
    try scanner.run(through: extent, read: read)
    return scanner.layout
  }
}

/// One walk: a window on the file, and what was found so far.
private struct Scanner {
  let size: Int64?
  let limits: FileLayout.Limits
  var layout = FileLayout()
  /// The last bytes read and where they lie.
  var window: [UInt8] = []
  var windowOffset: Int64 = 0

  init(size: Int64?, limits: FileLayout.Limits) {
    self.size = size
    self.limits = limits
  }

  typealias Read = (_ offset: Int64, _ count: Int) throws -> [UInt8]

  mutating func run(through extent: FileLayout.ScanExtent, read: Read) rethrows {
    var position: Int64 = 0
    while true {
      if let size, position >= size {
        layout.isTruncated = layout.isTruncated || position > size
        layout.isComplete = true
        return
      }
      guard layout.boxCount < limits.boxes else {
        return report(.limit, "", position)
      }
      guard let end = try visit(at: position, read: read) else { return }
      if isDone(extent) { return }
      position = end
    }
  }

  private func isDone(_ extent: FileLayout.ScanExtent) -> Bool {
    guard layout.movie != nil else { return false }
    switch extent {
    case .movie: return true
    case .firstFragment: return layout.firstFragment != nil
    case .everything: return false
    }
  }

  /// Looks at one box and returns where the next one starts; nil ends the walk.
  private mutating func visit(at position: Int64, read: Read) rethrows -> Int64? {
    let header = try bytes(at: position, count: 16, read: read)
    guard header.count >= 8 else {
      // The end of a file of unknown size, or up to seven bytes behind the last box.
      layout.isComplete = true
      if !header.isEmpty, header.contains(where: { $0 != 0 }) {
        report(.truncated, "", position)
        layout.isTruncated = true
      }
      return nil
    }
    let type = FourCharacterCode(rawValue: header.bigEndianUInt32(at: 4))
    let size32 = header.bigEndianUInt32(at: 0)
    guard type.isPlausible || (layout.boxCount > 0 && size32 >= 8) else {
      report(.malformed, "", position)
      return nil
    }
    var headerSize: Int64 = 8
    var end: Int64?
    switch size32 {
    case 0:
      end = size
    case 1:
      headerSize = 16
      let length = header.count >= 16 ? header.bigEndianUInt64(at: 8) : 0
      let (sum, overflow) = position.addingReportingOverflow(
        Int64(truncatingIfNeeded: length & UInt64(Int64.max)))
      guard length >= 16, length <= UInt64(Int64.max), !overflow else {
        report(.malformed, "\(type)", position)
        return nil
      }
      end = sum
    case 2..<8:
      report(.malformed, "\(type)", position)
      return nil
    default:
      let (sum, overflow) = position.addingReportingOverflow(Int64(size32))
      guard !overflow else {
        report(.malformed, "\(type)", position)
        return nil
      }
      end = sum
    }
    layout.boxCount += 1
    let box = FileLayout.Extent(
      offset: position, payloadOffset: position + headerSize, end: end)
    try note(type, box, read: read)
    guard let end else {
      layout.isComplete = true
      return nil
    }
    if size == nil, try isCutOff(before: end, read: read) {
      layout.isTruncated = true
      layout.isComplete = true
      report(.truncated, "\(type)", position)
      return nil
    }
    if let size, end > size { report(.truncated, "\(type)", position) }
    return end
  }

  private mutating func note(
    _ type: FourCharacterCode, _ box: FileLayout.Extent, read: Read
  ) rethrows {
    switch type {
    case .ftyp where layout.brands == nil:
      // Brands are four bytes each; a box that claims more than 1024 of them is cut.
      let length = min(max((box.end ?? .max) - box.payloadOffset, 0), 4096)
      layout.brands = FileBrands(try bytes(at: box.payloadOffset, count: Int(length), read: read))
    case .styp: layout.hasSegmentType = true
    case .moov where layout.movie == nil: try readMovie(box, read: read)
    case .mdat: layout.mediaData.append(box)
    case .moof where layout.firstFragment == nil: layout.firstFragment = box
    case .sidx where layout.segmentIndex == nil: layout.segmentIndex = box
    case .mfra: layout.hasFragmentRandomAccess = true
    case .meta where layout.metadata == nil: layout.metadata = box
    default: break
    }
  }

  private mutating func readMovie(_ box: FileLayout.Extent, read: Read) rethrows {
    let claimed = (box.end ?? size ?? .max) - box.offset
    let available = size.map { min(claimed, $0 - box.offset) } ?? claimed
    var movie = FileLayout.Movie(
      offset: box.offset, size: claimed, bytes: [], isCompressed: false)
    defer { layout.movie = movie }
    guard available <= limits.movieBytes || box.end == nil else {
      return report(.limit, "moov", box.offset)
    }
    if size != nil {
      movie.bytes = try bytes(at: box.offset, count: Int(available), read: read)
    } else {
      // The claim is not proven: read in steps, so that a lie costs one step of memory.
      let wanted = Int(min(available, limits.movieBytes))
      while movie.bytes.count < wanted {
        let step = min(wanted - movie.bytes.count, 1 << 20)
        let more = try bytes(
          at: box.offset + Int64(movie.bytes.count), count: step, read: read)
        movie.bytes += more
        if more.count < step { break }
      }
    }
    if box.end != nil, Int64(movie.bytes.count) < claimed { layout.isTruncated = true }
    let header = Int(box.payloadOffset - box.offset)
    var children = BoxSequence(movie.bytes, in: min(header, movie.bytes.count)..<movie.bytes.count)
    movie.isCompressed = children.next()?.type == .cmov
  }

  /// Whether a file of unknown size ends before `end`. Leaves the next header in the window.
  private mutating func isCutOff(before end: Int64, read: Read) rethrows -> Bool {
    try bytes(at: end - 1, count: 17, read: read).isEmpty
  }

  /// Bytes from the window, or from the file with some read-ahead; fewer only at its end.
  private mutating func bytes(at offset: Int64, count: Int, read: Read) rethrows -> [UInt8] {
    guard count > 0 else { return [] }
    let skip = offset - windowOffset
    if skip >= 0, skip < Int64(window.count) {
      let start = Int(skip)
      if window.count - start >= count { return Array(window[start..<start + count]) }
    }
    var wanted = max(count, limits.readAhead)
    if let size { wanted = Int(min(Int64(wanted), max(size - offset, 0))) }
    guard wanted > 0 else { return [] }
    var result = try read(offset, wanted)
    if result.count > wanted { result.removeLast(result.count - wanted) }
    guard result.count > count else { return result }
    window = result
    windowOffset = offset
    return Array(result[..<count])
  }

  private mutating func report(_ kind: ISOMediaError.Kind, _ path: String, _ offset: Int64) {
    guard layout.problems.count < ParseState.maximumProblems else { return }
    layout.problems.append(ISOMediaError(kind, path: path, offset: offset))
  }
}
