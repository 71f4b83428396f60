extension CorpusFact {
  /// What the tables state, without what the dumps of androidx/media add.
  package static let all: [CorpusFact] =
    androidx + atldotnet + audiowaveform + exiftool + flacTestFiles + jcodec + kimMPEGTS + libwebm
    + mediabunny + mp4ff + mp4parse + mutagen + streamio + taglib + timecodeKit + torchcodec
    + webCodecs + goMP4

  package static let byFile = Dictionary(grouping: all, by: \.file)
}
