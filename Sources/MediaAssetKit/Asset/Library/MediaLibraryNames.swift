/// What a file name's extension says of the file.
enum MediaFileName {
  enum Meaning: Equatable {
    case media(MediaLibrary.Kind)
    /// Something else than media.
    case other
    /// The bytes must tell.
    case unknown
  }

  static func meaning(of name: String) -> Meaning {
    guard let dot = name.utf8.lastIndex(of: UInt8(ascii: ".")), dot != name.startIndex else {
      return .unknown
    }
    return meanings[name[name.index(after: dot)...].lowercased()] ?? .unknown
  }

  private static let meanings: [String: Meaning] = {
    var meanings: [String: Meaning] = [:]
    for (list, meaning) in [
      (videos, Meaning.media(.video)), (audio, .media(.audio)), (images, .media(.image)),
      (others, .other),
    ] {
      for name in list.split(separator: " ") { meanings[String(name)] = meaning }
    }
    return meanings
  }()

  // .ts is TypeScript too, .mod music and video, .dat and .bin anything: their bytes tell.
  private static let videos = """
    mp4 m4v mov qt mkv webm avi flv f4v wmv asf mpg mpeg m1v m2v vob mts m2ts m2t trp 3gp 3g2 3gpp \
    3gp2 ogv ogm mxf dv rm rmvb mjpeg mjpg y4m nut divx h264 264 h265 265 hevc ivf obu wtv mk3d tod
    """
  private static let audio = """
    mp3 m4a m4b m4r aac flac wav wave w64 rf64 bwf aif aiff aifc caf ogg oga opus spx wma ac3 eac3 ec3 \
    dts dtshd mka weba amr awb au snd ape wv tta mp2 mpa mpc tak dsf dff ra thd mlp
    """
  private static let images = """
    jpg jpeg jpe jfif png apng gif webp heic heif heics heifs hif avif avifs bmp tif tiff jp2 j2k jxl \
    tga ppm pgm pbm pnm pam dpx exr ico
    """
  // What media folders and source trees are full of; opening them all would be slow.
  private static let others = """
    txt md rst nfo log csv tsv json xml yml yaml toml ini conf cfg plist html htm css js mjs jsx tsx map \
    pdf doc docx xls xlsx ppt pptx odt ods odp epub rtf tex zip gz bz2 xz zst lz4 7z rar tar tgz deb rpm \
    iso img dmg exe msi dll so dylib a o lib c h cc cpp hpp m mm swift rs go py pyc pyi ipynb java class \
    jar kt rb php pl lua sh bash zsh bat cmd ps1 sql db sqlite sqlite3 srt vtt ass ssa sub idx lrc sup \
    m3u m3u8 pls cue mpd torrent part crdownload tmp bak lock md5 sha1 sha256 sig asc svg svgz psd xcf ai \
    eps ttf otf woff woff2 ics vcf eml swp patch diff modulemap gitignore
    """
}
