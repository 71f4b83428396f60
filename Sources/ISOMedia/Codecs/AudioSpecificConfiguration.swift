/// An MPEG-4 AudioSpecificConfig (ISO/IEC 14496-3, 1.6.2.1), which Matroska stores too.
package struct AudioSpecificConfiguration: Hashable, Sendable {
  /// The object type that comes first: 2 AAC-LC, 5 HE-AAC, 29 HE-AAC v2, 42 xHE-AAC.
  package var objectType: UInt8
  /// The object type of the core: 2 where the first is 5 or 29.
  package var coreObjectType: UInt8
  /// Of the core, in hertz; 0 when reserved.
  package var sampleRate: UInt32
  /// 0 when the configuration is elsewhere in the stream.
  package var channelConfiguration: UInt8
  /// Speakers by the configuration, or counted in a program configuration; nil when unknown.
  package var channelCount: Int?
  /// Spectral band replication and its output rate, signalled explicitly.
  package var hasBandReplication = false
  package var extensionSampleRate: UInt32?
  package var hasParametricStereo = false
  /// Samples of a core frame: 960 or 1024; nil where the object type has none.
  package var frameLength: Int?

  /// Reads a configuration; nil when it is too short for its first fields.
  package init?(_ bytes: [UInt8], in range: Range<Int>? = nil) {
    var reader = BitReader(bytes, in: range)
    objectType = Self.objectType(&reader)
    coreObjectType = objectType
    sampleRate = Self.sampleRate(&reader)
    channelConfiguration = UInt8(reader.bits(4))
    if objectType == 5 || objectType == 29 {
      hasBandReplication = true
      hasParametricStereo = objectType == 29
      extensionSampleRate = Self.sampleRate(&reader)
      coreObjectType = Self.objectType(&reader)
    }
    guard !reader.isExhausted, objectType != 0 else { return nil }
    let counts = [nil, 1, 2, 3, 4, 5, 6, 8, nil, nil, nil, 7, 8, 24, 8, nil]
    channelCount = counts[Int(channelConfiguration)]
    guard [1, 2, 3, 4, 6, 7, 17, 19, 20, 21, 22, 23].contains(coreObjectType) else { return }
    readGeneralAudio(&reader)
    if !hasBandReplication { readExtension(&reader) }
  }

  /// `mp4a.40.2`.
  package var codecString: String { "mp4a.40.\(objectType)" }

  private mutating func readGeneralAudio(_ reader: inout BitReader) {
    let isShort = reader.flag()
    guard !reader.isExhausted else { return }
    frameLength = isShort ? 960 : 1024
    if reader.flag() { reader.skip(14) }
    let hasExtension = reader.flag()
    if channelConfiguration == 0 { readProgramConfiguration(&reader) }
    if coreObjectType == 6 || coreObjectType == 20 { reader.skip(3) }
    guard hasExtension else { return }
    if coreObjectType == 22 { reader.skip(16) }
    if [17, 19, 20, 23].contains(coreObjectType) { reader.skip(3) }
    reader.skip(1)
  }

  /// Counts the channels of a program_config_element (4.4.1.1).
  private mutating func readProgramConfiguration(_ reader: inout BitReader) {
    reader.skip(10)
    let elements = (0..<3).map { _ in Int(reader.bits(4)) }
    let lowFrequency = Int(reader.bits(2))
    let data = Int(reader.bits(3))
    let coupling = Int(reader.bits(4))
    if reader.flag() { reader.skip(4) }
    if reader.flag() { reader.skip(4) }
    if reader.flag() { reader.skip(3) }
    var count = lowFrequency
    for _ in 0..<elements.reduce(0, +) {
      count += reader.flag() ? 2 : 1
      reader.skip(4)
    }
    reader.skip(4 * lowFrequency + 4 * data + 5 * coupling)
    guard !reader.isExhausted else { return }
    channelCount = count
    reader.alignToByte()
    reader.skip(8 * Int(reader.bits(8)))
  }

  /// The backward compatible signalling behind the core's configuration.
  private mutating func readExtension(_ reader: inout BitReader) {
    guard reader.remaining >= 16, reader.bits(11) == 0x2B7, Self.objectType(&reader) == 5,
      reader.flag()
    else { return }
    let rate = Self.sampleRate(&reader)
    guard !reader.isExhausted else { return }
    hasBandReplication = true
    extensionSampleRate = rate
    if reader.remaining >= 12, reader.bits(11) == 0x548 { hasParametricStereo = reader.flag() }
  }

  private static func objectType(_ reader: inout BitReader) -> UInt8 {
    let type = reader.bits(5)
    return UInt8(type == 31 ? 32 + reader.bits(6) : type)
  }

  private static func sampleRate(_ reader: inout BitReader) -> UInt32 {
    let index = Int(reader.bits(4))
    if index == 15 { return reader.bits(24) }
    let rates: [UInt32] = [
      96_000, 88_200, 64_000, 48_000, 44_100, 32_000, 24_000, 22_050, 16_000, 12_000, 11_025,
      8_000, 7_350,
    ]
    return rates.indices.contains(index) ? rates[index] : 0
  }
}
