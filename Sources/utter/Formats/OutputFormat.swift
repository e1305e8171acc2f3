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
        guard let name = path.split(separator: "/").last, let dot = name.lastIndex(of: ".") else { return nil }
        let suffix = name[name.index(after: dot)...].lowercased()
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
    ///
    /// - Parameters:
    ///   - labelsChannels: whether text is marked with its channel.
    ///   - namesSpeakers: whether a channel of some recording has a name.
    ///   - namesFiles: whether several recordings follow each other in the output.
    func head(labelsChannels: Bool, namesSpeakers: Bool = false, namesFiles: Bool) -> String {
        guard self == .tsv, namesFiles else { return "" }
        return TSVFormatter(labelsChannels: labelsChannels, namesSpeakers: namesSpeakers, namesFile: true).header
    }

    /// The text between two recordings in one output.
    func separator(namesFiles: Bool) -> String { (self == .text || self == .md) && namesFiles ? "\n" : "" }

    /// A formatter for one recording.
    ///
    /// - Parameters:
    ///   - labelsChannels: whether text is marked with its channel.
    ///   - namesSpeakers: whether a channel has a name, of this recording or of another in the output.
    ///   - namesFiles: whether several recordings follow each other in the output. Text, tables and Markdown then name each recording;
    ///     the other formats always do.
    func makeFormatter(
        labelsChannels: Bool = false, namesSpeakers: Bool = false, namesFiles: Bool = false
    ) -> any TranscriptFormatter {
        switch self {
        case .text: TextFormatter(namesFile: namesFiles)
        case .json: JSONFormatter()
        case .jsonl: JSONLinesFormatter()
        case .srt: SubtitleFormatter(style: .srt)
        case .vtt: SubtitleFormatter(style: .vtt)
        case .tsv: TSVFormatter(labelsChannels: labelsChannels, namesSpeakers: namesSpeakers, namesFile: namesFiles)
        case .md: MarkdownFormatter(namesFile: namesFiles)
        }
    }
}
