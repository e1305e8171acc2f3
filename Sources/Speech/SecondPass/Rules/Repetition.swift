/// Whether a text goes round in circles, as that of a model does which has lost its way. Pure.
enum Repetition {
    /// Whisper's own bound: text that people say is compressed to less than a 2.4th.
    static let highestCompression = 2.4

    static func isFound(in text: String) -> Bool { compressionRatio(of: text) > highestCompression }

    /// How many times smaller a text becomes when what has come before is named instead of said again. It is what deflate with its fixed
    /// codes (RFC 1951) makes of it, in the frame of zlib; a little less than zlib's own for long texts, whose codes it would choose.
    static func compressionRatio(of text: String) -> Double {
        let bytes = Array(text.utf8)
        guard !bytes.isEmpty else { return 0 }
        // The head and the end of a block.
        var bits = 10
        var position = 0
        var places: [UInt32: [Int]] = [:]
        while position < bytes.count {
            let (length, distance) = longestMatch(bytes, position, places)
            let step = length >= 3 ? length : 1
            bits += length >= 3 ? cost(length: length, distance: distance) : bytes[position] < 144 ? 8 : 9
            for place in position..<min(position + step, max(position, bytes.count - 2)) {
                places[key(bytes, place), default: []].append(place)
            }
            position += step
        }
        return Double(bytes.count) / (Double(bits) / 8 + 6)
    }

    private static func key(_ bytes: [UInt8], _ place: Int) -> UInt32 {
        UInt32(bytes[place]) << 16 | UInt32(bytes[place + 1]) << 8 | UInt32(bytes[place + 2])
    }

    /// The longest stretch that has come before, from the nearest places.
    private static func longestMatch(_ bytes: [UInt8], _ position: Int, _ places: [UInt32: [Int]]) -> (length: Int, distance: Int) {
        guard position + 3 <= bytes.count, let candidates = places[key(bytes, position)] else { return (0, 0) }
        var best = (length: 0, distance: 0)
        let longest = min(258, bytes.count - position)
        for place in candidates.suffix(64).reversed() where position - place <= 1 << 15 {
            var length = 3
            while length < longest, bytes[place + length] == bytes[position + length] { length += 1 }
            if length > best.length { best = (length, position - place) }
        }
        return best
    }

    /// In bits: a code and what follows it, for the length and for the distance.
    private static func cost(length: Int, distance: Int) -> Int {
        let lengthBits = length <= 10 || length == 258 ? 0 : (length - 3).bitWidth - (length - 3).leadingZeroBitCount - 3
        let distanceBits = distance <= 4 ? 0 : (distance - 1).bitWidth - (distance - 1).leadingZeroBitCount - 2
        return (length < 115 ? 7 : 8) + lengthBits + 5 + distanceBits
    }
}
