import ISOMedia

/// Edits title, tags, chapters and attached pictures of a Matroska or WebM file: clusters and cues stay where they are.
///
/// An element that changes stays in its place where it fits, with empty room behind it; else it moves to the end of the
/// segment, and the seek head says so.
struct MatroskaEditor {
  static let seekHead: UInt32 = 0x114D_9B74
  static let info: UInt32 = 0x1549_A966
  static let tags: UInt32 = 0x1254_C367
  static let chapters: UInt32 = 0x1043_A770
  static let attachments: UInt32 = 0x1941_A469
  private static let void: UInt32 = 0xEC
  private static let segment: UInt32 = 0x1853_8067
  private static let maximumElements = 1_000_000

  private struct Element {
    var id: UInt32
    var range: Range<Int64>
    var header: Int
  }

  /// Where the segment's content begins, its size field, and where it ends.
  private struct Segment {
    var content: Int64
    var sizeField: Range<Int64>
    var isSized: Bool
    var end: Int64
  }

  let isWebM: Bool

  /// nil where the file leaves no room for the changes, or is not all there: it has to be made anew.
  func pieces(_ plan: inout MetadataPlan, _ source: inout SourceBytes) throws -> [FilePiece]? {
    let size = source.size ?? 0
    guard let (segment, elements) = try read(&source, size) else { return nil }
    var content: [UInt32: [UInt8]] = [:]
    for id in [Self.info, Self.tags, Self.chapters, Self.attachments] {
      var bytes: [UInt8] = []
      for element in elements where element.id == id {
        guard element.range.count <= source.maximumBytes, bytes.count <= source.maximumBytes else { return nil }
        let start = element.range.lowerBound + Int64(element.header)
        bytes += try source.bytes(at: start, count: element.range.count - element.header)
      }
      content[id] = bytes
    }
    let changed = try MatroskaContent(old: content, isWebM: isWebM).changed(&plan)
    var patches: [(range: Range<Int64>, bytes: [UInt8])] = []
    var appended: [UInt8] = []
    var places: [UInt32: Int64] = [:]
    var moved: Set<UInt32> = []
    for (id, payload) in changed.sorted(by: { $0.key < $1.key }) {
      let new = payload.isEmpty ? [] : EBMLWriter.element(id, payload)
      let old = elements.enumerated().filter { $0.element.id == id }
      var isPlaced = new.isEmpty
      moved.insert(id)
      for (index, element) in old {
        let room = Self.room(elements, index)
        let left = room.count - new.count
        if !isPlaced, left == 0 || left >= 2 {
          patches.append((room, new + EBMLWriter.void(left)))
          places[id] = element.range.lowerBound - segment.content
          isPlaced = true
        } else {
          patches.append((element.range, EBMLWriter.void(element.range.count)))
        }
      }
      guard !isPlaced else { continue }
      places[id] = segment.end - segment.content + Int64(appended.count)
      appended += new
    }
    guard try patchSeekHeads(&patches, elements, moved, places, &source) else { return nil }
    if segment.isSized, !appended.isEmpty {
      let length = segment.sizeField.count
      let count = segment.end - segment.content + Int64(appended.count)
      guard count < 1 << Int64(7 * length) - 1 else { return nil }
      patches.append((segment.sizeField, EBMLWriter.size(Int(count), length: length)))
    }
    var pieces: [FilePiece] = []
    var copied: Int64 = 0
    for patch in patches.sorted(by: { $0.range.lowerBound < $1.range.lowerBound }) {
      guard patch.range.lowerBound >= copied, patch.range.count == patch.bytes.count else { return nil }
      pieces += [.source(copied..<patch.range.lowerBound), .bytes(patch.bytes)]
      copied = patch.range.upperBound
    }
    return pieces + [.source(copied..<segment.end), .bytes(appended), .source(segment.end..<size)]
  }

  /// An element and the empty ones behind it.
  private static func room(_ elements: [Element], _ index: Int) -> Range<Int64> {
    var range = elements[index].range
    for next in elements[(index + 1)...] {
      guard next.id == void, next.range.lowerBound == range.upperBound else { break }
      range = range.lowerBound..<next.range.upperBound
    }
    return range
  }

  private func read(_ source: inout SourceBytes, _ size: Int64) throws -> (Segment, [Element])? {
    var position: Int64 = 0
    var segment: Segment?
    var elements: [Element] = []
    while elements.count < Self.maximumElements {
      let end = segment?.end ?? size
      guard position < end else { break }
      let head = try source.bytes(at: position, count: 12)
      guard let element = EBMLElement(head, at: 0, end: head.count) else { return nil }
      let content = position + Int64(element.header)
      if segment == nil, element.id == Self.segment {
        let idLength = 4
        let field = position + Int64(idLength)..<content
        guard element.size.map({ $0 <= size - content }) ?? true else { return nil }
        segment = Segment(
          content: content, sizeField: field, isSized: element.size != nil,
          end: element.size.map { content + $0 } ?? size)
        position = content
        continue
      }
      // A live recording's clusters have no size: where they end only reading them tells.
      guard let length = element.size, length <= end - content else { return nil }
      if segment != nil {
        elements.append(Element(id: element.id, range: position..<content + length, header: element.header))
      }
      position = content + length
    }
    guard let segment, position >= segment.end else { return nil }
    return (segment, elements)
  }

  // MARK: - Seek heads

  private func patchSeekHeads(
    _ patches: inout [(range: Range<Int64>, bytes: [UInt8])], _ elements: [Element], _ moved: Set<UInt32>,
    _ places: [UInt32: Int64], _ source: inout SourceBytes
  ) throws -> Bool {
    let heads = elements.enumerated().filter { $0.element.id == Self.seekHead }
    // Without one readers look at all that lies before the clusters, and no further.
    guard !heads.isEmpty else { return false }
    for (number, (index, element)) in heads.enumerated() {
      guard element.range.count <= 1 << 20 else { return false }
      let start = element.range.lowerBound + Int64(element.header)
      let bytes = try source.bytes(at: start, count: element.range.count - element.header)
      var payload: [UInt8] = []
      var isChanged = number == 0 && !places.isEmpty
      EBMLElement.forEach(in: bytes, 0..<bytes.count) { id, range in
        guard id == 0x4DBB else { return }
        var target: UInt32 = 0
        EBMLElement.forEach(in: bytes, range) { id, range in
          if id == 0x53AB { target = UInt32(truncatingIfNeeded: EBMLValue.unsigned(bytes[range])) }
        }
        if moved.contains(target) {
          isChanged = true
        } else {
          payload += EBMLWriter.element(id, Array(bytes[range]))
        }
      }
      guard isChanged else { continue }
      if number == 0 {
        for (id, place) in places.sorted(by: { $0.key < $1.key }) {
          payload += EBMLWriter.element(
            0x4DBB,
            EBMLWriter.element(0x53AB, id.bigEndianBytes()) + EBMLWriter.element(0x53AC, number: UInt64(max(0, place))))
        }
      }
      let room = Self.room(elements, index)
      let new = EBMLWriter.element(Self.seekHead, payload)
      let left = room.count - new.count
      guard left == 0 || left >= 2 else { return false }
      patches.append((room, new + EBMLWriter.void(left)))
    }
    return true
  }
}
