import Glibc

/// How much of two texts is the same at their beginnings and at their ends. What is between was replaced.
struct CommonEnds: Equatable {
    /// In bytes; neither cuts a Unicode scalar, and together they are no longer than either text.
    private(set) var prefix: Int
    private(set) var suffix: Int

    /// - Parameters: both in valid UTF-8.
    init(of one: UnsafeBufferPointer<UInt8>, and other: UnsafeBufferPointer<UInt8>) {
        let most = min(one.count, other.count)
        var prefix = Self.equalCount(atMost: most) { memcmp(one.baseAddress! + $0, other.baseAddress! + $0, $1) == 0 }
        func isInside(_ text: UnsafeBufferPointer<UInt8>, _ place: Int) -> Bool { place < text.count && text[place] & 0xC0 == 0x80 }
        while isInside(one, prefix) || isInside(other, prefix) { prefix -= 1 }
        var suffix = Self.equalCount(atMost: most - prefix) { done, count in
            memcmp(one.baseAddress! + one.count - done - count, other.baseAddress! + other.count - done - count, count) == 0
        }
        while isInside(one, one.count - suffix) || isInside(other, other.count - suffix) { suffix -= 1 }
        (self.prefix, self.suffix) = (prefix, suffix)
    }

    /// How far the two are the same, found by comparing pieces, which is much quicker than bytes.
    ///
    /// - Parameter isSame: whether so many bytes behind the first so many are the same.
    private static func equalCount(atMost most: Int, _ isSame: (_ done: Int, _ count: Int) -> Bool) -> Int {
        var done = 0
        var piece = 1 << 16
        while piece > 0 {
            if done + piece <= most, isSame(done, piece) { done += piece } else { piece /= 2 }
        }
        return done
    }
}
