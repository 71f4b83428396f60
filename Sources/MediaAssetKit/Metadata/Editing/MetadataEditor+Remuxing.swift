import FoundationEssentials

#if canImport(Glibc)
  import Glibc
#elseif canImport(Musl)
  import Musl
#else
  import Darwin
#endif

extension MetadataEditor {
  /// Containers without an editor are made anew around the same samples.
  func remux(to url: URL, header: ContainerHeader, found: FileMetadata) async throws -> Report {
    guard let type = header.fileType, WritableContainer.container(for: type) != nil else {
      throw MediaError(
        .operationNotSupported, operation: "edit", subject: asset.subject,
        reason: "metadata of \(header.container) files can't be written", remedy: "Export to another container")
    }
    try await checkChapters()
    let isMatroska = header.container == "matroska" || header.container == "webm"
    let space: MetadataKeySpace = isMatroska ? .matroska : .container
    let plan = MetadataPlan(spaces: [space], existing: found.items, editor: self)
    var report = Report(losses: plan.losses, isRemuxed: true)
    var options = ExportSession.Options()
    options.overwritesExisting = overwritesExisting
    options.synchronizesToDisk = synchronizesToDisk
    options.audioTrackGroupHandling = .preserveAlternateTracks
    options.metadataTags = tags(plan, header, &report)
    if let lists = chapterLists {
      let filled = lists.filter { !$0.chapters.isEmpty }
      if filled.count > 1 {
        report.losses.append(
          Loss(subject: "chapters", reason: "FFmpeg writes titles in one language only: the first one is written"))
      }
      options.chapterList = filled.first ?? ChapterList(language: nil, chapters: [])
    }
    let path = url.path(percentEncoded: false)
    let isOwn: Bool =
      if let source = asset.url, source.isFileURL {
        AtomicFile.isSame(source.path(percentEncoded: false), path)
      } else {
        false
      }
    let session = ExportSession(asset: asset, preset: .passthrough, options: options)
    // Tags are not worth a track.
    if let track = try await session.plan(for: type).dropped.first {
      throw MediaError(
        .operationNotSupported, operation: "edit", subject: asset.subject,
        reason: "the container would be written anew without track \(track.trackID): \(track.reason)",
        remedy: "Export to another container")
    }
    if isOwn {
      // The source is read while the new file grows beside it.
      let (descriptor, temporary) = try AtomicFile.create(beside: path)
      close(descriptor)
      defer { unlink(temporary) }
      session.overwritesExisting = true
      try await session.export(to: URL(filePath: temporary), as: type)
      try AtomicFile.publish(temporary, as: path, overwrite: true)
    } else {
      try await session.export(to: url, as: type)
    }
    if found.items.contains(where: { $0.keySpace == .matroska && $0.key == "ATTACHMENT" }) {
      report.losses.append(Loss(subject: "mkvt/ATTACHMENT", reason: "attached files are left out"))
    }
    report.changes.append("the container was written anew by FFmpeg; the samples are the same")
    return report
  }

  /// The changes by FFmpeg's names; an empty value removes one.
  private func tags(_ plan: MetadataPlan, _ header: ContainerHeader, _ report: inout Report) -> [String: String] {
    var tags: [String: String] = [:]
    for change in plan.changes {
      let term = MetadataTerms.term(of: change.key, in: change.keySpace)
      let name = term?.ffmpeg ?? change.key
      guard let item = change.items.first else {
        for key in header.metadata.keys
        where [name, change.key].contains(where: { $0.lowercased() == key.lowercased() }) {
          tags[key] = ""
        }
        continue
      }
      guard let text = item.value.string else {
        report.losses.append(Loss(subject: change.identifier.rawValue, reason: "FFmpeg writes text only"))
        continue
      }
      if change.items.count > 1 {
        report.losses.append(Loss(subject: change.identifier.rawValue, reason: "only the first value is written"))
      }
      if text.isEmpty {
        report.losses.append(Loss(subject: change.identifier.rawValue, reason: "FFmpeg writes no empty text"))
      }
      // FFmpeg's names and the container's own are one key.
      for key in header.metadata.keys where key.lowercased() == change.key.lowercased() && key != name {
        tags[key] = ""
      }
      tags[name] = text
    }
    return tags
  }
}
