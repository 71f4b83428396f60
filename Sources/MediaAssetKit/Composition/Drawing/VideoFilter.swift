/// A filter by FFmpeg's description, such as `hue=s=0,vignette`, that makes one picture of each.
///
/// Needs `libavfilter` of the FFmpeg that the library was built with when pictures go through it; nothing else does.
///
/// Only filters are taken that compute pictures from pictures: what opens files, URLs, devices or other code
/// (`movie`, `drawtext`, `subtitles`, `frei0r` and their kind), what changes the number of pictures, and options that name
/// files are refused, and so are expressions that may never end, so that descriptions may come from users.
/// ``init(trusted:)`` takes all. The sizes that a filter may make are bounded by the policy of the assets; how long one
/// takes for a picture is not: a list of the largest blurs takes seconds for each.
public struct VideoFilter: Sendable, Hashable, Codable, CustomStringConvertible {
  /// The description.
  public let description: String

  /// The longest description, in bytes.
  public static let maximumLength = 4096
  /// The most filters that one description may hold, and the most pictures that one of them takes or gives.
  public static let maximumCount = 32

  /// A checked description.
  ///
  /// - Throws: ``MediaError``: `invalidArgument` for a description that is none or too long, `resourceForbidden` for
  ///   filters and options that are not taken, with their names.
  public init(_ description: String) throws {
    try FilterDescription(description).check()
    self.description = description
  }

  /// A description that is not checked: for those that the program itself makes.
  public init(trusted description: String) { self.description = description }

  /// The filters that are taken.
  public static var permittedFilters: [String] { FilterDescription.permitted.sorted() }

  /// Reads a description and checks it.
  public init(from decoder: any Decoder) throws {
    try self.init(try decoder.singleValueContainer().decode(String.self))
  }

  /// Writes the description.
  public func encode(to encoder: any Encoder) throws {
    var container = encoder.singleValueContainer()
    try container.encode(description)
  }
}

/// Reads a description of filters as FFmpeg does, as far as the filters' names and options go.
struct FilterDescription {
  let text: String

  init(_ text: String) { self.text = text }

  /// One filter with its options as written, quotes and backslashes taken away.
  struct Filter: Equatable {
    var name: String
    var options: String
  }

  static let permitted: Set<String> = [
    "alphaextract", "alphamerge", "avgblur", "bilateral", "blend", "boxblur", "chromahold", "chromakey", "chromanr",
    "chromashift", "colorbalance", "colorchannelmixer", "colorcontrast", "colorcorrect", "colorhold", "colorize",
    "colorkey", "colorlevels", "colormatrix", "colortemperature", "convolution", "crop", "curves", "dblur", "deband",
    "deblock", "deflate", "despill", "dilation", "drawgrid", "edgedetect", "eq", "erosion", "exposure", "extractplanes",
    "fade", "fillborders", "format", "gblur", "geq", "gradfun", "greyedge", "hflip", "histeq", "hqdn3d", "hstack",
    "hue",
    "huesaturation", "inflate", "kirsch", "lagfun", "lenscorrection", "limiter", "lumakey", "lut", "lutrgb", "lutyuv",
    "median", "mergeplanes", "monochrome", "negate", "nlmeans", "noformat", "noise", "normalize", "null", "overlay",
    "pad",
    "perspective", "pixelize", "premultiply", "prewitt", "pseudocolor", "rgbashift", "roberts", "rotate", "scale",
    "scharr", "scroll", "setparams", "setrange", "setsar", "shear", "shuffleplanes", "smartblur", "sobel", "split",
    "swapuv", "transpose", "unpremultiply", "unsharp", "vaguedenoiser", "vflip", "vibrance", "vignette", "vstack",
    "yaepblur",
  ]

