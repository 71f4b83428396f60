import ISOMedia
import LibAV

extension MediaType {
  /// By the handler of an ISO track; nil for hint and system streams, which hold no media.
  init?(handler: FourCharacterCode, format: FourCharacterCode?) {
    let isCaption = format.map { ["c608", "c708"].contains($0.description) } ?? false
    switch handler.description {
    case "vide": self = .video
    case "soun": self = .audio
    case "sbtl", "subt", "subp": self = isCaption ? .closedCaption : .subtitle
    case "text":
      self = isCaption ? .closedCaption : format?.description == "tx3g" ? .subtitle : .text
    case "clcp": self = .closedCaption
    case "tmcd": self = .timecode
    case "meta", "mdta", "camm", "gpmd": self = .metadata
    default: return nil
    }
  }

  /// By libav's kind of stream; nil for what holds no media.
  init?(_ stream: StreamInfo) {
    switch stream.kind {
    case .video: self = .video
    case .audio: self = .audio
    case .subtitle: self = stream.codecName == "eia_608" ? .closedCaption : .subtitle
    case .data:
      switch stream.codecName {
      case "timed_id3", "klv", "scte_35", "smpte_436m_anc": self = .metadata
      case .some, nil:
        // "tmcd", least significant byte first
        guard stream.codecTag == 0x6463_6D74 else { return nil }
        self = .timecode
      }
    case .attachment, .unknown: return nil
    }
  }
}
