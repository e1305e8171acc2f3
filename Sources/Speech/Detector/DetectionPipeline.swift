import Models

/// Finds the ranges of speech in a stream, which it reports as utterances without words: their text is not empty. What lies
/// between them is reported as well, with an empty text. For one thread at a time.
final class DetectionPipeline: StreamRecognition {
    /// The text of an utterance that is speech.
    static let speech = "speech"

    private(set) var ledger = SampleLedger()
    private var clock = StreamClock()
    private var segmenter: SpeechSegmenter
    private let emit: (Utterance) -> Void
    /// The first delivered sample that is not in a final result.
    private var settled: Int64 = 0
    /// The beginning of the speech that was reported and has not ended.
    private var begun: Int64?

    init(_ segmenter: SpeechSegmenter, emit: @escaping (Utterance) -> Void) {
        self.segmenter = segmenter
        self.emit = emit
    }

    var nextPosition: Int64 { clock.nextPosition }

    var volatileRange: Range<Int64> {
        let start = clock.position(ofDelivered: settled)
        return start..<max(start, clock.nextPosition)
    }

    func append(_ samples: UnsafeBufferPointer<Int16>, at position: Int64?) throws(SpeechError) {
        let gap = try clock.gap(before: position)
        if ledger.delivered > 0 { ledger.missing += gap }
        clock.advance(delivered: ledger.delivered, position: clock.nextPosition + gap, count: Int64(samples.count))
        ledger.delivered += Int64(samples.count)
        segmenter.hear(samples)
        report()
    }

    func finalize() throws(SpeechError) {
        segmenter.finish()
        report()
        if settled < ledger.delivered { settle(through: ledger.delivered, isSpeech: false) }
    }

    func retire() {}

    /// Reports the ranges that have ended, and the beginning of one that goes on.
    private func report() {
        for range in segmenter.ranges {
            let range = range.clamped(to: min(settled, ledger.delivered)..<ledger.delivered)
            guard !range.isEmpty else { continue }
            if range.lowerBound > settled { settle(through: range.lowerBound, isSpeech: false) }
            if segmenter.isSpeaking, range.upperBound >= min(segmenter.heard, ledger.delivered) {
                guard begun == nil else { continue }
                begun = range.lowerBound
                emit(utterance(range, isSpeech: true, isFinal: false))
            } else {
                settle(through: range.upperBound, isSpeech: true)
                begun = nil
            }
        }
        segmenter.forget(before: settled + 1)
    }

    private func settle(through end: Int64, isSpeech: Bool) {
        emit(utterance(settled..<end, isSpeech: isSpeech, isFinal: true))
        if isSpeech { ledger.transcribed += end - settled } else { ledger.silent += end - settled }
        settled = end
        clock.forget(beforeDelivered: end)
    }

    private func utterance(_ range: Range<Int64>, isSpeech: Bool, isFinal: Bool) -> Utterance {
        let start = clock.position(ofDelivered: range.lowerBound)
        let end = max(start, clock.endPosition(beforeDelivered: range.upperBound))
        return Utterance(
            range: start..<end,
            alternatives: [Hypothesis.Alternative(text: isSpeech ? Self.speech : "", words: [], confidence: nil)],
            isFinal: isFinal)
    }
}
