/// The fields of an audio sample entry, of MP4 and of QuickTime's versions 0, 1 and 2.
package struct AudioSampleDescription: Sendable {
  package var version: UInt16 = 0
  package var channelCount: UInt32 = 0
  /// Bits of an uncompressed sample; compressed formats store 16 or 0.
  package var sampleSize: UInt32 = 0
  /// In hertz: 16.16 fixed point in versions 0 and 1, `srat` where present, a double in version 2.
  package var sampleRate: Double = 0
  package var compressionID: Int16 = 0
  /// QuickTime version 1.
  package var packets: PacketSizes?
  /// QuickTime version 2: linear PCM format flags, bytes and frames of a packet.
  package var linearPCM: LinearPCM?
  /// `enda` in `wave`: samples are little-endian.
  package var isLittleEndian: Bool?
  /// `frma` in `wave`.
  package var waveFormat: FourCharacterCode?
  /// `pcmC`: endianness and bits of `ipcm` and `fpcm`.
  package var pcm: PCMConfiguration?
  /// `btrt`.
  package var bitRate: BitRate?

  package struct PacketSizes: Hashable, Sendable {
    package var samplesPerPacket: UInt32
    package var bytesPerPacket: UInt32
    package var bytesPerFrame: UInt32
    package var bytesPerSample: UInt32
  }

  package struct LinearPCM: Hashable, Sendable {
    /// Core Audio's format flags: 1 float, 2 big-endian, 4 signed, 8 packed, 16 aligned high.
    package var formatFlags: UInt32
    package var bytesPerPacket: UInt32
    package var framesPerPacket: UInt32
  }

  package struct PCMConfiguration: Hashable, Sendable {
    package var isLittleEndian: Bool
    package var sampleSize: UInt8
  }
}
