import Foundation
import System

/// Writes subtitles: SubRip (.srt) and WebVTT (.vtt). `CueSplitter` cuts them, `CueTiming` sets their times, and `SharedCues` and
/// `ParallelCues` handle people who talk at once.
///
/// Who speaks is a label in SubRip, `[me] ` or `[1] `, and a voice in WebVTT, `<v me>` or `<v Channel 1>`.
struct SubtitleFormatter: TranscriptFormatter {
    enum Style: Sendable {
        case srt
        case vtt
    }

    let style: Style
    private var timing = CueTiming()
    private var shared = SharedCues()
    private var parallel = ParallelCues()
    /// The number of the last cue written.
    private var count = 0

    init(style: Style) {
        self.style = style
    }

    mutating func begin(file: String, model: String) -> String {
        self = SubtitleFormatter(style: style)
        return style == .vtt ? "WEBVTT\n\n" : ""
    }

    mutating func segment(_ segment: TranscribedSegment) -> String {
        guard let channel = segment.channel else {
            return CueSplitter().cues(of: segment).map { show($0) }.joined()
        }
        switch style {
        case .srt: return shared.add(segment).map { show($0) }.joined()
        case .vtt:
            let voice = Self.escaped(segment.speaker?.singleLine ?? "Channel \(channel)", style)
            let due = parallel.add(segment) { [style] cue in
                "<v \(voice)>" + cue.lines.map { Self.escaped($0, style) }.joined(separator: "\n")
            }
            return due.map { write($0) }.joined()
        }
    }

    mutating func end(duration: Double, isComplete: Bool) -> String {
        let last =
            shared.finish().map { show($0) }.joined() + (timing.finish(duration: duration).map { write($0) } ?? "")
        return last + parallel.finish(duration: duration).map { write($0) }.joined()
    }

    /// Adds a cue, and writes the one before it, whose end depends on this one's start.
    private mutating func show(_ cue: CueSplitter.Cue) -> String {
        let text = cue.lines.map { Self.escaped($0, style) }.joined(separator: "\n")
        return timing.add(text, start: cue.start, end: cue.end, reading: cue.reading).map { write($0) } ?? ""
    }

    private static func escaped(_ line: String, _ style: Style) -> String {
        // SubRip has no escapes, and the text must not look like the line with the times.
        if style == .srt {
            return line.split(separator: "-->", omittingEmptySubsequences: false).joined(separator: "→")
        }
        return [("&", "&amp;"), ("<", "&lt;"), (">", "&gt;")].reduce(line) { text, escape in
            text.replacingOccurrences(of: escape.0, with: escape.1, options: .literal)
        }
    }

    private mutating func write(_ cue: CueTiming.Timed) -> String {
        count += 1
        let number = style == .srt ? "\(count)\n" : ""
        return "\(number)\(time(cue.start)) --> \(time(cue.end))\n\(cue.text)\n\n"
    }

    /// A time as it is written in SubRip, `01:02:03,450`, or in WebVTT, `01:02:03.450`.
    private func time(_ milliseconds: Int) -> String {
        let seconds = milliseconds / 1000
        let clock = [seconds / 3600, seconds / 60 % 60, seconds % 60].map { $0.digits(2) }.joined(separator: ":")
        return clock + (style == .srt ? "," : ".") + (milliseconds % 1000).digits(3)
    }
}
