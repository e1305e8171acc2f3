/// Writes the transcript of one recording in some format, as it comes.
///
/// Each call returns the text to write now, which may be empty. Nothing is held back but what can't be written yet, so
/// the length of a recording makes no difference to memory. For text that goes to a terminal the caller applies
/// `TerminalText.visible(_:layout: .tabsAndNewlines)`.
protocol TranscriptFormatter: Sendable {
    /// - Parameters:
    ///   - file: The recording, as the user named it.
    ///   - model: The model's name.
    mutating func begin(file: String, model: String) -> String
    /// The next utterance. They come in the order of their start.
    mutating func segment(_ segment: TranscribedSegment) -> String
    /// - Parameter duration: Of the recording, in seconds.
    mutating func end(duration: Double) -> String
}

extension String {
    /// The text in one line, for formats whose lines mean something: what is control or white space, however much of it,
    /// becomes one space.
    var singleLine: String {
        let isBreak: (Unicode.Scalar) -> Bool = {
            $0.properties.generalCategory == .control || $0.properties.isWhitespace
        }
        let line = unicodeScalars.split(whereSeparator: isBreak).map { String($0) }.joined(separator: " ")
        // What is left that a terminal must not get turns the direction of reading.
        return TerminalText.visible(line)
    }
}
