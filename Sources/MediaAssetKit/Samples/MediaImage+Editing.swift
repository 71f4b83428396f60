// Changing a picture, and making new ones out of parts of it.

extension MediaImage {
  /// The part of the picture inside `rect`, as a picture of its own.
  ///
  /// What lies outside of the picture is cut off.
  ///
  /// - Throws: ``MediaError`` with `invalidArgument` when nothing is left, `outOfMemory`.
  public func cropped(to rect: PixelRect) throws -> MediaImage {
    guard let part = PixelRect(size).intersection(rect) else {
      throw MediaError(
        .invalidArgument, operation: "draw", subject: "picture of \(size)",
        reason: "the rectangle \(rect) holds none of its pixels")
    }
    return try MediaImage(
      width: part.width, height: part.height, bitsPerComponent: bitsPerComponent,
      alphaMode: alphaMode, colorSpace: colorSpace
    ) { rows, bytesPerRow in
      for y in 0..<part.height {
        withRowBytes(part.y + y) { row in
          let start = part.x * bytesPerPixel
          let pixels = row[start..<(start + part.width * bytesPerPixel)]
          UnsafeMutableRawBufferPointer(rebasing: rows[(y * bytesPerRow)...])
            .copyMemory(from: UnsafeRawBufferPointer(rebasing: pixels))
        }
      }
    }
  }

  /// The picture with 8 or 16 bits per component; narrowing rounds to nearest.
  ///
  /// - Throws: ``MediaError`` with `invalidArgument` for another depth, `outOfMemory`.
  public func converted(toBitsPerComponent bits: Int) throws -> MediaImage {
    if bits == bitsPerComponent { return self }
    return try MediaImage(
      width: width, height: height, bitsPerComponent: bits, alphaMode: alphaMode,
      colorSpace: colorSpace
    ) { rows, bytesPerRow in
      for y in 0..<height {
        let start = y * bytesPerRow
        let target = UnsafeMutableRawBufferPointer(
          rebasing: rows[start..<(start + width * bits / 2)])
        withRowBytes(y) { row in
          if bits == 8 {
            let from = row.assumingMemoryBound(to: UInt16.self)
            let to = target.assumingMemoryBound(to: UInt8.self)
            for index in from.indices { to[index] = UInt8(rounding: from[index]) }
          } else {
            let to = target.assumingMemoryBound(to: UInt16.self)
            for index in row.indices { to[index] = UInt16(row[index]) * 257 }
          }
        }
      }
    }
  }

  /// Sets every pixel inside `rect` to a colour, whatever was there.
  ///
  /// What lies outside of the picture is cut off. An opaque picture stays opaque: alpha is ignored.
  ///
  /// - Throws: ``MediaError`` with `outOfMemory` when shared memory can't be copied.
  public mutating func fill(_ rect: PixelRect, with color: RGBA) throws {
    guard let part = PixelRect(size).intersection(rect) else { return }
    var color = color
    switch alphaMode {
    case .opaque: color.alpha = 255
    case .straight: break
    case .premultiplied: color.premultiply()
    }
    try makeUnique()
    defer { withExtendedLifetime(storage) {} }
    let components = SIMD4(color.red, color.green, color.blue, color.alpha)
    for y in part.y..<(part.y + part.height) {
      let start = storage.base + y * bytesPerRow + part.x * bytesPerPixel
      if bitsPerComponent == 8 {
        start.assumingMemoryBound(to: SIMD4<UInt8>.self)
          .update(repeating: components, count: part.width)
      } else {
        start.assumingMemoryBound(to: SIMD4<UInt16>.self)
          .update(
            repeating: SIMD4<UInt16>(truncatingIfNeeded: components) &* 257, count: part.width)
      }
    }
  }

  /// Changes the bytes of the pixels of one row.
  ///
  /// - Throws: ``MediaError`` with `outOfMemory` when shared memory can't be copied, and what `body`
  ///   throws.
  public mutating func withMutableRow<R>(
    _ y: Int, _ body: (inout MutableSpan<UInt8>) throws -> R
  ) throws -> R {
    precondition(y >= 0 && y < height, "The row lies outside of the picture.")
    try makeUnique()
    defer { withExtendedLifetime(storage) {} }
    let row = UnsafeMutableBufferPointer(
      start: (storage.base + y * bytesPerRow).assumingMemoryBound(to: UInt8.self),
      count: rowByteCount)
    var span = row.mutableSpan
    return try body(&span)
  }

  /// 4 or 8.
  var bytesPerPixel: Int { bitsPerComponent / 2 }

  /// Makes sure that no other value sees the changes that follow.
  mutating func makeUnique() throws {
    if isKnownUniquelyReferenced(&storage) { return }
    guard let copy = MediaImageStorage(byteCount: storage.byteCount) else {
      throw MediaError(
        .outOfMemory, operation: "draw", subject: "picture of \(size)",
        reason: "no memory for \(storage.byteCount) bytes")
    }
    copy.bytes.copyMemory(from: UnsafeRawBufferPointer(storage.bytes))
    storage = copy
  }
}

extension MediaImage.RGBA {
  mutating func premultiply() {
    func scaled(_ component: UInt8) -> UInt8 {
      UInt8(truncatingIfNeeded: (UInt16(component) * UInt16(alpha) + 127) / 255)
    }
    (red, green, blue) = (scaled(red), scaled(green), scaled(blue))
  }
}
