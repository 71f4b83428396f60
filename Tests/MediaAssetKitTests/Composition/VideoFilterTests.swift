import Foundation
import MediaTestSupport
import Testing

@testable import MediaAssetKit

@Suite struct VideoFilterTests {
  private func moving() async throws -> URL {
    try await madeClip(
      "moving.mkv", ["-f", "lavfi", "-i", "testsrc2=s=64x48:r=25:d=1,format=yuv420p", "-c:v", "ffv1"])
  }

  /// ffmpeg's own pictures for the same description.
  private func judged(_ description: String) async throws -> [VideoFrame] {
    let url = try await madeClip(
      "judged-\(abs(description.hashValue)).mkv",
      ["-i", try await moving().path, "-vf", description + ",format=yuv420p", "-c:v", "ffv1"])
    return try await Composition.joined([url]).composed()
  }

  private func isSame(_ one: PixelBuffer, _ other: PixelBuffer) throws -> Bool {
    try one.withPackedBytes { bytes in
      let first = bytes.withUnsafeBufferPointer { Array($0) }
      return try other.withPackedBytes { bytes in first == bytes.withUnsafeBufferPointer { Array($0) } }
    }
  }

  @Test(arguments: [
    "hflip", "negate", "hue=s=0", "gblur=sigma=2", "lutyuv=y='val/2'", "fade=in:0:10",
    "split[a][b];[a]vflip[c];[b][c]blend",
    "geq=lum='X+Y+N':cb=128:cr=128",
  ])
  func areFFmpegs(_ description: String) async throws {
    var stack = try await LayerStack(greys: [])
    try await stack.add(try await moving())
    let right = try await judged(description)
    var layer = VideoComposition.LayerInstruction(trackID: stack.ids[0])
    layer.filter = try VideoFilter(description)
    var whole = stack.video()
    whole.filter = try VideoFilter(description)
    for video in [stack.video([layer]), whole] {
      let frames = try await stack.film.composed(video)
      #expect(frames.count == 25 && right.count == 25)
      for index in [0, 1, 12, 24] {
        #expect(try isSame(frames[index].pixelBuffer, right[index].pixelBuffer))
      }
    }
  }

  /// The whole goes on with the film's time where a source stands still.
  @Test func goesOnWhileSourcesStand() async throws {
    let image = try await madeClip(
      "still.png", ["-f", "lavfi", "-i", "color=0x808080:s=64x48", "-frames:v", "1"])
    var segment = Timeline.Segment(file: image.path)
    segment.duration = "1"
    var timeline = Timeline(tracks: [.init(media: .video, segments: [segment])])
    timeline.frameDuration = "1/10"
    timeline.filter = "fade=in:0:8"
    let made = try await timeline.make()
    let values = try await made.composition.composed(made.videoComposition).map { $0.pixelBuffer.value(0, 9, 9) }
    #expect(values.count == 10 && values[0] == 16 && Set(values.prefix(8)).count == 8)
  }

  /// A layer's filter changes its size, and nothing of the other layer.
  @Test func ofOneLayer() async throws {
    let stack = try await LayerStack(greys: [0, 10])
    var top = VideoComposition.LayerInstruction(trackID: stack.ids[1])
    top.filter = try VideoFilter("crop=16:12,lutyuv=y=255-val")
    let picture = try await stack.film.composed(stack.video([top, .init(trackID: stack.ids[0])]))[0].pixelBuffer
    #expect(picture.value(0, 15, 11) == 255 - 190)
    #expect(picture.value(0, 16, 11) == 40 && picture.value(0, 15, 12) == 40)
  }

