import Synchronization

/// How far the transcription of one input has come, for the time left. Sound counts as done when its text is decided, or when so much after
/// it has been read that hardly a text of it can be left: silence has none. With libvosk on many cores more is read ahead, so that the
/// time left is too short at the beginning.
final class TranscriptionAdvance: Sendable {
    /// How much sound has been read, and up to when each channel is decided, in seconds.
    private let state: Mutex<(read: Double, decided: [Double])>

    /// The most that is read ahead, in seconds: three windows of speech.
    private static let readAhead = 90.0

    init(channelCount: Int) { state = Mutex((0, [Double](repeating: 0, count: channelCount))) }

    /// The sound that is done, in seconds.
    var done: Double {
        state.withLock { max(0, min($0.read, max($0.decided.min() ?? 0, $0.read - Self.readAhead))) }
    }

    var read: Double { state.withLock { $0.read } }

    /// Records that the input has been read up to a time.
    func read(through time: Double) { state.withLock { $0.read = max($0.read, time) } }

    /// Records that the text of a channel, counted from 0, is decided up to a time.
    func decided(channel: Int, through time: Double) {
        state.withLock { $0.decided[channel] = max($0.decided[channel], time) }
    }

    /// Records that all is decided.
    func finish() { state.withLock { $0.decided = $0.decided.map { _ in .infinity } } }
}
