extension MediaAsset {
  /// The file types that this FFmpeg can read, sorted by identifier.
  public static var audiovisualTypes: [FileType] {
    ContainerSupport.all.filter(\.isReadable).flatMap(\.types).sorted { $0.rawValue < $1.rawValue }
  }

  /// The MIME types that this FFmpeg can read, sorted.
  public static var audiovisualMIMETypes: [String] {
    Set(ContainerSupport.all.filter(\.isReadable).flatMap(\.mimeTypes)).sorted()
  }

  /// Whether media of an extended MIME type can be read and decoded, such as
  /// `video/mp4; codecs="avc1.64001F, mp4a.40.2"`.
  ///
  /// The type is parsed as RFC 2045 says, with quoted strings and comments, the `codecs` parameter as RFC 6381.
  /// A type without codecs is answered for its container alone. False for a type that is malformed or unknown, for an
  /// unknown codec, and for one that this FFmpeg has no decoder for. Profiles and levels don't count: FFmpeg's decoders
  /// try whatever they are given.
  public static func isPlayable(extendedMIMEType: String) -> Bool {
    guard let type = ExtendedMIMEType(extendedMIMEType) else { return false }
    guard
      let container = ContainerSupport.all.first(where: {
        $0.isReadable && $0.mimeTypes.contains(type.essence)
      })
    else { return false }
    guard let codecs = type.codecs else { return true }
    return !codecs.isEmpty
      && codecs.allSatisfy { CodecSupport.canDecode($0, in: container) }
  }
}
