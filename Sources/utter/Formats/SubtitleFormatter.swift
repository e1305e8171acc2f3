/// Subtitles: SubRip (.srt) and WebVTT (.vtt). How they are cut is `CueSplitter`'s business, when they are shown
/// `CueTiming`'s.
///
/// A channel is a label in SubRip, `[1] `, and a voice in WebVTT, `<v Channel 1>`.
struct SubtitleFormatter: TranscriptFormatter {
    enum Style: Sendable {
        case srt
        case vtt
    }

    let style: Style
    private var timing = CueTiming()
    /// The number of the last cue written.
    private var count = 0

    init(style: Style) {
        self.style = style
    }

    mutating func begin(file: String, model: String) -> String {
        timing = CueTiming()
        count = 0
        return style == .vtt ? "WEBVTT\n\n" : ""
    }

    mutating func segment(_ segment: TranscribedSegment) -> String {
        let label = label(of: segment)
        let splitter = CueSplitter(labelWidth: style == .srt ? displayWidth(label) : 0)
        var result = ""
        for cue in splitter.cues(of: segment) {
            let text = label + cue.lines.map(escaped).joined(separator: "\n")
            if let done = timing.add(text, start: cue.start, end: cue.end) { result += write(done) }
        }
        return result
    }

    mutating func end(duration: Double) -> String {
        timing.finish(duration: duration).map { write($0) } ?? ""
    }

    private func label(of segment: TranscribedSegment) -> String {
        guard let channel = segment.channel else { return "" }
        return style == .srt ? "[\(channel)] " : "<v Channel \(channel)>"
    }

    private func escaped(_ line: String) -> String {
        // SubRip can't escape; but no text may look like the line with the times.
        if style == .srt {
            return line.split(separator: "-->", omittingEmptySubsequences: false).joined(separator: "→")
        }
        var result = String.UnicodeScalarView()
        for scalar in line.unicodeScalars {
            switch scalar {
            case "&": result.append(contentsOf: "&amp;".unicodeScalars)
            case "<": result.append(contentsOf: "&lt;".unicodeScalars)
            case ">": result.append(contentsOf: "&gt;".unicodeScalars)
            default: result.append(scalar)
            }
        }
        return String(result)
    }

    private mutating func write(_ cue: CueTiming.Timed) -> String {
        count += 1
        let number = style == .srt ? "\(count)\n" : ""
        return "\(number)\(time(cue.start)) --> \(time(cue.end))\n\(cue.text)\n\n"
    }

    /// `01:02:03,450`, with a point in WebVTT.
    private func time(_ milliseconds: Int) -> String {
        func digits(_ value: Int, _ count: Int) -> String {
            let text = String(value)
            return String(repeating: "0", count: max(0, count - text.count)) + text
        }
        let seconds = milliseconds / 1000
        let clock = [seconds / 3600, seconds / 60 % 60, seconds % 60].map { digits($0, 2) }.joined(separator: ":")
        return clock + (style == .srt ? "," : ".") + digits(milliseconds % 1000, 3)
    }
}
