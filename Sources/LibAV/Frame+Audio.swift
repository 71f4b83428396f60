internal import CFFmpeg

/// The sound side of a decoded frame.
extension Frame {
  package var sampleRate: Int { unsafe Int(raw.pointee.sample_rate) }
  package var channelCount: Int { unsafe Int(raw.pointee.ch_layout.nb_channels) }
  /// FFmpeg's name of the layout; nil where only the count is known.
  package var channelLayout: String? { unsafe StreamInfo.describe(raw.pointee.ch_layout) }
  package var sampleFormat: SampleFormatID { unsafe SampleFormatID(rawValue: raw.pointee.format) }

  /// The planes' addresses, valid as long as the frame lives; nobody may write to them.
  package var soundPlanes: [UnsafeMutableRawPointer] {
    let count = sampleFormat.isPlanar ? channelCount : 1
    return unsafe (0..<count).compactMap { unsafe raw.pointee.extended_data[$0].map { UnsafeMutableRawPointer($0) } }
  }

  /// The address of one plane, without an array for all of them; nil where there is none.
  package func soundPlane(_ plane: Int) -> UnsafeMutableRawPointer? {
    let format = sampleFormat
    guard plane >= 0, plane < (format.isPlanar ? channelCount : 1) else { return nil }
    return unsafe raw.pointee.extended_data[plane].map { UnsafeMutableRawPointer($0) }
  }

  /// Lends the bytes of one plane of sound: a channel of planar sound, or all channels of interleaved sound.
  package func withSoundPlane<R>(_ plane: Int, _ body: (UnsafeRawBufferPointer) throws -> R) rethrows -> R {
    let format = sampleFormat
    let channelsPerPlane = format.isPlanar ? 1 : channelCount
    precondition(plane >= 0 && plane < (format.isPlanar ? channelCount : 1), "the sound has no plane \(plane)")
    let count = sampleCount * channelsPerPlane * format.bytesPerSample
    let base = unsafe raw.pointee.extended_data[plane]
    return unsafe try body(unsafe UnsafeRawBufferPointer(start: base, count: unsafe base == nil ? 0 : count))
  }
}

/// A sample format by libav's number: valid in this process only, never stored.
package struct SampleFormatID: RawRepresentable, Sendable, Hashable {
  package let rawValue: Int32
  package init(rawValue: Int32) { self.rawValue = rawValue }

  package static let s16 = SampleFormatID(rawValue: AV_SAMPLE_FMT_S16.rawValue)
  package static let s32 = SampleFormatID(rawValue: AV_SAMPLE_FMT_S32.rawValue)
  package static let f32 = SampleFormatID(rawValue: AV_SAMPLE_FMT_FLT.rawValue)
  package static let f32Planar = SampleFormatID(rawValue: AV_SAMPLE_FMT_FLTP.rawValue)
  package static let s16Planar = SampleFormatID(rawValue: AV_SAMPLE_FMT_S16P.rawValue)
  package static let s32Planar = SampleFormatID(rawValue: AV_SAMPLE_FMT_S32P.rawValue)

  package var name: String? {
    guard let text = unsafe av_get_sample_fmt_name(AVSampleFormat(rawValue: rawValue)) else { return nil }
    return unsafe String(cString: text)
  }
  package var isPlanar: Bool { av_sample_fmt_is_planar(AVSampleFormat(rawValue: rawValue)) != 0 }
  package var bytesPerSample: Int { Int(av_get_bytes_per_sample(AVSampleFormat(rawValue: rawValue))) }
}
