import LibAV

/// How large a planned file will be. Pure arithmetic.
struct ExportEstimate {
  let facts: ExportFacts
  let container: WritableContainer

  func fill(_ plan: inout ExportPlan) {
    var total: Int64 = container.isMovie ? 2048 : 512
    var certainty = ExportPlan.Certainty.good
    for index in plan.tracks.indices where plan.tracks[index].action != .drop {
      let fact = facts.tracks[index]
      let seconds = self.seconds(fact, in: plan.presentedRange)
      let (bytes, samples, sure) = media(plan.tracks[index], fact, seconds)
      guard let bytes else {
        certainty = .unknown
        continue
      }
      plan.tracks[index].expectedLength = bytes
      plan.tracks[index].certainty = sure
      if sure == .rough, certainty == .good { certainty = .rough }
      total += bytes + overhead(samples, bytes)
    }
    plan.certainty = certainty
    plan.expectedFileLength = certainty == .unknown ? nil : total
    if certainty == .unknown { fillFromSource(&plan) }
  }

  /// Where nothing lists the samples, a copy of everything is as large as its source.
  private func fillFromSource(_ plan: inout ExportPlan) {
    let media = plan.tracks.filter { [.video, .audio].contains($0.mediaType) }
    guard media.allSatisfy({ $0.action == .copy }), let size = facts.fileSize, facts.duration.isNumeric,
      facts.duration > .zero
    else { return }
    let range = plan.presentedRange.duration
    let isWhole = !range.isNumeric || range == facts.duration
    let share = isWhole ? 1 : range.seconds / facts.duration.seconds
    plan.expectedFileLength = Int64(Double(size) * share)
    plan.certainty = isWhole ? .good : .rough
  }

  private func seconds(_ fact: ExportFacts.Track, in range: MediaTimeRange) -> Double? {
    guard fact.timeRange.start.isNumeric else { return nil }
    let start = max(fact.timeRange.start, range.start)
    let ends = [fact.timeRange.end, range.end, facts.duration].filter(\.isNumeric)
    guard let end = ends.min() else { return nil }
    return max(0, (end - start).seconds)
  }

  private func media(
    _ track: ExportPlan.Track, _ fact: ExportFacts.Track, _ seconds: Double?
  ) -> (bytes: Int64?, samples: Int, ExportPlan.Certainty) {
    let rate = fact.frameDuration.isNumeric ? 1 / max(0.001, fact.frameDuration.seconds) : 25
    let perSecond = fact.mediaType == .video ? rate : Double(fact.audio?.sampleRate ?? 48_000) / 1024
    let samples = fact.samples ?? Int(Self.whole((seconds ?? 0) * perSecond))
    switch track.action {
    case .copy:
      if let bytes = fact.bytes { return (bytes, samples, .good) }
      guard let bits = fact.bitRate, let seconds else {
        // Text and timecode weigh nothing beside pictures and sound.
        let isLight = ![MediaType.video, .audio].contains(fact.mediaType)
        return (isLight ? 4096 : nil, samples, .unknown)
      }
      return (Self.whole(Double(bits) / 8 * seconds), samples, .good)
    case .convert: return (fact.bytes ?? 4096, samples, .good)
    case .encode:
      guard let seconds else { return (nil, samples, .unknown) }
      let frames = track.frameDuration.isNumeric ? seconds / max(0.001, track.frameDuration.seconds) : seconds * rate
      if let video = track.video, let size = track.size {
        if let bits = video.averageBitRate {
          return (Self.whole(Double(bits) / 8 * seconds), Int(Self.whole(frames)), .good)
        }
        let bits = Self.bitsPerPixel(video) * Double(size.width * size.height) * frames
        return (Self.whole(bits / 8), Int(Self.whole(frames)), .rough)
      }
      if let audio = track.audio { return sound(audio, fact, seconds, samples) }
      return (nil, samples, .unknown)
    case .drop: return (0, 0, .good)
    }
  }

  /// Headers may claim any length: beyond a petabyte it makes no difference.
  private static func whole(_ value: Double) -> Int64 { value.isFinite ? Int64(min(1e15, max(0, value))) : 0 }

  private func sound(
    _ audio: AudioSettings, _ fact: ExportFacts.Track, _ seconds: Double, _ samples: Int
  ) -> (bytes: Int64?, samples: Int, ExportPlan.Certainty) {
    let channels = Double(audio.channels ?? fact.audio?.channels ?? 2)
    let rate = Double(audio.sampleRate ?? fact.audio?.sampleRate ?? 48_000)
    if audio.codec.hasPrefix("pcm_") {
      let bits = audio.codec.contains("32") ? 32.0 : audio.codec.contains("24") ? 24 : 16
      return (Self.whole(bits / 8 * channels * rate * seconds), 0, .good)
    }
    if let bits = audio.bitRate { return (Self.whole(Double(bits) / 8 * seconds), samples, .good) }
    // Lossless sound halves, more or less; the others' encoders choose about 64 kbit/s a channel.
    let bits = ["flac", "alac"].contains(audio.codec) ? 16 * 0.6 * rate * channels : 64_000 * channels
    return (Self.whole(bits / 8 * seconds), samples, .rough)
  }

  /// What natural pictures take at a rate factor: halved by every six steps for H.264.
  private static func bitsPerPixel(_ settings: VideoSettings) -> Double {
    let factor = settings.constantRateFactor
    func power(_ exponent: Double) -> Double {
      // 2 to a power, without a mathematics library: whole steps and a straight line in between.
      let whole = exponent.rounded(.down)
      return Double(sign: .plus, exponent: Int(max(-40, min(40, whole))), significand: 1) * (1 + (exponent - whole))
    }
    switch settings.codec {
    case "h264": return 0.09 * power((23 - (factor ?? 23)) / 6)
    case "hevc": return 0.06 * power((26 - (factor ?? 28)) / 6)
    case "vp9", "vp8", "av1": return 0.05 * power((31 - (factor ?? 31)) / 9)
    case "prores": return settings.profile == "4444" ? 5.3 : 2.4
    case "gif": return 4
    default: return 0.2
    }
  }

  /// What the container adds: sample tables, or a header for each packet.
  private func overhead(_ samples: Int, _ bytes: Int64) -> Int64 {
    switch container.muxer {
    // Packets of 188 bytes with 184 of payload, and one that is not full for each sample.
    case "mpegts": bytes * 188 / 184 - bytes + Int64(samples) * 110
    case "mp4", "mov", "3gp", "3g2", "m4a", "ipod": Int64(samples) * 12 + 600
    case "avi": Int64(samples) * 24
    default: Int64(samples) * 8
    }
  }
}