  func check() throws {
    func refuse(_ code: MediaError.Code, _ reason: String, _ remedy: String = "") -> MediaError {
      MediaError(
        code, operation: "filter", subject: "the description “\(text.prefix(80))”", reason: reason, remedy: remedy)
    }
    guard text.utf8.count <= VideoFilter.maximumLength else {
      throw refuse(.invalidArgument, "it is longer than \(VideoFilter.maximumLength) bytes")
    }
    guard !text.utf8.contains(0) else { throw refuse(.invalidArgument, "it holds a zero byte") }
    guard let filters = filters(), !filters.isEmpty else {
      throw refuse(.invalidArgument, "it is no list of filters such as hue=s=0,vignette")
    }
    guard filters.count <= VideoFilter.maximumCount else {
      throw refuse(.invalidArgument, "it holds more than \(VideoFilter.maximumCount) filters")
    }
    for filter in filters {
      guard Self.permitted.contains(filter.name) else {
        throw refuse(
          .resourceForbidden, "the filter “\(filter.name)” is not among those that only compute pictures",
          "Use one of VideoFilter.permittedFilters")
      }
      // Options of files by their name, and by their place where a filter has one: curves' is its eleventh.
      let options = filter.options.split(separator: ":", omittingEmptySubsequences: false)
      let named = options.compactMap { option in option.firstIndex(of: "=").map { option[..<$0] } }
      let isFile = named.contains { $0.lowercased().contains("file") || $0.contains("/") }
      let unnamed = options.count - named.count
      guard !isFile, filter.name != "curves" || unnamed <= 1 else {
        throw refuse(.resourceForbidden, "an option of “\(filter.name)” reads a file")
      }
      // Escapes may be nested: what is left without any of them is what an expression can come to.
      let plain = filter.options.filter { !"\\'".contains($0) }.lowercased()
      guard !plain.contains("while") else {
        throw refuse(.resourceForbidden, "an expression of “\(filter.name)” may never end")
      }
      if ["split", "hstack", "vstack"].contains(filter.name) {
        // Room is made for as many at once; numbers may be written as expressions and with suffixes.
        let values = options.map { $0.split(separator: "=", omittingEmptySubsequences: false).last ?? "" }
        let areFew = values.allSatisfy { value in
          value.isEmpty
            || value.utf8.allSatisfy { (48...57).contains($0) } && Int(value) ?? .max <= VideoFilter.maximumCount
        }
        guard areFew else {
          throw refuse(.resourceForbidden, "“\(filter.name)” has too many inputs or outputs")
        }
      }
      // A size that changes with the pictures would escape the limit.
      let changes = named.contains("eval") && ["scale", "pad"].contains(filter.name)
      guard !changes, filter.name != "scale" || unnamed <= 3, filter.name != "pad" || unnamed <= 5 else {
        throw refuse(.resourceForbidden, "“\(filter.name)” makes pictures of more than one size")
      }
    }
  }

  /// The filters in order; nil where the text is no description.
  ///
  /// Names hold letters, digits and underscores only: FFmpeg would take quotes away as well, and a name has no need of any.
  func filters() -> [Filter]? {
    var bytes = Array(text.utf8)[...]
    var found: [Filter] = []
    func skipSpace() { bytes = bytes.drop { [32, 9, 10, 13].contains($0) } }
    func skipLabels() -> Bool {
      skipSpace()
      while bytes.first == UInt8(ascii: "[") {
        guard let end = bytes.firstIndex(of: UInt8(ascii: "]")) else { return false }
        guard bytes[bytes.startIndex + 1..<end].allSatisfy(Self.isName) else { return false }
        bytes = bytes[(end + 1)...]
        skipSpace()
      }
      return true
    }
    while true {
      guard skipLabels() else { return nil }
      let name = bytes.prefix(while: Self.isName)
      guard !name.isEmpty else { return nil }
      bytes = bytes.dropFirst(name.count)
      // A name of its own behind the filter's.
      if bytes.first == UInt8(ascii: "@") { bytes = bytes.dropFirst().drop(while: Self.isName) }
      skipSpace()
      var options = ""
      if bytes.first == UInt8(ascii: "=") {
        bytes = bytes.dropFirst()
        options = Self.token(&bytes)
      }
      found.append(Filter(name: String(decoding: name, as: UTF8.self), options: options))
      guard skipLabels() else { return nil }
      guard let next = bytes.first else { return found }
      guard next == UInt8(ascii: ",") || next == UInt8(ascii: ";") else { return nil }
      bytes = bytes.dropFirst()
    }
  }

  private static func isName(_ byte: UInt8) -> Bool {
    byte == 95 || (48...57).contains(byte) || (65...90).contains(byte) || (97...122).contains(byte)
  }

  /// Up to what ends options, as `av_get_token` reads them.
  private static func token(_ bytes: inout ArraySlice<UInt8>) -> String {
    var read: [UInt8] = []
    while let byte = bytes.first, !"[],;".utf8.contains(byte) {
      bytes = bytes.dropFirst()
      if byte == UInt8(ascii: "\\"), let next = bytes.first {
        read.append(next)
        bytes = bytes.dropFirst()
      } else if byte == UInt8(ascii: "'") {
        let inside = bytes.prefix { $0 != byte }
        read += inside
        bytes = bytes.dropFirst(inside.count + 1)
      } else {
        read.append(byte)
      }
    }
    return String(decoding: read, as: UTF8.self)
  }
}
