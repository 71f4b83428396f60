import Foundation
import MediaTestSupport
import Testing

@testable import MediaAssetKit

@Suite struct MediaLibraryTests {
  /// A folder with these files; a text is a file's content, `->` a link, a name with a slash at its end a folder.
  private func withTree<R>(_ tree: [String: String], _ body: (URL) async throws -> R) async throws
    -> R
  {
    let folder = FileManager.default.temporaryDirectory.appendingPathComponent(
      "library-\(UUID().uuidString)")
    let files = FileManager.default
    try files.createDirectory(at: folder, withIntermediateDirectories: true)
    defer { try? files.removeItem(at: folder) }
    for (name, content) in tree.sorted(by: { $0.key < $1.key }) {
      let url = folder.appendingPathComponent(name)
      if name.hasSuffix("/") {
        try files.createDirectory(at: url, withIntermediateDirectories: true)
        continue
      }
      try files.createDirectory(
        at: url.deletingLastPathComponent(), withIntermediateDirectories: true)
      if content.hasPrefix("->") {
        try files.createSymbolicLink(
          atPath: url.path, withDestinationPath: String(content.dropFirst(2)))
      } else {
        try Data(content.utf8).write(to: url)
      }
    }
    return try await body(folder)
  }

  private func paths(_ library: MediaLibrary, _ kinds: MediaLibrary.Kinds = .all) async throws
    -> [String]
  {
    var paths: [String] = []
    for try await item in library.items(of: kinds) { paths.append(item.relativePath) }
    return paths
  }

  private func expect(
    _ library: MediaLibrary, _ kinds: MediaLibrary.Kinds = .all, finds expected: [String],
    sourceLocation: SourceLocation = #_sourceLocation
  ) async throws {
    let found = try await paths(library, kinds)
    #expect(found == expected, sourceLocation: sourceLocation)
  }

  private let tree = [
    "z.mp4": "", "a.MKV": "", "Song.mp3": "", "picture.jpeg": "", "notes.txt": "", "b/": "",
    "b/c/deep.webm": "", "b/2.flac": "", "b/10.flac": "", ".hidden/x.mp4": "", ".x.mp4": "",
    "a b#c?d%20.mov": "",
  ]

  @Test func orderAndKinds() async throws {
    try await withTree(tree) { folder in
      let library = MediaLibrary(directory: folder)
      // Capitals before small letters: by bytes. A folder's files come before its folders.
      try await expect(
        library,
        finds: [
          "Song.mp3", "a b#c?d%20.mov", "a.MKV", "picture.jpeg", "z.mp4", "b/10.flac", "b/2.flac",
          "b/c/deep.webm",
        ])
      try await expect(
        library, .videos, finds: ["a b#c?d%20.mov", "a.MKV", "z.mp4", "b/c/deep.webm"])
      try await expect(library, .audio, finds: ["Song.mp3", "b/10.flac", "b/2.flac"])
      try await expect(library, .images, finds: ["picture.jpeg"])
      try await expect(
        library, [.images, .audio],
        finds: [
          "Song.mp3", "picture.jpeg", "b/10.flac", "b/2.flac",
        ])
      try await expect(library, [], finds: [])
    }
  }

  @Test func hiddenFiles() async throws {
    try await withTree(tree) { folder in
      var library = MediaLibrary(directory: folder)
      library.includesHiddenFiles = true
      let hidden = try await paths(library, .videos).filter {
        $0.contains(".x") || $0.hasPrefix(".")
      }
      #expect(hidden == [".x.mp4", ".hidden/x.mp4"])
    }
  }

  @Test func urls() async throws {
    try await withTree(tree) { folder in
      for try await item in MediaLibrary(directory: folder).items() {
        #expect(FileManager.default.fileExists(atPath: item.url.path(percentEncoded: false)))
        #expect(item.asset().url == item.url)
      }
    }
  }

