extension ImageBatch {
  /// Plans part after part while workers draw what is planned.
  func work() async {
    do {
      let source = try await generator.source()
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
      queue.add(items(for: sequence[start..<end], source))
      start = end
    }
    queue.close()
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
    while let work = await queue.next() {
      defer { queue.finish() }
      // Groups side by side with one thread each keep the cores fuller than one decoder with many.
      let isRun = work.isAlone && work.items.contains { !$0.request.goal.isKey }
      let threads = isRun ? MediaConfiguration.current.threadBudget : 1
      do {
        try await source.withSession(upTo: threads, group: work.group) { session in
          for item in work.items { try await draw(item, source, renderer, session) }
        }
      } catch {
        return stop(error)
      }
    }
  }

  private func draw(
    _ item: ImageQueue.Item, _ source: ImageSource, _ renderer: PictureRenderer,
    _ session: VideoSession
  ) async throws {
    do {
      let (image, actual) = try await source.image(
        for: item.request, renderer: renderer, session: session)
      let time = MediaTime(actual)
      deliver(item.indices) { .success(requestedTime: $0, image: image, actualTime: time) }
    } catch let error as CancellationError {
      throw error
    } catch {
      deliver(item.indices) { .failure(requestedTime: $0, error: error) }
    }
  }
}
