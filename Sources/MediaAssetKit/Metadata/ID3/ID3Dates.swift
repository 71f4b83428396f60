extension [MetadataItem] {
  /// The items that have a common key, in the common key space; the date of ID3v2.3, which stands in three frames, as one.
  var common: [MetadataItem] {
    compactMap { item in
      guard var common = item.common else { return nil }
      if item.keySpace == .id3, item.key == "TYER", let date = id3Date(year: item.stringValue) {
        common.value = .string(date)
      }
      return common
    }
  }

  /// Year (`TYER`), day and month (`TDAT`) and time of day (`TIME`) in the form of ISO 8601; nil where there is but a year.
  private func id3Date(year: String?) -> String? {
    func digits(_ key: String, upTo limits: (Int, Int)) -> (String, String)? {
      guard let text = first(where: { $0.keySpace == .id3 && $0.key == key })?.stringValue, text.utf8.count == 4,
        text.utf8.allSatisfy({ (48...57).contains($0) })
      else { return nil }
      let (head, tail) = (String(text.prefix(2)), String(text.suffix(2)))
      guard let first = Int(head), let second = Int(tail), first <= limits.0, second <= limits.1 else { return nil }
      return (head, tail)
    }
    guard let year, year.utf8.count == 4, year.utf8.allSatisfy({ (48...57).contains($0) }),
      let (day, month) = digits("TDAT", upTo: (31, 12)), day != "00", month != "00"
    else { return nil }
    let date = "\(year)-\(month)-\(day)"
    return digits("TIME", upTo: (23, 59)).map { "\(date)T\($0):\($1)" } ?? date
  }
}
