/// Where frames of sound come from, one after another: a WAV file, raw samples, a test.
public protocol FrameSource {
    /// Frames a second, in Hz.
    var sampleRate: Int { get }
    /// Samples in one frame.
    var channelCount: Int { get }
    /// How many frames there will be, where that was said beforehand.
    var declaredFrameCount: Int64? { get }
    /// What was not as it should be so far, each in a sentence.
    var complaints: [String] { get }

    /// Fills `buffer` with whole frames, channel beside channel, full scale ±1.0.
    ///
    /// - Parameter buffer: room for at least one frame.
    /// - Returns: how many frames were written; 0 at the end.
    mutating func read(into buffer: UnsafeMutableBufferPointer<Float>) throws -> Int
}

extension WAVReader: FrameSource {
    public var sampleRate: Int { format.sampleRate }
    public var channelCount: Int { format.channelCount }
    public var complaints: [String] { warnings.map(\.description) }
}
