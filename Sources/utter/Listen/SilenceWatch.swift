import Synchronization

/// Reports when nobody has spoken for some time, measured in the sound itself, so that a slow recognizer ends nothing early.
final class SilenceWatch: Sendable {
    private struct State {
        /// When the last speech ended, in seconds from the first sample.
        var lastSpeech = 0.0
        var guess = ""
        var isOver = false
    }

    private let longest: Double?
    private let ended: @Sendable () -> Void
    private let state = Mutex(State())

    /// Creates a watch.
    ///
    /// - Parameters:
    ///   - longest: the silence to report, in seconds; nil for none.
    ///   - ended: called once, when there has been such a silence.
    init(longest: Double?, ended: @escaping @Sendable () -> Void) {
        self.longest = longest
        self.ended = ended
    }

    /// Handles a result. Only a guess that has changed, or a final that nothing has guessed at, means that someone has spoken.
    func heard(_ text: String, isFinal: Bool, through time: Double) {
        state.withLock { state in
            if !text.isEmpty, isFinal ? state.guess.isEmpty : text != state.guess {
                state.lastSpeech = max(state.lastSpeech, time)
            }
            state.guess = isFinal ? "" : text
        }
    }

    /// Handles progress: the recognizer has decoded everything up to this time, in seconds from the first sample.
    func heard(through time: Double) {
        guard let longest else { return }
        let isDue = state.withLock { state in
            if state.isOver || time - state.lastSpeech < longest { return false }
            state.isOver = true
            return true
        }
        if isDue { ended() }
    }
}
