/// How the pictures of several tracks become one, over time.
///
/// ```swift
/// var video = try await VideoComposition(propertiesOf: film)
/// var layer = VideoComposition.LayerInstruction(trackID: 2)
/// try layer.setOpacityRamp(fromStartOpacity: 0, toEndOpacity: 1, timeRange: range)
/// video.instructions[0].layerInstructions.insert(layer, at: 0)
/// ```
///
/// A value, which says nothing of who draws: a compositor of one's own is given to the output, the session or the generator
/// as an instance, where AVFoundation takes a class.
///
/// What the pictures of a source of high dynamic range say of their light (mastering display, content light, HDR10+) goes
/// along with every composed picture of high dynamic range, from the lowest layer that says anything, and into the files
/// that are written: AVFoundation's `perFrameHDRDisplayMetadataPolicy.propagate`, its default. There is no `.generate`:
/// it would measure the composed pictures for Dolby Vision, which FFmpeg's encoders don't write; Dolby Vision's own
/// metadata is dropped, because it says how to map pixels that nobody has drawn over. Pictures of two eyes
/// (`spatialVideoConfigurations`, tagged buffers) and `outputBufferDescription` have no counterpart.
public struct VideoComposition: Sendable, Hashable, Codable {
  /// The size of the pictures that come out, in square pixels.
  ///
  /// AVFoundation's `renderScale` has no counterpart: it makes pictures smaller for playback only, and its exporters and
  /// generators refuse all but 1. Who wants smaller ones asks the output for them (``VideoOutputSettings/size``,
  /// `ImageGenerator.maximumSize`, ``VideoSettings/size``).
  public var renderSize: PixelSize
  /// The time of one picture; invalid: a picture for every change of a source.
  public var frameDuration: MediaTime
  /// The track whose pictures' times those of the output follow, whatever the frame duration says; nil: none.
  public var sourceTrackIDForFrameTiming: Int32?
  /// What is drawn when: in order, each beginning where the one before ends.
  public var instructions: [Instruction]
  /// The colour tags of the pictures that come out; what is nil follows the first source.
  public var colour: ColourProperties
  /// The tracks, neither of pictures nor of sound, whose samples a custom compositor gets where an instruction asks for
  /// them (``Instruction/requiredSourceSampleDataTrackIDs``).
  public var sourceSampleDataTrackIDs: [Int32] = []
  /// Images and texts over all layers, the last on top; also over what a custom compositor draws.
  public var overlays: [Overlay] = []
  /// What every composed picture goes through before the overlays are drawn.
  public var filter: VideoFilter?

  /// A composition of given parts.
  public init(
    renderSize: PixelSize, frameDuration: MediaTime = .invalid, instructions: [Instruction] = [],
    colour: ColourProperties = ColourProperties()
  ) {
    self.renderSize = renderSize
    self.frameDuration = frameDuration
    self.instructions = instructions
    self.colour = colour
  }

  /// Reads what is there; what is missing is as in a new composition.
  public init(from decoder: any Decoder) throws {
    let values = try decoder.container(keyedBy: CodingKeys.self)
    renderSize = try values.decode(PixelSize.self, forKey: .renderSize)
    frameDuration = try values.decodeIfPresent(MediaTime.self, forKey: .frameDuration) ?? .invalid
    sourceTrackIDForFrameTiming = try values.decodeIfPresent(Int32.self, forKey: .sourceTrackIDForFrameTiming)
    instructions = try values.decodeIfPresent([Instruction].self, forKey: .instructions) ?? []
    colour = try values.decodeIfPresent(ColourProperties.self, forKey: .colour) ?? ColourProperties()
    sourceSampleDataTrackIDs = try values.decodeIfPresent([Int32].self, forKey: .sourceSampleDataTrackIDs) ?? []
    overlays = try values.decodeIfPresent([Overlay].self, forKey: .overlays) ?? []
    filter = try values.decodeIfPresent(VideoFilter.self, forKey: .filter)
  }

  /// A solid colour: red, green and blue from 0 to 1, as the pictures' own RGB.
  public struct Color: Sendable, Hashable, Codable {
    /// Red.
    public var red: Double
    /// Green.
    public var green: Double
    /// Blue.
    public var blue: Double
    /// A colour of three parts.
    public init(red: Double, green: Double, blue: Double) { (self.red, self.green, self.blue) = (red, green, blue) }
    /// Black.
    public static let black = Color(red: 0, green: 0, blue: 0)
    /// White.
    public static let white = Color(red: 1, green: 1, blue: 1)
  }
}
