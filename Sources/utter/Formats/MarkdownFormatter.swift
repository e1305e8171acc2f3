/// Writes Markdown to be read by people: a paragraph for each turn, which begins with who speaks and when, `**me** (0:00:12) Good morning.`
///
/// Each utterance is a line of its paragraph, so it can be written at once. A new paragraph begins with another speaker, after a long
/// pause, and when one has become long. When several recordings follow each other, each has its name as a heading.
struct MarkdownFormatter: TranscriptFormatter {
    var namesFile = false

    /// The paragraph that the last utterance was written to.
    private struct Paragraph {
        var speaker: String?
        var start: Double
        /// When the last utterance in it ends, in seconds.
        var end: Double
    }

    private var paragraph: Paragraph?

    /// The pause, in seconds, after which a new paragraph begins.
    private static let longPause = 10.0
    /// How long a paragraph goes on, in seconds.
    private static let longestParagraph = 60.0

    init(namesFile: Bool = false) { self.namesFile = namesFile }

    mutating func begin(file: String, model: String) -> String {
        paragraph = nil
        return namesFile ? "# \(Self.escaped(file.singleLine))\n" : ""
    }

    mutating func segment(_ segment: TranscribedSegment) -> String {
        // A line break that was dictated is one in the paragraph, too.
        let lines = segment.lines.split(separator: "\n").map { Self.escaped($0) }.filter { !$0.isEmpty }
        if lines.isEmpty { return "" }
        let mark = segment.overlaps ? "(overlapping) " : ""
        return head(of: segment) + mark + lines.joined(separator: "\\\n") + "\n"
    }

    /// What begins the paragraph of an utterance; nothing where the last one goes on.
    private mutating func head(of segment: TranscribedSegment) -> String {
        let speaker = segment.speaker?.singleLine ?? segment.channel.map { "Channel \($0)" }
        if let last = paragraph, last.speaker == speaker, segment.start - last.end < Self.longPause,
            segment.start - last.start < Self.longestParagraph
        {
            paragraph?.end = max(last.end, segment.end)
            return ""
        }
        let isFirst = paragraph == nil
        paragraph = Paragraph(speaker: speaker, start: segment.start, end: segment.end)
        let name = speaker.map { "**\(Self.escaped($0))** " } ?? ""
        return (isFirst && !namesFile ? "" : "\n") + "\(name)(\(ProgressLine.clock(segment.start, showsHours: true))) "
    }

    /// A line in which nothing is markup: neither in its midst nor at its beginning.
    private static func escaped(_ line: some StringProtocol) -> String {
        var result = String.UnicodeScalarView()
        let scalars = line.unicodeScalars
        let number = scalars.prefix { ("0"..."9").contains($0) }
        for index in scalars.indices {
            let isFirst = index == scalars.startIndex
            let isMarkup =
                switch scalars[index] {
                case "\\", "*", "_", "`", "[", "]", "<", ">", "|", "~", "&": true
                case "-", "+", "=": isFirst
                // Also one that ends a heading.
                case "#": isFirst || result.last == " "
                case ".", ")":
                    !isFirst && index == number.endIndex
                        && (scalars[index...].dropFirst().first ?? " ") == " "
                default: false
                }
            if isMarkup { result.append("\\") }
            result.append(scalars[index])
        }
        return String(result)
    }
}
