import FoundationEssentials
import LibAV

#if canImport(Glibc)
  import Glibc
#elseif canImport(Darwin)
  import Darwin
#endif

/// Where an asset's bytes come from.
enum AssetSource: Sendable {
  case file(path: String)
  /// The first bytes of a file that may grow: what was complete of it at some time.
  case beginning(path: String, length: Int64)
  case remote(URL)
  case data(Data)
  case custom(any ByteSource)
  case descriptor(Int32)
  /// A URL that this library can't open; the reason is told when something is loaded.
  case unsupported(String)

  init(_ url: URL) {
    if url.isFileURL {
      self = .file(path: url.path(percentEncoded: false))
    } else if let scheme = url.scheme?.lowercased(), scheme == "http" || scheme == "https" {
      self = .remote(url)
    } else if url.scheme == nil {
      self = .file(path: url.path(percentEncoded: false))
    } else {
      self = .unsupported(url.absoluteString)
    }
  }

  /// For errors and logs.
  var subject: String {
    switch self {
    case .file(let path), .beginning(let path, _): path
    case .remote(let url): url.absoluteString
    case .data(let data): "\(data.count) bytes in memory"
    case .custom: "a custom source"
    case .descriptor(let number): "file descriptor \(number)"
    case .unsupported(let text): text
    }
  }

  var isRemote: Bool {
    switch self {
    case .remote, .custom: true
    default: false
    }
  }

  /// The name's extension as a hint for formats without a signature.
  var nameExtension: String? {
    switch self {
    case .file(let path), .beginning(let path, _): Self.nameExtension(of: path)
    case .remote(let url): Self.nameExtension(of: url.path(percentEncoded: false))
    default: nil
    }
  }

  /// A name's extension: letters and digits only, never an image's.
  static func nameExtension(of name: String?) -> String? {
    guard let last = name?.split(separator: "/").last, let dot = last.lastIndex(of: ".") else {
      return nil
    }
    let text = last[last.index(after: dot)...].lowercased()
    guard (1...8).contains(text.utf8.count),
      text.utf8.allSatisfy({ (48...57).contains($0) || (97...122).contains($0) })
    else { return nil }
    return Self.patternedImages.contains(text) ? nil : text
  }

  /// libav's image demuxer takes names of these for patterns; signatures find the pictures without a name.
  private static let patternedImages: Set<String> = [
    "png", "jpg", "jpeg", "jpe", "tif", "tiff", "bmp", "webp", "ppm", "pgm", "pbm", "pam", "tga",
    "dpx", "exr", "jp2", "j2k", "svg", "xwd", "sgi",
  ]
}

/// An opened source: its reader and its name.
struct OpenedSource: Sendable {
  var reader: any RandomAccessReader
  var isRemote: Bool
  /// What a custom source calls itself.
  var name: String?
  /// What a radio station's server says beside the sound.
  var streamMetadata: StreamMetadata?
}

extension AssetSource {
  /// Opens the source; waits for a server without holding a thread.
  func open(options: MediaAsset.Options) async throws -> OpenedSource {
    switch self {
    case .file(let path):
      return OpenedSource(reader: try LocalFileReader(path: path), isRemote: false)
    case .beginning(let path, let length):
      return OpenedSource(reader: try LocalFileReader(path: path, upTo: length), isRemote: false)
    case .descriptor(let descriptor):
      // A copy, so that the caller may close theirs at any time.
      let copy = fcntl(descriptor, F_DUPFD_CLOEXEC, 0)
      guard copy >= 0 else { throw MediaError.system(errno, operation: "open", subject: subject) }
      return OpenedSource(
        reader: try LocalFileReader(adopting: copy, subject: subject), isRemote: false)
    case .data(let data):
      return OpenedSource(reader: DataReader(data), isRemote: false)
    case .custom(let source):
      let reader = try await AsyncSourceReader.open(source, deadline: options.policy.deadline)
      let name = reader.info.name.isEmpty ? nil : reader.info.name
      return OpenedSource(
        reader: try Self.seekable(reader, subject: name ?? subject, policy: options.policy),
        isRemote: true, name: name)
    case .remote(let url):
      let reader = try await HTTPReader.open(
        url.absoluteString, options: options.http, policy: options.policy)
      let metadata = reader.resource.streamMetadata
      var sound: any RandomAccessReader = reader
      if let metadata, let interval = metadata.interval {
        sound = StreamMetadataStripper(reader, metadata: metadata, interval: interval)
      }
      var opened = OpenedSource(
        reader: try Self.seekable(sound, subject: subject, policy: options.policy), isRemote: true)
      opened.streamMetadata = metadata
      return opened
    case .unsupported(let text):
      throw MediaError(
        .resourceForbidden, operation: "open", subject: text, reason: "its scheme is not supported",
        remedy: "Use a file, http or https URL, or a ByteSource")
    }
  }

  private static func seekable(
    _ reader: any RandomAccessReader, subject: String, policy: ResourcePolicy
  ) throws -> any RandomAccessReader {
    guard !reader.isSeekable else { return reader }
    return try SpooledFile(
      reader, name: subject, maximumBytes: policy.maximumSpoolBytes,
      folder: MediaConfiguration.current.temporaryDirectory.path(percentEncoded: false))
  }
}
