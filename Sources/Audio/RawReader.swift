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

    private var source: any ByteSource
    private var bytes = [UInt8](repeating: 0, count: 1 << 16)
    /// The number of bytes, at the start of `bytes`, of a frame that is not complete yet.
    private var byteCount = 0

    /// Creates a reader, which reads nothing yet.
    ///
    /// - Parameters:
    ///   - source: the bytes to read.
    ///   - sampleRate: the number of frames per second, in Hz.
    ///   - channelCount: the number of samples in one frame, 1 to 64.
    public init(source: some ByteSource, sampleRate: Int, channelCount: Int) {
        self.source = source
        self.sampleRate = sampleRate
        self.channelCount = channelCount
    }

    /// Fills `buffer` with whole frames and returns how many; 0 at the end. Bytes at the end that are not a whole frame
    /// are left out and reported in `complaints`.
    ///
    /// - Throws: any error of the source.
    public mutating func read(into buffer: UnsafeMutableBufferPointer<Float>) throws -> Int {
        let frameSize = 2 * channelCount
        let room = min(bytes.count / frameSize, buffer.count / channelCount) * frameSize
        while byteCount < frameSize {
            let held = byteCount
            let count = try bytes.withUnsafeMutableBytes { bytes in
                try source.read(into: UnsafeMutableRawBufferPointer(rebasing: bytes[held..<room]))
            }
            if count == 0 {
                if held > 0 { complaints.append("the last \(held) bytes are not a whole frame and were left out") }
                byteCount = 0
                return 0
            }
            byteCount += count
        }
        let frames = byteCount / frameSize
        let used = frames * frameSize
        bytes.withUnsafeBytes { bytes in
            for index in 0..<(frames * channelCount) {
                let sample = Int16(littleEndian: bytes.loadUnaligned(fromByteOffset: 2 * index, as: Int16.self))
                buffer[index] = Float(sample) / 32768
            }
        }
        let rest = byteCount - used
        for index in 0..<rest { bytes[index] = bytes[used + index] }
        byteCount = rest
        return frames
    }
}
