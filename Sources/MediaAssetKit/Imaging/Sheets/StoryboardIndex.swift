/// The index of a storyboard: which part of which sprite sheet shows which stretch of time.
///
/// Web players read it as WebVTT whose cues name a rectangle of a picture in the notation of media
/// fragments: `sprite-0001.jpg#xywh=160,0,160,90`.
public struct StoryboardIndex: Hashable, Sendable {
  /// The size of each picture.
  public let tileSize: PixelSize
  /// Pictures in a row of a sheet.
  public let columns: Int
  /// Rows of a full sheet.
  public let rows: Int
  /// When each picture begins to be shown, in milliseconds, WebVTT's resolution; ascending.
  public let starts: [Int64]
  /// When the last picture ends, in milliseconds.
  public let end: Int64

  /// Makes the index of pictures that are shown one after another.
  ///
  /// - Parameters:
  ///   - starts: milliseconds, ascending, not negative.
  ///   - end: milliseconds, not before the last start.
  ///   - tileSize: pixels of one picture.
  ///   - columns: pictures beside each other in a sheet.
  ///   - rows: pictures below each other in a sheet.
  /// - Throws: ``MediaError`` with `invalidArgument` when a size is not positive, a full sheet
  ///   exceeds ``MediaImage/maximumByteCount``, or times don't ascend.
  public init(
    starts: [Int64], end: Int64, tileSize: PixelSize, columns: Int = 5, rows: Int = 5
  ) throws {
    let isAscending = zip(starts, starts.dropFirst() + [end]).allSatisfy { $0 <= $1 }
    let sides = [tileSize.width, tileSize.height, columns, rows]
    let bytes = sides.reduce((4, false)) { product, side in
      let (next, overflow) = product.0.multipliedReportingOverflow(by: side)
      return (next, product.1 || overflow)
    }
    guard isAscending, (starts.first ?? 0) >= 0, sides.allSatisfy({ $0 > 0 }), !bytes.1,
      bytes.0 <= MediaImage.maximumByteCount
    else {
      throw MediaError(
        .invalidArgument, operation: "draw", subject: "storyboard of \(starts.count) pictures",
        reason: isAscending
          ? "sheets of \(columns)x\(rows) pictures of \(tileSize) can't be made"
          : "the times of its pictures don't ascend")
    }
    self.starts = starts
    self.end = end
    self.tileSize = tileSize
    self.columns = columns
    self.rows = rows
  }

  /// When pictures begin that are `interval` apart, from 0 to before `duration`; milliseconds.
  ///
  /// An interval of less than a millisecond counts as one.
  ///
  /// - Throws: ``MediaError`` with `limitExceeded` for more than a million pictures.
  public static func starts(every interval: Int64, duration: Int64) throws -> [Int64] {
    let interval = max(interval, 1)
    guard duration / interval < 1_000_000 else {
      throw MediaError(
        .limitExceeded, operation: "draw", subject: "storyboard of \(duration) ms",
        reason: "a picture every \(interval) ms makes more than a million",
        remedy: "Ask for a longer interval")
    }
    return Array(stride(from: 0, to: max(duration, 0), by: Int64.Stride(interval)))
  }

  /// Pictures on a full sheet.
  public var picturesPerSheet: Int { columns * rows }

  /// How many sheets there are.
  public var sheetCount: Int { (starts.count + picturesPerSheet - 1) / picturesPerSheet }

  /// The size of a sheet, counted from 0; the last one is cut to the rows (or the only row) it needs.
  public func sheetSize(at sheet: Int) -> PixelSize {
    precondition(sheet >= 0 && sheet < sheetCount, "The storyboard has no sheet of this index.")
    let count = min(picturesPerSheet, starts.count - sheet * picturesPerSheet)
    return PixelSize(
      width: min(columns, count) * tileSize.width,
      height: (count + columns - 1) / columns * tileSize.height)
  }

  /// The sheet of a picture, counted from 0, and its place on it.
  public func place(at index: Int) -> (sheet: Int, rect: PixelRect) {
    precondition(
      index >= 0 && index < starts.count, "The storyboard has no picture of this index.")
    let (sheet, rest) = index.quotientAndRemainder(dividingBy: picturesPerSheet)
    return (
      sheet,
      PixelRect(
        x: rest % columns * tileSize.width, y: rest / columns * tileSize.height,
        width: tileSize.width, height: tileSize.height)
    )
  }

  /// The name of a sheet's file, counted from 0: `sprite-0001.jpg` is the first.
  public static func sheetName(at sheet: Int, fileExtension: String = "jpg") -> String {
    "sprite-\(padded(sheet + 1, to: 4)).\(fileExtension)"
  }

  /// The index as WebVTT, names relative to its own place.
  ///
  /// A picture that is shown for less than a millisecond has no cue: WebVTT wants the end of a cue
  /// after its start.
  ///
  /// - Parameter sheetNames: one for each sheet, or `nil` for ``sheetName(at:fileExtension:)``;
  ///   characters that a URL can't hold are percent-encoded.
  public func webVTT(sheetNames: [String]? = nil) -> String {
    precondition(
      sheetNames.map { $0.count >= sheetCount } ?? true, "Every sheet needs a name.")
    var text = "WEBVTT\n"
    for (index, start) in starts.enumerated() {
      let next = index + 1 < starts.count ? starts[index + 1] : end
      guard next > start else { continue }
      let (sheet, rect) = place(at: index)
      let name = sheetNames.map { Self.percentEncoded($0[sheet]) } ?? Self.sheetName(at: sheet)
      text += "\n\(Self.timestamp(start)) --> \(Self.timestamp(next))\n"
      text += "\(name)#xywh=\(rect.x),\(rect.y),\(rect.width),\(rect.height)\n"
    }
    return text
  }

  /// Milliseconds as `HH:MM:SS.mmm`; hours take as many digits as they need.
  private static func timestamp(_ milliseconds: Int64) -> String {
    let (seconds, rest) = milliseconds.quotientAndRemainder(dividingBy: 1000)
    return padded(Int(seconds / 3600), to: 2) + ":" + padded(Int(seconds / 60 % 60), to: 2) + ":"
      + padded(Int(seconds % 60), to: 2) + "." + padded(Int(rest), to: 3)
  }

  private static func padded(_ number: Int, to digits: Int) -> String {
    let text = String(number)
    return String(repeating: "0", count: max(0, digits - text.count)) + text
  }

  /// RFC 3986: everything but unreserved characters and the slash between folders.
  private static func percentEncoded(_ name: String) -> String {
    let kept = Set("abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789-._~/".utf8)
    return name.utf8.reduce(into: "") { text, byte in
      if kept.contains(byte) {
        text.unicodeScalars.append(Unicode.Scalar(byte))
      } else {
        text += "%" + (byte < 16 ? "0" : "") + String(byte, radix: 16, uppercase: true)
      }
    }
  }
}
