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

    /// A formatter for one recording.
    func makeFormatter(labelsChannels: Bool = false) -> any TranscriptFormatter {
        switch self {
        case .text: TextFormatter()
        case .json: JSONFormatter()
        case .jsonl: JSONLinesFormatter()
        case .srt: SubtitleFormatter(style: .srt)
        case .vtt: SubtitleFormatter(style: .vtt)
        case .tsv: TSVFormatter(labelsChannels: labelsChannels)
        }
    }
}
