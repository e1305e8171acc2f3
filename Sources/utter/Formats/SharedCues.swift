/// The cues of separate channels for a format in which cues may not overlap, such as SubRip. When two people talk at once, their
/// lines share a cue, each with a label of who speaks, which is shown while either is speaking. Where the first line can be read before the
/// second begins, the second has a cue of its own, which begins with its words.
///
/// Whether an utterance is overlapped is known only when the next one begins, so utterances that may be are held back.
struct SharedCues: Sendable {
    /// Utterances of which each begins before another has ended, in the order of their starts.
    private var waiting: [TranscribedSegment] = []
    /// When the last of `waiting` ends, in seconds.
    private var end = 0.0

    /// A comfortable reading speed, in columns a second.
    private static let readingSpeed = 20.0
    /// How much too early the second line may be shown, in seconds, even where the first can be read in less.
    private static let mostEarly = 1.5
    /// The shortest overlap, in seconds, that makes two lines share a cue.
    private static let shortestOverlap = 0.5

    /// The most columns of a name: the text needs the rest of the line.
    private static let nameWidth = 20

    /// The label before an utterance. SubRip has no escapes, and players take `<b>` and `{b}` for styles, so a name has neither.
    static func label(_ segment: TranscribedSegment) -> String {
        guard var name = segment.label else { return "" }
        name = TextFormatter.withoutBrackets(name)
        name = String(name.map { "<{".contains($0) ? "(" : ">}".contains($0) ? ")" : $0 })
        return "[\(shortened(name, to: nameWidth))] "
    }

    /// Whether two stretches of speech, of which the second begins no earlier, are at once for long enough to be noticed.
    static func overlap(_ first: (start: Double, end: Double), _ second: (start: Double, end: Double)) -> Bool {
        let shorter = min(first.end - first.start, second.end - second.start)
        return min(first.end, second.end) - second.start >= min(shortestOverlap, shorter / 2)
    }

    /// Adds the next utterance, in the order of their starts.
    ///
    /// - Returns: the cues that no later utterance can change.
    mutating func add(_ segment: TranscribedSegment) -> [CueSplitter.Cue] {
        var cues: [CueSplitter.Cue] = []
        if segment.start >= end { cues = finish() }
        waiting.append(segment)
        end = max(end, segment.end)
        return cues
    }

    /// Returns the remaining cues.
    mutating func finish() -> [CueSplitter.Cue] {
        defer {
            waiting = []
            end = 0
        }
        return Set(waiting.map(\.channel)).count < 2 ? waiting.flatMap(alone) : together()
    }

    private func alone(_ segment: TranscribedSegment) -> [CueSplitter.Cue] {
        let label = Self.label(segment)
        return CueSplitter(labelWidth: displayWidth(label)).cues(of: segment).map { cue in
            var cue = cue
            cue.lines[0] = label + cue.lines[0]
            return cue
        }
    }

    /// How long lines take to be read, in seconds.
    private static func readingTime(_ lines: [String]) -> Double {
        Double(lines.reduce(0) { $0 + displayWidth($1) }) / readingSpeed
    }

    /// The cues of overlapping utterances, each with at most one line of each channel.
    private func together() -> [CueSplitter.Cue] {
        let parts = waiting.flatMap { segment in
            let splitter = CueSplitter(labelWidth: displayWidth(Self.label(segment)), lineCount: 1)
            return splitter.cues(of: segment).map { (cue: $0, segment: segment) }
        }.enumerated().sorted { ($0.element.cue.start, $0.offset) < ($1.element.cue.start, $1.offset) }.map(\.element)
        var cues: [CueSplitter.Cue] = []
        var channels: Set<Int?> = []
        for (part, segment) in parts {
            let channel = segment.channel
            let line = Self.label(segment) + (part.lines.first ?? "")
            if let last = cues.last, !channels.contains(channel),
                Self.overlap((last.start, last.end), (part.start, part.end)),
                part.start - last.start < max(Self.mostEarly, Self.readingTime(last.lines))
            {
                var shared = last
                shared.lines.append(line)
                shared.end = max(last.end, part.end)
                shared.reading = Self.readingTime(shared.lines)
                cues[cues.count - 1] = shared
            } else {
                channels = []
                cues.append(CueSplitter.Cue(lines: [line], start: part.start, end: part.end))
            }
            channels.insert(channel)
        }
        return cues
    }
}
