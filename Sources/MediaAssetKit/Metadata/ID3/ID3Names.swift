/// Names of frames in ID3v2.2, which had three letters.
enum ID3Names {
  /// The name that later versions give a frame; four letters at any rate, so that keys never collide.
  static func modern(_ name: String) -> String { names[name] ?? name }

  private static let names: [String: String] = {
    let pairs = """
      BUF RBUF CNT PCNT COM COMM CRA AENC EQU EQUA ETC ETCO GEO GEOB IPL IPLS LNK LINK MCI MCDI MLL MLLT PIC APIC POP POPM \
      REV RVRB RVA RVAD SLT SYLT STC SYTC TAL TALB TBP TBPM TCM TCOM TCO TCON TCP TCMP TCR TCOP TDA TDAT TDY TDLY TEN TENC \
      TFT TFLT TIM TIME TKE TKEY TLA TLAN TLE TLEN TMT TMED TOA TOPE TOF TOFN TOL TOLY TOR TORY TOT TOAL TP1 TPE1 TP2 TPE2 \
      TP3 TPE3 TP4 TPE4 TPA TPOS TPB TPUB TRC TSRC TRD TRDA TRK TRCK TS2 TSO2 TSA TSOA TSC TSOC TSI TSIZ TSP TSOP TSS TSSE \
      TST TSOT TT1 TIT1 TT2 TIT2 TT3 TIT3 TXT TEXT TXX TXXX TYE TYER UFI UFID ULT USLT WAF WOAF WAR WOAR WAS WOAS WCM WCOM \
      WCP WCOP WPB WPUB WXX WXXX
      """.split(separator: " ").map(String.init)
    return Dictionary(
      stride(from: 0, to: pairs.count - 1, by: 2).map { (pairs[$0], pairs[$0 + 1]) }, uniquingKeysWith: { $1 })
  }()
}

/// Genres by number: ID3v1's and those that Winamp added.
enum ID3Genres {
  /// The name of a genre item that is a number: iTunes' `gnre`, which counts from 1, and ID3's `17`, `(17)`, `(17)Rock`.
  static func name(of item: MetadataItem) -> String? {
    if item.keySpace == .iTunes, item.key == "gnre", case .integer(let number) = item.value {
      return name(number - 1)
    }
    guard item.keySpace == .id3, item.key == "TCON", case .string(let text) = item.value else { return nil }
    if let number = Int64(text) { return name(number) }
    guard text.hasPrefix("("), let end = text.firstIndex(of: ")"),
      let number = Int64(text[text.index(after: text.startIndex)..<end])
    else { return nil }
    let refinement = text[text.index(after: end)...]
    return refinement.isEmpty || refinement.hasPrefix("(") ? name(number) : String(refinement)
  }

  /// A genre by its number, from 0; nil for one that nobody named.
  static func name(_ number: Int64) -> String? {
    guard number >= 0, number < Int64(names.count) else { return nil }
    return names[Int(number)]
  }

  /// The number of a genre; nil for one that has none.
  static func number(of name: String) -> UInt8? {
    names.firstIndex { $0.lowercased() == name.lowercased() }.map { UInt8($0) }
  }

  private static let names: [String] = """
    Blues|Classic Rock|Country|Dance|Disco|Funk|Grunge|Hip-Hop|Jazz|Metal|New Age|Oldies|Other|Pop|R&B|Rap|Reggae|Rock|\
    Techno|Industrial|Alternative|Ska|Death Metal|Pranks|Soundtrack|Euro-Techno|Ambient|Trip-Hop|Vocal|Jazz+Funk|Fusion|\
    Trance|Classical|Instrumental|Acid|House|Game|Sound Clip|Gospel|Noise|Alternative Rock|Bass|Soul|Punk|Space|Meditative|\
    Instrumental Pop|Instrumental Rock|Ethnic|Gothic|Darkwave|Techno-Industrial|Electronic|Pop-Folk|Eurodance|Dream|\
    Southern Rock|Comedy|Cult|Gangsta|Top 40|Christian Rap|Pop/Funk|Jungle|Native American|Cabaret|New Wave|Psychedelic|\
    Rave|Showtunes|Trailer|Lo-Fi|Tribal|Acid Punk|Acid Jazz|Polka|Retro|Musical|Rock & Roll|Hard Rock|Folk|Folk-Rock|\
    National Folk|Swing|Fast Fusion|Bebop|Latin|Revival|Celtic|Bluegrass|Avantgarde|Gothic Rock|Progressive Rock|\
    Psychedelic Rock|Symphonic Rock|Slow Rock|Big Band|Chorus|Easy Listening|Acoustic|Humour|Speech|Chanson|Opera|\
    Chamber Music|Sonata|Symphony|Booty Bass|Primus|Porn Groove|Satire|Slow Jam|Club|Tango|Samba|Folklore|Ballad|\
    Power Ballad|Rhythmic Soul|Freestyle|Duet|Punk Rock|Drum Solo|A Cappella|Euro-House|Dance Hall|Goa|Drum & Bass|\
    Club-House|Hardcore|Terror|Indie|BritPop|Afro-Punk|Polsk Punk|Beat|Christian Gangsta Rap|Heavy Metal|Black Metal|\
    Crossover|Contemporary Christian|Christian Rock|Merengue|Salsa|Thrash Metal|Anime|JPop|Synthpop
    """.split(separator: "|").map(String.init)
}
