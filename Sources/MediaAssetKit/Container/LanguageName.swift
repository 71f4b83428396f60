import ISOMedia

/// Languages of containers that write them freely: ISO 639-2/B or /T, 639-1 or BCP 47.
enum LanguageName {
  /// ISO 639-2/T; nil for undetermined and for what is no language.
  static func terminological(_ text: String?) -> String? {
    guard
      let primary = text?.split(whereSeparator: { $0 == "-" || $0 == "_" || $0 == "," }).first?
        .lowercased()
    else { return nil }
    let code: String
    switch primary.count {
    case 2: code = twoLetters[primary] ?? "und"
    case 3: code = LanguageCode.terminological(bibliographic: primary)
    default: return nil
    }
    return code == "und" || code == "mis" || code == "zxx" || code == "mul" ? nil : code
  }

  /// The two letters of an ISO 639-2/T code, where it has two.
  static func shortest(_ code: String) -> String { byThreeLetters[code] ?? code }

  private static let byThreeLetters: [String: String] = Dictionary(
    twoLetters.map { ($0.value, $0.key) }, uniquingKeysWith: { min($0, $1) })

  /// The BCP 47 tag where the container wrote one with a region or script.
  static func extended(_ text: String?) -> String? {
    guard let text, text.contains("-") else { return nil }
    return text
  }

  /// ISO 639-1 to 639-2/T, the languages of ISO 639-1 in use.
  private static let twoLetters: [String: String] = {
    let pairs = """
      aa aar ab abk af afr ak aka am amh ar ara an arg as asm av ava ae ave ay aym az aze ba bak bm bam be bel bn ben bi bis \
      bo bod bs bos br bre bg bul ca cat cs ces ch cha ce che cu chu cv chv kw cor co cos cr cre cy cym da dan de deu dv div \
      dz dzo el ell en eng eo epo et est eu eus ee ewe fo fao fa fas fj fij fi fin fr fra fy fry ff ful gd gla ga gle gl glg \
      gv glv gn grn gu guj ht hat ha hau he heb hz her hi hin ho hmo hr hrv hu hun hy hye ig ibo io ido ii iii iu iku ie ile \
      ia ina id ind ik ipk is isl it ita jv jav ja jpn kl kal kn kan ks kas ka kat kr kau kk kaz km khm ki kik rw kin ky kir \
      kv kom kg kon ko kor kj kua ku kur lo lao la lat lv lav li lim ln lin lt lit lb ltz lu lub lg lug mh mah ml mal mr mar \
      mk mkd mg mlg mt mlt mn mon mi mri ms msa my mya na nau nv nav nr nbl nd nde ng ndo ne nep nl nld nn nno nb nob no nor \
      ny nya oc oci oj oji or ori om orm os oss pa pan pi pli pl pol pt por ps pus qu que rm roh ro ron rn run ru rus sg sag \
      sa san si sin sk slk sl slv se sme sm smo sn sna sd snd so som st sot es spa sq sqi sc srd sr srp ss ssw su sun sw swa \
      sv swe ty tah ta tam tt tat te tel tg tgk tl tgl th tha ti tir to ton tn tsn ts tso tk tuk tr tur tw twi ug uig uk ukr \
      ur urd uz uzb ve ven vi vie vo vol wa wln wo wol xh xho yi yid yo yor za zha zh zho zu zul
      """.split(separator: " ").map(String.init)
    var table: [String: String] = [:]
    for index in stride(from: 0, to: pairs.count - 1, by: 2) {
      table[pairs[index]] = pairs[index + 1]
    }
    return table
  }()
}
