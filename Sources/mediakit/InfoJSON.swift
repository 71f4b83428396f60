import MediaAssetKit

extension AssetInfo {
  /// The document of `info --json`.
  var json: JSON {
    .object([
      ("url", .string(name)),
      ("container", .string(container)),
      ("fileType", .text(fileType?.rawValue)),
      ("size", .count(size)),
      (
        "duration",
        .object([
          ("value", duration.json), ("seconds", duration.jsonSeconds),
          ("quality", .string(quality.rawValue)),
        ])
      ),
      ("metadata", .array(metadata.map(\.shortJSON))),
      ("chapters", .array(chapters.map { .object($0.members(withArtwork: false)) })),
      ("selection", .object(selection.map { ($0.name, $0.group?.json ?? .null) })),
      ("tracks", .array(tracks.map(\.json))),
    ])
  }
}

extension MediaSelectionGroup {
  fileprivate var json: JSON {
    .object([
      ("default", .count(defaultOption?.trackID)),
      ("allowsEmpty", .bool(allowsEmptySelection)),
      ("options", .array(options.map(\.json))),
    ])
  }
}

extension MediaSelectionOption {
  fileprivate var json: JSON {
    .object([
      ("trackID", .integer(Int64(trackID))), ("displayName", .string(displayName)), ("language", .text(languageCode)),
      ("characteristics", .array(characteristics.map { .string($0.rawValue) })),
    ])
  }
}

extension TrackInfo {
  fileprivate var json: JSON {
    .object([
      ("id", .integer(Int64(id))),
      ("mediaType", .string(mediaType.rawValue)),
      ("codec", .text(format?.codec)),
      ("fourcc", .text(format?.fourCharacterCode)),
      ("codecString", .text(format?.codecString)),
      ("isEnabled", .bool(isEnabled)),
      ("isDecodable", .bool(isDecodable)),
      ("language", .text(language)),
      ("extendedLanguage", .text(extendedLanguage)),
      ("bitRate", .count(bitRate)),
      ("timeRange", timeRange.json),
      ("sampleCount", .count(sampleCount)),
      ("naturalTimeScale", .integer(Int64(naturalTimeScale))),
      ("characteristics", .array(characteristics.map { .string($0.rawValue) })),
      ("alternateGroup", .count(alternateGroup)),
      ("program", .count(program)),
      ("segments", .array(segments.map(\.json))),
      ("video", format?.video.map(json(of:)) ?? .null),
      ("timecode", timecode?.json ?? .null),
      ("audio", format?.audio?.json ?? .null),
    ])
  }

  private func json(of video: VideoFormat) -> JSON {
    .object([
      ("encodedSize", video.encodedSize.json),
      ("cleanSize", video.cleanSize.json),
      ("naturalSize", video.naturalSize.json),
      ("displaySize", transform.applied(to: video.naturalSize).json),
      ("sampleAspectRatio", .string(video.sampleAspectRatio.fraction)),
      ("rotation", .count(rotation)),
      ("matrix", transform.json),
      ("frameRate", .text(frameDuration.reciprocalFraction)),
      ("minFrameDuration", minFrameDuration.json),
      ("pixelFormat", .text(video.pixelFormat)),
      ("bitDepth", .count(video.bitDepth)),
      ("fieldOrder", .text(video.fieldOrder?.rawValue)),
      (
        "colour",
        .object([
          ("primaries", .text(video.colour.primaries)),
          ("transfer", .text(video.colour.transfer)),
          ("matrix", .text(video.colour.matrix)),
          ("range", .text(video.colour.range?.rawValue)),
        ])
      ),
      ("hdr", video.hdr?.json ?? .null),
      ("hasAlpha", .bool(video.hasAlpha)),
    ])
  }
}

extension MediaTimeRange {
  fileprivate var json: JSON { .object([("start", start.json), ("duration", duration.json)]) }
}

extension AssetTrackSegment {
  fileprivate var json: JSON {
    .object([
      ("source", isEmpty ? .null : timeMapping.source.json), ("target", timeMapping.target.json),
    ])
  }
}

extension PixelSize {
  fileprivate var json: JSON { .array([.integer(Int64(width)), .integer(Int64(height))]) }
}

extension PictureTransform {
  fileprivate var json: JSON { .array([a, b, c, d, tx, ty].map(JSON.number)) }
}

extension PixelAspectRatio {
  /// The ratio in lowest terms.
  var fraction: String {
    let divisor = greatestCommonDivisor(Int64(horizontal), Int64(vertical))
    return "\(Int64(horizontal) / divisor)/\(Int64(vertical) / divisor)"
  }
}

extension HDRProperties {
  fileprivate var json: JSON {
    .object([
      ("kind", .string(kind.rawValue)),
      ("masteringDisplay", masteringDisplay?.json ?? .null),
      ("maxContentLight", .count(maxContentLight)),
      ("maxFrameAverageLight", .count(maxFrameAverageLight)),
    ])
  }
}

extension MasteringDisplayColour {
  fileprivate var json: JSON {
    .object([
      ("primaries", primaries.isEmpty ? .null : .array(primaries.map(JSON.number))),
      ("whitePoint", whitePoint.isEmpty ? .null : .array(whitePoint.map(JSON.number))),
      ("minimumLuminance", minimumLuminance.map(JSON.number) ?? .null),
      ("maximumLuminance", maximumLuminance.map(JSON.number) ?? .null),
    ])
  }
}

extension TimecodeFormat {
  fileprivate var json: JSON {
    .object([
      ("start", .text(start)), ("frameRate", .text(frameDuration.reciprocalFraction)),
      ("dropFrame", .bool(isDropFrame)),
    ])
  }
}

extension AudioFormat {
  fileprivate var json: JSON {
    .object([
      ("sampleRate", .count(sampleRate)), ("channels", .count(channels)), ("layout", .text(layout)),
      ("sampleFormat", .text(sampleFormat)),
    ])
  }
}
