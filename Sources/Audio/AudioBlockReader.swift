/// Reads a source of frames as blocks of mono samples at one rate: the mix of its channels, one channel, or each
/// channel apart.
public final class AudioBlockReader {
    /// One stream's converter.
    private final class Lane {
        var converter: SampleRateConverter

        init(_ converter: consuming SampleRateConverter) { self.converter = converter }
    }

    /// The sample rate of the streams, in Hz.
    public let sampleRate: Int
    /// The source that is read.
    public var source: any FrameSource
    private let lanes: [Lane]
    private var frames: [Float]
    private var isAtEnd = false
    private var cancellation: CancellationMeter
    private let mixes: Bool
    /// The error that ended the source; thrown when all before it has been read.
    private var failure: (any Error)?

    /// The most samples, of all channels together, that are read at once: 4 MB, which holds 4 s of two channels at 96
    /// kHz.
    static let maximumSampleCount = 1 << 20

    /// The number of streams.
    public var streamCount: Int { lanes.count }

    /// Creates a reader of `source`, which reads nothing yet.
    ///
    /// - Parameters:
    ///   - source: the frames to read.
    ///   - channels: the channel to read, or the mix of all.
    ///   - splitsChannels: whether to make one stream for each channel, whatever `channels` says.
    ///   - sampleRate: the sample rate of the blocks, in Hz.
    ///   - blockDuration: the longest duration of a block, in seconds, approximately. Blocks are shorter if the source
    ///     has less ready, as a live pipe does, or has very many samples per second.
    /// - Throws: `SampleRateError` when the source's rate or channels can't be converted or there is no such channel.
    public init(
        _ source: any FrameSource, channels: ChannelSelection = .mix, splitsChannels: Bool = false, sampleRate: Int,
        blockDuration: Double = 4
    ) throws {
        let selections = splitsChannels ? (0..<source.channelCount).map { .channel($0) } : [channels]
        self.source = source
        self.sampleRate = sampleRate
        cancellation = CancellationMeter(sampleRate: source.sampleRate, channelCount: source.channelCount)
        mixes = !splitsChannels && channels == .mix && source.channelCount > 1
        lanes = try selections.map { selection in
            Lane(
                try SampleRateConverter(
                    from: source.sampleRate, channelCount: source.channelCount, channels: selection, to: sampleRate))
        }
        let wanted = Int(Double(source.sampleRate) * blockDuration)
        // Do not trust the header: 64 channels at 768 kHz would take 786 MB.
        let frameCount = max(1, min(wanted, Self.maximumSampleCount / source.channelCount))
        frames = [Float](repeating: 0, count: frameCount * source.channelCount)
    }

    /// Returns the next block of each stream, all for the same stretch of time, or `nil` at the end.
    ///
    /// - Throws: `SampleRateError` if a conversion fails; any error of the source, after all that was read before it.
    public func next() throws -> [AudioBlock]? {
        while !isAtEnd {
            let count = readFrames()
            isAtEnd = count == 0
            if mixes { cancellation.add(frames[..<(count * source.channelCount)]) }
            let blocks = try lanes.map { lane in
                var samples: [Int16] = []
                if isAtEnd {
                    try lane.converter.finish(appendingTo: &samples)
                } else {
                    try frames.withUnsafeBufferPointer { frames in
                        try lane.converter.convert(
                            UnsafeBufferPointer(rebasing: frames[..<(count * source.channelCount)]),
                            appendingTo: &samples)
                    }
                }
                return AudioBlock(samples: samples, sampleRate: sampleRate)
            }
            if blocks.contains(where: { !$0.samples.isEmpty }) { return blocks }
        }
        if let failure { throw failure }
        return nil
    }

    /// Whether the channels cancel each other, as those of a balanced line do, so that their mix is nearly silent: in all that was read, or in
    /// three seconds of it.
    public var isCancelled: Bool { cancellation.isCancelled }

    /// Reads the next frames, and returns how many; 0 at the end, or after an error.
    private func readFrames() -> Int {
        do {
            return try frames.withUnsafeMutableBufferPointer { try source.read(into: $0) }
        } catch {
            failure = error
            return 0
        }
    }
}
