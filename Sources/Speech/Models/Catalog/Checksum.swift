/// What the bytes of an archive must add up to.
///
/// MD5, which is all that the official list has, tells a damaged download from a whole one. It does not tell what somebody who
/// can change the server's answers has put together on purpose; against that stands only the server's certificate. SHA-256 does.
public struct Checksum: Hashable, Sendable {
    public enum Algorithm: String, Hashable, Sendable {
        case md5
        case sha256

        var digitCount: Int { self == .md5 ? 32 : 64 }
        /// The program of coreutils that computes it.
        var program: String { self == .md5 ? "md5sum" : "sha256sum" }
    }

    public let algorithm: Algorithm
    /// In lower case.
    public let hexadecimal: String

    /// - Returns: nil when `hexadecimal` is not such a checksum.
    public init?(_ algorithm: Algorithm, _ hexadecimal: String) {
        let digits = hexadecimal.lowercased()
        guard digits.utf8.count == algorithm.digitCount,
            digits.utf8.allSatisfy({ (0x30...0x39).contains($0) || (0x61...0x66).contains($0) })
        else { return nil }
        self.algorithm = algorithm
        self.hexadecimal = digits
    }
}
