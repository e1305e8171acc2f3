/// A small file in GGUF format.
package enum GGUFExample {
    /// A whole file with an alignment, an architecture, a list of words and one tensor.
    ///
    /// - Parameters:
    ///   - weights: the bytes of the tensor.
    ///   - architecture: the architecture; nil for none.
    package static func file(_ weights: [UInt8], architecture: String? = "whisper") -> [UInt8] {
        func number<Number: FixedWidthInteger>(_ value: Number) -> [UInt8] {
            (0..<Number.bitWidth / 8).map { UInt8(truncatingIfNeeded: value >> (8 * Number($0))) }
        }
        func text(_ text: String) -> [UInt8] { number(UInt64(text.utf8.count)) + Array(text.utf8) }
        var bytes =
            Array("GGUF".utf8) + number(UInt32(3)) + number(UInt64(1)) + number(UInt64(architecture == nil ? 2 : 3))
        if let architecture { bytes += text("general.architecture") + number(UInt32(8)) + text(architecture) }
        bytes += text("general.alignment") + number(UInt32(4)) + number(UInt32(64))
        bytes += text("words") + number(UInt32(9)) + number(UInt32(8)) + number(UInt64(2)) + text("one") + text("two")
        // A tensor of bytes (type 24), at the beginning.
        bytes += text("weights") + number(UInt32(1)) + number(UInt64(weights.count)) + number(UInt32(24))
        bytes += number(UInt64(0))
        bytes += [UInt8](repeating: 0, count: (64 - bytes.count % 64) % 64)
        return bytes + weights
    }
}
