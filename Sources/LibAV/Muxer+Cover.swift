internal import CFFmpeg

/// Cover art: a stream of one picture that is no part of the film.
extension Muxer {
  /// Adds it and returns the stream's number; ``writeCover(_:stream:)`` follows behind the header.
  package mutating func addCover(codec: String, width: Int, height: Int) throws(AVError) -> Int {
    var facts = CodecParameters.Facts(codec: codec)
    (facts.width, facts.height) = (width, height)
    let parameters = try CodecParameters.make(facts, timeBase: (1, 90_000))
    var options = StreamOptions(timeBase: (1, 90_000))
    options.disposition = .attachedPicture
    return try addStream(parameters, options)
  }

  package mutating func writeCover(_ bytes: [UInt8], stream: Int) throws(AVError) {
    try write(try Packet.copying(bytes), stream: stream, times: Times(presentation: 0, decoding: 0, duration: 0))
  }
}
