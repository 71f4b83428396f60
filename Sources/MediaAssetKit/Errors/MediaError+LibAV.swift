import LibAV

// Every translation of libav's results into the library's errors.
extension MediaError {
  /// `underlying` is what a byte source threw below the call; it says more than libav's EIO.
  static func libav(
    _ error: AVError, operation: String, subject: String, underlying: (any Error)? = nil
  ) -> any Error {
    if error.isInterruption || underlying is CancellationError { return CancellationError() }
    if let underlying = underlying as? MediaError { return underlying }
    // The list of formats that libav adds to this line tells nobody anything.
    let log = error.log.map { $0.hasPrefix("Format not on whitelist") ? "Format not on whitelist" : $0 }
    func make(_ code: Code, _ reason: String, _ remedy: String = "") -> MediaError {
      MediaError(
        code, operation: operation, subject: subject, reason: reason, remedy: remedy,
        ffmpegCode: error.code, ffmpegLog: log, underlying: underlying)
    }
    if underlying != nil { return make(.readFailed, "the source failed") }
    if let log, log.contains("max_streams") {
      return make(
        .limitExceeded, "it has more streams than the limit",
        "Raise maximumStreams in the resource policy if the source is trusted")
    }
    if let log, log.contains("exceeds specified max pixel count") {
      return make(
        .limitExceeded, "its pictures exceed the limit of pixels",
        "Raise maximumPixels in the resource policy if the source is trusted")
    }
    if error.isOutOfMemory { return make(.outOfMemory, "memory ran out") }
    if error.isDecoderMissing {
      return make(
        .decoderNotFound, "this FFmpeg has no decoder for it", "Install an FFmpeg that has one")
    }
    if error.isEncoderMissing {
      return make(
        .encoderNotFound, "this FFmpeg has no encoder for it", "Install an FFmpeg that has one")
    }
    if let log = error.log {
      if log.contains("moov atom not found") {
        return make(
          .fileFailedToParse, "the file is incomplete: its index (moov) is missing",
          "Fetch the file again; a recording that was cut off needs repair")
      }
      if log.contains("not on whitelist") {
        return make(
          .referenceForbidden,
          "it is a playlist or another format that refers to further resources",
          "Allow references in the resource policy if the source is trusted")
      }
      if log.hasPrefix("reference to ") {
        return make(
          .referenceForbidden, "it refers to another resource",
          "Allow references in the resource policy if the source is trusted")
      }
    }
    switch operation {
    case "open":
      // Later versions of FFmpeg call it that of sound whose first frames are missing.
      let isCutOff = error.log?.contains("two consecutive MPEG audio frames") == true
      if error.isInvalidData, !isCutOff {
        return make(
          .fileFormatNotRecognized, "no container format recognises the bytes",
          "Check that the file is media and complete")
      }
      // What demuxers say of files that end before their first frame; libav's own words for it tell nobody anything.
      if error.isInvalidArgument || isCutOff {
        return make(
          .fileFailedToParse, "the file is cut off or damaged: no media can be found where it should begin",
          "Fetch the file again, or check that it is complete")
      }
      return make(.fileFailedToParse, error.message)
    case "decode":
      return make(
        .decodeFailed,
        error.isPatchWelcome ? "this FFmpeg can't decode this kind of stream" : error.message)
    case "encode": return make(.encodeFailed, error.message)
    default: return make(.readFailed, error.message)
    }
  }
}
