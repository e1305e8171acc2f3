/// A defect in a WAV stream that did not stop the reader.
public struct WAVWarning: Hashable, Sendable, CustomStringConvertible {
    /// The kind of a defect. More may be added.
    public struct Code: RawRepresentable, Hashable, Sendable {
        /// The name of the code.
        public let rawValue: String

        /// Creates a code with the name `rawValue`.
        public init(rawValue: String) {
            self.rawValue = rawValue
        }

        /// `count` bytes after the last whole frame are not a frame, and were left out.
        public static let partialFrame = Code(rawValue: "partialFrame")
        /// `count` samples were NaN, and became silence, or infinite, and became full scale.
        public static let nonFiniteSamples = Code(rawValue: "nonFiniteSamples")
        /// `count` chunks of odd size lack the pad byte.
        public static let missingPadByte = Code(rawValue: "missingPadByte")
        /// The sizes should be in a ds64 chunk, but are not there; the file is read to its end.
        public static let missingSize = Code(rawValue: "missingSize")
    }

    /// The kind of the defect.
    public var code: Code
    /// The number of bytes in the stream before the first defect of this kind.
    public var byteOffset: Int64
    /// The number of affected bytes, samples or chunks, depending on the code.
    public var count: Int64

    /// Creates a warning about `count` defects of the kind `code`, the first of them at byte `byteOffset`.
    public init(_ code: Code, at byteOffset: Int64, count: Int64) {
        self.code = code
        self.byteOffset = byteOffset
        self.count = count
    }

    /// One sentence without a full stop.
    public var description: String {
        switch code {
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
    /// Adds a defect to the warning of its kind, if there is one, so that the list stays short however bad the stream.
    mutating func note(_ code: WAVWarning.Code, at byteOffset: Int64, count: Int64 = 1) {
        if let index = firstIndex(where: { $0.code == code }) {
            self[index].count += count
        } else {
            append(WAVWarning(code, at: byteOffset, count: count))
        }
    }
}
