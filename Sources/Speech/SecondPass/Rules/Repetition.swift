/// Detects a text that repeats itself, as a model's does when it loops. It is pure.
enum Repetition {
    /// The compression ratio above which a text repeats itself: Whisper's own limit for text that people say.
    static let highestCompression = 2.4

    /// Whether `text` repeats itself: all of it is little else, or it has some words again and again.
    static func isFound(in text: String) -> Bool {
        compressionRatio(of: text) > highestCompression || anyLoop(in: bareWords(of: text)) != nil
    }

    /// The most words that are repeated together, how often they are, at least, and how often a shortened text has them.
    private static let (longestUnit, fewestRepeats, keptRepeats) = (12, 4, 3)
    /// The fewest words that nobody is likely to say four times in a row: a model loops ("the age of the age of the age of").
    private static let loopedUnit = 3

    /// Returns a text in which words are repeated again and again, with few of the repetitions; nil for another text. People repeat words
    /// too, and then a model loops: it writes ten times as many as were said.
    static func shortened(_ text: String) -> String? {
        let words = text.split(whereSeparator: \.isWhitespace)
        let bare = bareWords(of: text)
        // The last word may be cut off.
        let ends = [words.count, words.count - 1]
        guard let found = ends.lazy.compactMap({ loop(in: bare, endingAt: $0, of: 1...) }).first ?? anyLoop(in: bare)
        else {
            return nil
        }
        let rest = ends.contains(found.end) ? [] : words[found.end...]
        return (words[..<(found.start + found.length * keptRepeats)] + rest).joined(separator: " ")
    }

    private static func bareWords(of text: String) -> [String] {
        text.split(whereSeparator: \.isWhitespace).map { WordAlignment.normalized(String($0)) }
    }

    private typealias Loop = (start: Int, length: Int, end: Int)

    /// Returns the last words that nobody is likely to repeat so often.
    private static func anyLoop(in words: [String]) -> Loop? {
        (0...words.count).reversed().lazy.compactMap { loop(in: words, endingAt: $0, of: loopedUnit...) }.first
    }

    /// Returns where the words before a place begin that are repeated again and again, and how many are repeated together.
    private static func loop(in words: [String], endingAt end: Int, of lengths: PartialRangeFrom<Int>) -> Loop? {
        for length in lengths.lowerBound...longestUnit where end >= length * fewestRepeats {
            var start = end - length
            while start > 0, words[start - 1] == words[start - 1 + length] { start -= 1 }
            if end - start >= length * fewestRepeats { return (start, length, end) }
        }
        return nil
    }

    /// Returns the ratio by which a text shrinks when repetitions are replaced by references. It is that of deflate
    /// with fixed codes (RFC 1951) in zlib's frame; for long texts, for which zlib chooses better codes, it is a little
    /// lower than zlib's.
    static func compressionRatio(of text: String) -> Double {
        let bytes = Array(text.utf8)
        guard !bytes.isEmpty else { return 0 }
        // The header and the end of a deflate block.
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

    /// Returns the longest earlier match, from the nearest positions.
    private static func longestMatch(_ bytes: [UInt8], _ position: Int, _ places: [UInt32: [Int]]) -> (
        length: Int, distance: Int
    ) {
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

    /// Returns the cost in bits of a match: the codes for length and distance, and their extra bits.
    private static func cost(length: Int, distance: Int) -> Int {
        let lengthBits =
            length <= 10 || length == 258 ? 0 : (length - 3).bitWidth - (length - 3).leadingZeroBitCount - 3
        let distanceBits = distance <= 4 ? 0 : (distance - 1).bitWidth - (distance - 1).leadingZeroBitCount - 2
        return (length < 115 ? 7 : 8) + lengthBits + 5 + distanceBits
    }
}
