import Synchronization

/// Writes the transcript of one input, from the results of its channels.
final class TranscriptWriter: Sendable {
    private struct State {
        var formatter: any TranscriptFormatter
        var merger: SegmentMerger
    }

    private let state: Mutex<State>
    private let write: @Sendable (String) throws -> Void
    private let collectText: (@Sendable (String) -> Void)?

    /// - Parameters:
    ///   - write: takes the transcript in its format, piece by piece.
    ///   - collectText: takes the same as plain text.
    init(
        _ format: OutputFormat, channelCount: Int, labelsChannels: Bool, namesFiles: Bool,
        collectText: (@Sendable (String) -> Void)? = nil,
        write: @escaping @Sendable (String) throws -> Void
    ) {
        self.collectText = collectText
        state = Mutex(
            State(
                formatter: format.makeFormatter(labelsChannels: labelsChannels, namesFiles: namesFiles),
                merger: SegmentMerger(channelCount: channelCount)))
        self.write = write
    }

    func begin(file: String, model: String) throws {
        try state.withLock { try write($0.formatter.begin(file: file, model: model)) }
    }

    /// A channel, counted from 0, is final up to `time`, in seconds, and this was said in it since the last call, if
    /// anything.
    func add(_ segment: TranscribedSegment?, channel: Int, through time: Double) throws {
        try state.withLock { state in
            for due in state.merger.add(segment, channel: channel, through: time) {
                collectText?(TextFormatter().segment(due))
                try write(state.formatter.segment(due))
            }
        }
    }

    /// - Parameter duration: of the input, in seconds.
    func end(duration: Double) throws {
        try state.withLock { try write($0.formatter.end(duration: duration)) }
    }
}
