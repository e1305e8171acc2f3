import Models

/// The clock and the account of a stream, of which samples are delivered and become final in order.
///
/// It converts between the number of a delivered sample and its position in the stream. The two differ by the samples that
/// went missing before; libvosk counts only the samples that it was given.
struct StreamClock {
    private struct Segment {
        var delivered: Int64
        var position: Int64
    }

    private var segments: [Segment] = []
    /// The position after the last delivered sample.
    private(set) var nextPosition: Int64 = 0
    /// The account of the samples so far.
    private(set) var ledger = SampleLedger()
    /// The first delivered sample that is not final.
    private(set) var settled: Int64 = 0

    /// The range of the stream that was delivered and is not final yet.
    var volatileRange: Range<Int64> {
        let start = position(ofDelivered: settled)
        return start..<max(start, nextPosition)
    }

    /// Returns the number of samples that are missing before the next ones.
    ///
    /// - Parameter position: the position of the first of them; `nil` if they follow the last ones directly.
    /// - Throws: `.audioDisordered` if they begin before the end of the last ones.
    func gap(before position: Int64?) throws(SpeechError) -> Int64 {
        let gap = (position ?? nextPosition) - nextPosition
        if gap >= 0 { return gap }
        throw SpeechError(
            .audioDisordered,
            "audio came out of order: it begins at sample \(position ?? 0), but the audio before it ends at sample \(nextPosition)"
        )
    }

    /// Records that `count` samples are delivered after a gap.
    mutating func deliver(_ count: Int, after gap: Int64) {
        if ledger.delivered > 0 { ledger.missing += gap }
        nextPosition += gap
        if segments.isEmpty || gap > 0 { segments.append(Segment(delivered: ledger.delivered, position: nextPosition)) }
        nextPosition += Int64(count)
        ledger.delivered += Int64(count)
    }

    /// Records that all before a delivered sample is final, with text or as silence.
    mutating func settle(through end: Int64, hasText: Bool) {
        if hasText { ledger.transcribed += end - settled } else { ledger.silent += end - settled }
        settled = end
        forget(beforeDelivered: end)
    }

    /// Returns the position in the stream of a delivered sample.
    func position(ofDelivered index: Int64) -> Int64 {
        guard let segment = segments.last(where: { $0.delivered <= index }) ?? segments.first else { return index }
        return segment.position + (index - segment.delivered)
    }

    /// Returns the range in the stream of delivered samples. It does not include samples that are missing after it.
    func range(ofDelivered range: Range<Int64>) -> Range<Int64> {
        let (start, end) = (position(ofDelivered: range.lowerBound), range.upperBound)
        return start..<max(start, end <= 0 ? position(ofDelivered: 0) : position(ofDelivered: end - 1) + 1)
    }

    /// Returns an utterance with its times in the stream, of one in delivered samples.
    func placed(_ utterance: Utterance) -> Utterance {
        var placed = utterance
        placed.range = range(ofDelivered: utterance.range)
        placed.alternatives = utterance.alternatives.placed { range(ofDelivered: $0).clamped(to: placed.range) }
        return placed
    }

    /// Forgets the positions before a delivered sample.
    mutating func forget(beforeDelivered index: Int64) {
        while segments.count > 1, segments[1].delivered <= index { segments.removeFirst() }
    }
}
