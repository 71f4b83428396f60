import Foundation
import ISOMedia
import MediaTestSupport
import Testing

@testable import MediaAssetKit

/// What goes into an encoder of sound comes out of the file: as many samples, at the same place.
@Suite struct SoundWritingTests {
  struct Way: Sendable, CustomStringConvertible {
    var codec: String
    var type: FileType
    var name: String
    var rate = 48_000
    /// Decibels; infinity for lossless codecs.
    var quality: Double
    var bitRate: Int? = nil
    /// Whether the ffmpeg command finds the end too; it does not cut by edit lists.
    var isJudged = true
    var description: String { "\(codec) in \(name) at \(rate)" }
  }

  static let ways: [Way] = [
    Way(codec: "pcm_s16le", type: .wav, name: "o.wav", rate: 44_100, quality: .infinity),
    Way(codec: "pcm_s16be", type: .aiff, name: "o.aiff", quality: .infinity),
    Way(codec: "pcm_s16le", type: .caf, name: "o.caf", quality: .infinity),
    Way(codec: "pcm_s16le", type: .mov, name: "o.mov", rate: 44_100, quality: .infinity),
    Way(codec: "pcm_s24le", type: .mkv, name: "o.mkv", quality: .infinity),
    Way(codec: "flac", type: .flac, name: "o.flac", rate: 44_100, quality: .infinity),
    Way(codec: "flac", type: .mp4, name: "o.mp4", quality: .infinity),
    Way(codec: "flac", type: .mkv, name: "o.mkv", quality: .infinity),
    Way(codec: "flac", type: .ogg, name: "o.ogg", quality: .infinity),
    Way(codec: "alac", type: .m4a, name: "o.m4a", rate: 44_100, quality: .infinity),
    Way(codec: "alac", type: .mov, name: "o.mov", quality: .infinity),
    Way(codec: "aac", type: .m4a, name: "o.m4a", rate: 44_100, quality: 20, bitRate: 192_000, isJudged: false),
    Way(codec: "aac", type: .mov, name: "o.mov", quality: 20, bitRate: 192_000, isJudged: false),
    Way(codec: "opus", type: .ogg, name: "o.opus", quality: 20, bitRate: 192_000),
    Way(codec: "opus", type: .webm, name: "o.webm", quality: 20, bitRate: 192_000),
    Way(codec: "opus", type: .mkv, name: "o.mkv", quality: 20, bitRate: 192_000),
    Way(codec: "opus", type: .mp4, name: "o.mp4", quality: 20, bitRate: 192_000, isJudged: false),
    Way(codec: "mp3", type: .mp3, name: "o.mp3", rate: 44_100, quality: 20, bitRate: 192_000),
    Way(codec: "mp3", type: .mp4, name: "o.mp4", quality: 20, bitRate: 192_000, isJudged: false),
    Way(codec: "ac3", type: .mp4, name: "o.mp4", quality: 20, bitRate: 384_000, isJudged: false),
    Way(codec: "aac", type: .mkv, name: "o.mkv", quality: 20, bitRate: 192_000, isJudged: false),
    Way(codec: "aac", type: .mkv, name: "o.mkv", rate: 44_100, quality: 20, bitRate: 192_000, isJudged: false),
    Way(codec: "mp3", type: .mkv, name: "o.mkv", rate: 44_100, quality: 20, bitRate: 192_000, isJudged: false),
    Way(codec: "vorbis", type: .ogg, name: "o.ogg", quality: 15, bitRate: 192_000),
  ]

  /// A number of samples that no frame size divides.
  private static let count = 50_021

