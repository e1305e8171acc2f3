import Speech

/// Merges the segments of several channels in the order of their starts, each as soon as no earlier one can come, and tells which begin
/// while another channel still speaks.
struct SegmentMerger {
    private var waiting: [TranscribedSegment] = []
    /// The time up to which each channel is final, in seconds.
    private var horizons: [Double]
    /// Those that were merged and still went on when the last of them began.
    private var running: [TranscribedSegment] = []

    init(channelCount: Int) {
        horizons = [Double](repeating: 0, count: channelCount)
    }

    /// Adds the progress of a channel.
    ///
    /// - Parameters:
    ///   - channel: the index of the channel, from 0.
    ///   - time: the time up to which the channel is final, in seconds.
    /// - Returns: the segments before which no other can come.
    mutating func add(_ segment: TranscribedSegment?, channel: Int, through time: Double) -> [TranscribedSegment] {
        if let segment {
            let place = waiting.lastIndex { $0.start <= segment.start }.map { $0 + 1 } ?? 0
            waiting.insert(segment, at: place)
        }
        horizons[channel] = max(horizons[channel], time)
        return take(before: horizons.min() ?? 0)
    }

    /// The segments that wait for a channel.
    mutating func finish() -> [TranscribedSegment] { take(before: .infinity) }

    private mutating func take(before horizon: Double) -> [TranscribedSegment] {
        let due = waiting.prefix { $0.start < horizon }
        waiting.removeFirst(due.count)
        return due.map { compared($0) }
    }

    /// The segment, with what those before it say of its overlaps.
    private mutating func compared(_ segment: TranscribedSegment) -> TranscribedSegment {
        var segment = segment
        running.removeAll { !($0.end > segment.start) }
        segment.overlaps = running.contains {
            $0.channel != segment.channel && SharedCues.overlap(($0.start, $0.end), (segment.start, segment.end))
        }
        running.append(segment)
        return segment
    }
}
