extension FileType {
  /// The type that a file name's extension usually means, whatever its case; nil for one that none is known for.
  public init?(fileExtension: String) {
    guard let type = Self.extensions[fileExtension.lowercased()] else { return nil }
    self = type
  }

  /// The usual extension of such files, without a point; nil where none is known.
  public var preferredFileExtension: String? { Self.preferred[self] }

  private static let preferred: [FileType: String] = [
    .mov: "mov", .mp4: "mp4", .m4v: "m4v", .m4a: "m4a", .mobile3GPP: "3gp", .mobile3GPP2: "3g2", .caf: "caf",
    .wav: "wav", .aiff: "aiff", .aifc: "aifc", .mp3: "mp3", .adts: "aac", .amr: "amr", .au: "au", .ac3: "ac3",
    .eac3: "eac3", .flac: "flac", .ogg: "ogg", .mkv: "mkv", .webm: "webm", .mpegTS: "ts", .mpegPS: "mpg", .avi: "avi",
    .flv: "flv", .gif: "gif", .png: "png", .jpeg: "jpg", .webp: "webp", .heic: "heic", .avif: "avif",
  ]

  private static let extensions: [String: FileType] = {
    var types: [String: FileType] = [
      "qt": .mov, "m4b": .m4a, "3gpp": .mobile3GPP, "wave": .wav, "aif": .aiff, "oga": .ogg, "ogv": .ogg, "opus": .ogg,
      "mka": .mkv, "m2ts": .mpegTS, "mts": .mpegTS, "mpeg": .mpegPS, "vob": .mpegPS, "jpeg": .jpeg, "adts": .adts,
    ]
    for (type, name) in preferred { types[name] = type }
    return types
  }()
}
