import protocol Foundation.LocalizedError

/// The error of a sample rate conversion.
public struct SampleRateError: Error, Hashable, Sendable, CustomStringConvertible, LocalizedError {
    /// The kind of a conversion error, named by what the caller can do about it. More may be added.
    public struct Code: RawRepresentable, Hashable, Sendable {
        /// The number of the code.
        public var rawValue: Int
        /// Creates a code with the number `rawValue`.
        public init(rawValue: Int) { self.rawValue = rawValue }

        /// A rate outside 1 kHz to 768 kHz: choose another.
        public static let unsupportedRate = Code(rawValue: 1)
        /// There are no channels, or more than 64.
        public static let unsupportedChannelCount = Code(rawValue: 2)
        /// The requested channel does not exist.
        public static let noSuchChannel = Code(rawValue: 3)
        /// Both rates are supported, but one is more than 256 times the other: convert in two steps.
        public static let unsupportedRatio = Code(rawValue: 4)
        /// libsamplerate could not make a converter, most likely because it has no memory.
        public static let converterUnavailable = Code(rawValue: 5)
        /// libsamplerate could not convert a block.
        public static let conversionFailed = Code(rawValue: 6)
    }

    /// The kind of the error.
    public var code: Code
    /// libsamplerate's error number; 0 if libsamplerate was not called or reported none.
    public var libraryCode: Int32
    /// The numbers in the description.
    private var first: Int
    private var second: Int

    init(_ code: Code, libraryCode: Int32 = 0, _ first: Int = 0, _ second: Int = 0) {
        self.code = code
        self.libraryCode = libraryCode
        self.first = first
        self.second = second
    }

    /// One sentence without a full stop. It is composed only here, so throwing the error on a real-time thread
    /// allocates nothing.
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

    /// The description, for Foundation.
    public var errorDescription: String? { description }
}
