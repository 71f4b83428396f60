extension Writer {
  /// Inputs of which players choose one: sound in several languages, subtitles.
  public struct InputGroup: Sendable {
    /// The alternatives.
    public let inputs: [Input]
    /// The one that plays when nothing is chosen; nil: the first.
    public let defaultInput: Input?

    /// A group; `defaultInput` has to be one of the inputs to count.
    public init(inputs: [Input], defaultInput: Input? = nil) {
      self.inputs = inputs
      self.defaultInput = defaultInput.flatMap { chosen in inputs.contains { $0 === chosen } ? chosen : nil }
    }
  }
}
