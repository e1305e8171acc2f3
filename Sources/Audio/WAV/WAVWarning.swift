/// Something in a WAV stream that is not as it should be, and did not stop the reader.
public struct WAVWarning: Hashable, Sendable, CustomStringConvertible {
    public struct Code: RawRepresentable, Hashable, Sendable {
        public let rawValue: String

        public init(rawValue: String) {
            self.rawValue = rawValue
        }

        /// The header promises `count` more bytes of samples than there are.
        public static let truncated = Code(rawValue: "truncated")
        /// `count` bytes after the last whole frame are no frame; they were left out.
        public static let partialFrame = Code(rawValue: "partialFrame")
        /// `count` samples were NaN or infinite; they became silence and full scale.
        public static let nonFiniteSamples = Code(rawValue: "nonFiniteSamples")
        /// `count` chunks of odd size lack the byte that should follow.
        public static let missingPadByte = Code(rawValue: "missingPadByte")
        /// The file says that its sizes are in a ds64 chunk, and has none that says them; it is read to the end.
        public static let missingSize = Code(rawValue: "missingSize")
    }

    public var code: Code
    /// How many bytes of the stream come before the first such place.
    public var byteOffset: Int64
    /// How many bytes, samples or chunks it concerns; see the code.
    public var count: Int64

    public init(_ code: Code, at byteOffset: Int64, count: Int64) {
        self.code = code
        self.byteOffset = byteOffset
        self.count = count
    }

    /// A sentence without its full stop.
    public var description: String {
        switch code {
        case .truncated: "the file ends \(counted("byte")) early, at byte \(byteOffset)"
        case .partialFrame: "\(counted("byte")) left over after the last whole frame, at byte \(byteOffset)"
        case .nonFiniteSamples: "\(counted("sample")) without a finite value, from byte \(byteOffset)"
        case .missingPadByte: "\(counted("chunk")) of odd size without a pad byte, from byte \(byteOffset)"
        case .missingSize: "the 64-bit size is missing, at byte \(byteOffset)"
        default: "\(code.rawValue) (\(count)), at byte \(byteOffset)"
        }
    }

    private func counted(_ noun: String) -> String {
        count == 1 ? "1 \(noun)" : "\(count) \(noun)s"
    }
}

extension [WAVWarning] {
    /// Adds to the warning of the same kind, if there is one: however bad the stream, the list stays short.
    mutating func note(_ code: WAVWarning.Code, at byteOffset: Int64, count: Int64 = 1) {
        if let index = firstIndex(where: { $0.code == code }) {
            self[index].count += count
        } else {
            append(WAVWarning(code, at: byteOffset, count: count))
        }
    }
}
