/// A small file in GGUF format.
package enum GGUFExample {
    /// A whole file with an alignment, an architecture, a list of words and one tensor.
    ///
    /// - Parameters:
    ///   - weights: the bytes of the tensor.
    ///   - architecture: the architecture; nil for none.
    ///   - languages: the codes of the languages; empty for a file that names none.
    package static func file(_ weights: [UInt8], architecture: String? = "whisper", languages: [String] = []) -> [UInt8]
    {
        func number<Number: FixedWidthInteger>(_ value: Number) -> [UInt8] {
            (0..<Number.bitWidth / 8).map { UInt8(truncatingIfNeeded: value >> (8 * Number($0))) }
        }
        func text(_ text: String) -> [UInt8] { number(UInt64(text.utf8.count)) + Array(text.utf8) }
        func texts(_ texts: [String]) -> [UInt8] {
            number(UInt32(9)) + number(UInt32(8)) + number(UInt64(texts.count)) + texts.flatMap(text)
        }
        let count = 2 + (architecture == nil ? 0 : 1) + (languages.isEmpty ? 0 : 1)
        var bytes = Array("GGUF".utf8) + number(UInt32(3)) + number(UInt64(1)) + number(UInt64(count))
        if let architecture { bytes += text("general.architecture") + number(UInt32(8)) + text(architecture) }
        bytes += text("general.alignment") + number(UInt32(4)) + number(UInt32(64))
        if !languages.isEmpty { bytes += text("general.languages") + texts(languages) }
        bytes += text("words") + texts(["one", "two"])
        // A tensor of bytes (type 24), at the beginning.
        bytes += text("weights") + number(UInt32(1)) + number(UInt64(weights.count)) + number(UInt32(24))
        bytes += number(UInt64(0))
        bytes += [UInt8](repeating: 0, count: (64 - bytes.count % 64) % 64)
        return bytes + weights
    }
}
