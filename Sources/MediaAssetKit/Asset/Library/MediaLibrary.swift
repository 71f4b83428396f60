public import FoundationEssentials

/// The media files below a folder.
///
/// ```swift
/// for try await item in MediaLibrary(directory: folder).items(of: .videos) {
///   print(item.url.lastPathComponent)
/// }
/// ```
///
/// A folder is read when its turn comes, on threads of the library's own, so that the first items come at once and
/// stopping early costs nothing more. The order is always the same: a folder's files by the bytes of their names, then
/// its folders by theirs. Memory is one folder's names and the names of the folders still to be read.
public struct MediaLibrary: Sendable {
  /// The folder at the top.
  public var directory: URL
  /// Whether files and folders whose names begin with a dot are looked at; false by default.
  public var includesHiddenFiles = false
  /// Whether symbolic links to folders are followed; false by default. A folder is read once however many links lead
  /// there, so links in a circle do no harm. Links to files count as files always.
  public var followsFolderLinks = false
  /// Told of everything that could not be looked at, such as a folder without permission; the rest goes on. Called on
  /// any thread, must not block. Nil, the default, leaves it out in silence.
  public var problemHandler: (@Sendable (MediaError) -> Void)?

  /// The media below a folder; reads nothing yet.
  public init(directory: URL) { self.directory = directory }

  /// The files of some kinds, one by one.
  ///
  /// A file's kind is told by its name's extension; only where that is unknown the file's first bytes are read, and its
  /// header where these leave open whether there are pictures.
  public func items(of kinds: Kinds = .all) -> Items { Items(library: self, kinds: kinds) }

  /// The same files in groups: every folder that has some, with those that lie directly in it.
  public func folders(of kinds: Kinds = .all) -> Folders { Folders(library: self, kinds: kinds) }
}

// MARK: - Elements

extension MediaLibrary {
  /// What a file holds.
  public enum Kind: String, Sendable, Hashable, CaseIterable {
    /// Pictures that move, with or without sound.
    case video
    /// Sound alone.
    case audio
    /// One picture, or an animation in an image format.
    case image
  }

  /// A choice of kinds.
  public struct Kinds: OptionSet, Sendable, Hashable {
    /// The bits.
    public let rawValue: Int
    /// A choice by its bits.
    public init(rawValue: Int) { self.rawValue = rawValue }
    /// A choice of one kind.
    public init(_ kind: Kind) {
      switch kind {
      case .video: self = .videos
      case .audio: self = .audio
      case .image: self = .images
      }
    }

    /// Videos.
    public static let videos = Kinds(rawValue: 1)
    /// Sound.
    public static let audio = Kinds(rawValue: 2)
    /// Images.
    public static let images = Kinds(rawValue: 4)
    /// Every kind.
    public static let all: Kinds = [.videos, .audio, .images]
  }

  /// A media file.
  public struct Item: Sendable, Hashable {
    /// The path of the library's folder.
    let base: String
    /// The path from the library's folder on.
    public let relativePath: String
    /// What it holds, by its name where that tells.
    public let kind: Kind

    /// The file's URL.
    public var url: URL { URL(filePath: "\(base)/\(relativePath)", directoryHint: .notDirectory) }

    /// The file as an asset, to load its properties; opens nothing.
    public func asset(options: MediaAsset.Options = .init()) -> MediaAsset {
      MediaAsset(url: url, options: options)
    }
  }

  /// A folder with the media files that lie directly in it.
  public struct Folder: Sendable, Hashable {
    /// The path of the library's folder.
    let base: String
    /// The path from the library's folder on; empty for that folder itself.
    public let relativePath: String
    /// Its files, sorted by name; at least one.
    public let items: [Item]

    /// The folder's URL.
    public var url: URL {
      URL(
        filePath: relativePath.isEmpty && !base.isEmpty ? base : "\(base)/\(relativePath)",
        directoryHint: .isDirectory)
    }
  }
}

// MARK: - Sequences

extension MediaLibrary {
  /// The files of a library. Each iterator reads the folders anew.
  public struct Items: AsyncSequence, Sendable {
    let library: MediaLibrary
    let kinds: Kinds

    /// Starts at the top; reads nothing yet.
    public func makeAsyncIterator() -> Iterator {
      Iterator(folders: Folders.Iterator(library: library, kinds: kinds))
    }

    /// The iterator; belongs to one task.
    public struct Iterator: AsyncIteratorProtocol {
      private var folders: Folders.Iterator
      private var items: ArraySlice<Item> = []

      init(folders: Folders.Iterator) { self.folders = folders }

      /// The next file; nil after the last.
      ///
      /// - Throws: ``MediaError`` when the library's own folder can't be read, and `CancellationError`.
      public mutating func next() async throws -> Item? {
        while items.isEmpty {
          guard let folder = try await folders.next() else { return nil }
          items = folder.items[...]
        }
        return items.popFirst()
      }

      /// ``next()`` for loops: they stay on the caller's actor, and leave it only where there is something to wait for.
      public mutating func next(isolation actor: isolated (any Actor)?) async throws(any Error) -> Item? {
        try await next()
      }
    }
  }

  /// The folders of a library that have files of the kinds asked for. Each iterator reads them anew.
  public struct Folders: AsyncSequence, Sendable {
    let library: MediaLibrary
    let kinds: Kinds

    /// Starts at the top; reads nothing yet.
    public func makeAsyncIterator() -> Iterator { Iterator(library: library, kinds: kinds) }

    /// The iterator; belongs to one task.
    public struct Iterator: AsyncIteratorProtocol {
      private let walk: MediaLibraryWalk

      init(library: MediaLibrary, kinds: Kinds) {
        walk = MediaLibraryWalk(library: library, kinds: kinds)
      }

      /// The next folder; nil after the last.
      ///
      /// - Throws: ``MediaError`` when the library's own folder can't be read, and `CancellationError`.
      public mutating func next() async throws -> Folder? { try await walk.next() }

      /// ``next()`` for loops: they stay on the caller's actor, and leave it only where there is something to wait for.
      public mutating func next(isolation actor: isolated (any Actor)?) async throws(any Error) -> Folder? {
        try await next()
      }
    }
  }
}
