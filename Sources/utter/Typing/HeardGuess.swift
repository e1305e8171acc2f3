/// A guess at what is being said, which the process that listens passes on to the one that serves, in a line of JSON.
struct HeardGuess: Equatable, Sendable, Codable {
    /// The text with the space before it; empty for nothing.
    var text: String
    /// How many texts its dictation has put into the queue before. Only behind those it is in its place.
    var textCount: Int

    private enum CodingKeys: String, CodingKey { case text = "guess", textCount = "texts" }
}
