import FoundationEssentials
import MediaAssetKit
import Testing

struct MediaTimeCodableTests {
  static let times: [MediaTime] = [
    .zero, MediaTime(1001, 30_000), MediaTime(.min, .max), .rounded(-1, 3), .epoch(.min, .max),
    .invalid, .indefinite, .positiveInfinity, .negativeInfinity,
  ]

  @Test(arguments: times) func roundTripKeepsEveryField(_ time: MediaTime) throws {
    let data = try JSONEncoder().encode(time)
    #expect(isIdentical(try JSONDecoder().decode(MediaTime.self, from: data), time))
  }

  @Test func theFormIsStable() throws {
    let encoder = JSONEncoder()
    encoder.outputFormatting = .sortedKeys
    func text(_ value: some Encodable) throws -> String {
      String(decoding: try encoder.encode(value), as: UTF8.self)
    }
    #expect(
      try text(MediaTime(1001, 30_000))
        == #"{"epoch":0,"flags":1,"timescale":30000,"value":1001}"#)
    #expect(
      try text(MediaTimeRange(1, 3))
        == #"{"duration":{"epoch":0,"flags":1,"timescale":1,"value":2},"#
        + #""start":{"epoch":0,"flags":1,"timescale":1,"value":1}}"#)
    // Fields without a meaning are not written.
    let garbage = MediaTime(value: 9, timescale: 0, flags: .valid, epoch: 4)
    #expect(try text(garbage) == #"{"epoch":0,"flags":0,"timescale":0,"value":0}"#)
  }

  static let readable: [(String, MediaTime)] = [
    (#"{"value":1,"timescale":2}"#, MediaTime(1, 2)),
    (
      #"{"value":1,"timescale":2,"flags":3,"epoch":4}"#,
      MediaTime(value: 1, timescale: 2, flags: [.valid, .hasBeenRounded], epoch: 4)
    ),
    (#"{"value":1,"timescale":0,"flags":0}"#, .invalid),
    (#"{"value":1,"timescale":-5,"flags":28,"epoch":7}"#, .invalid),
    (#"{"value":1,"timescale":-5,"flags":5,"epoch":7}"#, .positiveInfinity),
    (#"{"value":1,"timescale":1,"flags":11}"#, .negativeInfinity),
    (#"{"value":1,"timescale":1,"flags":17}"#, .indefinite),
    (#"{"value":1,"timescale":1,"flags":4294967265}"#, MediaTime(1, 1)),
  ]

  @Test(arguments: readable) func decoding(_ text: String, _ expected: MediaTime) throws {
    let time = try JSONDecoder().decode(MediaTime.self, from: Data(text.utf8))
    #expect(isIdentical(time, expected), "\(text) is \(time)")
  }

  @Test(arguments: [
    #"{}"#, #"{"value":1}"#, #"{"timescale":1}"#, #"{"value":1,"timescale":0}"#,
    #"{"value":1,"timescale":-1}"#, #"{"value":1,"timescale":-2147483648,"flags":3}"#,
    #"{"value":1,"timescale":2147483648}"#, #"{"value":9223372036854775808,"timescale":1}"#,
    #"{"value":1.5,"timescale":1}"#, #"{"value":"1","timescale":1}"#,
    #"{"value":1,"timescale":1,"flags":13}"#, #"{"value":1,"timescale":1,"flags":29}"#,
    #"{"value":1,"timescale":1,"flags":-1}"#, #"{"value":1,"timescale":1,"flags":4294967296}"#,
    #"[1,2]"#, #"null"#,
  ]) func hostileTextIsAnError(_ text: String) {
    #expect(throws: DecodingError.self) {
      try JSONDecoder().decode(MediaTime.self, from: Data(text.utf8))
    }
  }

  @Test func rangesAndMappings() throws {
    let mapping = MediaTimeMapping(source: MediaTimeRange(0, 8), target: MediaTimeRange(10, 14))
    let empty = MediaTimeMapping(emptyTarget: MediaTimeRange(10, 14))
    let data = try JSONEncoder().encode([mapping, empty])
    #expect(try JSONDecoder().decode([MediaTimeMapping].self, from: data) == [mapping, empty])
    // A range that makes no sense is read, and is invalid.
    let text = #"{"start":{"value":0,"timescale":1},"duration":{"value":-1,"timescale":1}}"#
    #expect(try !JSONDecoder().decode(MediaTimeRange.self, from: Data(text.utf8)).isValid)
  }
}
