/// A source of consecutive frames of sound, such as a WAV file, raw samples or, in a test, an array.
public protocol FrameSource {
    /// The number of frames per second, in Hz.
    var sampleRate: Int { get }
    /// The number of samples in one frame.
    var channelCount: Int { get }
    /// The number of frames that the source declares; `nil` if it declares none. There may be fewer.
    var declaredFrameCount: Int64? { get }
    /// The name of each channel, in their order, empty for one without a name; no names at all where the source has none. Untrusted.
    var channelNames: [String] { get }
    /// The defects found in the source so far, each described in one sentence.
    var complaints: [String] { get }

    /// Fills `buffer` with whole interleaved frames, full scale ±1.0.
    ///
    /// - Parameter buffer: room for at least one frame.
    /// - Returns: how many frames were read; 0 at the end.
    mutating func read(into buffer: UnsafeMutableBufferPointer<Float>) throws -> Int
}

extension FrameSource {
    /// No names.
    public var channelNames: [String] { [] }
}

extension WAVReader: FrameSource {
    /// The number of frames per second, in Hz.
    public var sampleRate: Int { format.sampleRate }
    /// The number of samples in one frame.
    public var channelCount: Int { format.channelCount }
    /// The warnings so far, each as one sentence.
    public var complaints: [String] { warnings.map(\.description) }
}
