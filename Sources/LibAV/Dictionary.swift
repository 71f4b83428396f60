internal import CFFmpeg

/// `AVDictionary` to and from Swift's dictionaries.
enum Dictionary {
  static func read(_ raw: OpaquePointer?) -> [String: String] {
    var values: [String: String] = [:]
    var entry: UnsafeMutablePointer<AVDictionaryEntry>? = nil
    while let next = unsafe av_dict_get(raw, "", entry, AV_DICT_IGNORE_SUFFIX) {
      unsafe values[String(cString: next.pointee.key)] = unsafe String(cString: next.pointee.value)
      unsafe entry = next
    }
    return values
  }

  /// Lends `values` as a dictionary that the call may change, and frees what is left.
  static func lend<R>(_ values: [String: String], to body: (inout OpaquePointer?) -> R) -> R {
    var raw: OpaquePointer? = nil
    defer { unsafe av_dict_free(&raw) }
    for (key, value) in values { _ = unsafe av_dict_set(&raw, key, value, 0) }
    return unsafe body(&raw)
  }
}
