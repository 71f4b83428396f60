import MediaTestSupport
import Testing

@testable import MediaAssetKit

@Suite struct MediaTypesTests {
  @Test func lists() {
    #expect(MediaAsset.audiovisualTypes.contains(.mp4))
    #expect(MediaAsset.audiovisualTypes.contains(.mov))
    #expect(Set(MediaAsset.audiovisualTypes).count == MediaAsset.audiovisualTypes.count)
    #expect(MediaAsset.audiovisualMIMETypes.contains("video/mp4"))
    #expect(MediaAsset.audiovisualMIMETypes == MediaAsset.audiovisualMIMETypes.sorted())
  }

  @Test(arguments: [
    "video/mp4", "VIDEO/MP4", " video / mp4 ", "video/mp4;",
    "video/mp4; codecs=\"avc1.64001F, mp4a.40.2\"",
    "video/mp4;codecs=avc1.42E01E", "video/mp4; profiles=\"isom,mp42\"; CODECS=\"hvc1.1.6.L93.B0\"",
    "video/mp4 (a comment; with (another) one) ; codecs=\"avc1\\.64001F\"",
    "video/mp4; codecs*=us-ascii'en'avc1%2E64001F", "video/webm; codecs=\"vp09.00.10.08, opus\"",
    "video/webm; codecs=\"vp8, vorbis\"", "audio/mpeg", "audio/mp4; codecs=mp4a.40.5",
    "audio/mp4; codecs=\"mp4a.6B\"", "audio/ogg; codecs=opus", "audio/wav; codecs=\"1\"",
    "video/quicktime; codecs=\"apch\"", "video/3gpp; codecs=\"s263, samr\"", "audio/flac",
  ])
  func playable(_ type: String) {
    #expect(MediaAsset.isPlayable(extendedMIMEType: type))
  }

  @Test(arguments: [
    "", "video", "video/", "/mp4", "text/plain", "image/png", "video/mp4; codecs",
    "video/mp4; codecs=",
    "video/mp4; codecs=\"\"", "video/mp4; codecs=\"avc1.64001F,\"",
    "video/mp4; codecs=\"avc1.64001F",
    "video/mp4; codecs=\"nope\"", "video/mp4; codecs=\"avc1.64001\"",
    "video/mp4; codecs=\"avc1.XYZ001\"",
    "video/mp4; codecs=avc1.64001F, mp4a.40.2", "video/mp4 codecs=avc1", "video/mp4 (comment",
    "video/webm; codecs=\"avc1.64001F\"", "audio/mp4; codecs=\"mp4a.40.999\"",
    "video/mp4; codecs=avc1.64001F; codecs=mp4a.40.2", "video/mp4; codecs*=avc1", "vi deo/mp4",
    "audio/mpeg; codecs=\"vorbis\"", "video/mp4; codecs=\"avc1.64001F mp4a.40.2\"",
  ])
  func notPlayable(_ type: String) {
    #expect(!MediaAsset.isPlayable(extendedMIMEType: type))
  }

  /// What has no decoder in any FFmpeg is playable in none.
  @Test func codecWithoutDecoder() {
    #expect(!MediaAsset.isPlayable(extendedMIMEType: "application/mp4; codecs=stpp"))
  }
}
