/// Notices by the level that someone who has spoken is quiet. The engine knows it later: it decodes some tenths of a second after it was said,
/// and calls an utterance ended after half a second of silence. Pure state; what it says depends on the samples alone, whatever the pieces. Of a
/// stream that begins in the midst of a word it does not know yet what is quiet.
struct SpeechPause {
    enum Event: Equatable {
        /// It has been quiet for a moment, until this sample.
        case began(at: Int64)
        /// Someone speaks again.
        case ended
    }

    /// When it had been quiet for a moment, oldest first: counts of samples.
    private(set) var moments: [Int64] = []
    private var level: SoundLevel
    private var frames: Int64 = 0
    /// In a row.
    private var (loudFrames, quietFrames) = (0, 0)
    /// Since the last pause, without clicks.
    private var spokenFrames = 0
    private var isPause = false

    /// How long a pause is one, in frames: longer than the closure of a consonant.
    private static let momentLength = 20
    /// The shortest sound that may be speech, in frames; a breath or a key is shorter.
    private static let shortestSpeech = 10

    /// - Parameter sampleRate: in Hz.
    init(sampleRate: Int) { level = SoundLevel(sampleRate: sampleRate) }

    /// Takes samples in.
    ///
    /// - Returns: the last that has happened in them.
    mutating func hear(_ samples: some Sequence<Int16>) -> Event? {
        var event: Event?
        for sample in samples {
            if let frame = level.hear(sample), let new = end(frame) { event = new }
        }
        return event
    }

    /// Forgets the moments before a sample and at it.
    mutating func forget(through end: Int64) { moments.removeAll { $0 <= end } }

    private mutating func end(_ frame: Float) -> Event? {
        frames += 1
        loudFrames = level.isLoud(frame) ? loudFrames + 1 : 0
        // One loud frame is a click.
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
