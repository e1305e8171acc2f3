/// Our own clock: tells where in the stream the n-th delivered sample stands. The two differ by what went missing on the
/// way; libvosk counts only what it was fed.
struct StreamClock {
    private struct Segment {
        var delivered: Int64
        var position: Int64
    }

    private var segments: [Segment] = []
    /// Where the sample after the last one delivered would stand.
    private(set) var nextPosition: Int64 = 0

    /// Notes that `count` samples from `position` on come as the samples from `delivered` on.
    mutating func advance(delivered: Int64, position: Int64, count: Int64) {
        if segments.isEmpty || position != nextPosition {
            segments.append(Segment(delivered: delivered, position: position))
        }
        nextPosition = position + count
    }

    /// The position in the stream of a delivered sample.
    func position(ofDelivered index: Int64) -> Int64 {
        guard let segment = segments.last(where: { $0.delivered <= index }) ?? segments.first else { return index }
        return segment.position + (index - segment.delivered)
    }

    /// The position of the end of a stretch whose last sample is the one before `index`: it does not reach over what is
    /// missing behind it.
    func endPosition(beforeDelivered index: Int64) -> Int64 {
        index == 0 ? position(ofDelivered: 0) : position(ofDelivered: index - 1) + 1
    }

    /// Forgets what lies before a delivered sample.
    mutating func forget(beforeDelivered index: Int64) {
        while segments.count > 1, segments[1].delivered <= index { segments.removeFirst() }
    }
}
