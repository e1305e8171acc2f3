/// Writes a table: a header, then one utterance a line, with tabs between start, end and text, the channel when channels are
/// separate, the name of who speaks when there are names, and the file when several follow each other. Several files share one header, `OutputFormat.head`.
struct TSVFormatter: TranscriptFormatter {
    private let labels: TranscriptLabels
    private var file = ""

    init(_ labels: TranscriptLabels) { self.labels = labels }

    var header: String {
        let optional = [(labels.channels, "\tchannel"), (labels.speakers, "\tspeaker"), (labels.files, "\tfile")]
        return "start\tend\ttext" + optional.map { $0 ? $1 : "" }.joined() + "\n"
    }

    mutating func begin(file: String, model: String) -> String {
        self.file = file.singleLine
        return labels.files ? "" : header
    }

    func segment(_ segment: TranscribedSegment) -> String {
        let text = segment.text.singleLine
        if text.isEmpty { return "" }
        var columns = [Decimals.fixed(segment.start, decimals: 2), Decimals.fixed(segment.end, decimals: 2), text]
        if labels.channels { columns.append(segment.channel.map(String.init) ?? "") }
        if labels.speakers { columns.append(segment.speaker?.singleLine ?? "") }
        if labels.files { columns.append(file) }
        return columns.joined(separator: "\t") + "\n"
    }
}
