import Foundation
import MediaTestSupport

@testable import MediaAssetKit

/// All presented sound of a file's default sound track, joined.
struct Sound {
  var rate = 0
  var channels = 0
  var layout: String?
  var time: MediaTime?
  var end: MediaTime = .zero
  /// Samples of all buffers, channels interleaved.
  var floats: [Float] = []
  var int16s: [Int16] = []
  var int32s: [Int32] = []
  /// Buffers whose time is not the end of the one before, and by how many samples.
  var jumps: [Int64] = []
  var damagedPackets = 0
  /// Channels of the buffers in the order they appear.
  var kinds: [Int] = []

  var count: Int { max(floats.count, int16s.count, int32s.count) / max(1, channels) }

  static func track(_ url: URL) async throws -> AssetTrack {
    guard let track = try await MediaAsset(url: url).loadDefaultTrack(withMediaType: .audio) else {
      throw MediaToolError.unexpected("\(url.path) has no sound track.")
    }
    return track
  }

  static func read(
    _ url: URL, in range: MediaTimeRange? = nil, _ settings: AudioOutputSettings = .init()
  ) async throws -> Sound {
    var sound = Sound()
    var iterator = try await track(url).audio(in: range, settings: settings).makeAsyncIterator()
    while let buffer = try await iterator.next() { sound.append(buffer) }
    sound.damagedPackets = iterator.damagedPacketCount
    return sound
  }

  /// 16 bits, interleaved.
  static func read16(
    _ url: URL, in range: MediaTimeRange? = nil, rate: Int? = nil, channels: Int? = nil
  ) async throws -> Sound {
    try await read(
      url, in: range,
      AudioOutputSettings(sampleRate: rate, channels: channels, format: .int16, isPlanar: false))
  }

  private mutating func append(_ buffer: AudioBuffer) {
    if let time, buffer.time != end || time > buffer.time {
      let off = (buffer.time - end).convertScale(Int32(buffer.sampleRate))
      jumps.append(off.value)
    }
    time = time ?? buffer.time
    end = buffer.time + buffer.duration
    rate = buffer.sampleRate
    channels = buffer.channels
    layout = buffer.layout
    if kinds.last != buffer.channels { kinds.append(buffer.channels) }
    for sample in 0..<(buffer.isPlanar ? buffer.sampleCount : 1) {
      for plane in 0..<buffer.planeCount {
        switch buffer.format {
        case .float32:
          buffer.withFloats(plane) { span in
            if buffer.isPlanar { floats.append(span[sample]) } else { span.append(to: &floats) }
          }
        case .int16:
          buffer.withInt16s(plane) { span in
            if buffer.isPlanar { int16s.append(span[sample]) } else { span.append(to: &int16s) }
          }
        case .int32:
          buffer.withInt32s(plane) { span in
            if buffer.isPlanar { int32s.append(span[sample]) } else { span.append(to: &int32s) }
          }
        }
      }
    }
  }

  /// The first sample of channel 0 that is louder than a quarter of full scale.
  var onset: Int? {
    int16s.isEmpty
      ? stride(from: 0, to: floats.count, by: max(1, channels)).first { abs(floats[$0]) > 0.25 }
        .map { $0 / channels }
      : stride(from: 0, to: int16s.count, by: max(1, channels)).first { abs(Int(int16s[$0])) > 8000 }
        .map { $0 / channels }
  }
}

extension Span where Element: BitwiseCopyable {
  func append(to array: inout [Element]) {
    withUnsafeBufferPointer { array.append(contentsOf: $0) }
  }
}

extension MediaTimeRange {
  /// From and until whole milliseconds.
  static func ms(_ start: Int64, _ end: Int64) -> MediaTimeRange {
    MediaTimeRange(start: .ms(start), end: .ms(end))
  }
}
