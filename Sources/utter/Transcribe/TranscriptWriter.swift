import Synchronization

/// Writes the transcript of one input, from the results of its channels.
final class TranscriptWriter: Sendable {
    private struct State {
        var formatters: [any TranscriptFormatter]
        var merger: SegmentMerger
        /// Whether a write has failed, so that nothing may follow what is there.
        var isBroken = false
    }

    private let state: Mutex<State>
    private let write: @Sendable (_ text: String, _ format: Int) throws -> Void
    private let collectText: (@Sendable (String) -> Void)?

    /// Creates a writer of one transcript, which comes piece by piece: in each format, with the format's place in `formats`, and as
    /// plain text.
    init(
        _ formats: [OutputFormat], channelCount: Int, _ labels: TranscriptLabels,
        collectText: (@Sendable (String) -> Void)? = nil,
        write: @escaping @Sendable (_ text: String, _ format: Int) throws -> Void
    ) {
        self.collectText = collectText
        state = Mutex(
            State(
                formatters: formats.map { $0.makeFormatter(labels) },
                merger: SegmentMerger(channelCount: channelCount)))
        self.write = write
    }

    func begin(file: String, model: String) throws {
        try state.withLock { try write(&$0) { $0.begin(file: file, model: model) } }
    }

    /// Adds the progress of a channel.
    func add(_ segment: TranscribedSegment?, channel: Int, through time: Double) throws {
        try state.withLock { state in
            for due in state.merger.add(segment, channel: channel, through: time) {
                try write(due, &state)
            }
        }
    }

    private func write(_ segment: TranscribedSegment, _ state: inout State) throws {
        collectText?(TextFormatter().segment(segment))
        try write(&state) { $0.segment(segment) }
    }

    /// Ends the transcript, with what waits for a channel that has failed. After a failed write it does nothing.
    func end(duration: Double, isComplete: Bool) throws {
        try state.withLock { state in
            if state.isBroken { return }
            for waiting in state.merger.finish() { try write(waiting, &state) }
            try write(&state) { $0.end(duration: duration, isComplete: isComplete) }
        }
    }

    private func write(_ state: inout State, _ answer: (inout any TranscriptFormatter) -> String) throws {
        do {
            for place in state.formatters.indices { try write(answer(&state.formatters[place]), place) }
        } catch {
            state.isBroken = true
            throw error
        }
    }
}
