/// The formats of a transcript, by the word that picks them, which is also the file's extension but for text.
enum OutputFormat: String, CaseIterable, Sendable {
    case text
    case json
    case jsonl
    case srt
    case vtt
    case tsv

    /// Without the dot.
    var fileExtension: String { self == .text ? "txt" : rawValue }

    /// Whether several recordings can follow each other in one output. Subtitles can't: their times belong to one.
    var holdsSeveralFiles: Bool { self != .srt && self != .vtt }

    /// The format that the name of an output asks for by its suffix, in capitals or not; nil when it asks for none.
    init?(suffixOf path: String) {
        guard let name = path.split(separator: "/").last, let dot = name.lastIndex(of: ".") else { return nil }
        let suffix = name[name.index(after: dot)...].lowercased()
        guard let format = Self.allCases.first(where: { $0.fileExtension == suffix }) else { return nil }
        self = format
    }

    /// What an output that holds several recordings begins with, before the first of them.
    ///
    /// - Parameters: as of `makeFormatter`.
    func head(labelsChannels: Bool, namesFiles: Bool) -> String {
        self == .tsv && namesFiles ? TSVFormatter(labelsChannels: labelsChannels, namesFile: true).header : ""
    }

    /// What stands between two recordings in one output.
    func separator(namesFiles: Bool) -> String { self == .text && namesFiles ? "\n" : "" }

    /// A formatter for one recording.
    ///
    /// - Parameters:
    ///   - labelsChannels: whether text is marked with its channel.
    ///   - namesFiles: whether several recordings follow each other in the output. Then text and tables say which one it is; the others
    ///     always do.
    func makeFormatter(labelsChannels: Bool = false, namesFiles: Bool = false) -> any TranscriptFormatter {
        switch self {
        case .text: TextFormatter(namesFile: namesFiles)
        case .json: JSONFormatter()
        case .jsonl: JSONLinesFormatter()
        case .srt: SubtitleFormatter(style: .srt)
        case .vtt: SubtitleFormatter(style: .vtt)
        case .tsv: TSVFormatter(labelsChannels: labelsChannels, namesFile: namesFiles)
        }
    }
}
