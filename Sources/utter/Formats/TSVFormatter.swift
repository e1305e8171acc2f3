/// Writes a table: a header, then one utterance a line, with tabs between start, end and text, the channel when channels are
/// separate, and the file when several follow each other. Several files share one header, `OutputFormat.head`.
struct TSVFormatter: TranscriptFormatter {
    var labelsChannels = false
    var namesFile = false
    private var file = ""

    init(labelsChannels: Bool = false, namesFile: Bool = false) {
        self.labelsChannels = labelsChannels
        self.namesFile = namesFile
    }

    var header: String { "start\tend\ttext" + (labelsChannels ? "\tchannel" : "") + (namesFile ? "\tfile" : "") + "\n" }

    mutating func begin(file: String, model: String) -> String {
        self.file = file.singleLine
        return namesFile ? "" : header
    }

    func segment(_ segment: TranscribedSegment) -> String {
        let text = segment.text.singleLine
        if text.isEmpty { return "" }
        var columns = [Decimals.fixed(segment.start, decimals: 2), Decimals.fixed(segment.end, decimals: 2), text]
        if labelsChannels { columns.append(segment.channel.map(String.init) ?? "") }
        if namesFile { columns.append(file) }
        return columns.joined(separator: "\t") + "\n"
    }

    func end(duration: Double) -> String { "" }
}
