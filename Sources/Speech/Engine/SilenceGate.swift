/// Tells by the detector of speech which sound of a long silence no recognizer needs to hear. It is pure state.
struct SilenceGate {
    private var segmenter: SpeechSegmenter
    /// How many samples of the detector's there are for one of the stream's.
    private let factor: Int
    /// The end of the last speech, at the detector's rate.
    private var speechEnd: Int64 = 0

    /// The silence after which a recognizer rests, in seconds. Longer than any that ends an utterance of words.
    private static let longest = 3.0

    /// - Parameter sampleRate: the number of samples per second, in Hz.
    /// - Returns: nil for a rate that the detector can't hear.
    init?(sampleRate: Int, weights: SileroWeights) {
        guard DictationDesk.sampleRate % sampleRate == 0 else { return nil }
        segmenter = SpeechSegmenter(weights: weights)
        factor = DictationDesk.sampleRate / sampleRate
    }

    /// Adds the next samples.
    mutating func hear(_ samples: UnsafeBufferPointer<Int16>) {
        segmenter.hear(samples, repeating: factor)
        if let last = segmenter.ranges.last { speechEnd = segmenter.isSpeaking ? segmenter.heard : last.upperBound }
        segmenter.forget(before: speechEnd)
    }

    /// Whether nobody has spoken for long.
    var isSilent: Bool {
        !segmenter.isSpeaking
            && Double(segmenter.heard - speechEnd) >= Self.longest * Double(DictationDesk.sampleRate)
    }

    /// The beginning of the present speech, in samples of the stream; nil if nobody speaks.
    var speechStart: Int64? { segmenter.isSpeaking ? segmenter.ranges.last.map { $0.lowerBound / Int64(factor) } : nil }
}

extension SpeechSegmenter {
    /// Hears samples of a stream at a lower rate. The detector does not mind repeated samples.
    ///
    /// - Parameter factor: the number of the detector's samples for one of the stream's.
    mutating func hear(_ samples: UnsafeBufferPointer<Int16>, repeating factor: Int) {
        if factor == 1 { return hear(samples) }
        samples.flatMap { Array(repeating: $0, count: factor) }.withUnsafeBufferPointer { hear($0) }
    }
}
