/// Makes frames of several channels whose samples come one channel at a time. Pure.
struct ChannelInterleaver {
    /// The samples of each channel from `frameCount` on.
    private var waiting: [[Int16]]
    /// The number of frames that were given out.
    private(set) var frameCount: Int64 = 0

    init(channelCount: Int) { waiting = [[Int16]](repeating: [], count: channelCount) }

    /// Adds samples, with silence for a gap before them.
    ///
    /// - Parameters:
    ///   - samples: the samples of a channel, after its earlier ones.
    ///   - position: the number of frames before them.
    ///   - longestGap: the longest silence, in frames.
    /// - Returns: the frames of which all channels are there.
    mutating func add(_ samples: [Int16], at position: Int64, channel: Int, longestGap: Int64) -> [Int16] {
        let gap = min(position - frameCount - Int64(waiting[channel].count), longestGap)
        if gap > 0 { waiting[channel] += [Int16](repeating: 0, count: Int(gap)) }
        waiting[channel] += samples
        return frames(waiting.map(\.count).min() ?? 0)
    }

    /// Returns the remaining frames, with silence where a channel has ended before the others.
    mutating func finish() -> [Int16] {
        let length = waiting.map(\.count).max() ?? 0
        for channel in waiting.indices {
            waiting[channel] += [Int16](repeating: 0, count: length - waiting[channel].count)
        }
        return frames(length)
    }

    private mutating func frames(_ count: Int) -> [Int16] {
        guard count > 0 else { return [] }
        var frames: [Int16] = []
        frames.reserveCapacity(count * waiting.count)
        for index in 0..<count {
            for channel in waiting { frames.append(channel[index]) }
        }
        for channel in waiting.indices { waiting[channel].removeFirst(count) }
        frameCount += Int64(count)
        return frames
    }
}
