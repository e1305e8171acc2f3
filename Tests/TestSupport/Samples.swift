import Foundation

/// 16-bit samples and their bytes, little-endian.
package enum Samples {
    /// An odd byte at the end is left out.
    package static func read(_ bytes: some Sequence<UInt8>) -> [Int16] {
        var samples: [Int16] = []
        var low: UInt8?
        for byte in bytes {
            if let first = low {
                samples.append(Int16(bitPattern: UInt16(first) | UInt16(byte) << 8))
                low = nil
            } else {
                low = byte
            }
        }
        return samples
    }

    package static func bytes(_ samples: [Int16]) -> [UInt8] {
        samples.flatMap { [UInt8(truncatingIfNeeded: $0), UInt8(truncatingIfNeeded: $0 >> 8)] }
    }
}
