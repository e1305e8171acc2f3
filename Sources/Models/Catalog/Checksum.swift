/// The expected checksum of a download.
///
/// MD5, the only checksum in the official list, detects a damaged download. It does not detect a download that was
/// forged by someone who can change the server's answers; only the server's certificate protects against that. SHA-256
/// detects it.
public struct Checksum: Hashable, Sendable {
    /// The algorithm of a checksum.
    public enum Algorithm: String, Hashable, Sendable {
        case md5
        case sha256

        var digitCount: Int { self == .md5 ? 32 : 64 }
        /// The program of coreutils that computes the checksum.
        var program: String { self == .md5 ? "md5sum" : "sha256sum" }
    }

    /// The algorithm of this checksum.
    public let algorithm: Algorithm
    /// The checksum in lower-case hexadecimal digits.
    public let hexadecimal: String

    /// Creates a checksum; nil if `hexadecimal` is not one of this algorithm.
    public init?(_ algorithm: Algorithm, _ hexadecimal: String) {
        let digits = hexadecimal.lowercased()
        guard digits.utf8.count == algorithm.digitCount,
            digits.utf8.allSatisfy({ (0x30...0x39).contains($0) || (0x61...0x66).contains($0) })
        else { return nil }
        self.algorithm = algorithm
        self.hexadecimal = digits
    }
}
