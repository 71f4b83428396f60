import Foundation
import ISOMedia
import Testing

/// The folder of real media with known answers, where there is one.
enum Corpus {
  static let root = ProcessInfo.processInfo.environment["MEDIA_CORPUS"]

  static let isMissing: Comment = "MEDIA_CORPUS is not set: no real media to compare with"

  static func load(_ path: String) throws -> [UInt8] {
    let root = try #require(root)
    return [UInt8](try Data(contentsOf: URL(fileURLWithPath: "\(root)/\(path)")))
  }

  static func lines(_ path: String) throws -> [String] {
    String(decoding: try load(path), as: UTF8.self).split(separator: "\n").map(String.init)
  }

  static func layout(_ path: String) throws -> (FileLayout, [UInt8]) {
    let file = try load(path)
    return (
      FileLayout.scan(size: Int64(file.count), through: .everything, read: reading(file)), file
    )
  }

  static func movie(_ path: String) throws -> MovieHeader {
    let (layout, _) = try layout(path)
    return try MovieHeader.parse(try #require(layout.movie?.bytes))
  }

  /// All samples of every track, those in fragments included, in decode order.
  static func samples(_ path: String) throws -> (MovieHeader, [UInt32: [Sample]]) {
    let file = try load(path)
    var movie: MovieHeader?
    var result: [UInt32: [Sample]] = [:]
    for box in BoxSequence(file) {
      if box.type == "moov", movie == nil {
        let parsed = try MovieHeader.parse(Array(file[box.range]))
        for track in parsed.tracks {
          result[track.trackID] = Array(
            try parsed.sampleTable(of: track, maximumSamples: 1_000_000))
        }
        movie = parsed
      } else if box.type == "moof" {
        let data = Array(file[box.range])
        let fragment = try MovieFragment.parse(
          data, at: Int64(box.range.lowerBound),
          defaults: try #require(movie).movieExtends?.tracks ?? [])
        #expect(fragment.problems == [])
        for track in fragment.tracks {
          let known = result[track.trackID]?.last
          var time =
            track.baseDecodeTime.map(Int64.init)
            ?? known.map { $0.decodeTime + Int64($0.duration) } ?? 0
          for run in track.runs {
            let samples = Array(run.samples(in: data, from: time))
            result[track.trackID, default: []] += samples
            if let last = samples.last { time = last.decodeTime + Int64(last.duration) }
          }
        }
      }
    }
    return (try #require(movie), result)
  }
}

/// What a peer's dump says about a track.
struct DumpedTrack {
  struct Sample {
    var time: Int64 = 0
    var isSync = false
    var isEncrypted = false
    var size = 0
  }

  var fields: [String: String] = [:]
  var samples: [Sample] = []

  static func all(in lines: [String]) -> [DumpedTrack] {
    var tracks: [DumpedTrack] = []
    for line in lines {
      let text = line.drop { $0 == " " }
      let parts = text.split(separator: " ")
      if text.hasPrefix("track "), text.hasSuffix(":") { tracks.append(DumpedTrack()) }
      guard !tracks.isEmpty else { continue }
      let last = tracks.count - 1
      if text.hasPrefix("sample "), text.hasSuffix(":") {
        tracks[last].samples.append(Sample())
      }
      guard parts.count >= 3, parts[1] == "=" else { continue }
      if tracks[last].samples.isEmpty {
        let key = String(parts[0])
        if tracks[last].fields[key] == nil { tracks[last].fields[key] = String(parts[2]) }
        continue
      }
      let sample = tracks[last].samples.count - 1
      switch parts[0] {
      case "time": tracks[last].samples[sample].time = Int64(parts[2]) ?? 0
      case "flags":
        let flags = Int(parts[2]) ?? 0
        tracks[last].samples[sample].isSync = flags & 1 == 1
        tracks[last].samples[sample].isEncrypted = flags & 0x4000_0000 != 0
      case "data":
        if parts.count >= 4, parts[2] == "length" {
          tracks[last].samples[sample].size = Int(parts[3].dropLast()) ?? 0
        }
      default: break
      }
    }
    return tracks
  }
}
