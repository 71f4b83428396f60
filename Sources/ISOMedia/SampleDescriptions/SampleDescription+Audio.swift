extension SampleDescription {
  mutating func readAudio(
    _ reader: inout ByteReader, _ tableVersion: UInt8, _ state: inout ParseState
  ) {
    var audio = AudioSampleDescription()
    audio.version = reader.uint16()
    reader.skip(6)
    audio.channelCount = UInt32(reader.uint16())
    audio.sampleSize = UInt32(reader.uint16())
    audio.compressionID = reader.int16()
    reader.skip(2)
    audio.sampleRate = Double(reader.uint32()) / 65_536
    // A version 1 entry in a version 1 table is ISO's own, without QuickTime's four fields.
    if audio.version == 1, tableVersion == 0 {
      audio.packets = AudioSampleDescription.PacketSizes(
        samplesPerPacket: reader.uint32(), bytesPerPacket: reader.uint32(),
        bytesPerFrame: reader.uint32(), bytesPerSample: reader.uint32())
    } else if audio.version == 2 {
      let structSize = Int(reader.uint32())
      audio.sampleRate = Double(bitPattern: reader.uint64())
      audio.channelCount = reader.uint32()
      reader.skip(4)
      audio.sampleSize = reader.uint32()
      audio.linearPCM = AudioSampleDescription.LinearPCM(
        formatFlags: reader.uint32(), bytesPerPacket: reader.uint32(),
        framesPerPacket: reader.uint32())
      // The size counts from the entry's header; 72 is what the fields so far take.
      if structSize > 72, structSize - 72 <= reader.remaining { reader.skip(structSize - 72) }
    }
    guard !reader.isExhausted else {
      media = .audio(audio)
      return
    }
    let first = extensions.count
    readExtensions(in: reader.rest, isWave: false, &state)
    for child in extensions[first...] { audio.note(child, state.bytes) }
    media = .audio(audio)
  }
}

extension AudioSampleDescription {
  mutating func note(_ child: SampleDescription.Extension, _ bytes: [UInt8]) {
    var reader = ByteReader(bytes, in: child.payload)
    switch child.type {
    case .srat where reader.remaining >= 8:
      reader.skip(4)
      sampleRate = Double(reader.uint32())
    case .enda where reader.remaining >= 2: isLittleEndian = reader.uint16() != 0
    case .frma where reader.remaining >= 4: waveFormat = reader.code()
    case .pcmC where reader.remaining >= 6:
      reader.skip(4)
      pcm = PCMConfiguration(
        isLittleEndian: reader.uint8() & 1 != 0, sampleSize: reader.uint8())
    case .btrt where reader.remaining >= 12: bitRate = BitRate(&reader)
    default: break
    }
  }
}
