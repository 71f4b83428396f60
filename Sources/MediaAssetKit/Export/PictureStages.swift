import ISOMedia
import LibAV

/// Makes whole pictures of fields.
struct FieldSplitter {
  private let mode: Deinterlacing

  init(_ mode: Deinterlacing) { self.mode = mode }

  func split(_ frame: VideoFrame) throws -> [VideoFrame] {
    let picture = frame.pixelBuffer.frame
    guard mode == .on || mode == .fields, picture.isInterlaced, picture.height >= 4 else { return [frame] }
    let isTopFirst = picture.isTopFieldFirst
    do {
      let first = PixelBuffer(try picture.field(isTop: isTopFirst))
      guard mode == .fields, frame.duration.isNumeric, frame.duration > .zero else {
        return [VideoFrame(time: frame.time, duration: frame.duration, pixelBuffer: first)]
      }
      let half = frame.duration.multiplied(by: 1, dividedBy: 2)
      let second = PixelBuffer(try picture.field(isTop: !isTopFirst))
      return [
        VideoFrame(time: frame.time, duration: half, pixelBuffer: first),
        VideoFrame(time: frame.time + half, duration: frame.duration - half, pixelBuffer: second),
      ]
    } catch {
      throw MediaError.libav(error, operation: "export", subject: "a picture of two fields")
    }
  }
}

/// Draws the turn that shows pictures upright into them.
struct PictureTurner {
  private let orientation: Orientation?

  init(_ orientation: Orientation?) { self.orientation = orientation == .up ? nil : orientation }

  mutating func turned(_ frame: VideoFrame) throws(AVError) -> VideoFrame {
    guard let orientation else { return frame }
    // The map of the turn, read backwards: where a pixel of the result comes from.
    let map = orientation.transform(for: PixelSize(width: 2, height: 2))
    let transposes = orientation.swapsDimensions
    let columns = transposes ? map.c < 0 : map.a < 0
    let rows = transposes ? map.b < 0 : map.d < 0
    let picture = try frame.pixelBuffer.frame.turned(
      transposes: transposes, reversesColumns: columns, reversesRows: rows)
    return VideoFrame(time: frame.time, duration: frame.duration, pixelBuffer: PixelBuffer(picture))
  }
}

/// Brings pictures of high dynamic range to BT.709, as stills are.
final class PictureToneMapper {
  private let renderer: PictureRenderer
  private var scalers = ScalerCache()

  /// nil for tracks without pictures.
  init?(_ track: AssetTrack) {
    guard var geometry = track.geometry(), let stream = track.track.stream else { return nil }
    geometry.transform = .identity
    renderer = PictureRenderer(
      geometry: geometry, colour: stream.colour, isStillCodec: false, maximumSize: .zero, apertureMode: .encodedPixels,
      appliesTransform: false, dynamicRange: .forceSDR,
      contentPeak: PictureRenderer.peak(stream.contentLight, stream.masteringDisplay))
  }

  func mapped(_ frame: VideoFrame) throws -> VideoFrame {
    let source = frame.pixelBuffer.frame
    let image = try renderer.render(source, &scalers)
    let picture = try Frame.picture(
      width: image.width, height: image.height, format: .rgba,
      colour: ColourDescription(primaries: "bt709", transfer: "bt709", matrix: "gbr", isFullRange: true),
      sampleAspectRatio: source.sampleAspectRatio
    ) { planes, strides in
      guard let target = unsafe planes[0] else { return }
      for row in 0..<image.height {
        image.withRowBytes(row) { bytes in
          let count = min(bytes.count, strides[0])
          unsafe (target + row * strides[0]).copyMemory(
            from: bytes.baseAddress ?? UnsafeRawPointer(target), byteCount: count)
        }
      }
    }
    return VideoFrame(time: frame.time, duration: frame.duration, pixelBuffer: PixelBuffer(picture))
  }
}
