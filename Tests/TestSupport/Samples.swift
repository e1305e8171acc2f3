import Foundation

/// 16-bit samples and their bytes, little-endian as every machine's that Swift runs on.
package enum Samples {
    /// An odd byte at the end is left out.
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
