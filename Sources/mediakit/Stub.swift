extension Verb {
  static let list = Verb("list", "", "", options: []) { _ in .done }
}
