/// What went wrong, on what, why, and what to do about it.
///
/// Every failure of the library that is not a cancellation (`CancellationError`) is a `MediaError`.
/// Match on ``code``; the texts are for people and logs and may change.
public struct MediaError: Error, Sendable {
  /// The kind of failure.
  public var code: Code
  /// The step that failed: `open`, `probe`, `read`, `seek`, `decode`, `scale`, `encode`, `write`.
  public var operation: String
  /// What it failed on: a file, a URL, a track, a time.
  public var subject: String
  /// Why it failed, as a sentence without a full stop.
  public var reason: String
  /// What can be done about it, as a sentence without a full stop; empty when nothing is known.
  public var remedy: String
  /// FFmpeg's own error code (a negative `AVERROR`), where the failure came from there.
  public var ffmpegCode: Int32?
  /// The last error line that FFmpeg logged during the call, without its prefix.
  public var ffmpegLog: String?
  /// The error below this one, where there is one.
  public var underlying: (any Error)?

  /// Makes an error; `code`, `operation`, `subject` and `reason` are what a message needs.
  public init(
    _ code: Code, operation: String, subject: String, reason: String, remedy: String = "",
    ffmpegCode: Int32? = nil, ffmpegLog: String? = nil, underlying: (any Error)? = nil
  ) {
    self.code = code
    self.operation = operation
    self.subject = subject
    self.reason = reason
    self.remedy = remedy
    self.ffmpegCode = ffmpegCode
    self.ffmpegLog = ffmpegLog
    self.underlying = underlying
  }
}

extension MediaError {
  /// A kind of failure; new kinds may be added, so switches need a default.
  public struct Code: RawRepresentable, Hashable, Sendable, CustomStringConvertible {
    /// The stable name of the kind.
    public let rawValue: String
    /// A kind by name.
    public init(rawValue: String) { self.rawValue = rawValue }
    /// The stable name of the kind.
    public var description: String { rawValue }

