/// A type that writes the transcript of one recording in some format while it is transcribed.
///
/// Each call returns the text to write now, which may be empty. A formatter holds back only what can't be written yet, so its
/// memory does not grow with the recording. Before text goes to a terminal, the caller applies
/// `TerminalText.visible(_:layout: .tabsAndNewlines)`.
protocol TranscriptFormatter: Sendable {
    /// Begins a recording, under the name that the user gave it.
    mutating func begin(file: String, model: String) -> String
    /// Adds the next utterance, in the order of their starts.
    mutating func segment(_ segment: TranscribedSegment) -> String
    /// Ends the recording, of which not all may have been heard.
    mutating func end(duration: Double, isComplete: Bool) -> String
}

extension TranscriptFormatter {
    /// Most formats have nothing at the end.
    func end(duration: Double, isComplete: Bool) -> String { "" }

    mutating func end(duration: Double) -> String { end(duration: duration, isComplete: true) }
}

extension String {
    /// The text in one line, with one space for each run of control characters and white space.
    var singleLine: String {
        let isBreak: (Unicode.Scalar) -> Bool = {
            $0.properties.generalCategory == .control || $0.properties.isWhitespace
        }
        let line = unicodeScalars.split(whereSeparator: isBreak).map { String($0) }.joined(separator: " ")
        // The remaining dangerous characters override the direction of reading.
        return TerminalText.visible(line)
    }
}
