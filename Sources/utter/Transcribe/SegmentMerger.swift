import Speech

/// Puts the segments of several channels in the order of their time, as soon as no earlier one can come any more.
struct SegmentMerger {
    private var waiting: [TranscribedSegment] = []
    /// Up to where each channel is final, in seconds.
    private var horizons: [Double]

    init(channelCount: Int) {
        horizons = [Double](repeating: 0, count: channelCount)
    }

    /// A channel is final up to `time`, and this is what was said in it since the last call, if anything.
    ///
    /// - Returns: the segments whose turn has come.
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