    /// No file, no such folder, or an HTTP server that has no such resource (404, 410).
    public static let fileNotFound = Code(rawValue: "fileNotFound")
    /// The system or the server refuses access (EACCES, EPERM, 401, 403).
    public static let accessDenied = Code(rawValue: "accessDenied")
    /// The name is not a regular file: a folder, a FIFO, a device.
    public static let notRegularFile = Code(rawValue: "notRegularFile")
    /// No container format recognises the bytes.
    public static let fileFormatNotRecognized = Code(rawValue: "fileFormatNotRecognized")
    /// The container is damaged or cut off.
    public static let fileFailedToParse = Code(rawValue: "fileFailedToParse")
    /// The content is encrypted.
    public static let contentIsProtected = Code(rawValue: "contentIsProtected")
    /// The resource policy or the reference restrictions forbid what the file asks for.
    public static let referenceForbidden = Code(rawValue: "referenceForbidden")
    /// The resource policy forbids the asset's own URL (scheme, host, address, redirect).
    public static let resourceForbidden = Code(rawValue: "resourceForbidden")
    /// A limit of the resource policy is exceeded (pixels, streams, bytes).
    public static let limitExceeded = Code(rawValue: "limitExceeded")
    /// Reading failed: a disk, a connection, a custom source.
    public static let readFailed = Code(rawValue: "readFailed")
    /// Nothing arrived before the deadline.
    public static let timedOut = Code(rawValue: "timedOut")
    /// The server does not serve what the container needs (no byte ranges, wrong length).
    public static let serverIncorrectlyConfigured = Code(rawValue: "serverIncorrectlyConfigured")
    /// The asset has no track of the kind that was asked for.
    public static let noSourceTrack = Code(rawValue: "noSourceTrack")
    /// No picture is on show at the time asked for.
    public static let noImageAtTime = Code(rawValue: "noImageAtTime")
    /// This FFmpeg has no decoder for the codec.
    public static let decoderNotFound = Code(rawValue: "decoderNotFound")
    /// This FFmpeg has no encoder for the codec.
    public static let encoderNotFound = Code(rawValue: "encoderNotFound")
    /// The samples can't be decoded.
    public static let decodeFailed = Code(rawValue: "decodeFailed")
    /// The encoder refused or failed.
    public static let encodeFailed = Code(rawValue: "encodeFailed")
    /// The file to write exists and overwriting was not asked for.
    public static let fileAlreadyExists = Code(rawValue: "fileAlreadyExists")
    /// Writing failed (the disk is full, the folder can't be written to).
    public static let writeFailed = Code(rawValue: "writeFailed")
    /// A segment would begin with a sample that decoding can't begin with.
    public static let segmentStartedWithNonSyncSample = Code(rawValue: "segmentStartedWithNonSyncSample")
    /// The call is not possible in this state or for this asset.
    public static let operationNotSupported = Code(rawValue: "operationNotSupported")
    /// An argument is out of its range.
    public static let invalidArgument = Code(rawValue: "invalidArgument")
    /// A composition's track has a segment that does not begin where the one before ends.
    public static let compositionTrackSegmentsNotContiguous = Code(rawValue: "compositionTrackSegmentsNotContiguous")
    /// A segment of a composition's track lasts no time, or no time that is known.
    public static let invalidCompositionTrackSegmentDuration = Code(rawValue: "invalidCompositionTrackSegmentDuration")
    /// A segment of a composition's track takes media from a time that is none.
    public static let invalidCompositionTrackSegmentSourceStartTime = Code(
      rawValue: "invalidCompositionTrackSegmentSourceStartTime")
    /// A segment of a composition's track takes no media, or no one knows how much.
    public static let invalidCompositionTrackSegmentSourceDuration = Code(
      rawValue: "invalidCompositionTrackSegmentSourceDuration")
    /// A video composition does not fit what it is to draw: its reason names every defect.
    public static let invalidVideoComposition = Code(rawValue: "invalidVideoComposition")
    /// A custom compositor failed, or gave a picture that does not fit; ``MediaError/underlying`` is what it threw.
    public static let videoCompositorFailed = Code(rawValue: "videoCompositorFailed")
    /// Memory ran out, or a memory bound would be exceeded.
    public static let outOfMemory = Code(rawValue: "outOfMemory")
    /// A system library that the operation needs is missing.
    public static let libraryMissing = Code(rawValue: "libraryMissing")
    /// Anything else; ``MediaError/reason`` and ``MediaError/underlying`` tell.
    public static let unknown = Code(rawValue: "unknown")

    /// Lets a `catch` clause match a kind: `catch MediaError.Code.timedOut`.
    public static func ~= (code: Code, error: any Error) -> Bool {
      (error as? MediaError)?.code == code
    }
  }

}

extension MediaError: CustomStringConvertible {
  /// One line: what failed, on what, why, FFmpeg's words, and what to do. Long parts, such as texts of the input, have
  /// their middle left out.
  public var description: String {
    var text = "\(operation.bounded(to: 100)) \(subject.bounded(to: 300)): \(reason.bounded(to: 600))"
    let words = [ffmpegLog?.bounded(to: 300), ffmpegCode.map { "error \($0)" }].compactMap(\.self)
    if !words.isEmpty { text += " (FFmpeg: \(words.joined(separator: ", ")))" }
    if let underlying { text += ": \("\(underlying)".bounded(to: 600))" }
    if !remedy.isEmpty { text += ". \(remedy.bounded(to: 600))" }
    return text
  }
}

extension String {
  /// The text, or its beginning and its end with an ellipsis between where it is longer than a number of characters.
  package func bounded(to limit: Int) -> String {
    // Of scalars, because one grapheme may hold any number of them.
    guard utf8.count > limit, unicodeScalars.count > limit else { return self }
    let (head, tail) = (limit * 2 / 3, limit - limit * 2 / 3 - 1)
    var text = String.UnicodeScalarView(unicodeScalars.prefix(head))
    text.append("…")
    text.append(contentsOf: unicodeScalars.suffix(tail))
    return String(text)
  }
}
