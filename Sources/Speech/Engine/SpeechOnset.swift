/// Notices that someone begins to speak, by how loud it gets, and says when to make a first guess at what is said. Pure state.
struct SpeechOnset {
    /// In samples.
    private let frameLength: Int
    /// How long someone has spoken when a guess is due, in frames; the last is worth more than the first.
    private let dueAfter: [Int]

    /// The mean square below which all is silence: -54 dBFS.
    private static let quiet: Float = 4_300
    /// How far speech rises above what was before: 10 dB.
    private static let rise: Float = 10

    private var sumOfSquares: Float = 0
    private var count = 0
    /// The mean square of what is not speech; falls at once and rises slowly.
    private var background: Float?
    private var loudFrames = 0
    /// Frames since the onset; nil while nobody speaks.
    private var framesSince: Int?
    private var guesses = 0

    /// - Parameter sampleRate: in Hz.
    init(sampleRate: Int) {
        frameLength = sampleRate / 100
        dueAfter = [20, 30]
    }

    /// How long ago the onset was, in samples.
    var samplesSince: Int? { framesSince.map { $0 * frameLength + count } }

    /// Takes samples in.
    ///
    /// - Returns: whether it is time for a guess.
    mutating func hear(_ samples: some Sequence<Int16>) -> Bool {
        var isDue = false
        for sample in samples {
            let value = Float(sample)
            sumOfSquares += value * value
            count += 1
            if count == frameLength, endFrame() { isDue = true }
        }
        return isDue
    }

    /// The next onset is that of another utterance.
    mutating func reset() {
        framesSince = nil
        loudFrames = 0
        guesses = 0
    }

    private mutating func endFrame() -> Bool {
        let meanSquare = sumOfSquares / Float(frameLength)
        (sumOfSquares, count) = (0, 0)
        if let since = framesSince {
            framesSince = since + 1
            guard guesses < dueAfter.count, since + 1 >= dueAfter[guesses] else { return false }
            guesses += 1
            return true
        }
        let before = background ?? meanSquare
        // A click is one frame; three are a voice.
        loudFrames = meanSquare > max(Self.quiet, before * Self.rise) ? loudFrames + 1 : 0
        if loudFrames == 3 { framesSince = 3 }
        if loudFrames == 0 { background = min(meanSquare, before * 1.02 + 1) }
        return false
    }
}
