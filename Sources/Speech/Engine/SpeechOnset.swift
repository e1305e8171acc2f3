/// Notices that someone begins to speak, by how loud it gets, and says when to make a first guess at what is said. Pure state.
struct SpeechOnset {
    private var level: SoundLevel
    /// How long someone has spoken when a guess is due, in frames; the last is worth more than the first.
    private let dueAfter = [20, 30]
    private var loudFrames = 0
    /// Frames since the onset; nil while nobody speaks.
    private var framesSince: Int?
    private var guesses = 0

    /// - Parameter sampleRate: in Hz.
    init(sampleRate: Int) { level = SoundLevel(sampleRate: sampleRate) }

    /// How long ago the onset was, in samples.
    var samplesSince: Int? { framesSince.map { $0 * level.frameLength + level.count } }

    /// Takes samples in.
    ///
    /// - Returns: whether it is time for a guess.
    mutating func hear(_ samples: some Sequence<Int16>) -> Bool {
        var isDue = false
        for sample in samples {
            if let frame = level.hear(sample), end(frame) { isDue = true }
        }
        return isDue
    }

    /// The next onset is that of another utterance.
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
        // A click is one frame; three are a voice.
        loudFrames = level.isLoud(frame) ? loudFrames + 1 : 0
        if loudFrames == 3 { framesSince = 3 }
        return false
    }
}
