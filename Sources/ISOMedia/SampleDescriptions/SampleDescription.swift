/// An entry of `stsd`: how a track's samples are coded.
package struct SampleDescription: Sendable {
  /// The type as stored; `encv`, `enca` and the like when the samples are protected.
  package var format: FourCharacterCode
  /// 1-based index into the track's data references.
  package var dataReferenceIndex: UInt16
  /// The whole entry in the movie's bytes.
  package var range: Range<Int>
  package var media: Media
  /// The boxes inside, in order; those inside QuickTime's `wave` follow it.
  package var extensions: [Extension] = []
  package var protection: ProtectionScheme?

  /// The fields that depend on the kind of media.
  package enum Media: Sendable {
    case video(VideoSampleDescription)
    case audio(AudioSampleDescription)
    case timecode(TimecodeSampleDescription)
    case text(TextSampleDescription)
    case metadata(MetadataSampleDescription)
    case other
  }

  /// A box inside the entry, not interpreted.
  package struct Extension: Hashable, Sendable {
    package var type: FourCharacterCode
    /// What follows the box header, in the movie's bytes.
    package var payload: Range<Int>
  }

  /// The coding of the samples once unprotected.
  package var codec: FourCharacterCode { protection?.originalFormat ?? format }

  package var isProtected: Bool {
    protection != nil || Self.protectedFormats.contains(format)
  }

  package var video: VideoSampleDescription? {
    if case .video(let value) = media { value } else { nil }
  }
  package var audio: AudioSampleDescription? {
    if case .audio(let value) = media { value } else { nil }
  }
  package var timecode: TimecodeSampleDescription? {
    if case .timecode(let value) = media { value } else { nil }
  }
  package var metadata: MetadataSampleDescription? {
    if case .metadata(let value) = media { value } else { nil }
  }
  package var text: TextSampleDescription? {
    if case .text(let value) = media { value } else { nil }
  }

  /// The payload of the first box of a type.
  package func payload(of type: FourCharacterCode) -> Range<Int>? {
    extensions.first { $0.type == type }?.payload
  }

  static let protectedFormats: [FourCharacterCode] = [
    .encv, .enca, .enct, .encs, .encm, .drmi, .drms, .p608,
  ]
}

/// `sinf`: how samples are protected.
package struct ProtectionScheme: Hashable, Sendable {
  /// `frma`.
  package var originalFormat: FourCharacterCode?
  /// `schm`: `cenc`, `cbcs`, `itun`, …
  package var scheme: FourCharacterCode?
  package var schemeVersion: UInt32?
}
