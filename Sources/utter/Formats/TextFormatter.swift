/// An utterance a line, but for line breaks that were said. With channels apart, each line begins with its channel: `[1] `. Where several
/// recordings follow each other, each has its name above it, as head and tail write it.
struct TextFormatter: TranscriptFormatter {
    var namesFile = false

    func begin(file: String, model: String) -> String { namesFile ? "==> \(file.singleLine) <==\n" : "" }

    func segment(_ segment: TranscribedSegment) -> String {
        let text = segment.lines
        if text.isEmpty { return "" }
        // Its own end is the end of a line.
        return (segment.channel.map { "[\($0)] " } ?? "") + text + (text.hasSuffix("\n") ? "" : "\n")
    }

    func end(duration: Double) -> String { "" }
}
