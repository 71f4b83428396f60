import MediaAssetKit
import Synchronization

/// How far long work is: a bar on a terminal, JSON lines where they are asked for, else nothing.
final class Progress: Sendable {
  static let option = Option(
    "--progress", value: "KIND", "json: lines of JSON on standard error instead of a bar")

  private enum Kind { case none, bar, json }
  private struct State {
    var isShown = false
    var last: ContinuousClock.Instant
  }

  private let kind: Kind
  private let total: Double?
  private let start = ContinuousClock.now
  private let state: Mutex<State>

  /// `total`: how long the media is; `printsLines`: whether results come out meanwhile, which on a terminal show the
  /// progress themselves.
  init(_ arguments: Arguments, total: MediaTime, printsLines: Bool) throws {
    let isJSON = try arguments.word("--progress", of: [("json", true)]) ?? false
    let isVisible = StandardError.isTerminal && !(printsLines && StandardOutput.isTerminal)
    kind = isJSON ? .json : isVisible ? .bar : .none
    self.total = total.isNumeric && total > .zero ? total.seconds : nil
    state = Mutex(State(last: start))
  }

  /// The work has come to a time of the media.
  func update(to time: MediaTime) {
    guard let total else { return }
    update(fraction: time.seconds / total, time: time)
  }

  /// A part of the work is done, 0 to 1.
  func update(fraction: Double, time: MediaTime? = nil) {
    guard kind != .none, fraction.isFinite else { return }
    let now = ContinuousClock.now
    // Short work shows nothing; five times a second is often enough.
    let isDue = state.withLock { state in
      guard now - start >= .seconds(1), now - state.last >= .milliseconds(200) else { return false }
      state.last = now
      state.isShown = true
      return true
    }
    if isDue { show(min(max(fraction, 0), 0.999), time, elapsed: (now - start).seconds) }
  }

  /// The work is done, and well.
  func finish() {
    guard state.withLock({ $0.isShown }) else { return }
    if kind == .json {
      show(1, nil, elapsed: (ContinuousClock.now - start).seconds)
    }
    clear()
  }

  /// Takes the bar away.
  func clear() {
    if kind == .bar, state.withLock({ $0.isShown }) { StandardError.write("\r\u{1B}[K") }
  }

  private func show(_ fraction: Double, _ time: MediaTime?, elapsed: Double) {
    let speed = total.map { $0 * fraction / elapsed }
    let remaining = fraction > 0 ? elapsed / fraction - elapsed : nil
    func rounded(_ value: Double) -> Double { (value * 100).rounded() / 100 }
    if kind == .json {
      let line = JSON.object([
        ("fraction", .number((fraction * 10_000).rounded() / 10_000)),
        ("time", time?.json ?? .null),
        ("speed", speed.map { .number(rounded($0)) } ?? .null),
        ("remaining", remaining.map { .number(rounded($0)) } ?? .null),
      ])
      StandardError.write(line.compact + "\n")
      return
    }
    let width = 30
    let done = Int(fraction * Double(width))
    let bar = String(repeating: "#", count: done) + String(repeating: "-", count: width - done)
    let parts = [
      "[\(bar)] \(Int(fraction * 100)) %", speed.map { "\(JSON.decimal(rounded($0)))x" },
      remaining.map { "\(Int($0.rounded())) s left" },
    ]
    StandardError.write("\r" + parts.compactMap(\.self).joined(separator: "  ") + "\u{1B}[K")
  }
}

extension Duration {
  fileprivate var seconds: Double {
    Double(components.seconds) + Double(components.attoseconds) * 1e-18
  }
}
