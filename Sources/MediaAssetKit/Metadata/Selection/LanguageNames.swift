/// English names of languages, so that the library does without ICU.
enum LanguageNames {
  /// The name of a BCP 47 tag's language, with its region in brackets (`Portuguese (BR)`); the tag itself where the
  /// table does not have it.
  static func english(_ tag: String) -> String {
    let parts = tag.split(separator: "-")
    guard let language = parts.first, let name = names[String(language)] else { return tag }
    let rest = parts.dropFirst().joined(separator: "-")
    return rest.isEmpty ? name : "\(name) (\(rest))"
  }

  private static let names: [String: String] = {
    let list = """
      aa:Afar|ab:Abkhazian|af:Afrikaans|ak:Akan|am:Amharic|ar:Arabic|an:Aragonese|as:Assamese|av:Avaric|ay:Aymara|\
      az:Azerbaijani|ba:Bashkir|bm:Bambara|be:Belarusian|bn:Bengali|bo:Tibetan|bs:Bosnian|br:Breton|bg:Bulgarian|\
      ca:Catalan|cs:Czech|ch:Chamorro|ce:Chechen|cu:Church Slavic|cv:Chuvash|kw:Cornish|co:Corsican|cr:Cree|cy:Welsh|\
      da:Danish|de:German|dv:Divehi|dz:Dzongkha|el:Greek|en:English|eo:Esperanto|et:Estonian|eu:Basque|ee:Ewe|fo:Faroese|\
      fa:Persian|fj:Fijian|fi:Finnish|fr:French|fy:Western Frisian|ff:Fulah|gd:Scottish Gaelic|ga:Irish|gl:Galician|\
      gv:Manx|gn:Guarani|gu:Gujarati|ht:Haitian Creole|ha:Hausa|he:Hebrew|hz:Herero|hi:Hindi|ho:Hiri Motu|hr:Croatian|\
      hu:Hungarian|hy:Armenian|ig:Igbo|io:Ido|ii:Sichuan Yi|iu:Inuktitut|ie:Interlingue|ia:Interlingua|id:Indonesian|\
      ik:Inupiaq|is:Icelandic|it:Italian|jv:Javanese|ja:Japanese|kl:Kalaallisut|kn:Kannada|ks:Kashmiri|ka:Georgian|\
      kr:Kanuri|kk:Kazakh|km:Khmer|ki:Kikuyu|rw:Kinyarwanda|ky:Kyrgyz|kv:Komi|kg:Kongo|ko:Korean|kj:Kuanyama|ku:Kurdish|\
      lo:Lao|la:Latin|lv:Latvian|li:Limburgish|ln:Lingala|lt:Lithuanian|lb:Luxembourgish|lu:Luba-Katanga|lg:Ganda|\
      mh:Marshallese|ml:Malayalam|mr:Marathi|mk:Macedonian|mg:Malagasy|mt:Maltese|mn:Mongolian|mi:Māori|ms:Malay|\
      my:Burmese|na:Nauru|nv:Navajo|nr:South Ndebele|nd:North Ndebele|ng:Ndonga|ne:Nepali|nl:Dutch|\
      nn:Norwegian Nynorsk|nb:Norwegian Bokmål|no:Norwegian|ny:Nyanja|oc:Occitan|oj:Ojibwa|or:Odia|om:Oromo|os:Ossetic|\
      pa:Punjabi|pi:Pali|pl:Polish|pt:Portuguese|ps:Pashto|qu:Quechua|rm:Romansh|ro:Romanian|rn:Rundi|ru:Russian|\
      sg:Sango|sa:Sanskrit|si:Sinhala|sk:Slovak|sl:Slovenian|se:Northern Sami|sm:Samoan|sn:Shona|sd:Sindhi|so:Somali|\
      st:Southern Sotho|es:Spanish|sq:Albanian|sc:Sardinian|sr:Serbian|ss:Swati|su:Sundanese|sw:Swahili|sv:Swedish|\
      ty:Tahitian|ta:Tamil|tt:Tatar|te:Telugu|tg:Tajik|tl:Tagalog|th:Thai|ti:Tigrinya|to:Tongan|tn:Tswana|ts:Tsonga|\
      tk:Turkmen|tr:Turkish|tw:Twi|ug:Uyghur|uk:Ukrainian|ur:Urdu|uz:Uzbek|ve:Venda|vi:Vietnamese|vo:Volapük|wa:Walloon|\
      wo:Wolof|xh:Xhosa|yi:Yiddish|yo:Yoruba|za:Zhuang|zh:Chinese|zu:Zulu|fil:Filipino|yue:Cantonese|cmn:Mandarin Chinese|\
      haw:Hawaiian|gsw:Swiss German
      """
    return Dictionary(
      list.split(separator: "|").map { entry in
        let parts = entry.split(separator: ":", maxSplits: 1)
        return (String(parts[0]), String(parts[parts.count - 1]))
      }, uniquingKeysWith: { $1 })
  }()
}
