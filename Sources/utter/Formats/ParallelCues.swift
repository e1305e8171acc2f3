/// The cues of separate channels for a format in which cues may overlap, such as WebVTT. The cues of each channel are timed by
/// themselves; all are returned in the order of their starts.
struct ParallelCues: Sendable {
    private var timings: [Int: CueTiming] = [:]
    private var waiting: [CueTiming.Timed] = []

    /// Adds the next utterance, in the order of their starts.
    ///
    /// - Parameter text: the text of a cue.
    /// - Returns: the cues that no later utterance can precede.
    mutating func add(_ segment: TranscribedSegment, text: (CueSplitter.Cue) -> String) -> [CueTiming.Timed] {
        for channel in timings.keys.sorted() { put(timings[channel]?.takeIfOver(before: segment.start)) }
        let channel = segment.channel ?? 0
        for cue in CueSplitter().cues(of: segment) {
            put(timings[channel, default: CueTiming()].add(text(cue), start: cue.start, end: cue.end))
        }
        // The next utterance may begin before this one's later cues.
        let horizon = timings.values.compactMap(\.heldStart).reduce(CueTiming.milliseconds(segment.start), min)
        let due = waiting.prefix { $0.start <= horizon }
        waiting.removeFirst(due.count)
        return Array(due)
    }

    /// Ends the recording, and returns the remaining cues.
    mutating func finish(duration: Double) -> [CueTiming.Timed] {
        for channel in timings.keys.sorted() { put(timings[channel]?.finish(duration: duration)) }
        defer { waiting = [] }
        return waiting
    }

    private mutating func put(_ cue: CueTiming.Timed?) {
        guard let cue else { return }
        waiting.insert(cue, at: waiting.lastIndex { $0.start <= cue.start }.map { $0 + 1 } ?? 0)
    }
}
