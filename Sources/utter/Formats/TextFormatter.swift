/// An utterance a line. With channels apart, each line begins with its channel: `[1] `.
struct TextFormatter: TranscriptFormatter {
    func begin(file: String, model: String) -> String { "" }

    func segment(_ segment: TranscribedSegment) -> String {
        let text = segment.text.singleLine
        if text.isEmpty { return "" }
        return (segment.channel.map { "[\($0)] " } ?? "") + text + "\n"
    }

    func end(duration: Double) -> String { "" }
}
