import LibAV

/// The pictures of one track of a composition in the order of its time. A segment's decoder is opened when its turn comes
/// and let go behind its end.
final class CompositionPictures {
  /// A picture on show.
  struct Shown {
    var picture: PixelBuffer
    /// When, on the composition's timeline.
    var start: MediaTime
    var end: MediaTime
    var colour: ConversionColour
  }

  let trackID: Int32
  private let segments: [Composition.Segment]
  private let range: MediaTimeRange
  private let assets: CompositionAssets
  private var next = 0
  private var segment: Composition.Segment?
  private let readsAhead: Bool
  private var frames: FramesAhead?
  private var iterator: VideoFrames.Iterator?
  private var colour = ConversionColour(stream: ColourDescription(), isStillCodec: false)
  /// What the segment's container says of its pictures' light, for decoders that don't.
  private var light: Frame?
  private var stretcher: VideoConversion?
  private var current: Shown?
  private var ahead: Shown?
  private var isAtEnd = false

  init(_ track: Composition.Track, range: MediaTimeRange, assets: CompositionAssets, readsAhead: Bool) {
    self.readsAhead = readsAhead
    trackID = track.id
    self.range = range
    self.assets = assets
    segments = track.segments.filter { !$0.isEmpty && $0.timeRange.intersection(range).duration > .zero }
  }

  /// The picture on show at a time; nil when there is none. Times never fall.
  func picture(at time: MediaTime) async throws -> Shown? {
    while true {
      if ahead == nil, !isAtEnd {
        ahead = try await fetch()
        isAtEnd = ahead == nil
      }
      guard let following = ahead, following.start <= time else { break }
      current = following
      ahead = nil
    }
    guard let current, current.start <= time, time < current.end else { return nil }
    return current
  }

  /// When something else is on show, of what ``picture(at:)`` said last; nil: never again.
  func change(after time: MediaTime) -> MediaTime? {
    if let current, time < current.end { return current.end }
    return ahead?.start
  }

  private func fetch() async throws -> Shown? {
    while true {
      if iterator == nil, frames == nil, try await !enterNext() { return nil }
      let next = if let frames { try await frames.next() } else { try await iterator?.next() }
      guard let segment, let frame = next else {
        (iterator, frames) = (nil, nil)
        continue
      }
      let (from, to) = (segment.timeMapping.source, segment.timeMapping.target)
      var own = MediaTimeRange(start: frame.time, duration: frame.duration)
      if segment.isReversed { own = from.mirrored(own) }
      let start = segment.isScaled ? own.start.mapped(from: from, to: to) : to.start + (own.start - from.start)
      let end = segment.isScaled ? own.end.mapped(from: from, to: to) : start + frame.duration
      // A single picture stands as long as its segment does.
      let isStill = colour.isStillCodec && frame.duration <= .zero
      let shown = (start: max(start, to.start), end: isStill ? to.end : min(end, to.end))
      // Pictures that last no time are never on show.
      guard shown.end > shown.start else { continue }
      let picture = try lit(try await whole(frame))
      return Shown(picture: picture, start: shown.start, end: shown.end, colour: colour)
    }
  }

  /// Of two fields the first, stretched: both in one picture would be torn by whatever moves or scales them.
  private func whole(_ frame: VideoFrame) async throws -> PixelBuffer {
    let stored = frame.pixelBuffer
    guard stored.frame.isInterlaced, let field = try FieldSplitter(.on).split(frame).first?.pixelBuffer,
      field.size != stored.size
    else { return stored }
    let stretcher = stretcher ?? VideoConversion(VideoOutputSettings(size: stored.size), colour)
    self.stretcher = stretcher
    return try await stretcher.convert(field)
  }

  private func lit(_ picture: PixelBuffer) throws -> PixelBuffer {
    guard let light, !picture.frame.hasLight else { return picture }
    do { return PixelBuffer(try picture.frame.withLight(of: light)) } catch {
      throw MediaError.libav(error, operation: "compose", subject: "track \(trackID)")
    }
  }

  private func enterNext() async throws -> Bool {
    stretcher = nil
    guard next < segments.count else { return false }
    let whole = segments[next]
    next += 1
    let shown = whole.timeRange.intersection(range)
    let part = whole.part(shown)
    guard let source = part.source else { return true }
    let track = try await assets.track(source, .video)
    colour = ConversionColour(track.track)
    let stream = track.track.stream
    do { light = try Frame.light(display: stream?.masteringDisplay, content: stream?.contentLight) } catch {
      throw MediaError.libav(error, operation: "compose", subject: track.subject)
    }
    segment = part
    let pictures = track.frames(in: part.timeMapping.source)
    if part.isReversed {
      frames = FramesAhead(ReversedFrames(track: track, range: part.timeMapping.source))
    } else if readsAhead {
      frames = FramesAhead(pictures)
    } else {
      iterator = pictures.makeAsyncIterator()
    }
    return true
  }
}
