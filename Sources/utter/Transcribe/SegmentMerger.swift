import Speech

/// Merges the segments of several channels in the order of their starts, each as soon as no earlier one can come.
struct SegmentMerger {
    private var waiting: [TranscribedSegment] = []
    /// The time up to which each channel is final, in seconds.
    private var horizons: [Double]

    init(channelCount: Int) {
        horizons = [Double](repeating: 0, count: channelCount)
    }

    /// Adds the progress of a channel.
    ///
    /// - Parameters:
    ///   - segment: the next segment of the channel; nil when there is none.
    ///   - channel: the index of the channel, from 0.
    ///   - time: the time up to which the channel is final, in seconds.
    /// - Returns: the segments before which no other can come.
    mutating func add(_ segment: TranscribedSegment?, channel: Int, through time: Double) -> [TranscribedSegment] {
        if let segment {
            let place = waiting.lastIndex { $0.start <= segment.start }.map { $0 + 1 } ?? 0
            waiting.insert(segment, at: place)
        }
        horizons[channel] = max(horizons[channel], time)
        let horizon = horizons.min() ?? 0
        let due = waiting.prefix { $0.start < horizon }
        waiting.removeFirst(due.count)
        return Array(due)
    }
}
