import Models

/// Tells by the detector of speech since when somebody speaks or is silent. All counts are of samples of the stream, which may have a
/// lower rate than the detector. It is pure state.
struct SpeechActivity {
    private var segmenter: SpeechSegmenter
    /// How many samples of the detector's there are for one of the stream's.
    private let factor: Int
    /// The end of the last speech, at the detector's rate.
    private var lastEnd: Int64 = 0
    /// The length of all speech that has ended, at the detector's rate.
    private var ended: Int64 = 0

    /// - Returns: nil for a rate that the detector can't hear, and without its weights.
    init?(sampleRate: Int) {
        guard DictationDesk.sampleRate % sampleRate == 0, let weights = try? SileroWeights.shared.get() else {
            return nil
        }
        segmenter = SpeechSegmenter(weights: weights)
        factor = DictationDesk.sampleRate / sampleRate
    }

    /// Hears the next samples. The detector does not mind that those of a lower rate are repeated.
    mutating func hear(_ samples: UnsafeBufferPointer<Int16>) {
        if factor == 1 {
            segmenter.hear(samples)
        } else {
            samples.flatMap { Array(repeating: $0, count: factor) }.withUnsafeBufferPointer { segmenter.hear($0) }
        }
        for range in segmenter.isSpeaking ? segmenter.ranges.dropLast() : segmenter.ranges[...] {
            ended += range.upperBound - range.lowerBound
        }
        if let last = segmenter.ranges.last { lastEnd = last.upperBound }
        segmenter.forget(before: .max)
    }

    /// The number of samples judged so far.
    var heard: Int64 { segmenter.heard / Int64(factor) }

    /// The number of samples until the detector judges again.
    var untilJudgement: Int { segmenter.untilJudgement / factor }

    /// The beginning of the present speech; nil if nobody speaks.
    var speechStart: Int64? { segmenter.isSpeaking ? segmenter.ranges.last.map { $0.lowerBound / Int64(factor) } : nil }

    /// The number of samples since somebody spoke; 0 while somebody speaks.
    var silence: Int64 { (segmenter.heard - lastEnd) / Int64(factor) }

    /// The number of samples of speech that has ended.
    var speech: Int64 { ended / Int64(factor) }
}
