/// The format of a transcript, by the word that selects it, which is also the file's extension, except for text.
enum OutputFormat: String, CaseIterable, Sendable {
    case text
    case json
    case jsonl
    case srt
    case vtt
    case tsv
    case md

    /// The extension of a file in this format, without the dot.
    var fileExtension: String { self == .text ? "txt" : rawValue }

    /// Whether several recordings can follow each other in one output. Subtitles can't: their times belong to one.
    var holdsSeveralFiles: Bool { self != .srt && self != .vtt }

    /// The format for an output's extension, in upper or lower case; nil when the extension is that of no format.
    init?(suffixOf path: String) {
        let suffix = SoundFormats.ending(of: path)
        guard let format = Self.allCases.first(where: { $0.fileExtension == suffix }) else { return nil }
        self = format
    }

    /// The extension of an output that promises what no format here is, such as a document of an office program; nil for any other.
    static func foreignEnding(of path: String) -> String? {
        if OutputFormat(suffixOf: path) != nil { return nil }
        let foreign = [
            "ass", "csv", "doc", "docx", "epub", "htm", "html", "ods", "odt", "pdf", "rtf", "sbv", "ssa", "sub", "ttml",
            "xls", "xlsx", "xml", "yaml", "yml",
        ]
        let ending = SoundFormats.ending(of: path)
        return ending.flatMap { foreign.contains($0) || SoundFormats.isRecording(path) ? $0 : nil }
    }

    /// The text before the first of several recordings in one output.
    func head(_ labels: TranscriptLabels) -> String {
        self == .tsv && labels.files ? TSVFormatter(labels).header : ""
    }

    /// The text between two recordings in one output.
    func separator(_ labels: TranscriptLabels) -> String { (self == .text || self == .md) && labels.files ? "\n" : "" }

    /// A formatter for one recording.
    func makeFormatter(_ labels: TranscriptLabels = TranscriptLabels()) -> any TranscriptFormatter {
        switch self {
        case .text: TextFormatter(namesFile: labels.files)
        case .json: JSONFormatter()
        case .jsonl: JSONLinesFormatter()
        case .srt: SubtitleFormatter(style: .srt)
        case .vtt: SubtitleFormatter(style: .vtt)
        case .tsv: TSVFormatter(labels)
        case .md: MarkdownFormatter(namesFile: labels.files)
        }
    }
}

/// What a transcript says of a text besides its time.
struct TranscriptLabels: Sendable {
    /// Whether text is marked with its channel.
    var channels = false
    /// Whether a channel has a name, of this recording or of another in the output.
    var speakers = false
    /// Whether several recordings follow each other in the output. Text, tables and Markdown then name each; the other formats always do.
    var files = false
}
