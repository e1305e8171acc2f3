/// Cues of channels that were transcribed apart, for a format whose cues follow one another, as in SubRip. Where two people talk at once,
/// their lines share a cue, each with its label, and are shown for as long as both are said.
///
/// Whether an utterance is talked into is known when the next begins, so those that may be are held back.
struct SharedCues: Sendable {
    struct Cue: Equatable, Sendable {
        /// With labels, where each begins.
        var lines: [String]
        /// In seconds from the start of the file.
        var start: Double
        var end: Double
        /// How long it takes to read, in seconds; 0 where as long as it is said will do.
        var reading = 0.0
    }

    /// Utterances of which each begins before another has ended, in the order of their starts.
    private var waiting: [TranscribedSegment] = []
    /// When the last of them ends.
    private var end = 0.0

    /// Columns a second that are read with ease.
    private static let readingSpeed = 20.0
    /// Who talks into another's words for less than this, in seconds, comes after them.
    private static let shortestOverlap = 0.5

    /// What stands before what was said in a channel.
    static func label(_ channel: Int?) -> String { channel.map { "[\($0)] " } ?? "" }

    /// - Returns: the cues that can't change any more.
    mutating func add(_ segment: TranscribedSegment) -> [Cue] {
        var cues: [Cue] = []
        if segment.start >= end { cues = finish() }
        waiting.append(segment)
        end = max(end, segment.end)
        return cues
    }

    mutating func finish() -> [Cue] {
        defer {
            waiting = []
            end = 0
        }
        return Set(waiting.map(\.channel)).count < 2 ? waiting.flatMap(alone) : together()
    }

    private func alone(_ segment: TranscribedSegment) -> [Cue] {
        let label = Self.label(segment.channel)
        return CueSplitter(labelWidth: displayWidth(label)).cues(of: segment).map { cue in
            Cue(lines: [label + (cue.lines.first ?? "")] + cue.lines.dropFirst(), start: cue.start, end: cue.end)
        }
    }

    /// One line of each channel at most.
    private func together() -> [Cue] {
        let parts = waiting.flatMap { segment in
            let splitter = CueSplitter(labelWidth: displayWidth(Self.label(segment.channel)), lineCount: 1)
            return splitter.cues(of: segment).map { (cue: $0, channel: segment.channel) }
        }.enumerated().sorted { ($0.element.cue.start, $0.offset) < ($1.element.cue.start, $1.offset) }.map(\.element)
        var cues: [Cue] = []
        var channels: Set<Int?> = []
        for (part, channel) in parts {
            let line = Self.label(channel) + (part.lines.first ?? "")
            if let last = cues.last, !channels.contains(channel), overlaps(last, part) {
                var shared = last
                shared.lines.append(line)
                shared.end = max(last.end, part.end)
                shared.reading = Double(shared.lines.reduce(0) { $0 + displayWidth($1) }) / Self.readingSpeed
                cues[cues.count - 1] = shared
            } else {
                channels = []
                cues.append(Cue(lines: [line], start: part.start, end: part.end))
            }
            channels.insert(channel)
        }
        return cues
    }

    private func overlaps(_ cue: Cue, _ part: CueSplitter.Cue) -> Bool {
        let shorter = min(cue.end - cue.start, part.end - part.start)
        return min(cue.end, part.end) - part.start >= min(Self.shortestOverlap, shorter / 2)
    }
}
