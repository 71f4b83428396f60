import Testing

@testable import LibAV
@testable import MediaAssetKit

/// Where decoding may begin, from bytes written by the specifications.
@Suite struct RandomAccessRulesTests {
  // avcC and hvcC with lengths of four bytes and no parameter sets.
  private static let avc: [UInt8] = [1, 100, 0, 30, 0xFF, 0xE0, 0]
  private static let delimiter: [UInt8] = [0x09, 0xF0]
  /// recovery_frame_cnt 0, exact_match_flag 1.
  private static let recovery: [UInt8] = [0x06, 0x06, 0x01, 0xC4, 0x80]
  /// recovery_frame_cnt 12.
  private static let slowRecovery: [UInt8] = [0x06, 0x06, 0x02, 0x1B, 0x10, 0x80]
  private static let unknownMessage: [UInt8] = [0x06, 0x05, 0x03, 1, 2, 3, 0x80]
  private static let refresh: [UInt8] = [0x65, 0x88, 0x84]
  private static let slice: [UInt8] = [0x41, 0x9A, 0x24]

  private static func startCodes(_ units: [[UInt8]]) -> [UInt8] { units.flatMap { [0, 0, 0, 1] + $0 } }
  private static func lengths(_ units: [[UInt8]]) -> [UInt8] {
    units.flatMap { [0, 0, 0, UInt8($0.count)] + $0 }
  }

  @Test(arguments: [
    ([delimiter, refresh], RandomAccess.Start.closed),
    ([delimiter, unknownMessage, recovery, slice], .clean),
    ([delimiter, slowRecovery, slice], .none),
    ([delimiter, slice], .none),
    ([slice, refresh], .none),
    ([], .none),
  ])
  func avcStarts(_ units: [[UInt8]], _ start: RandomAccess.Start) throws {
    let plain = RandomAccess(codec: "h264", extradata: [])
    #expect(plain.start(at: try Packet.copying(Self.startCodes(units))) == start)
    let measured = RandomAccess(codec: "h264", extradata: Self.avc)
    #expect(measured.start(at: try Packet.copying(Self.lengths(units))) == start)
  }

  /// Message sizes of 255 go on in the next byte, and 00 00 03 hides a 03.
  @Test func recoveryPointBehindALongMessage() throws {
    let long = [UInt8](repeating: 0xAA, count: 300)
    let message: [UInt8] = [0x06, 0x05, 0xFF, 45] + long + [0x06, 0x01, 0xC4, 0x80]
    let rules = RandomAccess(codec: "h264", extradata: [])
    #expect(rules.start(at: try Packet.copying(Self.startCodes([message, Self.slice]))) == .clean)
    let escaped: [UInt8] = [0x06, 0x05, 0x04, 0, 0, 3, 1, 0, 0x06, 0x01, 0xC4, 0x80]
    #expect(rules.start(at: try Packet.copying(Self.startCodes([escaped, Self.slice]))) == .clean)
  }

  @Test func lengthsBeyondTheEndDoNotTrap() throws {
    let rules = RandomAccess(codec: "h264", extradata: Self.avc)
    for bytes: [UInt8] in [[0xFF, 0xFF, 0xFF, 0xFF, 0x65], [0, 0, 0], [0, 0, 0, 0, 0], [0, 0, 0, 9, 6, 6, 200]] {
      _ = rules.start(at: try Packet.copying(bytes))
    }
  }

  /// H.265 table 7-1: BLA 16…18, IDR 19 and 20, CRA 21; TRAIL_R is 1.
  @Test(arguments: [
    (UInt8(16), RandomAccess.Start.closed), (19, .closed), (20, .closed), (21, .clean), (1, .none),
    (0, .none), (9, .none),
  ])
  func hevcStarts(_ type: UInt8, _ start: RandomAccess.Start) throws {
    let rules = RandomAccess(codec: "hevc", extradata: [])
    let units: [[UInt8]] = [[35 << 1, 1, 0x50], [39 << 1, 1, 0], [type << 1, 1, 0xAF]]
    #expect(rules.start(at: try Packet.copying(Self.startCodes(units))) == start)
  }

  @Test func othersAreWhatTheContainerSays() throws {
    let packet = try Packet.copying([1, 2, 3])
    #expect(RandomAccess(codec: "mpeg2video", extradata: []).start(at: packet) == .clean)
    #expect(RandomAccess(codec: "mjpeg", extradata: []).start(at: packet) == .closed)
    #expect(RandomAccess(codec: "gif", extradata: []).start(at: packet) == .none)
  }

  /// show_frame is bit 4 of a VP8 frame's first byte, and the second bit after the frame type of VP9's header.
  @Test func hiddenPicturesOfVP8AndVP9() throws {
    let vp8 = RandomAccess(codec: "vp8", extradata: [])
    #expect(vp8.isShown(try Packet.copying([0x10, 0, 0])))
    #expect(!vp8.isShown(try Packet.copying([0x01, 0, 0])))
    let vp9 = RandomAccess(codec: "vp9", extradata: [])
    // Marker 10, profile 00, show_existing_frame 0, frame type 1, show_frame.
    #expect(vp9.isShown(try Packet.copying([0b1000_0110, 0, 0])))
    #expect(!vp9.isShown(try Packet.copying([0b1000_0100, 0, 0])))
    #expect(vp9.isShown(try Packet.copying([0b1000_1000, 0])))
    // A superframe's index says that several frames are in it.
    #expect(vp9.isShown(try Packet.copying([0b1000_0100, 0, 0xC1])))
    #expect(vp9.isShown(try Packet.copying([0])))
  }
}