  @Test(arguments: ways)
  func exact(_ way: Way) async throws {
    let expected = try tone(Self.count, rate: way.rate)
    var samples: [Int16] = []
    expected.withInt16s(0) { span in for index in span.indices { samples.append(span[index]) } }
    try await withScratchFolder { folder in
      let url = folder.appendingPathComponent(way.name)
      try await withWriter(url: url, fileType: way.type) { writer in
        let input = try writer.add(Writer.Input(audio: AudioSettings(codec: way.codec, bitRate: way.bitRate)))
        try await writer.start()
        try writer.startSession(at: .zero)
        // In pieces of odd lengths.
        var first = 0
        while first < Self.count {
          let length = min(1777, Self.count - first)
          try await input.append(try tone(length, from: first, rate: way.rate))
          first += length
        }
      }
      let sound = try await Sound.read16(url)
      #expect(sound.count == Self.count)
      #expect(sound.time == .zero)
      #expect(sound.rate == way.rate)
      #expect(sound.jumps.isEmpty)
      if way.quality == .infinity {
        #expect(sound.int16s == samples)
      } else {
        #expect(signalToNoise(samples, sound.int16s) > way.quality)
      }
      if way.isJudged {
        let judged = try await FFmpegJudge(url).samples16()
        #expect(judged.count == 2 * Self.count)
        if way.quality == .infinity { #expect(judged == samples) }
      }
      #expect(contents(folder) == [way.name])
    }
  }

  /// What an MPEG-4 file hides at the beginning and the end of its sound, Matroska hides too; the checksum holds.
  @Test(arguments: ["aac", "mp3"]) func passedOnToMatroska(_ codec: String) async throws {
    let source = try await madeClip(
      "\(codec).mp4", ["-f", "lavfi", "-i", "sine=440:r=44100:d=2", "-c:a", codec == "mp3" ? "libmp3lame" : "aac"])
    try await withScratchFolder { folder in
      let url = folder.appendingPathComponent("o.mkv")
      try await remux(source, to: url, .mkv)
      let (old, new) = (try await Sound.read16(source), try await Sound.read16(url))
      #expect(old.count == 88_200)
      #expect(new.count == old.count)
      #expect(new.time == .zero)
      #expect(new.int16s == old.int16s)
      // Half way in, too: places are found by counting frames.
      let range = MediaTimeRange.ms(700, 900)
      #expect(
        try await Sound.read16(url, in: range).int16s == (try await Sound.read16(source, in: range).int16s))
      let bytes = [UInt8](try Data(contentsOf: url))
      for element: [UInt8] in [[0x16, 0x54, 0xAE, 0x6B], [0x15, 0x49, 0xA9, 0x66], [0x12, 0x54, 0xC3, 0x67]] {
        // Not where the list of places names it.
        let place = try #require(
          bytes.indices.first { bytes[$0...].starts(with: element) && bytes[$0 - 1] != 0x84 })
        var content: Range<Int>?
        EBMLElement.forEach(in: bytes, place..<bytes.count) { _, range in if content == nil { content = range } }
        let payload = try #require(content)
        #expect(bytes[payload.lowerBound] == 0xBF)
        let stated = bytes[payload.lowerBound + 2..<payload.lowerBound + 6].reversed().reduce(UInt32(0)) {
          $0 << 8 | UInt32($1)
        }
        #expect(CyclicRedundancyCheck.crc32(bytes[payload.lowerBound + 6..<payload.upperBound]) == stated)
      }
    }
  }

  /// A Matroska file says how long it is heard, not how long its blocks are: what the codec needs to begin and what is cut off
  /// the last block count for nothing. Opus in frames of 60 ms: the last of them holds 20 ms that are heard.
  @Test(arguments: [
    ("aac", "mp4", "mkv", [], 2.0), ("mp3", "mp4", "mkv", [], 2.0), ("opus", "ogg", "webm", ["60"], 2.0),
    ("opus", "ogg", "webm", ["60"], 1.963),
  ])
  func durationInMatroska(_ codec: String, _ from: String, _ to: String, _ frame: [String], _ length: Double)
    async throws
  {
    let encoder = ["mp3": "libmp3lame", "opus": "libopus"][codec] ?? codec
    let source = try await madeClip(
      "\(codec)-\(length).\(from)",
      ["-f", "lavfi", "-i", "sine=440:r=48000:d=\(length)", "-c:a", encoder]
        + frame.flatMap { ["-frame_duration", $0] })
    try await withScratchFolder { folder in
      let url = folder.appendingPathComponent("o.\(to)")
      try await remux(source, to: url, to == "mkv" ? .mkv : .webm)
      let probed = try await FFmpegJudge(url).probe()
      let said = try #require(probed["format"]?["duration"]?.double)
      #expect(abs(said - length) <= 0.0011)
      let tag = try #require(probed["streams"]?.elements.first?["tags"]?["DURATION"]?.text)
      let seconds = try #require(tag.split(separator: ":").last.flatMap { Double($0) })
      #expect(abs(seconds - length) <= 0.0011)
      let range = try #require(try await MediaAsset(url: url).load(.tracks).first?.load(.timeRange))
      #expect(abs(range.end.seconds - length) <= 0.0011)
    }
  }

  /// The check value of CRC-32.
  @Test func checksum() { #expect(CyclicRedundancyCheck.crc32("123456789".utf8) == 0xCBF4_3926) }

  /// Sound at another rate and with other channels than asked for: as long as before, to the sample.
  @Test(arguments: [(44_100, 48_000), (48_000, 44_100), (22_050, 48_000)])
  func resampled(_ from: Int, _ to: Int) async throws {
    try await withScratchFolder { folder in
      let url = folder.appendingPathComponent("o.wav")
      try await withWriter(url: url, fileType: .wav) { writer in
        let input = try writer.add(Writer.Input(audio: AudioSettings(codec: "pcm_s16le", sampleRate: to, channels: 1)))
        try await writer.start()
        try writer.startSession(at: .zero)
        for first in stride(from: 0, to: from, by: 1000) {
          try await input.append(try tone(min(1000, from - first), from: first, rate: from))
        }
      }
      let judged = try await FFmpegJudge(url).samples16()
      #expect(judged.count == to)
      #expect((judged.map { abs(Int($0)) }.max() ?? 0) > 5000)
    }
  }

  /// Missing sound is silence, sound that comes twice is taken once.
  @Test func gapsAndOverlaps() async throws {
    try await withScratchFolder { folder in
      let url = folder.appendingPathComponent("o.wav")
      try await withWriter(url: url, fileType: .wav) { writer in
        let input = try writer.add(Writer.Input(audio: AudioSettings(codec: "pcm_s16le")))
        try await writer.start()
        try writer.startSession(at: .zero)
        try await input.append(try tone(10_000))
        try await input.append(try tone(10_000, from: 15_000))
        try await input.append(try tone(10_000, from: 20_000))
      }
      let judged = try await FFmpegJudge(url).samples16()
      #expect(judged.count == 2 * 30_000)
      #expect(judged[20_000..<30_000].allSatisfy { $0 == 0 })
      var expected: [Int16] = []
      try tone(15_000, from: 15_000).withInt16s(0) { span in for index in span.indices { expected.append(span[index]) }
      }
      #expect(Array(judged[30_000...]) == expected)
    }
  }

  /// A session within the sound: what is before and behind it is not heard, on the sample.
  @Test(arguments: [
    (FileType.m4a, "o.m4a", "aac"), (.m4a, "o.m4a", "alac"), (.wav, "o.wav", "pcm_s16le"), (.webm, "o.webm", "opus"),
    (.flac, "o.flac", "flac"), (.mkv, "o.mkv", "aac"),
  ])
  func session(_ type: FileType, _ name: String, _ codec: String) async throws {
    try await withScratchFolder { folder in
      let url = folder.appendingPathComponent(name)
      try await withWriter(url: url, fileType: type) { writer in
        let input = try writer.add(
          Writer.Input(audio: AudioSettings(codec: codec, bitRate: codec == "aac" || codec == "opus" ? 192_000 : nil)))
        try await writer.start()
        try writer.startSession(at: MediaTime(value: 12_000, timescale: 48_000))
        try writer.endSession(at: MediaTime(value: 60_001, timescale: 48_000))
        for first in stride(from: 0, to: 60_000, by: 5000) { try await input.append(try tone(5000, from: first)) }
        try await input.append(try tone(5000, from: 60_000))
      }
      let sound = try await Sound.read16(url)
      #expect(sound.count == 48_001)
      #expect(sound.time == .zero)
      var expected: [Int16] = []
      try tone(48_001, from: 12_000).withInt16s(0) { span in for index in span.indices { expected.append(span[index]) }
      }
      if codec == "aac" || codec == "opus" {
        #expect(signalToNoise(expected, sound.int16s) > 15)
      } else {
        #expect(sound.int16s == expected)
      }
    }
  }
}
