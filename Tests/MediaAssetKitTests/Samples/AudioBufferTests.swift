import Testing

@testable import MediaAssetKit

@Suite struct AudioBufferTests {
  @Test func planarFloats() throws {
    let buffer = try AudioBuffer(
      time: MediaTime(value: 1, timescale: 2), sampleRate: 48_000, planar: [[0, 0.5, 1], [-1, -0.5, 0]])
    #expect(buffer.channels == 2 && buffer.sampleCount == 3 && buffer.layout == "stereo" && buffer.isPlanar)
    #expect(buffer.duration == MediaTime(value: 1, timescale: 16_000))
    #expect(buffer.withFloats(1) { span in (0..<span.count).map { span[$0] } } == [-1, -0.5, 0])
  }

  @Test func interleavedIntegers() throws {
    let buffer = try AudioBuffer(
      time: .zero, sampleRate: 8000, channels: 3, layout: "2.1", interleaved: [1, 2, 3, 4, 5, 6] as [Int16])
    #expect(buffer.sampleCount == 2 && buffer.planeCount == 1 && buffer.layout == "2.1")
    #expect(buffer.withInt16s(0) { span in (0..<span.count).map { span[$0] } } == [1, 2, 3, 4, 5, 6])
  }

  @Test func filledPlanes() throws {
    let buffer = try AudioBuffer(
      time: .zero, sampleCount: 4, sampleRate: 44_100, channels: 6, layout: "5.1(side)", format: .int32, isPlanar: true
    ) { channel, plane in
      for index in 0..<4 { plane.storeBytes(of: Int32(10 * channel + index), toByteOffset: 4 * index, as: Int32.self) }
    }
    for channel in 0..<6 {
      #expect(buffer.withInt32s(channel) { $0[3] } == Int32(10 * channel + 3))
    }
  }

  @Test func emptySoundIsSound() throws {
    #expect(try AudioBuffer(time: .zero, sampleRate: 8000, planar: [[]]).sampleCount == 0)
  }

  @Test func refusals() {
    func refused(_ make: () throws -> AudioBuffer) {
      #expect { _ = try make() } throws: { ($0 as? MediaError)?.code == .invalidArgument }
    }
    refused { try AudioBuffer(time: .zero, sampleRate: 0, planar: [[0]]) }
    refused { try AudioBuffer(time: .zero, sampleRate: 8000, planar: []) }
    refused { try AudioBuffer(time: .zero, sampleRate: 8000, planar: [[0], []]) }
    refused { try AudioBuffer(time: .zero, sampleRate: 8000, layout: "stereo", planar: [[0]]) }
    refused { try AudioBuffer(time: .zero, sampleRate: 8000, layout: "nonsense", planar: [[0]]) }
    refused { try AudioBuffer(time: .zero, sampleRate: 8000, channels: 2, interleaved: [0] as [Float]) }
    refused { try AudioBuffer(time: .zero, sampleRate: 8000, channels: 0, interleaved: [] as [Int16]) }
    refused {
      try AudioBuffer(
        time: .zero, sampleCount: .max, sampleRate: 8000, channels: 2, format: .int16, isPlanar: true
      ) { _, _ in }
    }
  }
}
