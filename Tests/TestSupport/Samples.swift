import Foundation

/// Converts 16-bit samples from and to bytes, which are little-endian, as on every machine that Swift runs on.
package enum Samples {
    /// The samples in these bytes. An odd byte at the end is ignored.
    package static func read(_ bytes: some Sequence<UInt8>) -> [Int16] {
        let bytes = Array(bytes)
        var samples = [Int16](repeating: 0, count: bytes.count / 2)
        samples.withUnsafeMutableBytes { $0.copyBytes(from: bytes[..<$0.count]) }
        return samples
    }

    package static func bytes(_ samples: [Int16]) -> [UInt8] {
        samples.withUnsafeBytes(Array.init)
    }
}
