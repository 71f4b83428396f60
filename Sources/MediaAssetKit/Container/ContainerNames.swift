import ISOMedia

/// From libav's demuxer names and a file's brands to the names of this library.
enum ContainerNames {
  static func container(demuxer: String, brands: FileBrands?, isWebM: Bool) -> String {
    switch demuxer.split(separator: ",").first.map(String.init) ?? demuxer {
    case "mov": brands == nil || brands?.major == .qt ? "mov" : "mp4"
    case "matroska": isWebM ? "webm" : "matroska"
    case "mpeg": "mpegps"
    case "aac": "adts"
    case let name: name
    }
  }

  static func fileType(container: String, brands: FileBrands?) -> FileType? {
    switch container {
    case "mov": return .mov
    case "mp4":
      let major = brands?.major.description ?? ""
      if major.hasPrefix("M4A") || major.hasPrefix("M4B") { return .m4a }
      if major.hasPrefix("M4V") { return .m4v }
      if major.hasPrefix("3gp") { return .mobile3GPP }
      if major.hasPrefix("3g2") { return .mobile3GPP2 }
      if ["heic", "heix", "heim", "heis", "mif1", "msf1"].contains(major) { return .heic }
      if major == "avif" || major == "avis" { return .avif }
      return .mp4
    default: return byContainer[container]
    }
  }

  private static let byContainer: [String: FileType] = [
    "matroska": .mkv, "webm": .webm, "mpegts": .mpegTS, "mpegps": .mpegPS, "ogg": .ogg, "mp3": .mp3,
    "adts": .adts,
    "flac": .flac, "wav": .wav, "w64": .wav, "aiff": .aiff, "caf": .caf, "avi": .avi, "flv": .flv,
    "gif": .gif,
    "amr": .amr, "au": .au, "ac3": .ac3, "eac3": .eac3, "png_pipe": .png, "apng": .png,
    "jpeg_pipe": .jpeg,
    "webp_pipe": .webp,
  ]

  /// Containers whose clock has a zero of its own; every other one is shifted so that its first sample is at 0.
  static func hasDefinedZero(_ container: String) -> Bool {
    [
      "mp4", "mov", "matroska", "webm", "avi", "flv", "wav", "w64", "aiff", "caf", "flac", "au",
      "gif", "apng", "asf", "mxf", "nut",
    ]
    .contains(container)
  }
}
