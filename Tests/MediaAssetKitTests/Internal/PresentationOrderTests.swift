import Testing

@testable import MediaAssetKit

@Suite struct PresentationOrderTests {
  /// I0 P4 B2 b1 b3 P8 …: pictures of 10 ticks, decode times one picture earlier.
  private static let pyramid: [Int64] = [0, 40, 20, 10, 30, 80, 60, 50, 70]

  private static func order(_ times: [Int64], limit: Int, trusts: Bool = false) -> PresentationOrder {
    var order = PresentationOrder(reorderLimit: limit, trustsDecodeTimes: trusts)
    for (number, time) in times.enumerated() {
      order.append(time, number: number, decodeTime: Int64(number) * 10 - 20)
    }
    return order
  }

  @Test(arguments: [(5, 0), (10, 3), (19, 3), (20, 2), (45, 1), (1000, 5)])
  func pictureOnShowIsTheLastAtOrBefore(_ time: Int64, _ number: Int) {
    #expect(Self.order(Self.pyramid, limit: 2).picture(onShowAt: time)?.number == number)
  }

  @Test func nothingIsOnShowBeforeTheFirst() {
    let order = Self.order(Self.pyramid, limit: 2)
    #expect(order.picture(onShowAt: -1) == nil)
    #expect(Self.order([], limit: 2).picture(onShowAt: 0) == nil)
  }

  @Test func ofPicturesThatShareATimeTheLastIsOnShow() {
    let order = Self.order([0, 10, 10, 10, 20], limit: 0)
    #expect(order.picture(onShowAt: 10) == .init(time: 10, number: 3))
    #expect(order.successor(of: 10) == 20)
    #expect(order.successor(of: 0) == 10)
  }

  @Test func successorIsTheNextLaterTime() {
    let order = Self.order(Self.pyramid, limit: 2)
    #expect(order.successor(of: 10) == 20)
    #expect(order.successor(of: 80) == nil)
  }

  @Test func timesByNumber() {
    let order = Self.order(Self.pyramid, limit: 2)
    #expect(order.time(of: 0) == 0)
    #expect(order.time(of: 3) == 10)
    #expect(order.time(of: 9) == nil)
    #expect(order.time(of: -1) == nil)
    #expect(order.time(of: .min) == nil)
  }

  /// With two pictures of reordering, what is shown at 10 is sure when three later ones are read, no sooner.
  @Test func settledWhenMoreLaterPicturesCameThanMayBeStoredAhead() {
    #expect(!Self.order(Array(Self.pyramid[..<4]), limit: 2).isSettled(10))
    #expect(Self.order(Array(Self.pyramid[..<5]), limit: 2).isSettled(10))
    #expect(Self.order([0, 10], limit: 0).isSettled(0))
    #expect(!Self.order([0, 10], limit: 0).isSettled(10))
  }

  @Test func decodeTimesSettleWhereTheyAreTrusted() {
    // The last decode time is 10.
    #expect(Self.order(Array(Self.pyramid[..<4]), limit: 16, trusts: true).isSettled(9))
    #expect(!Self.order(Array(Self.pyramid[..<4]), limit: 16, trusts: true).isSettled(10))
  }

  @Test func theEndSettlesEverything() {
    var order = Self.order(Self.pyramid, limit: 16)
    #expect(!order.isSettled(80))
    order.finish()
    #expect(order.isSettled(80))
    order.reset()
    #expect(!order.isSettled(0) && order.isEmpty)
  }

  @Test func memoryStaysBounded() {
    var order = PresentationOrder(reorderLimit: 16, trustsDecodeTimes: false)
    let count = 3 * PresentationOrder.capacity
    for number in 0..<count { order.append(Int64(number), number: number, decodeTime: nil) }
    #expect(order.time(of: 0) == nil)
    #expect(order.time(of: count - 1) == Int64(count - 1))
    #expect(order.picture(onShowAt: Int64(count))?.number == count - 1)
    #expect(order.picture(onShowAt: 0) == nil)
  }
}
