extension ImageBatch {
  /// Plans part after part while workers draw what is planned.
  func work() async {
    do {
      let source = try await generator.source(listsKeys: times.count > 1)
      let renderer = try generator.renderer(source)
      await withTaskGroup(of: Void.self) { tasks in
        tasks.addTask { await self.plan(source, renderer) }
        for _ in 0..<MediaConfiguration.current.threadBudget {
          tasks.addTask { await self.draw(source, renderer) }
        }
      }
    } catch {
      stop(error)
    }
  }

  // MARK: - Planning

  private func plan(_ source: ImageSource, _ renderer: PictureRenderer) async {
    let part = Self.partSize(renderer)
    var sequence = Array(times.indices)
    // Whoever takes images as they come does not mind the order in which they are drawn.
    if order == .asCompleted { sequence.sort { times[$0] < times[$1] } }
    var start = 0
    while start < sequence.count {
      let end = min(sequence.count, start + part)
      guard await enter(end - start, part: part) else { return }
      queue.add(items(for: sequence[start..<end], source), isLast: end == sequence.count)
      start = end
    }
  }

  /// How many images fill half of the memory budget; never more than planning takes a moment for.
  static func partSize(_ renderer: PictureRenderer) -> Int {
    let size = renderer.plan(for: renderer.geometry.encodedSize).finalSize
    let bytes =
      max(1, size.width) * max(1, size.height) * (renderer.dynamicRange == .matchSource ? 8 : 4)
    return min(8192, max(1, MediaConfiguration.current.imageMemoryBudget / 2 / bytes))
  }

  /// Requests that can't be planned are answered; the others are joined by picture.
  private func items(for indices: ArraySlice<Int>, _ source: ImageSource) -> [(
    group: Int, item: ImageQueue.Item
  )] {
    var items: [(group: Int, item: ImageQueue.Item)] = []
    var known: [ImageIdentity: Int] = [:]
    var same: [MediaTime: Int] = [:]
    for index in indices {
      do {
        let request = try generator.plan(times[index], source)
        let identity = source.identity(of: request)
        if let place = identity.flatMap({ known[$0] }) ?? same[times[index]] {
          items[place].item.indices.append(index)
          continue
        }
        if let identity { known[identity] = items.count }
        same[times[index]] = items.count
        items.append(
          (source.group(of: request), ImageQueue.Item(request: request, indices: [index])))
      } catch {
        deliver([index]) { .failure(requestedTime: $0, error: error) }
      }
    }
    return items
  }

  // MARK: - Drawing

  private func draw(_ source: ImageSource, _ renderer: PictureRenderer) async {
    let budget = MediaConfiguration.current.threadBudget
    while let work = await queue.next() {
      defer { queue.finish() }
      // Groups side by side with one thread each keep the cores fuller than one decoder with many.
      let isRun = budget > 1 && work.isAlone && work.items.contains { !$0.request.goal.isKey }
      do {
        try await source.withSession(upTo: isRun ? budget : 1, group: work.group) { session in
          if isRun { return try await run(work.items, source, renderer, session) }
          for item in work.items {
            try await answer(item) {
              try await source.picture(for: item.request, session: session) { frame, scalers in
                try renderer.render(frame, &scalers)
              }
            }
          }
        }
      } catch {
        return stop(error)
      }
    }
  }

  /// One run of a decoder with many threads: the next picture is decoded while the last one is rendered.
  private func run(
    _ items: [ImageQueue.Item], _ source: ImageSource, _ renderer: PictureRenderer, _ session: VideoSession
  ) async throws {
    let painter = Painter()
    try await withThrowingTaskGroup(of: Void.self) { tasks in
      for (number, item) in items.enumerated() {
        // One picture waits at most, so that decoded pictures don't pile up.
        if number > 1 { try await tasks.next() }
        do {
          let (frame, time) = try await source.picture(for: item.request, session: session) { frame, _ in frame }
          tasks.addTask {
            try await self.answer(item) { (try await painter.render(frame, with: renderer), time) }
          }
        } catch {
          tasks.addTask { try await self.answer(item) { throw error } }
        }
      }
      try await tasks.waitForAll()
    }
  }

  /// Answers for an item with an image or with what went wrong; cancellation ends the batch.
  private func answer(
    _ item: ImageQueue.Item, _ draw: () async throws -> (MediaImage, Rational)
  ) async throws {
    do {
      let (image, actual) = try await draw()
      let time = MediaTime(actual)
      deliver(item.indices) { .success(requestedTime: $0, image: image, actualTime: time) }
    } catch let error as CancellationError {
      throw error
    } catch {
      deliver(item.indices) { .failure(requestedTime: $0, error: error) }
    }
  }
}
