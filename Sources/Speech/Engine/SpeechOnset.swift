/// Decides when to guess the first words of an utterance, by the detector of speech. It is pure state.
struct SpeechOnset {
    private var segmenter: SpeechSegmenter
    /// How many samples of the detector's there are for one of the stream's.
    private let factor: Int
    /// The first sample after the utterance before, at the detector's rate.
    private var floor: Int64 = 0
    private var guesses = 0

    /// The times since the onset at which a guess is due, in seconds; the later guess is the better one. They are whole frames
    /// of the detector, which finds a soft onset some hundredths late.
    private static let dueAfter = [0.16, 0.25]

    /// - Parameter sampleRate: the number of samples per second, in Hz.
    /// - Returns: nil for a rate that the detector can't hear.
    init?(sampleRate: Int, weights: SileroWeights) {
        guard DictationDesk.sampleRate % sampleRate == 0 else { return nil }
        segmenter = SpeechSegmenter(weights: weights)
        factor = DictationDesk.sampleRate / sampleRate
    }

    /// The number of samples since the onset; nil while there is no speech.
    var samplesSince: Int? {
        onset.map { Int(segmenter.heard - $0) / factor }
    }

    /// Adds samples.
    ///
    /// - Returns: whether a guess is due.
    mutating func hear(_ samples: UnsafeBufferPointer<Int16>) -> Bool {
        segmenter.hear(samples, repeating: factor)
        segmenter.forget(before: floor + 1)
        guard let samplesSince, guesses < Self.dueAfter.count,
            Double(samplesSince * factor) >= Self.dueAfter[guesses] * Double(DictationDesk.sampleRate)
        else { return false }
        guesses += 1
        return true
    }

    /// Waits for the onset of the next utterance.
    mutating func reset() {
        floor = segmenter.heard
        guesses = 0
    }

    /// The beginning of the present speech.
    private var onset: Int64? {
        guard segmenter.isSpeaking, let range = segmenter.ranges.last, range.upperBound > floor else { return nil }
        return max(range.lowerBound, floor)
    }
}
