import Models

/// Finds the ranges of speech in a stream, which it reports as utterances without words: their text is not empty. What lies
/// between them is reported as well, with an empty text. For one thread at a time.
final class DetectionPipeline: StreamRecognition {
    /// The text of an utterance that is speech.
    static let speech = "speech"

    private(set) var clock = StreamClock()
    private var segmenter: SpeechSegmenter
    private let emit: (Utterance) -> Void
    /// The beginning of the speech that was reported and has not ended.
    private var begun: Int64?

    init(_ segmenter: SpeechSegmenter, emit: @escaping (Utterance) -> Void) {
        self.segmenter = segmenter
        self.emit = emit
    }

    func append(_ samples: UnsafeBufferPointer<Int16>, at position: Int64?) throws(SpeechError) {
        clock.deliver(samples.count, after: try clock.gap(before: position))
        segmenter.hear(samples)
        report()
    }

    func finalize() throws(SpeechError) {
        segmenter.finish()
        report()
        if clock.settled < ledger.delivered { settle(through: ledger.delivered, isSpeech: false) }
    }

    /// Reports the ranges that have ended, and the beginning of one that goes on.
    private func report() {
        for range in segmenter.ranges {
            let range = range.clamped(to: min(clock.settled, ledger.delivered)..<ledger.delivered)
            guard !range.isEmpty else { continue }
            if range.lowerBound > clock.settled { settle(through: range.lowerBound, isSpeech: false) }
            if segmenter.isSpeaking, range.upperBound >= min(segmenter.heard, ledger.delivered) {
                guard begun == nil else { continue }
                begun = range.lowerBound
                emit(utterance(range, isSpeech: true, isFinal: false))
            } else {
                settle(through: range.upperBound, isSpeech: true)
                begun = nil
            }
        }
        segmenter.forget(before: clock.settled + 1)
    }

    private func settle(through end: Int64, isSpeech: Bool) {
        emit(utterance(clock.settled..<end, isSpeech: isSpeech, isFinal: true))
        clock.settle(through: end, hasText: isSpeech)
    }

    private func utterance(_ range: Range<Int64>, isSpeech: Bool, isFinal: Bool) -> Utterance {
        let text = Hypothesis.Alternative(text: isSpeech ? Self.speech : "", words: [], confidence: nil)
        return clock.placed(Utterance(range: range, alternatives: [text], isFinal: isFinal))
    }
}
