import LibAV

/// A family of containers: its names, and the demuxer of FFmpeg that reads it.
struct ContainerSupport {
  /// FFmpeg's name of the demuxer.
  var demuxer: String
  var types: [FileType]
  var mimeTypes: [String]
  /// The only codecs that the type stands for; nil for a container of anything.
  var codecs: Set<String>?

  init(_ demuxer: String, _ types: [FileType], _ mimeTypes: String, codecs: Set<String>? = nil) {
    self.demuxer = demuxer
    self.types = types
    self.mimeTypes = mimeTypes.split(separator: " ").map { String($0) }
    self.codecs = codecs
  }

  var isReadable: Bool { Formats.hasDemuxer(demuxer) }

  /// Registered types of the IANA, and the unregistered ones in use.
  static let all: [ContainerSupport] = [
    ContainerSupport(
      "mov", [.mp4, .m4v, .m4a], "video/mp4 audio/mp4 application/mp4 video/x-m4v audio/x-m4a"),
    ContainerSupport("mov", [.mov], "video/quicktime"),
    ContainerSupport(
      "mov", [.mobile3GPP, .mobile3GPP2], "video/3gpp audio/3gpp video/3gpp2 audio/3gpp2"),
    ContainerSupport(
      "matroska", [.mkv], "video/matroska audio/matroska video/x-matroska audio/x-matroska"),
    ContainerSupport(
      "matroska", [.webm], "video/webm audio/webm",
      codecs: ["vp8", "vp9", "av1", "opus", "vorbis", "webvtt"]),
    ContainerSupport("mpegts", [.mpegTS], "video/mp2t video/vnd.dlna.mpeg-tts"),
    ContainerSupport("mpeg", [.mpegPS], "video/mpeg video/mp2p"),
    ContainerSupport("ogg", [.ogg], "video/ogg audio/ogg application/ogg"),
    ContainerSupport("avi", [.avi], "video/avi video/x-msvideo video/vnd.avi"),
    ContainerSupport("flv", [.flv], "video/x-flv"),
    ContainerSupport(
      "mp3", [.mp3], "audio/mpeg audio/mp3 audio/x-mp3", codecs: ["mp3", "mp2", "mp1"]),
    ContainerSupport("aac", [.adts], "audio/aac audio/aacp audio/x-aac", codecs: ["aac"]),
    ContainerSupport("flac", [.flac], "audio/flac audio/x-flac", codecs: ["flac"]),
    ContainerSupport("wav", [.wav], "audio/wav audio/wave audio/x-wav audio/vnd.wave"),
    ContainerSupport("aiff", [.aiff, .aifc], "audio/aiff audio/x-aiff"),
    ContainerSupport("caf", [.caf], "audio/x-caf"),
    ContainerSupport("au", [.au], "audio/basic"),
    ContainerSupport("amr", [.amr], "audio/amr audio/amr-wb"),
    ContainerSupport("ac3", [.ac3], "audio/ac3", codecs: ["ac3"]),
    ContainerSupport("eac3", [.eac3], "audio/eac3", codecs: ["eac3", "ac3"]),
    ContainerSupport("gif", [.gif], "image/gif"),
  ]
}
