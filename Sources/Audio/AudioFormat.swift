/// What a stream of sound looks like before it is converted: how often it is sampled, how many channels a frame has and
/// how one sample is written.
public struct AudioFormat: Hashable, Sendable {
    /// How one sample is written. Multi-byte encodings are little-endian, as in WAV.
    public enum Encoding: String, Hashable, Sendable, CaseIterable {
        /// Unsigned 8-bit integer; silence is 128.
        case unsigned8
        case signed16
        /// 24-bit integer in three bytes.
        case signed24
        case signed32
        /// IEEE 754; full scale is ±1.0.
        case float32
        case float64
        /// ITU-T G.711 A-law.
        case aLaw
        /// ITU-T G.711 µ-law.
        case muLaw

        /// Bytes that one sample takes.
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

    /// Frames a second, in Hz.
    public var sampleRate: Int
    /// Samples in one frame.
    public var channelCount: Int
    public var encoding: Encoding

    /// Bytes that one frame takes: a sample for each channel.
    public var bytesPerFrame: Int { encoding.byteCount * channelCount }

    public init(sampleRate: Int, channelCount: Int, encoding: Encoding = .signed16) {
        self.sampleRate = sampleRate
        self.channelCount = channelCount
        self.encoding = encoding
    }
}
