import ISOMedia
import LibAV

/// One playlist's worth of media on its way into a folder: a writer of segments, and the files that come of it.
final class HLSRendition: Sendable {
  let name: String
  let mediaType: MediaType
  let isCopied: Bool
  let input: Writer.Input
  let writer: Writer
  private let folder: HLSFolder

  init(name: String, input: Writer.Input, interval: MediaTime, folder: HLSFolder) throws {
    self.name = name
    self.input = input
    self.folder = folder
    mediaType = input.mediaType
    isCopied = input.settings == nil
    var options = Writer.Options()
    options.preferredOutputSegmentInterval = interval
    writer = try Writer(contentType: .mp4, profile: .mpeg4CMAFCompliant, options: options)
    try writer.add(input)
  }

  /// What came of it.
  struct Result: Sendable {
    var playlist: HLSMediaPlaylist
    var iFrames: HLSMediaPlaylist?
    var description: Description
  }

  /// What the header says.
  struct Description: Sendable {
    var codec = ""
    var size: PixelSize?
    var channels: Int?
    var videoRange: String?
  }

  /// Writes the segments as files, and then the playlists.
  func collect() async throws -> Result {
    var playlist = HLSMediaPlaylist(initializationURI: name + "-init.mp4")
    var iFrames = HLSMediaPlaylist(initializationURI: name + "-init.mp4", isIFramesOnly: true)
    var description = Description()
    for try await segment in writer.segments {
      guard let report = segment.report?.trackReports.first else {
        description = try Self.describe(segment.data)
        try await store(segment.data, name + "-init.mp4")
        continue
      }
      let number = String(100_001 + playlist.segments.count).dropFirst()
      // Behind 99 999 segments the names get longer.
      let uri = "\(name)-\(playlist.segments.count < 99_999 ? String(number) : String(playlist.segments.count + 1)).m4s"
      try await store(segment.data, uri)
      playlist.segments.append(.init(uri: uri, duration: report.duration, size: segment.data.count))
      if let sample = report.firstVideoSampleInformation {
        // The box before the picture belongs to it: it says how the bytes are to be read.
        let length = sample.offset + sample.length
        iFrames.segments.append(
          .init(
            uri: uri, duration: report.duration, size: length,
            byteRange: .init(offset: 0, length: length)))
      }
    }
    try await store(Array(playlist.text.utf8), name + ".m3u8")
    let hasPictures = mediaType == .video
    if hasPictures { try await store(Array(iFrames.text.utf8), name + "-iframes.m3u8") }
    return Result(playlist: playlist, iFrames: hasPictures ? iFrames : nil, description: description)
  }

  private func store(_ bytes: [UInt8], _ file: String) async throws {
    let folder = folder
    try await WorkerPool.writing.run { try folder.write(bytes, as: file) }
  }

  private static func describe(_ segment: [UInt8]) throws -> Description {
    guard let box = BoxSequence(segment).first(where: { $0.type == "moov" }),
      let movie = try? MovieHeader.parse(Array(segment[box.range])), let track = movie.tracks.first,
      let entry = track.sampleDescriptions.first
    else { return Description() }
    var description = Description()
    description.codec = entry.codecString(in: movie.bytes)
    switch entry.media {
    case .audio(let sound): description.channels = Int(sound.channelCount)
    case .video(let video):
      // The header's size has the shape of the pixels in it.
      var size = PixelSize(width: Int(track.width >> 16), height: Int(track.height >> 16))
      if track.matrix.a == 0, track.matrix.d == 0 { size = PixelSize(width: size.height, height: size.width) }
      description.size = size
      description.videoRange = [16: "PQ", 18: "HLG"][video.color?.transfer ?? 0]
    default: break
    }
    return description
  }
}
