/// Why a stream of bytes can't be read as WAV, and where in it the reason stands.
public struct WAVError: Error, Hashable, Sendable, CustomStringConvertible {
    /// What is wrong, by what a reader can do about it.
    public struct Code: RawRepresentable, Hashable, Sendable {
        public let rawValue: String

        public init(rawValue: String) {
            self.rawValue = rawValue
        }

        /// The file is something else: convert it first, or pick another file.
        public static let notWAV = Code(rawValue: "notWAV")
        /// The file ends before its samples begin: it was cut, or is still being copied.
        public static let truncatedHeader = Code(rawValue: "truncatedHeader")
        /// A WAV file whose samples are written in a way that isn't supported: convert it to PCM first.
        public static let unsupportedEncoding = Code(rawValue: "unsupportedEncoding")
        /// The header contradicts itself or is out of limits: the program that wrote it is at fault.
        public static let badFormat = Code(rawValue: "badFormat")
        /// No format stands before the samples, or at all.
        public static let noFormat = Code(rawValue: "noFormat")
        /// The file ends without a data chunk.
        public static let noData = Code(rawValue: "noData")
    }

    public var code: Code
    /// How many bytes of the stream come before the place that is wrong.
    public var byteOffset: Int64
    /// What is wrong, in words, without the place.
    public var reason: String

    public init(_ code: Code, at byteOffset: Int64, _ reason: String) {
        self.code = code
        self.byteOffset = byteOffset
        self.reason = reason
    }

    /// A sentence without its full stop: `the header says 0 channels, at byte 22`. Holds no control characters, whatever
    /// the file holds.
    public var description: String {
        "\(reason), at byte \(byteOffset)"
    }
}
