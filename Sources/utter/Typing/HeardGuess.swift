import Outbox

/// A guess at what is being said, which the process that listens passes on to the one that serves, in a line of JSON.
struct HeardGuess: Equatable, Sendable {
    /// The text with the space before it; empty for nothing.
    var text: String
    /// How many texts its dictation has put into the queue before. Only behind those it is in its place.
    var textCount: Int

    var line: String {
        let members = JSONObject([
            .init(key: "guess", value: .string(text)), .init(key: "texts", value: .number(String(textCount))),
        ])
        return JSONValue.object(members).text + "\n"
    }

    init(text: String, textCount: Int) { (self.text, self.textCount) = (text, textCount) }

    /// Reads a guess from its line; nil when that is none.
    init?(line: [UInt8]) {
        guard let members = (try? JSONParser.parse(line))?.object, let text = members["guess"]?.string,
            let count = members["texts"]?.integer
        else { return nil }
        self.init(text: text, textCount: count)
    }
}
