extension Waveform {
  /// What takes a quarter of a gigabyte.
  private static let maximumPixels = 1 << 26

  /// Draws the waveform; a lane for each channel, from the first at the top.
  ///
  /// Full scale fills a lane. Edges are smooth; the line at zero runs through every lane. Costs some milliseconds a
  /// megapixel.
  /// - Throws: ``MediaError`` with `invalidArgument` for an empty size or one that its padding and channels fill up,
  ///   `limitExceeded` above 64 megapixels, `outOfMemory`. `CancellationError` when the task is cancelled.
  public func image(style: WaveformStyle) throws -> MediaImage {
    let inner = PixelSize(
      width: style.width - 2 * style.padding, height: style.height - 2 * style.padding)
    let gap = channels > 1 ? max(2, style.padding / 2) : 0
    let lane = (inner.height - gap * (channels - 1)) / channels
    guard style.padding >= 0, inner.width > 0, lane > 0, style.width <= 1 << 20,
      style.height <= 1 << 20, style.barWidth > 0, style.barSpacing >= style.barWidth
    else {
      throw MediaError(
        .invalidArgument, operation: "draw", subject: "waveform",
        reason: "\(style.width)x\(style.height) pixels leave no room for \(channels) channels")
    }
    guard style.width * style.height <= Self.maximumPixels else {
      throw MediaError(
        .limitExceeded, operation: "draw", subject: "waveform",
        reason: "\(style.width)x\(style.height) pixels are more than \(Self.maximumPixels)",
        remedy: "Draw a smaller picture, or parts of one")
    }
    var image = try MediaImage(width: style.width, height: style.height, fill: style.background)
    let bars = style.shape == .bars
    let count =
      bars ? max(1, (inner.width + style.barSpacing - style.barWidth) / style.barSpacing) : inner.width
    let columns = columns(count)
    for y in 0..<style.height {
      if y & 15 == 0 { try Task.checkCancellation() }
      let channel = (y - style.padding) / (lane + gap)
      let top = style.padding + channel * (lane + gap)
      guard y >= top, y < top + lane, channel < channels else { continue }
      let row = Row(y: Double(y), middle: Double(top) + Double(lane) / 2, reach: Double(lane) / 2)
      try image.withMutableRow(y) { pixels in
        for x in 0..<inner.width {
          let column = bars ? x / style.barSpacing : x
          guard column < count else { break }
          var color = style.background
          color.mix(style.centerLine, row.line)
          if !columns.isEmpty {
            let peak = columns[column * channels + channel]
            if bars {
              let offset = Double(x % style.barSpacing) + 0.5 - Double(style.barWidth) / 2
              color.mix(style.accent, row.bar(peak, offset, width: Double(style.barWidth)))
            } else {
              color.mix(style.foreground, row.fill(peak))
              color.mix(style.accent, row.core(peak))
            }
          }
          let at = 4 * (x + style.padding)
          (pixels[at], pixels[at + 1], pixels[at + 2]) = (color.red, color.green, color.blue)
          if style.background.alpha < 255 { pixels[at + 3] = color.alpha }
        }
      }
    }
    return image
  }

  /// How much of a row's pixel the shapes cover.
  private struct Row {
    let y: Double
    let middle: Double
    let reach: Double

    /// A line of one pixel at zero.
    var line: Double { cover(middle - 0.5, middle + 0.5) }

    /// Silence keeps a hairline, so that it is seen as sound.
    func fill(_ peak: Peak) -> Double {
      let top = middle - Double(peak.maximum) / 32_768 * reach
      let bottom = middle - Double(peak.minimum) / 32_768 * reach
      return cover(min(top, middle - 0.5), max(bottom, middle + 0.5))
    }

    func core(_ peak: Peak) -> Double {
      // A tone's effective value stays inside its peaks, also where they are uneven.
      let up = min(Double(peak.rms), Double(max(0, peak.maximum)) / 32_768) * reach
      let down = min(Double(peak.rms), -Double(min(0, peak.minimum)) / 32_768) * reach
      return cover(middle - up, middle + down)
    }

    /// A bar with round ends around zero, as high as the larger peak.
    func bar(_ peak: Peak, _ offset: Double, width: Double) -> Double {
      let half = width / 2
      let height = max(abs(Double(peak.maximum)), abs(Double(peak.minimum))) / 32_768 * reach
      let straight = max(0, min(height, reach) - half)
      let beyond = max(0, abs(y + 0.5 - middle) - straight)
      let distance = (offset * offset + beyond * beyond).squareRoot()
      return min(1, max(0, half + 0.5 - distance))
    }

    private func cover(_ top: Double, _ bottom: Double) -> Double {
      max(0, min(bottom, y + 1) - max(top, y))
    }
  }
}

extension MediaImage.RGBA {
  /// Lays a part of another colour over this one.
  fileprivate mutating func mix(_ other: MediaImage.RGBA, _ part: Double) {
    guard part > 0 else { return }
    let share = min(1, part) * Double(other.alpha) / 255
    func mixed(_ one: UInt8, _ two: UInt8) -> UInt8 {
      UInt8((Double(one) + (Double(two) - Double(one)) * share).rounded())
    }
    red = mixed(red, other.red)
    green = mixed(green, other.green)
    blue = mixed(blue, other.blue)
    alpha = mixed(alpha, 255)
  }
}
