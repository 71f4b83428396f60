/// The language of `mdhd`: three packed letters, or a classic Macintosh language number.
package enum LanguageCode {
  /// The ISO 639-2/T code of a stored value; nil when undetermined, unspecified or not a code.
  ///
  /// Values below 0x400 are Macintosh numbers (QuickTime File Format, "Language Code Values").
  /// Bibliographic codes, which some writers use (`ger`), become terminological ones (`deu`).
  package static func terminological(packed value: UInt16) -> String? {
    guard value != 0x7FFF else { return nil }
    guard value >= 0x400 else {
      guard Int(value) < macintosh.count else { return nil }
      let code = macintosh[Int(value)]
      return code.isEmpty ? nil : code
    }
    let letters = [value >> 10 & 31, value >> 5 & 31, value & 31]
    guard letters.allSatisfy({ (1...26).contains($0) }) else { return nil }
    let code = String(decoding: letters.map { UInt8($0) + 0x60 }, as: UTF8.self)
    guard code != "und" else { return nil }
    return terminological(bibliographic: code)
  }

  /// The terminological code of a bibliographic one; any other code as it is.
  package static func terminological(bibliographic code: String) -> String {
    switch code {
    case "alb": "sqi"
    case "arm": "hye"
    case "baq": "eus"
    case "bur": "mya"
    case "chi": "zho"
    case "cze": "ces"
    case "dut": "nld"
    case "fre": "fra"
    case "geo": "kat"
    case "ger": "deu"
    case "gre": "ell"
    case "ice": "isl"
    case "mac": "mkd"
    case "mao": "mri"
    case "may": "msa"
    case "per": "fas"
    case "rum": "ron"
    case "slo": "slk"
    case "tib": "bod"
    case "wel": "cym"
    default: code
    }
  }

  /// By Macintosh number; empty where no language has it.
  private static let macintosh: [String] =
    // 0: Roman and other early scripts
    [
      "eng", "fra", "deu", "ita", "nld", "swe", "spa", "dan", "por", "nor",
      "heb", "jpn", "ara", "fin", "ell", "isl", "mlt", "tur", "hrv", "zho",
      "urd", "hin", "tha", "kor", "lit", "pol", "hun", "est", "lav", "sme",
      "fao", "fas", "rus", "zho", "nld", "gle", "sqi", "ron", "ces", "slk",
      "slv", "yid", "srp", "mkd", "bul", "ukr", "bel", "uzb", "kaz", "aze",
      "aze", "hye", "kat", "ron", "kir", "tgk", "tuk", "mon", "mon", "pus",
      "kur", "kas", "snd", "bod", "nep", "san", "mar", "ben", "asm", "guj",
      "pan", "ori", "mal", "kan", "tam", "tel", "sin", "mya", "khm", "lao",
      "vie", "ind", "tgl", "msa", "msa", "amh", "tir", "orm", "som", "swa",
      "kin", "run", "nya", "mlg", "epo",
    ] + Array(repeating: "", count: 33)
    // 128: added later
    + [
      "cym", "eus", "cat", "lat", "que", "grn", "aym", "tat", "uig", "dzo",
      "jav", "sun", "glg", "afr", "bre", "iku", "gla", "glv", "gle", "ton",
      "ell", "kal", "aze",
    ]
}
