extension Verb {
  static let image = Verb("image", "", "", options: []) { _ in .done }
  static let images = Verb("images", "", "", options: []) { _ in .done }
  static let frames = Verb("frames", "", "", options: []) { _ in .done }
  static let list = Verb("list", "", "", options: []) { _ in .done }
}
