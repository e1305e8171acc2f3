import Glibc

/// The lengths of the common beginning and the common end of two texts; between them is the difference.
struct CommonEnds: Equatable {
    /// The length of the common beginning, in bytes. It and `suffix` divide no Unicode scalar, and their sum is no more than the length
    /// of either text.
    private(set) var prefix: Int
    /// The length of the common end, in bytes.
    private(set) var suffix: Int

    /// Compares two texts.
    ///
    /// - Parameters:
    ///   - one: a text in valid UTF-8.
    ///   - other: the other text in valid UTF-8.
    init(of one: UnsafeBufferPointer<UInt8>, and other: UnsafeBufferPointer<UInt8>) {
        let most = min(one.count, other.count)
        var prefix = Self.equalCount(atMost: most) { memcmp(one.baseAddress! + $0, other.baseAddress! + $0, $1) == 0 }
        func isInside(_ text: UnsafeBufferPointer<UInt8>, _ place: Int) -> Bool {
            place < text.count && text[place] & 0xC0 == 0x80
        }
        while isInside(one, prefix) || isInside(other, prefix) { prefix -= 1 }
        var suffix = Self.equalCount(atMost: most - prefix) { done, count in
            memcmp(one.baseAddress! + one.count - done - count, other.baseAddress! + other.count - done - count, count)
                == 0
        }
        while isInside(one, one.count - suffix) || isInside(other, other.count - suffix) { suffix -= 1 }
        (self.prefix, self.suffix) = (prefix, suffix)
    }

    /// The number of bytes that are the same, found by comparing pieces, which is much faster than comparing single bytes.
    ///
    /// - Parameters:
    ///   - most: the number of bytes to compare.
    ///   - isSame: whether the `count` bytes after the first `done` are the same.
    private static func equalCount(atMost most: Int, _ isSame: (_ done: Int, _ count: Int) -> Bool) -> Int {
        var done = 0
        var piece = 1 << 16
        while piece > 0 {
            if done + piece <= most, isSame(done, piece) { done += piece } else { piece /= 2 }
        }
        return done
    }
}
