import FoundationEssentials

#if canImport(Glibc)
  import Glibc
#elseif canImport(Musl)
  import Musl
#else
  import Darwin
#endif

/// One of two passes of an encoder: the first one gathers what the second one spends its bits by.
struct EncodingPass: Sendable {
  /// 1 or 2.
  var number: Int
  /// What the first pass gathered, of encoders that hand it out; nil in the first.
  var statistics: String?
  /// Where encoders that write files of their own put them.
  var folder: PassFolder

  /// How an encoder passes on what it gathered.
  private enum Kind {
    /// Under a name that it is told, by an option of its own.
    case file(String)
    case atTheEnd, withEveryPacket
  }

  private static let kinds: [String: Kind] = [
    "libx264": .file("stats"), "libx265": .file("x265-params"), "libvpx": .atTheEnd, "libvpx-vp9": .atTheEnd,
    "libaom-av1": .atTheEnd, "mpeg4": .withEveryPacket, "mpeg2video": .withEveryPacket,
    "mpeg1video": .withEveryPacket,
  ]

  static func isSupported(encoder: String) -> Bool { kinds[encoder] != nil }

  /// Whether what is gathered comes packet by packet.
  static func comesWithEveryPacket(encoder: String) -> Bool {
    if case .withEveryPacket? = kinds[encoder] { true } else { false }
  }

  /// Options that tell the encoder where its file is; `values` are those that it gets anyway.
  func options(encoder: String, _ values: [String: String]) -> [String: String] {
    guard case .file(let name)? = Self.kinds[encoder] else { return [:] }
    guard name == "x265-params" else { return [name: folder.file] }
    // x265 has its own number of the pass besides FFmpeg's flag.
    return [name: [values[name], "pass=\(number)", "stats=\(folder.file)"].compactMap(\.self).joined(separator: ":")]
  }
}

/// A folder of its own for an encoder's files; goes away with its last owner.
final class PassFolder: Sendable {
  let path: String

  init(in folder: URL) throws {
    var name = Array((folder.path + "/mediaassetkit-pass-XXXXXX").utf8CString)
    let made = name.withUnsafeMutableBufferPointer { $0.baseAddress.flatMap { mkdtemp($0) } != nil }
    guard made else { throw MediaError.system(errno, operation: "encode", subject: folder.path) }
    path = String(decoding: name.dropLast().map { UInt8(bitPattern: $0) }, as: UTF8.self)
  }

  var file: String { path + "/statistics" }

  deinit { try? FileManager.default.removeItem(atPath: path) }
}
