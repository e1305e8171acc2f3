/// Converts between the number of a delivered sample and its position in the stream. The two differ by the samples that
/// went missing before; libvosk counts only the samples that it was given.
struct StreamClock {
    private struct Segment {
        var delivered: Int64
        var position: Int64
    }

    private var segments: [Segment] = []
    /// The position after the last delivered sample.
    private(set) var nextPosition: Int64 = 0

    /// Records that `count` samples at `position` are delivered as the samples from `delivered` on.
    mutating func advance(delivered: Int64, position: Int64, count: Int64) {
        if segments.isEmpty || position != nextPosition {
            segments.append(Segment(delivered: delivered, position: position))
        }
        nextPosition = position + count
    }

    /// Returns the position in the stream of a delivered sample.
    func position(ofDelivered index: Int64) -> Int64 {
        guard let segment = segments.last(where: { $0.delivered <= index }) ?? segments.first else { return index }
        return segment.position + (index - segment.delivered)
    }

    /// Returns the position of the end of a range whose last sample is the one before `index`. The range does not
    /// include samples that are missing after it.
    func endPosition(beforeDelivered index: Int64) -> Int64 {
        index == 0 ? position(ofDelivered: 0) : position(ofDelivered: index - 1) + 1
    }

    /// Forgets the positions before a delivered sample.
    mutating func forget(beforeDelivered index: Int64) {
        while segments.count > 1, segments[1].delivered <= index { segments.removeFirst() }
    }
}
