internal import CFFmpeg

/// A named stretch of an asset, as libav lists it.
package struct Chapter: Sendable, Hashable {
  package var id: Int64
  package var timeBase: (numerator: Int32, denominator: Int32) {
    get { (numerator, denominator) }
    set { (numerator, denominator) = newValue }
  }
  private var numerator: Int32
  private var denominator: Int32
  /// In ticks of the time base.
  package var start: Int64
  package var end: Int64
  package var metadata: [String: String]

  package init(
    id: Int64, timeBase: (numerator: Int32, denominator: Int32), start: Int64, end: Int64, metadata: [String: String]
  ) {
    self.id = id
    (numerator, denominator) = timeBase
    self.start = start
    self.end = end
    self.metadata = metadata
  }
}

extension Demuxer {
  /// The chapters in the container's order.
  package func chapters() -> [Chapter] {
    unsafe withContext { context in
      unsafe (0..<Int(context.pointee.nb_chapters)).compactMap { index in
        guard let chapter = unsafe context.pointee.chapters[index] else { return nil }
        let base = unsafe chapter.pointee.time_base
        return unsafe Chapter(
          id: chapter.pointee.id, timeBase: (base.num, base.den), start: chapter.pointee.start,
          end: chapter.pointee.end, metadata: Dictionary.read(chapter.pointee.metadata))
      }
    }
  }
}

extension Muxer {
  /// Names the stretches of the file; before the header is written.
  package mutating func setChapters(_ chapters: [Chapter]) throws(AVError) {
    guard !chapters.isEmpty else { return }
    var made: [UnsafeMutablePointer<AVChapter>] = unsafe []
    for chapter in chapters {
      guard let memory = unsafe av_mallocz(MemoryLayout<AVChapter>.size) else { throw .outOfMemory("av_mallocz") }
      let raw = unsafe memory.assumingMemoryBound(to: AVChapter.self)
      unsafe raw.pointee.id = chapter.id
      unsafe raw.pointee.time_base = AVRational(num: chapter.timeBase.numerator, den: chapter.timeBase.denominator)
      unsafe raw.pointee.start = chapter.start
      unsafe raw.pointee.end = chapter.end
      for (key, value) in chapter.metadata { _ = unsafe av_dict_set(&raw.pointee.metadata, key, value, 0) }
      unsafe made.append(raw)
    }
    guard let list = unsafe av_malloc(made.count * MemoryLayout<UnsafeMutablePointer<AVChapter>?>.stride) else {
      for index in unsafe made.indices {
        unsafe av_dict_free(&made[index].pointee.metadata)
        unsafe av_free(made[index])
      }
      throw .outOfMemory("av_malloc")
    }
    let pointers = unsafe list.assumingMemoryBound(to: UnsafeMutablePointer<AVChapter>?.self)
    for index in unsafe made.indices { unsafe pointers[index] = made[index] }
    // The context owns them from here on.
    unsafe withContext { context in
      unsafe context.pointee.chapters = pointers
      unsafe context.pointee.nb_chapters = UInt32(made.count)
    }
  }
}
