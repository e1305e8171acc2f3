/// Reads a source of frames as blocks of mono samples at one rate: for the mix of its channels, for one, or for each.
public final class AudioBlockReader {
    /// Which streams to make of a source's channels.
    public enum Channels: Hashable, Sendable {
        /// One stream of the average of all.
        case mix
        /// One stream of one channel, counted from 0.
        case one(Int)
        /// A stream for each.
        case each
    }

    /// One stream's converter.
    private final class Lane {
        var converter: SampleRateConverter

        init(_ converter: consuming SampleRateConverter) { self.converter = converter }
    }

    /// The streams' rate, in Hz.
    public let sampleRate: Int
    public var source: any FrameSource
    private let lanes: [Lane]
    private var frames: [Float]
    private var isAtEnd = false

    /// Samples of all channels together that are read at once: 4 MB, which holds 4 s of two channels at 96 kHz.
    static let maximumSampleCount = 1 << 20

    /// How many streams there are.
    public var streamCount: Int { lanes.count }

    /// - Parameters:
    ///   - sampleRate: samples a second of what comes out, in Hz.
    ///   - blockDuration: seconds that a block takes at most, about. A source that has less at hand, such as a live pipe,
    ///     or has very many samples a second makes shorter ones.
    /// - Throws: `SampleRateError` when the source's rate or channels can't be converted or there is no such channel.
    public init(
        _ source: any FrameSource, channels: Channels = .mix, sampleRate: Int, blockDuration: Double = 4
    ) throws {
        let selections: [ChannelSelection] =
            switch channels {
            case .mix: [.mix]
            case .one(let channel): [.channel(channel)]
            case .each: (0..<source.channelCount).map { .channel($0) }
            }
        self.source = source
        self.sampleRate = sampleRate
        lanes = try selections.map { selection in
            Lane(
                try SampleRateConverter(
                    from: source.sampleRate, channelCount: source.channelCount, channels: selection, to: sampleRate))
        }
        let wanted = Int(Double(source.sampleRate) * blockDuration)
        // Whatever a header claims: 64 channels at 768 kHz would be 786 MB.
        let frameCount = max(1, min(wanted, Self.maximumSampleCount / source.channelCount))
        frames = [Float](repeating: 0, count: frameCount * source.channelCount)
    }

    /// The next block of each stream, all of the same stretch of time; `nil` at the end.
    public func next() throws -> [AudioBlock]? {
        while !isAtEnd {
            let count = try frames.withUnsafeMutableBufferPointer { try source.read(into: $0) }
            isAtEnd = count == 0
            let blocks = try lanes.map { lane in
                var samples: [Int16] = []
                if isAtEnd {
                    try lane.converter.finish(appendingTo: &samples)
                } else {
                    try frames.withUnsafeBufferPointer { frames in
                        try lane.converter.convert(
                            UnsafeBufferPointer(rebasing: frames[..<(count * source.channelCount)]), appendingTo: &samples)
                    }
                }
                return AudioBlock(samples: samples, sampleRate: sampleRate)
            }
            if blocks.contains(where: { !$0.samples.isEmpty }) { return blocks }
        }
        return nil
    }
}
