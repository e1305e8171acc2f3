/// The format of a stream of sound before it is converted: its sample rate, its channel count, and the encoding of its
/// samples.
public struct AudioFormat: Hashable, Sendable {
    /// The encoding of one sample. Multi-byte encodings are little-endian, as in WAV.
    public enum Encoding: String, Hashable, Sendable, CaseIterable {
        /// Unsigned 8-bit integer; silence is 128.
        case unsigned8
        /// 16-bit integer.
        case signed16
        /// 24-bit integer in three bytes.
        case signed24
        /// 32-bit integer.
        case signed32
        /// IEEE 754 single precision; full scale is ±1.0.
        case float32
        /// IEEE 754 double precision; full scale is ±1.0.
        case float64
        /// ITU-T G.711 A-law.
        case aLaw
        /// ITU-T G.711 µ-law.
        case muLaw

        /// The size of one sample, in bytes.
        public var byteCount: Int {
            switch self {
            case .unsigned8, .aLaw, .muLaw: 1
            case .signed16: 2
            case .signed24: 3
            case .signed32, .float32: 4
            case .float64: 8
            }
        }
    }

    /// The number of frames per second, in Hz.
    public var sampleRate: Int
    /// The number of samples in one frame.
    public var channelCount: Int
    /// The encoding of each sample.
    public var encoding: Encoding

    /// The size of one frame, in bytes: one sample for each channel.
    public var bytesPerFrame: Int { encoding.byteCount * channelCount }

    /// Creates a format with `sampleRate` frames per second (Hz) and `channelCount` samples in each frame.
    public init(sampleRate: Int, channelCount: Int, encoding: Encoding = .signed16) {
        self.sampleRate = sampleRate
        self.channelCount = channelCount
        self.encoding = encoding
    }
}
