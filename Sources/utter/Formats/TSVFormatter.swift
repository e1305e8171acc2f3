/// A table: a header, then an utterance a line, with tabs between start, end and text, and the channel when channels are
/// apart. Each recording begins with the header, so several can be told apart.
struct TSVFormatter: TranscriptFormatter {
    var labelsChannels = false

    func begin(file: String, model: String) -> String {
        "start\tend\ttext" + (labelsChannels ? "\tchannel" : "") + "\n"
    }

    func segment(_ segment: TranscribedSegment) -> String {
        let text = segment.text.singleLine
        if text.isEmpty { return "" }
        var columns = [Decimals.fixed(segment.start, decimals: 2), Decimals.fixed(segment.end, decimals: 2), text]
        if labelsChannels { columns.append(segment.channel.map(String.init) ?? "") }
        return columns.joined(separator: "\t") + "\n"
    }

    func end(duration: Double) -> String { "" }
}
