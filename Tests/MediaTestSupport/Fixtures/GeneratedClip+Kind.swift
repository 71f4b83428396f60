extension GeneratedClip {
  /// How a clip is coded and stored.
  package enum Kind: String, CaseIterable, Sendable {
    /// H.264 with B-frames, key frames 0, 25, 50, 75; MP4.
    case h264ClosedGroups
    /// H.264 whose B-frames refer across the key frame before which they are shown; MP4.
    case h264OpenGroups
    /// HEVC with B-frames; MP4.
    case hevc
    /// VP9 with hidden reference frames; WebM.
    case vp9
    /// AV1; MP4.
    case av1
    /// MPEG-2 with B-frames in a transport stream, whose clock starts at more than 1 s.
    case mpeg2Transport
    /// Motion JPEG; AVI, and QuickTime.
    case mjpegAVI, mjpegMOV
    /// H.264 with B-frames, frame k at 7k² + 13k milliseconds; MP4.
    case variableRate
    /// As `h264ClosedGroups` with an edit that starts in the middle of a group (frame 37) and ends
    /// after 40 frames: the frames before it are decoded and not shown.
    case hiddenPreRoll
    /// As `h264ClosedGroups`, after half a second of nothing.
    case emptyEdit
    /// As `h264ClosedGroups` in three segments: 0.2 s of nothing, frames 60…74, frames 10…19.
    case severalEdits
    /// As `h264ClosedGroups` from the middle of frame 37 for one second.
    case unalignedEdit
    /// ProRes 422 HQ; QuickTime.
    case proRes
    /// One picture: frame 50.
    case png
    /// Animated pictures.
    case gif, apng

    var fileName: String {
      switch self {
      case .vp9: "clip.webm"
      case .mpeg2Transport: "clip.ts"
      case .mjpegAVI: "clip.avi"
      case .mjpegMOV, .proRes: "clip.mov"
      case .png: "clip.png"
      case .gif: "clip.gif"
      case .apng: "clip.apng"
      default: "clip.mp4"
      }
    }

    /// One segment of an edited clip.
    struct Edit {
      /// How many frames long, in frames.
      var frames: Double
      /// The first source frame, a half for its middle; `nil` for nothing.
      var start: Double?
    }

    var edits: [Edit] {
      switch self {
      case .hiddenPreRoll: [Edit(frames: 40, start: 37)]
      case .emptyEdit: [Edit(frames: 12.5), Edit(frames: 100, start: 0)]
      case .severalEdits:
        [Edit(frames: 5), Edit(frames: 15, start: 60), Edit(frames: 10, start: 10)]
      case .unalignedEdit: [Edit(frames: 25, start: 37.5)]
      default: []
      }
    }

    package var frames: [LumaFrame] {
      switch self {
      case .png: [LumaFrame(time: .zero, luma: 116)]
      case .variableRate:
        (0..<30).map { (k: Int) -> LumaFrame in
          let milliseconds = Int64(7 * k * k + 13 * k)
          return LumaFrame(time: ClipTime(milliseconds, 1000), luma: Double(16 + 2 * k))
        }
      case .hiddenPreRoll, .emptyEdit, .severalEdits, .unalignedEdit: editedFrames
      default:
        (0..<100).map { (k: Int) -> LumaFrame in
          LumaFrame(time: ClipTime(Int64(k), 25), luma: Double(16 + 2 * k))
        }
      }
    }

    private var editedFrames: [LumaFrame] {
      var list: [LumaFrame] = []
      // In half frames, so that all is whole.
      var position = 0
      for edit in edits {
        let length = Int(2 * edit.frames)
        if let start = edit.start.map({ Int(2 * $0) }) {
          var source = start / 2
          while 2 * source < start + length {
            let time = position + max(0, 2 * source - start)
            list.append(LumaFrame(time: ClipTime(Int64(time), 50), luma: Double(16 + 2 * source)))
            source += 1
          }
        }
        position += length
      }
      return list
    }

    package var duration: ClipTime? {
      switch self {
      case .png, .variableRate: nil
      case .hiddenPreRoll, .emptyEdit, .severalEdits, .unalignedEdit:
        ClipTime(Int64(2 * edits.reduce(0) { $0 + $1.frames }), 50)
      default: ClipTime(4, 1)
      }
    }

    func arguments(_ version: FFmpegVersion) -> [String] {
      let source =
        "color=c=gray:s=64x48:r=25:d=4,format=yuv420p,geq=lum=16+2*N:cb=128:cr=128"
      let input = ["-f", "lavfi", "-i", source]
      let closed = [
        "-c:v", "libx264", "-crf", "5", "-x264-params", "scenecut=0:keyint=25:bframes=3",
      ]
      switch self {
      case .h264ClosedGroups: return input + closed
      case .hiddenPreRoll, .emptyEdit, .severalEdits, .unalignedEdit:
        return input + closed + ["-use_editlist", "0"]
      case .h264OpenGroups:
        let open = "open-gop=1:keyint=25:min-keyint=25:bframes=3:b-adapt=0:scenecut=0"
        return input + ["-c:v", "libx264", "-x264-params", open, "-crf", "5"]
      case .hevc:
        let parameters = "log-level=error:keyint=25:min-keyint=25:bframes=3:open-gop=0:crf=5"
        return input + ["-c:v", "libx265", "-x265-params", parameters, "-tag:v", "hvc1"]
      case .vp9:
        return input + [
          "-c:v", "libvpx-vp9", "-crf", "4", "-b:v", "0", "-g", "25", "-auto-alt-ref", "1",
          "-lag-in-frames", "12", "-row-mt", "1",
        ]
      case .av1:
        return input + [
          "-c:v", "libaom-av1", "-crf", "5", "-b:v", "0", "-g", "25", "-cpu-used", "8",
        ]
      case .mpeg2Transport:
        return input + [
          "-c:v", "mpeg2video", "-bf", "2", "-g", "12", "-qscale:v", "1", "-f", "mpegts",
        ]
      case .mjpegAVI, .mjpegMOV:
        return input + ["-c:v", "mjpeg", "-pix_fmt", "yuvj420p", "-qscale:v", "1"]
      case .variableRate:
        let times = ",settb=1/1000,setpts=7*N*N+13*N,trim=end_frame=30"
        return ["-f", "lavfi", "-i", source + times] + version.passthroughOptions + [
          "-enc_time_base", "1/1000", "-c:v", "libx264", "-bf", "2", "-g", "12", "-crf", "5",
          "-video_track_timescale", "1000",
        ]
      case .proRes:
        return input + ["-c:v", "prores_ks", "-profile:v", "3", "-pix_fmt", "yuv422p10le"]
      case .png:
        return ["-f", "lavfi", "-i", source + ",select=eq(n\\,50)"] + [
          "-frames:v", "1", "-update", "1", "-pix_fmt", "rgb24", "-f", "image2", "-c:v", "png",
        ]
      case .gif: return input + ["-pix_fmt", "gray", "-f", "gif"]
      case .apng: return input + ["-pix_fmt", "gray", "-plays", "0", "-f", "apng"]
      }
    }
  }
}
