/// Writes one utterance a line, except for line breaks that were dictated. When channels are separate, each line begins with its
/// channel: `[1] `. When several recordings follow each other, each has its name above it, in the form of head(1) and tail(1).
struct TextFormatter: TranscriptFormatter {
    var namesFile = false

    func begin(file: String, model: String) -> String { namesFile ? "==> \(file.singleLine) <==\n" : "" }

    func segment(_ segment: TranscribedSegment) -> String {
        let text = segment.lines
        if text.isEmpty { return "" }
        // A dictated line break at the end ends the line.
        return (segment.channel.map { "[\($0)] " } ?? "") + text + (text.hasSuffix("\n") ? "" : "\n")
    }

    func end(duration: Double) -> String { "" }
}
