import Testing

/// The oracle itself, against 64-bit arithmetic and against values worked out by hand.
struct BigIntegerTests {
  @Test func smallArithmeticAgreesWithMachineArithmetic() {
    var samples = TimeSamples(seed: 1)
    for _ in 0..<500 {
      let left = samples.integer() >> 32
      let right = samples.integer() >> 32
      #expect(BigInteger(left) + BigInteger(right) == BigInteger(left + right))
      #expect(BigInteger(left) - BigInteger(right) == BigInteger(left - right))
      #expect(BigInteger(left) * BigInteger(right) == BigInteger(left * right))
      #expect((BigInteger(left) < BigInteger(right)) == (left < right))
    }
  }

  @Test(arguments: [(7, 2, 3, 1), (-7, 2, -4, 1), (7, -2, -4, -1), (-7, -2, 3, -1), (0, 5, 0, 0)])
  func divisionRoundsDown(dividend: Int, divisor: Int, quotient: Int, remainder: Int) {
    let result = BigInteger(dividend).flooredDivision(by: BigInteger(divisor))
    #expect(result.quotient == BigInteger(quotient))
    #expect(result.remainder == BigInteger(remainder))
  }

  @Test func largeValues() {
    let two128 = BigInteger.power(ofTwo: 128)
    #expect(two128.description == "0x100000000000000000000000000000000")
    #expect(BigInteger(Int64.min) * BigInteger(Int64.min) == .power(ofTwo: 126))
    let product = (two128 + BigInteger(1)) * (two128 - BigInteger(1))
    #expect(product == .power(ofTwo: 256) - BigInteger(1))
    #expect(product.flooredDivision(by: two128 + BigInteger(1)).remainder.isZero)
  }

  @Test(arguments: [(0.75, 3, 4), (-2.5, -5, 2), (3, 3, 1), (0x1p70, 0, 0), (0, 0, 1)])
  func doublesAreTakenExactly(number: Double, numerator: Int, denominator: Int) {
    let expected =
      denominator == 0
      ? ExactFraction(.power(ofTwo: 70), BigInteger(1)) : ExactFraction(numerator, denominator)
    #expect(ExactFraction(number) == expected)
  }

  @Test func roundingToSixtyFourBits() {
    #expect(ExactFraction(Int64.max, 1).rounded64(.down) == .max)
    #expect(ExactFraction(Int64.min, 1).rounded64(.down) == .min)
    #expect(ExactFraction(-7, 2).rounded64(.toNearestOrAwayFromZero) == -4)
    #expect(ExactFraction(-5, 2).rounded64(.toNearestOrEven) == -2)
    #expect(ExactFraction(.power(ofTwo: 63), BigInteger(1)).rounded64(.down) == nil)
  }
}
