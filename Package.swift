// swift-tools-version: 6.2
import PackageDescription

let settings: [SwiftSetting] = [
  .swiftLanguageMode(.v6),
  .enableUpcomingFeature("ExistentialAny"),
  .enableUpcomingFeature("InternalImportsByDefault"),
  .enableUpcomingFeature("MemberImportVisibility"),
  .enableUpcomingFeature("NonisolatedNonsendingByDefault"),
]

let package = Package(
  name: "MediaAssetKit",
  platforms: [.macOS(.v15)],
  products: [
    .library(name: "MediaAssetKit", targets: ["MediaAssetKit"]),
    .executable(name: "mediakit", targets: ["mediakit"]),
  ],
  targets: [
    .systemLibrary(
      name: "CFFmpeg",
      path: "Modules/CFFmpeg",
      pkgConfig: "libavformat libavcodec libavutil libswscale libswresample",
      providers: [
        .apt([
          "libavformat-dev", "libavcodec-dev", "libavutil-dev", "libswscale-dev",
          "libswresample-dev", "libavfilter-dev",
        ]),
        .brew(["ffmpeg"]),
      ]),
    .target(name: "CCurl", path: "Modules/CCurl"),
    .target(name: "CPixman", path: "Modules/CPixman"),
    .target(name: "CPango", path: "Modules/CPango"),
    .target(name: "CAVFilter", dependencies: ["CFFmpeg"], path: "Modules/CAVFilter"),
    .target(
      name: "LibAV", dependencies: ["CFFmpeg", "CAVFilter"], swiftSettings: settings + [.strictMemorySafety()]),
    .target(name: "ISOMedia", swiftSettings: settings),
    .target(
      name: "MediaAssetKit", dependencies: ["LibAV", "ISOMedia", "CCurl", "CPixman", "CPango"], swiftSettings: settings),
    .executableTarget(name: "mediakit", dependencies: ["MediaAssetKit"], swiftSettings: settings),
    .executableTarget(
      name: "MediaBenchmarks", dependencies: ["MediaAssetKit"], swiftSettings: settings),
    .target(
      name: "MediaTestSupport", path: "Tests/MediaTestSupport", exclude: ["Resources"],
      swiftSettings: settings),
    .testTarget(
      name: "LibAVTests", dependencies: ["LibAV", "MediaTestSupport"], swiftSettings: settings),
    .testTarget(
      name: "ISOMediaTests", dependencies: ["ISOMedia", "MediaTestSupport"],
      swiftSettings: settings),
    .testTarget(
      name: "MediaAssetKitTests", dependencies: ["MediaAssetKit", "MediaTestSupport"],
      swiftSettings: settings),
  ]
)

// What only scripts/fuzz builds: dependent packages never see its flags.
if Context.environment["MEDIA_FUZZ"] != nil {
  let fuzzing = settings + [.unsafeFlags(["-parse-as-library"])]
  package.targets += [
    .executableTarget(name: "MediaFuzz", dependencies: ["MediaAssetKit"], swiftSettings: fuzzing),
    .executableTarget(name: "BoxFuzz", dependencies: ["ISOMedia"], swiftSettings: fuzzing),
  ]
}
