/// What an export does with the tracks of one kind.
public enum ExportRule<Settings: Sendable & Hashable & Codable>: Sendable, Hashable, Codable {
  /// They are left out.
  case none
  /// As stored; left out where the file type can't hold them.
  case copy
  /// As stored where the file type can hold them, else encoded.
  case copyOrEncode(Settings)
  /// As stored where they are coded as the settings say already (same codec, not above the rates and channels that are
  /// set), else encoded.
  case match(Settings)
  /// Encoded, whatever they are.
  case encode(Settings)

  /// What is encoded with; nil where nothing is.
  public var settings: Settings? {
    switch self {
    case .none, .copy: nil
    case .copyOrEncode(let settings), .match(let settings), .encode(let settings): settings
    }
  }
}

/// What becomes of pictures of two fields.
public enum Deinterlacing: String, Sendable, Hashable, Codable, CaseIterable {
  /// They stay, marked as such, where size and codec allow it; else as ``on``.
  case automatic = "auto"
  /// One whole picture of each: its first field, stretched. The frame rate stays.
  case on
  /// One whole picture of each field: the frame rate doubles.
  case fields
  /// They stay as they are, marked where the codec can.
  case off
}
