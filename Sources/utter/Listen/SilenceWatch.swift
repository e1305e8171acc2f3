import Speech
import Synchronization

/// Reports when nobody has spoken for some time, measured in the sound itself, so that a slow recognizer ends nothing early.
final class SilenceWatch: Sendable {
    private struct State {
        /// When the last speech ended, in seconds from the first sample.
        var lastSpeech = 0.0
        /// The present guess of each source.
        var guesses: [Int: String] = [:]
        /// The time up to which each source is heard, in seconds.
        var progress: [Double]
        var isOver = false
    }

    private let longest: Double?
    private let finalsEndWithSpeech: Bool
    private let ended: @Sendable () -> Void
    private let state: Mutex<State>

    /// Creates a watch.
    ///
    /// - Parameters:
    ///   - longest: the silence to report, in seconds, in which all sources are silent; nil for none.
    ///   - finalsEndWithSpeech: whether the time of a final text ends where the speech does, rather than after the pause behind it.
    ///   - ended: called once, when there has been such a silence.
    init(
        longest: Double?, sourceCount: Int = 1, finalsEndWithSpeech: Bool, ended: @escaping @Sendable () -> Void
    ) {
        state = Mutex(State(progress: [Double](repeating: 0, count: sourceCount)))
        self.longest = longest
        self.finalsEndWithSpeech = finalsEndWithSpeech
        self.ended = ended
    }

    /// The time up to which it is known what was said, in seconds, where an engine decides later.
    ///
    /// Where nobody speaks, the last second is never settled, and moves on with the sound. Speech that is not decided yet is no
    /// silence: it stays where it began.
    ///
    /// - Parameters:
    ///   - undecided: the range that is not final.
    ///   - isMoving: whether its start has changed with its end.
    static func knownTime(undecided: AudioTimeRange, isMoving: Bool) -> Double {
        let (start, end) = (undecided.lowerBound.seconds, undecided.upperBound.seconds)
        // A frame of the detector's may be missing to the second.
        return isMoving && end - start < 1.1 ? end : start
    }

    /// Handles a result. A guess that has changed means that someone has spoken, and so does a final that nothing has guessed at,
    /// or whose end is that of speech.
    func heard(_ text: String, isFinal: Bool, through time: Double, source: Int = 0) {
        state.withLock { state in
            let guess = state.guesses[source] ?? ""
            if !text.isEmpty, isFinal ? finalsEndWithSpeech || guess.isEmpty : text != guess {
                state.lastSpeech = max(state.lastSpeech, time)
            }
            state.guesses[source] = isFinal ? nil : text
        }
    }

    /// Handles progress: the recognizer has decoded everything up to this time, in seconds from the first sample.
    func heard(through time: Double, source: Int = 0) {
        guard let longest else { return }
        let isDue = state.withLock { state in
            state.progress[source] = time
            let time = state.progress.min() ?? time
            if state.isOver || time - state.lastSpeech < longest { return false }
            state.isOver = true
            return true
        }
        if isDue { ended() }
    }
}
