import Synchronization

/// Finds out when nobody has spoken for a while, by the clock of the sound itself: a recognizer that is behind ends nothing early.
final class SilenceWatch: Sendable {
    private struct State {
        /// Until when something was said, in seconds.
        var lastSpeech = 0.0
        var guess = ""
        var isOver = false
    }

    private let longest: Double?
    private let ended: @Sendable () -> Void
    private let state = Mutex(State())

    /// - Parameters:
    ///   - longest: seconds; nil for ever.
    ///   - ended: called once.
    init(longest: Double?, ended: @escaping @Sendable () -> Void) {
        self.longest = longest
        self.ended = ended
    }

    /// A result has come. Only a guess that has changed says that someone speaks.
    func heard(_ text: String, isFinal: Bool, through time: Double) {
        state.withLock { state in
            if text != state.guess && !text.isEmpty && !isFinal { state.lastSpeech = max(state.lastSpeech, time) }
            state.guess = isFinal ? "" : text
        }
    }

    /// The recognizer has decoded everything up to here.
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
