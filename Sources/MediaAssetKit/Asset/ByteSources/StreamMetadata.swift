import FoundationEssentials

/// What a server of an internet radio station says of its stream: headers once, titles between the bytes of sound.
///
/// The convention of Shoutcast and Icecast: `icy-…` headers, and, when asked, a block of text after every so many bytes.
final class StreamMetadata: Sendable {
  /// Names and values of the headers, by name.
  let headers: [(name: String, value: String)]
  /// Bytes of sound from one block to the next; nil where the server sends none.
  let interval: Int?
  private let blocks = Monitor<[Block]>([])

  /// What a block says, and where it stands in the sound.
  struct Block: Sendable, Hashable {
    var position: Int64
    var fields: [Field]

    struct Field: Sendable, Hashable {
      var name: String
      var value: String
    }
  }

  /// Of a stream that goes on for days the latest are kept.
  private static let maximumBlocks = 4096
  /// What is kept of headers, in bytes.
  private static let maximumHeaderBytes = 8192

  /// nil for a server that says nothing.
  init?(_ headers: [String: String]) {
    let stated = headers.filter { $0.key.hasPrefix("icy-") }.sorted { $0.key < $1.key }
    guard !stated.isEmpty else { return nil }
    var room = Self.maximumHeaderBytes
    var kept: [(name: String, value: String)] = []
    // How the blocks lie is nothing about the stream.
    for (name, value) in stated where name != "icy-metaint" && !value.isEmpty {
      room -= name.utf8.count + value.utf8.count
      guard room >= 0 else { break }
      kept.append((name, value))
    }
    self.headers = kept
    interval = headers["icy-metaint"].flatMap { Int($0) }.flatMap { (1...(1 << 24)).contains($0) ? $0 : nil }
  }

  /// Bits of sound a second as the server states them; nil when unknown.
  private var bitRate: Int64? {
    let text = headers.first { $0.name == "icy-br" }?.value.prefix { $0.isNumber }
    return text.flatMap { Int64($0) }.flatMap { (1...100_000).contains($0) ? $0 * 1000 : nil }
  }

  func note(_ bytes: [UInt8], at position: Int64) {
    let fields = Self.fields(bytes)
    guard !fields.isEmpty else { return }
    blocks.withLock { blocks in
      guard blocks.last?.fields != fields else { return }
      blocks.append(Block(position: position, fields: fields))
      if blocks.count > Self.maximumBlocks { blocks.removeFirst(blocks.count - Self.maximumBlocks) }
    }
  }

  /// `StreamTitle='…';StreamUrl='…';` and zeros behind it; quotation marks within a value are not escaped.
  static func fields(_ bytes: [UInt8]) -> [Block.Field] {
    let text = StreamText.string(bytes.prefix { $0 != 0 })
    var fields: [Block.Field] = []
    var rest = text[...]
    while fields.count < 16, let start = rest.firstRange(of: "='") {
      let name = rest[..<start.lowerBound].drop { $0 == ";" || $0 == " " }
      rest = rest[start.upperBound...]
      let end = rest.firstRange(of: "';")
      let value = end.map { rest[..<$0.lowerBound] } ?? (rest.hasSuffix("'") ? rest.dropLast() : rest)
      if !name.isEmpty { fields.append(.init(name: String(name), value: String(value))) }
      guard let end else { break }
      rest = rest[end.upperBound...]
    }
    return fields
  }

  /// The headers as items that hold for the whole stream.
  var headerItems: [MetadataItem] {
    headers.map { MetadataItem(keySpace: .icy, key: $0.name, value: .string($0.value), dataType: .utf8) }
  }

  /// What the blocks read so far say, each until the next one; times by the stated bit rate, none without it.
  var groups: [TimedMetadataGroup] {
    let blocks = blocks.withLock { $0 }
    func time(_ position: Int64) -> MediaTime {
      bitRate.map { MediaTime(reducing: Int128(position) * 8, over: Int128($0)) } ?? .invalid
    }
    return blocks.indices.map { index in
      let start = time(blocks[index].position)
      let next = index + 1 < blocks.count ? time(blocks[index + 1].position) : .invalid
      let duration = next.isNumeric ? next - start : start.isNumeric ? .indefinite : .invalid
      let items = blocks[index].fields.map {
        MetadataItem(
          keySpace: .icy, key: $0.name, value: .string($0.value), dataType: .utf8, time: start, duration: duration)
      }
      return TimedMetadataGroup(items: items, timeRange: MediaTimeRange(start: start, duration: duration))
    }
  }
}

/// Text of stations: UTF-8, or Latin-1 where it is none.
private enum StreamText {
  static func string(_ bytes: some Sequence<UInt8>) -> String {
    let bytes = Array(bytes)
    return String(validating: bytes, as: UTF8.self)
      ?? String(String.UnicodeScalarView(bytes.map { Unicode.Scalar($0) }))
  }
}
