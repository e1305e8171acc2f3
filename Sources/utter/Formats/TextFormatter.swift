/// Writes one utterance a line, except for line breaks that were dictated. When channels are separate, each line begins with who speaks,
/// `[me] ` or `[1] `, and says where that overlaps another's speech: `[me, overlapping] `. When several recordings follow each other, each has its name above it, in the form of head(1) and tail(1).
struct TextFormatter: TranscriptFormatter {
    var namesFile = false

    func begin(file: String, model: String) -> String { namesFile ? "==> \(file.singleLine) <==\n" : "" }

    func segment(_ segment: TranscribedSegment) -> String {
        let text = segment.lines
        if text.isEmpty { return "" }
        // A dictated line break at the end ends the line.
        let mark = segment.overlaps ? ", overlapping" : ""
        return (segment.label.map { "[\(Self.withoutBrackets($0))\(mark)] " } ?? "") + text
            + (text.hasSuffix("\n") ? "" : "\n")
    }

    /// A name that does not end the brackets around it: it has round ones.
    static func withoutBrackets(_ name: String) -> String {
        String(name.map { $0 == "[" ? "(" : $0 == "]" ? ")" : $0 })
    }
}