  @Test(arguments: [
    "movie=/etc/passwd", "null,movie=x", "[in]null[a];amovie=x[b];[a][b]overlay", "drawtext=textfile=/etc/passwd",
    "drawtext=text=x:fontfile=/x", "subtitles=x.srt", "ass=x", "lut3d=file=x", "sendcmd=f=x", "zmq", "frei0r=x",
    "ladspa=x",
    "openclsrc=x", "metadata=print:file=/tmp/x", "curves=psfile=x", "curves=a:b:c:d:e:f:g:h:i:j:x",
    "scale=w=n:eval=frame",
    "pad=9:9:0:0:red:frame", "mo'vie'=x", "m\\ovie=x", "'movie'=x", "null , movie=x", "fps=50", "hflip=/x=y",
    "coreimage",
    "nullsrc", "xfade", "scale=in_color_matrix=bt709,\nmovie=x", "geq=lum='while(1,0)'", "rotate=a=wh\\\\ile(1\\,0)",
    "hue=h='whi''le(1,0)'", "split=outputs=9M", "split=1e9", "split=33", "hstack=shortest=1:inputs=2*999",
    "vstack=inputs=9G", String(repeating: "null,", count: 32) + "null",
  ])
  func areRefused(_ description: String) {
    let error = #expect(throws: MediaError.self) { try VideoFilter(description) }
    #expect(error?.code == .resourceForbidden || error?.code == .invalidArgument)
    #expect(throws: (any Error).self) {
      try JSONDecoder().decode(VideoFilter.self, from: JSONEncoder().encode(description))
    }
  }

  @Test(arguments: ["", ",", "null,", "[a", "null;;null", String(repeating: "null,", count: 1000) + "null", "a\u{0}b"])
  func areNone(_ description: String) {
    let error = #expect(throws: MediaError.self) { try VideoFilter(description) }
    #expect(error?.code == .invalidArgument)
  }

  /// Quotes keep what ends options.
  @Test func isRead() throws {
    let filters = FilterDescription("[in] geq = lum='a,b;c[d]':cb=1\\,2 [x]; [x]hflip@one,vflip").filters()
    #expect(filters?.map(\.name) == ["geq", "hflip", "vflip"])
    #expect(filters?.first?.options.contains("lum=a,b;c[d]:cb=1,2") == true)
  }

  /// What libav refuses comes with its words; limits hold before pictures are made.
  @Test(arguments: [
    ("hue=s=nonsense(", ""), ("gblur=unknown=1", "unknown"), ("[in]null[a]", ""), ("scale=30000:30000", "30000"),
    ("hstack", ""),
  ])
  func failuresSayWhy(_ description: String, _ word: String) async throws {
    let stack = try await LayerStack(greys: [0])
    var video = stack.video()
    video.filter = try VideoFilter(description)
    let error = await #expect(throws: MediaError.self) { try await stack.film.composed(video) }
    #expect(error?.operation == "filter" && error?.reason.isEmpty == false)
    if !word.isEmpty { #expect(error?.reason.contains(word) == true) }
  }

  /// A picture that stands still is filtered anew at each of its times.
  @Test func stillsAreFilteredInTime() async throws {
    let stack = try await LayerStack(greys: [0])
    var layer = VideoComposition.LayerInstruction(trackID: stack.ids[0])
    layer.filter = try VideoFilter("geq=lum='16+100*T':cb=128:cr=128")
    var video = stack.video([layer])
    // Each picture of the clip is drawn four times.
    video.frameDuration = MediaTime(value: 1, timescale: 100)
    let frames = try await stack.film.composed(video)
    #expect(frames.count == 100)
    for frame in frames { #expect(abs(frame.pixelBuffer.value(0, 5, 5) - Int(16 + 100 * frame.time.seconds)) <= 1) }
  }

  @Test func trustedOnesAreTaken() async throws {
    let stack = try await LayerStack(greys: [0])
    var video = stack.video()
    video.filter = VideoFilter(trusted: "fps=100")
    let error = await #expect(throws: MediaError.self) { try await stack.film.composed(video) }
    #expect(error?.code == .operationNotSupported)
    video.filter = VideoFilter(trusted: "drawbox=x=0:y=0:w=10:h=10:color=white:t=fill")
    #expect(try await stack.film.composed(video)[0].pixelBuffer.value(0, 5, 5) == 235)
  }
}
