import protocol Foundation.LocalizedError

/// An error in a stream of bytes that prevents it from being read as WAV, and its position.
public struct WAVError: Error, Hashable, Sendable, CustomStringConvertible, LocalizedError {
    /// The kind of the error, named by what the user can do about it.
    public struct Code: RawRepresentable, Hashable, Sendable {
        /// The name of the code.
        public let rawValue: String

        /// Creates a code with the name `rawValue`.
        public init(rawValue: String) {
            self.rawValue = rawValue
        }

        /// The file has another format: convert it first, or choose another file.
        public static let notWAV = Code(rawValue: "notWAV")
        /// The file ends before its samples begin: it was truncated, or is still being copied.
        public static let truncatedHeader = Code(rawValue: "truncatedHeader")
        /// The file has fewer samples than its header declares: it was cut off, or is still being copied.
        public static let truncated = Code(rawValue: "truncated")
        /// More sound follows than the header declares.
        public static let moreSound = Code(rawValue: "moreSound")
        /// The samples have an encoding that is not supported: convert the file to PCM first.
        public static let unsupportedEncoding = Code(rawValue: "unsupportedEncoding")
        /// The header contradicts itself or exceeds a limit: the program that wrote it is wrong.
        public static let badFormat = Code(rawValue: "badFormat")
        /// There is no fmt chunk before the samples.
        public static let noFormat = Code(rawValue: "noFormat")
        /// The file ends without a data chunk.
        public static let noData = Code(rawValue: "noData")
    }

    /// The kind of the error.
    public var code: Code
    /// The number of bytes in the stream before the error.
    public var byteOffset: Int64
    /// The description of the error, without its position.
    public var reason: String

    /// Creates an error of the kind `code` at byte `byteOffset`, described by `reason`.
    public init(_ code: Code, at byteOffset: Int64, _ reason: String) {
        self.code = code
        self.byteOffset = byteOffset
        self.reason = reason
    }

    /// One sentence without a full stop: `the header says 0 channels, at byte 22`. It leaves out the position at the beginning of the
    /// stream. It contains no control characters, whatever the file contains.
    public var description: String {
        byteOffset == 0 ? reason : "\(reason), at byte \(byteOffset)"
    }

    /// The description, for Foundation.
    public var errorDescription: String? { description }
}