  @Test func groups() async throws {
    try await withTree(tree) { folder in
      var groups: [String] = []
      for try await group in MediaLibrary(directory: folder).folders(of: [.videos, .audio]) {
        groups.append("\(group.relativePath): \(group.items.count)")
        #expect(
          group.items.allSatisfy { $0.url.deletingLastPathComponent().path == group.url.path })
      }
      #expect(groups == [": 4", "b: 2", "b/c: 1"])
    }
  }

  @Test func links() async throws {
    let links = [
      "real/a.mp4": "", "real/loop": "->..", "file.mp4": "->real/a.mp4", "folder": "->real",
      "broken.mp4": "->nowhere", "self": "->self", "to-text.mp4": "->notes", "notes": "text",
    ]
    try await withTree(links) { folder in
      var library = MediaLibrary(directory: folder)
      let plain = try await paths(library)
      #expect(plain == ["file.mp4", "to-text.mp4", "real/a.mp4"])
      library.followsFolderLinks = true
      // Each folder once, under the first of its names.
      let followed = try await paths(library)
      #expect(followed == ["file.mp4", "to-text.mp4", "folder/a.mp4"])
    }
  }

  /// What the bytes say where the name says nothing.
  @Test func unknownNames() async throws {
    let video = try await GeneratedClip.make(.h264ClosedGroups).url
    let stream = try await GeneratedClip.make(.mpeg2Transport).url
    let picture = try await GeneratedClip.make(.png).url
    let script = "let x = 1\n"
    try await withTree([
      "code.ts": script, "empty": "", "data.bin": "\u{1}\u{2}\u{3}", "x.unknown": "RIFF",
    ]) {
      folder in
      let files = FileManager.default
      try files.copyItem(at: video, to: folder.appendingPathComponent("film"))
      try files.copyItem(at: stream, to: folder.appendingPathComponent("film.ts"))
      try files.copyItem(at: picture, to: folder.appendingPathComponent("1234.5678"))
      for (name, codec) in [("song", "libmp3lame"), ("tone", "aac"), ("lossless", "flac")] {
        let format = ["song": "mp3", "tone": "adts", "lossless": "flac"][name] ?? ""
        try await MediaTool("ffmpeg").check(
          [
            "-nostdin", "-v", "error", "-f", "lavfi", "-i", "sine=d=1", "-c:a", codec,
            "-write_xing", "0",
            "-id3v2_version", "0", "-f", format, folder.appendingPathComponent(name).path,
          ].filter { format == "mp3" || !["-write_xing", "0", "-id3v2_version"].contains($0) })
      }
      try await MediaTool("ffmpeg").check([
        "-nostdin", "-v", "error", "-f", "lavfi", "-i", "sine=d=1", "-c:a", "aac", "-f", "mp4",
        folder.appendingPathComponent("sound").path,
      ])
      mkfifo(folder.appendingPathComponent("fifo").path, 0o600)
      let library = MediaLibrary(directory: folder)
      try await expect(library, .videos, finds: ["film", "film.ts"])
      try await expect(library, .audio, finds: ["lossless", "song", "sound", "tone"])
      try await expect(library, .images, finds: ["1234.5678"])
    }
  }

  @Test func problemsAreToldAndNotFatal() async throws {
    try await withTree(["a/x.mp4": "", "b/y.mp4": "", "c/z.mp4": ""]) { folder in
      let problems = Monitor<[MediaError]>([])
      var library = MediaLibrary(directory: folder)
      library.problemHandler = { problem in problems.withLock { $0.append(problem) } }
      var found: [String] = []
      for try await item in library.items() {
        found.append(item.relativePath)
        // Taken away while the pass goes on: as unreadable as a folder without permission, also for root.
        if item.relativePath == "a/x.mp4" {
          try FileManager.default.removeItem(at: folder.appendingPathComponent("b"))
        }
      }
      #expect(found == ["a/x.mp4", "c/z.mp4"])
      let told = problems.withLock { $0 }
      #expect(told.count == 1)
      #expect(told.first?.subject.hasSuffix("/b") == true)
      #expect(told.first?.operation == "list")
    }
  }

  @Test func missingFolderIsAnError() async throws {
    try await withTree(["file.mp4": ""]) { folder in
      for name in ["nowhere", "file.mp4"] {
        let library = MediaLibrary(directory: folder.appendingPathComponent(name))
        await #expect(throws: MediaError.self) { _ = try await paths(library) }
      }
    }
  }

  @Test func cancellation() async throws {
    try await withTree(tree) { folder in
      let task = Task {
        withUnsafeCurrentTask { $0?.cancel() }
        return try await paths(MediaLibrary(directory: folder))
      }
      await #expect(throws: CancellationError.self) { _ = try await task.value }
    }
  }

  /// xdg-user-dirs(1): `$HOME/…` or an absolute path in quotation marks; the home folder itself switches off.
  @Test(arguments: [
    ("", "/home/u/Videos"), ("XDG_VIDEOS_DIR=\"$HOME/Films\"\n", "/home/u/Films"),
    ("# XDG_VIDEOS_DIR=\"/x\"\n\n  XDG_VIDEOS_DIR = \"/srv/my films/\"\n", "/srv/my films"),
    ("XDG_VIDEOS_DIR=\"$HOME/a\\\"b\"\nXDG_MUSIC_DIR=\"/m\"", "/home/u/a\"b"),
    ("XDG_VIDEOS_DIR=\"/one\"\nXDG_VIDEOS_DIR=\"/two\"\n", "/two"),
    ("XDG_VIDEOS_DIR=\"relative\"\n", "/home/u/Videos"),
    ("XDG_VIDEOS_DIR=/bare\n", "/home/u/Videos"),
    ("XDG_VIDEOS_DIR=\"$HOMEWORK/x\"\n", "/home/u/Videos"), ("XDG_VIDEOS_DIR=\"$HOME\"\n", nil),
    ("XDG_VIDEOS_DIR=\"$HOME/\"\n", nil),
  ])
  func userDirectories(_ text: String, _ expected: String?) {
    let url = MediaLibrary.userDirectory(for: .video, environment: ["HOME": "/home/u"]) { path in
      #expect(path == "/home/u/.config/user-dirs.dirs")
      return text.isEmpty ? nil : text
    }
    #expect(url?.path == expected)
  }

  @Test func userDirectoriesOfEachKind() {
    let text = "XDG_MUSIC_DIR=\"/m\"\nXDG_PICTURES_DIR=\"/p\"\n"
    let environment = ["HOME": "/home/u/", "XDG_CONFIG_HOME": "/etc/x"]
    let found = MediaLibrary.Kind.allCases.map { kind in
      MediaLibrary.userDirectory(for: kind, environment: environment) { path in
        path == "/etc/x/user-dirs.dirs" ? text : nil
      }?.path
    }
    #expect(found == ["/home/u/Videos", "/m", "/p"])
  }
}
