import LibAV

/// Sends the pictures of one layer, or of all together, through a filter: a graph for each kind of picture, made anew when
/// the kind changes.
struct FilterRunner {
  let filter: VideoFilter
  let maximumPixels: Int
  private var graph: FilterGraph?
  private var last: (source: Frame, time: MediaTime, result: Frame)?

  init(_ filter: VideoFilter, maximumPixels: Int) {
    self.filter = filter
    self.maximumPixels = maximumPixels
  }

  /// What becomes of a picture; the same as before for the same one at the same time.
  ///
  /// - Parameters:
  ///   - picture: The picture.
  ///   - time: Its time, which rises.
  /// - Throws: ``MediaError``: `invalidArgument` with libav's words for what FFmpeg refuses, `libraryMissing`
  ///   where there is no libavfilter, `operationNotSupported` for filters that make no picture, or several, of one.
  mutating func run(_ picture: PixelBuffer, at time: MediaTime) throws -> PixelBuffer {
    let frame = picture.frame
    if let last, last.source === frame, last.time == time { return PixelBuffer(last.result) }
    if let missing = FilterGraph.missing {
      throw error(.libraryMissing, missing, remedy: "Install FFmpeg's libavfilter")
    }
    do {
      var graph = graph
      if graph?.key != FilterGraph.Key(frame) {
        graph = try FilterGraph.make(filter.description, like: frame, maximumPixels: maximumPixels)
        self.graph = graph
      }
      let tick = Rational(1, FilterGraph.ticksPerSecond) ?? .one
      guard let result = try graph?.run(frame, at: time.ticks(in: tick) ?? 0), try graph?.hasMore() == false else {
        self.graph = nil
        throw self.error(.operationNotSupported, "it does not make one picture of each")
      }
      last = (frame, time, result)
      return PixelBuffer(result)
    } catch let error as AVError {
      graph = nil
      throw self.error(.invalidArgument, error.log ?? error.message, ffmpeg: error)
    }
  }

  private func error(
    _ code: MediaError.Code, _ reason: String, remedy: String = "", ffmpeg: AVError? = nil
  ) -> MediaError {
    MediaError(
      code, operation: "filter", subject: "pictures by “\(filter.description.prefix(80))”", reason: reason,
      remedy: remedy, ffmpegCode: ffmpeg?.code, ffmpegLog: ffmpeg?.log == reason ? nil : ffmpeg?.log)
  }
}
