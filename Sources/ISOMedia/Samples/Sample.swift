/// One stored sample.
package struct Sample: Hashable, Sendable {
  /// Decode time in media ticks, from the start of the media.
  package var decodeTime: Int64
  /// What is added to the decode time for the composition (presentation) time.
  package var compositionOffset: Int32
  /// In media ticks.
  package var duration: UInt32
  /// Offset in the file (or in what a data reference names).
  package var offset: Int64
  package var size: UInt32
  /// 1-based index of the sample description.
  package var descriptionIndex: UInt32
  package var isSync: Bool
  /// The bits of `sdtp` or of a fragment's sample flags; zero says nothing.
  package var dependency: SampleDependency

  /// Composition time in media ticks, before the edit list.
  package var presentationTime: Int64 { decodeTime &+ Int64(compositionOffset) }
}

/// What a sample needs and who needs it (ISO/IEC 14496-12, 8.6.4): four two-bit fields.
package struct SampleDependency: RawRepresentable, Hashable, Sendable {
  package let rawValue: UInt8
  package init(rawValue: UInt8) { self.rawValue = rawValue }

  /// 1: leading and undecodable from the sync sample before; 2: not leading; 3: leading, decodable.
  package var isLeading: UInt8 { rawValue >> 6 }
  /// 1: depends on others; 2: does not.
  package var dependsOn: UInt8 { rawValue >> 4 & 3 }
  /// 1: others depend on it; 2: none does.
  package var isDependedOn: UInt8 { rawValue >> 2 & 3 }
  /// 1: coded redundantly; 2: not.
  package var hasRedundancy: UInt8 { rawValue & 3 }

  /// Whether no other sample needs this one.
  package var isDisposable: Bool { isDependedOn == 2 }
}
