/// Reads signed 16-bit little-endian samples that have no header.
public struct RawReader: FrameSource {
    /// The number of frames per second, in Hz.
    public let sampleRate: Int
    /// The number of samples in one frame.
    public let channelCount: Int
    /// Always `nil`: the bytes have no header.
    public var declaredFrameCount: Int64? { nil }
    /// The defects found in the source so far: an incomplete frame at its end.
    public private(set) var complaints: [String] = []

    private var bytes: BufferedByteReader

    /// Creates a reader, which reads nothing yet.
    ///
    /// - Parameters:
    ///   - source: the bytes to read.
    ///   - sampleRate: the number of frames per second, in Hz.
    ///   - channelCount: the number of samples in one frame, 1 to 64.
    public init(source: some ByteSource, sampleRate: Int, channelCount: Int) {
        bytes = BufferedByteReader(source, capacity: 1 << 16)
        self.sampleRate = sampleRate
        self.channelCount = channelCount
    }

    /// Fills `buffer` with whole frames and returns how many; 0 at the end. Bytes at the end that are not a whole frame
    /// are left out and reported in `complaints`.
    ///
    /// - Throws: any error of the source.
    public mutating func read(into buffer: UnsafeMutableBufferPointer<Float>) throws -> Int {
        let frameSize = 2 * channelCount
        let available = try bytes.fill(atLeast: frameSize)
        guard available >= frameSize else {
            if available > 0 {
                complaints.append("the last \(available) bytes are not a whole frame and were left out")
                bytes.consume(available)
            }
            return 0
        }
        let frameCount = min(available / frameSize, buffer.count / channelCount)
        let samples = UnsafeMutableBufferPointer(rebasing: buffer[..<(frameCount * channelCount)])
        _ = bytes.withBytes { SampleDecoder(encoding: .signed16).decode($0, into: samples) }
        bytes.consume(frameCount * frameSize)
        return frameCount
    }
}
