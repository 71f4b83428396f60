public import FoundationEssentials
import ISOMedia
import LibAV

/// A file of fragments that may still be written: ``changes(mindingInterval:)`` notices what is added.
///
/// An asset never changes once it is loaded, so a growing file is a row of assets: each knows what was complete of the file
/// at one moment, and stays right while the file grows. A fragment counts when its media is there to the last byte.
///
/// ```swift
/// let recording = FragmentedAsset(url: url)
/// for try await change in recording.changes(mindingInterval: .seconds(1)) {
///   print(change.duration.seconds, change.asset)
/// }
/// ```
///
/// It takes the place of AVFoundation's `AVFragmentedAsset` and `AVFragmentedAssetMinder`; a sequence in place of
/// notifications, and new assets in place of one that changes, are the differences.
public struct FragmentedAsset: Sendable {
  /// The file.
  public let url: URL
  /// How each of the assets is opened.
  public let options: MediaAsset.Options

  /// A local file that may grow; does no I/O.
  public init(url: URL, options: MediaAsset.Options = .init()) {
    self.url = url
    self.options = options
  }

  /// What is complete of the file now, as an asset that stays as it is.
  ///
  /// Costs a look at each box of the file, 16 bytes each.
  /// - Throws: ``MediaError``: `fileNotFound`, `fileFailedToParse` while there is no complete movie header yet,
  ///   `operationNotSupported` for what is no local file. `CancellationError` when the task is cancelled.
  public func snapshot() async throws -> MediaAsset {
    let look = try await look()
    guard look.file.hasMovie else {
      throw MediaError(
        .fileFailedToParse, operation: "open", subject: url.path(percentEncoded: false),
        reason: "it has no complete movie header yet", remedy: "Wait until its first fragment is written")
    }
    return MediaAsset(beginningOf: url, length: look.file.end, options: options)
  }

  /// What is there, and then each change of it; ends when the file is finished.
  ///
  /// The file is looked at every `mindingInterval`; one that did not change costs nothing but asking for its size. Until it
  /// has a movie header nothing is told. The sequence ends behind the change that finishes the file: where the list of its
  /// fragments (`mfra`) was written, or a file without fragments took its place. It may be iterated many times, each on its
  /// own; leaving the loop, or cancelling its task, ends the minding.
  ///
  /// - Parameter mindingInterval: Positive; 10 seconds by default, as in AVFoundation.
  public func changes(mindingInterval: Duration = .seconds(10)) -> FragmentedAssetChanges {
    precondition(mindingInterval > .zero, "the minding interval must be positive")
    return FragmentedAssetChanges(asset: self, interval: mindingInterval)
  }
}

/// What a look at the file tells before any asset is opened.
struct FragmentedFileLook: Hashable, Sendable {
  var stamp: FileStamp
  var file: GrowingFile
}

extension FragmentedAsset {
  private var path: String { url.path(percentEncoded: false) }

  /// Looks at the file's boxes, on a thread that may block.
  func look() async throws -> FragmentedFileLook {
    guard url.isFileURL else {
      throw MediaError(
        .operationNotSupported, operation: "mind", subject: url.absoluteString, reason: "this is no local file",
        remedy: "Only local files can be minded")
    }
    let path = path
    return try await OpeningSession(isRemote: false).run { interrupt in
      let stamp = try FileStamp(path: path)
      let reader = try LocalFileReader(path: path)
      let file = try GrowingFile.survey(size: reader.length ?? 0) { offset, count in
        if interrupt.isRaised { throw CancellationError() }
        return try reader.bytes(at: offset, count: count, interrupt: interrupt)
      }
      return FragmentedFileLook(stamp: stamp, file: file)
    }
  }

  func stamp() async throws -> FileStamp {
    let path = path
    return try await OpeningSession(isRemote: false).run { _ in try FileStamp(path: path) }
  }
}
