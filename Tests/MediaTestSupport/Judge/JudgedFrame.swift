/// A decoded frame as the `ffmpeg` command sees it.
package struct JudgedFrame: Sendable, Equatable {
  /// The presentation time in the clock of the stream, without any shift.
  package var time: ClipTime
  package var duration: ClipTime
  /// Bytes of the picture or of the samples.
  package var size: Int
  /// MD5 of those bytes, in lower-case hexadecimal.
  package var hash: String
}

/// A frame of a grey clip: its time and how bright it is.
package struct LumaFrame: Sendable, Equatable {
  package var time: ClipTime
  /// The mean of the luma plane.
  package var luma: Double

  package init(time: ClipTime, luma: Double) {
    self.time = time
    self.luma = luma
  }
}

/// A packet as the `ffprobe` command sees it.
package struct JudgedPacket: Sendable, Equatable {
  /// Presentation and decoding time in ticks of `timeBase`.
  package var presentation: Int64?
  package var decoding: Int64?
  package var duration: Int64?
  package var timeBase: ClipTime
  package var size: Int
  package var position: Int64?
  package var isKey: Bool
  /// Decoded but not to be shown: before the start of an edit.
  package var isDiscarded: Bool
  /// MD5 of the packet's bytes.
  package var hash: String

  package var time: ClipTime? { presentation.map { timeBase * $0 } }
}
