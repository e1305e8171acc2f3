/// Detects by the sound level when a speaker pauses. The engine detects it later: it decodes some tenths of a second
/// after the sound, and ends an utterance after half a second of silence.
///
/// It is pure state, and the result depends only on the samples, not on how they are divided. In a stream that begins
/// inside a word it does not know the background yet.
struct SpeechPause {
    enum Event: Equatable {
        /// It has been quiet for a moment, which ends at this sample.
        case began(at: Int64)
        /// The speaker continues.
        case ended
    }

    /// The samples at which it had been quiet for a moment, oldest first.
    private(set) var moments: [Int64] = []
    private var level: SoundLevel
    private var frames: Int64 = 0
    /// The numbers of consecutive frames.
    private var (loudFrames, quietFrames) = (0, 0)
    /// The number of loud frames since the last pause, without clicks.
    private var spokenFrames = 0
    private var isPause = false

    /// The length of a pause, in frames: longer than the closure of a consonant.
    private static let momentLength = 20
    /// The shortest sound that may be speech, in frames; a breath or a keystroke is shorter.
    private static let shortestSpeech = 10

    /// - Parameter sampleRate: the number of samples per second, in Hz.
    init(sampleRate: Int) { level = SoundLevel(sampleRate: sampleRate) }

    /// Adds samples.
    ///
    /// - Returns: the last event in them.
    mutating func hear(_ samples: some Sequence<Int16>) -> Event? {
        var event: Event?
        for sample in samples {
            if let frame = level.hear(sample), let new = end(frame) { event = new }
        }
        return event
    }

    /// Forgets the moments up to and including a sample.
    mutating func forget(through end: Int64) { moments.removeAll { $0 <= end } }

    private mutating func end(_ frame: Float) -> Event? {
        frames += 1
        loudFrames = level.isLoud(frame) ? loudFrames + 1 : 0
        // A single loud frame is a click.
        if loudFrames > 1 {
            quietFrames = 0
            spokenFrames += 1
            guard isPause, spokenFrames >= Self.shortestSpeech else { return nil }
            isPause = false
            return .ended
        }
        quietFrames += 1
        guard quietFrames == Self.momentLength else { return nil }
        let hasSpoken = spokenFrames >= Self.shortestSpeech
        spokenFrames = 0
        guard hasSpoken else { return nil }
        isPause = true
        moments.append(frames * Int64(level.frameLength))
        return .began(at: moments[moments.count - 1])
    }
}
