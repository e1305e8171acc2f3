/// Why a sample rate could not be converted.
public struct SampleRateError: Error, Hashable, Sendable, CustomStringConvertible {
    /// What went wrong, named by what the reader can do about it. More may come.
    public struct Code: RawRepresentable, Hashable, Sendable {
        public var rawValue: Int
        public init(rawValue: Int) { self.rawValue = rawValue }

        /// A rate outside 1 kHz to 768 kHz: choose another.
        public static let unsupportedRate = Code(rawValue: 1)
        /// No channel, or more than 64.
        public static let unsupportedChannelCount = Code(rawValue: 2)
        /// The channel that was asked for is not in the sound.
        public static let noSuchChannel = Code(rawValue: 3)
        /// Both rates are fine, but one is more than 256 times the other: convert in two steps.
        public static let unsupportedRatio = Code(rawValue: 4)
        /// libsamplerate could not make a converter, most likely for want of memory.
        public static let converterUnavailable = Code(rawValue: 5)
        /// libsamplerate failed at a block.
        public static let conversionFailed = Code(rawValue: 6)
    }

    public var code: Code
    /// libsamplerate's number for the error, 0 where it was not asked.
    public var libraryCode: Int32
    /// The numbers that the sentence names.
    private var first: Int
    private var second: Int

    init(_ code: Code, libraryCode: Int32 = 0, _ first: Int = 0, _ second: Int = 0) {
        self.code = code
        self.libraryCode = libraryCode
        self.first = first
        self.second = second
    }

    /// One plain sentence without its full stop. It is put together when it is read: throwing this error on a real-time thread allocates
    /// nothing.
    public var description: String {
        let library = SampleRateCalls.message(for: libraryCode)
        return switch code {
        case .unsupportedRate:
            "a sample rate of \(first) Hz is outside the supported 1000 Hz to 768000 Hz"
        case .unsupportedChannelCount:
            "\(first) channels are outside the supported 1 to 64"
        case .noSuchChannel:
            "there is no channel \(first) in sound of \(second) (channels count from 0)"
        case .unsupportedRatio:
            "\(first) Hz to \(second) Hz is more than 256 times up or down, which libsamplerate can't convert in one step"
        case .converterUnavailable:
            "libsamplerate could not make a converter: \(library)"
        case .conversionFailed where libraryCode == 0:
            "libsamplerate stopped: it took no frame and gave no sample"
        case .conversionFailed:
            "libsamplerate could not convert a block: \(library)"
        default:
            "the sample rate could not be converted (error \(code.rawValue))"
        }
    }
}
