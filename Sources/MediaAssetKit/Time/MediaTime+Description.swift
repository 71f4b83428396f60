extension MediaTime: CustomStringConvertible {
  /// `{600/600 = 1.000}` with `, epoch = 1` and `, rounded` where these apply; `{INVALID}`,
  /// `{INDEFINITE}`, `{+INFINITY}`, `{-INFINITY}`.
  public var description: String {
    switch kind {
    case .invalid: return "{INVALID}"
    case .indefinite: return "{INDEFINITE}"
    case .positiveInfinity: return "{+INFINITY}"
    case .negativeInfinity: return "{-INFINITY}"
    case .numeric:
      let epochText = epoch == 0 ? "" : ", epoch = \(epoch)"
      let roundedText = hasBeenRounded ? ", rounded" : ""
      return "{\(value)/\(timescale) = \(decimalSeconds)\(epochText)\(roundedText)}"
    }
  }

  /// Seconds with three decimals, from the exact value; Foundation's formatting stays out.
  private var decimalSeconds: String {
    let scale = UInt128(timescale.magnitude)
    let thousandths = (UInt128(value.magnitude) * 2000 + scale) / (2 * scale)
    let (whole, fraction) = thousandths.quotientAndRemainder(dividingBy: 1000)
    let digits = String(fraction)
    let sign = value < 0 ? "-" : ""
    return "\(sign)\(whole).\(String(repeating: "0", count: 3 - digits.count))\(digits)"
  }
}
