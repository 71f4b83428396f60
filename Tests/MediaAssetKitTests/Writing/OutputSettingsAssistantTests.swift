import MediaAssetKit
import Testing

@Suite("Output settings assistant") struct OutputSettingsAssistantTests {
  @Test(
    arguments: [
      // As large as the preset; smaller; wider; upright.
      (.size1280x720, PixelSize(width: 1920, height: 1080), PixelSize(width: 1280, height: 720)),
      (.size1920x1080, PixelSize(width: 640, height: 360), PixelSize(width: 640, height: 360)),
      (.size640x480, PixelSize(width: 1920, height: 800), PixelSize(width: 640, height: 266)),
      (.size960x540, PixelSize(width: 1080, height: 1920), PixelSize(width: 540, height: 960)),
      (.hevc3840x2160, PixelSize(width: 4096, height: 2160), PixelSize(width: 3840, height: 2024)),
      (.size640x480, PixelSize(width: 1, height: 10_000), PixelSize(width: 2, height: 640)),
    ] as [(OutputSettingsAssistant.Preset, PixelSize, PixelSize)])
  func sizes(preset: OutputSettingsAssistant.Preset, source: PixelSize, expected: PixelSize) throws {
    var assistant = try #require(OutputSettingsAssistant(preset: preset))
    assistant.sourceVideoFormat = VideoFormat(
      encodedSize: source, cleanAperture: PixelRect(source), naturalSize: source, sampleAspectRatio: .square)
    #expect(assistant.videoSettings.size == expected)
  }

  @Test func defaults() throws {
    let assistant = try #require(OutputSettingsAssistant(preset: .size1280x720))
    let video = assistant.videoSettings
    #expect(video.codec == "h264" && video.size == PixelSize(width: 1280, height: 720))
    // 1280 · 720 · 30 / 10, to the thousand.
    #expect(video.averageBitRate == 2_765_000 && video.expectedFrameRate == 30)
    #expect(assistant.audioSettings == AudioSettings(codec: "aac", sampleRate: 44_100, channels: 2, bitRate: 128_000))
    #expect(assistant.outputFileType == .mov)
    #expect(OutputSettingsAssistant(preset: .init(rawValue: "AVOutputSettingsPresetHEVC1920x1080WithAlpha")) == nil)
    #expect(OutputSettingsAssistant.availablePresets.contains(.size640x480))
  }

  @Test func source() throws {
    var assistant = try #require(OutputSettingsAssistant(preset: .size1920x1080))
    assistant.sourceVideoAverageFrameDuration = MediaTime(value: 1, timescale: 50)
    assistant.sourceVideoMinFrameDuration = MediaTime(value: 1, timescale: 60)
    assistant.sourceAudioFormat = AudioFormat(sampleRate: 96_000, channels: 6)
    #expect(assistant.videoSettings.averageBitRate == 10_368_000 && assistant.videoSettings.expectedFrameRate == 60)
    #expect(assistant.audioSettings.sampleRate == 48_000 && assistant.audioSettings.channels == 2)
    assistant.sourceAudioFormat = AudioFormat(sampleRate: 22_050, channels: 1)
    #expect(assistant.audioSettings == AudioSettings(codec: "aac", sampleRate: 22_050, channels: 1, bitRate: 64_000))
  }

  @Test(
    arguments: [
      ((16, 9), (0, 0, 100, 100), (0, 22, 100, 56)), ((9, 16), (10, 20, 100, 100), (32, 20, 56, 100)),
      ((1, 1), (-5, -5, 7, 3), (-3, -5, 3, 3)), ((4, 3), (0, 0, 640, 480), (0, 0, 640, 480)),
      ((0, 9), (0, 0, 10, 20), (5, 10, 0, 0)), ((1, Int.max), (0, 0, Int.max, Int.max), (Int.max / 2, 0, 1, Int.max)),
    ] as [((Int, Int), (Int, Int, Int, Int), (Int, Int, Int, Int))])
  func rectangles(ratio: (Int, Int), bounds: (Int, Int, Int, Int), expected: (Int, Int, Int, Int)) {
    let rect = PixelRect(
      aspectRatio: PixelSize(width: ratio.0, height: ratio.1),
      insideRect: PixelRect(x: bounds.0, y: bounds.1, width: bounds.2, height: bounds.3))
    #expect(rect == PixelRect(x: expected.0, y: expected.1, width: expected.2, height: expected.3))
  }
}
