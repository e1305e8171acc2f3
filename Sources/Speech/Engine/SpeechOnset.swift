/// Detects by the sound level when speech begins, and decides when to guess the first words. It is pure state.
struct SpeechOnset {
    private var level: SoundLevel
    /// The numbers of frames since the onset at which a guess is due; the later guess is the better one.
    private let dueAfter = [20, 30]
    private var loudFrames = 0
    /// The number of frames since the onset; nil while there is no speech.
    private var framesSince: Int?
    private var guesses = 0

    /// - Parameter sampleRate: the number of samples per second, in Hz.
    init(sampleRate: Int) { level = SoundLevel(sampleRate: sampleRate) }

    /// The number of samples since the onset.
    var samplesSince: Int? { framesSince.map { $0 * level.frameLength + level.count } }

    /// Adds samples.
    ///
    /// - Returns: whether a guess is due.
    mutating func hear(_ samples: some Sequence<Int16>) -> Bool {
        var isDue = false
        for sample in samples {
            if let frame = level.hear(sample), end(frame) { isDue = true }
        }
        return isDue
    }

    /// Waits for the onset of the next utterance.
    mutating func reset() {
        framesSince = nil
        loudFrames = 0
        guesses = 0
    }

    private mutating func end(_ frame: Float) -> Bool {
        if let since = framesSince {
            framesSince = since + 1
            guard guesses < dueAfter.count, since + 1 >= dueAfter[guesses] else { return false }
            guesses += 1
            return true
        }
        // One loud frame is a click; three are a voice.
        loudFrames = level.isLoud(frame) ? loudFrames + 1 : 0
        if loudFrames == 3 { framesSince = 3 }
        return false
    }
}
