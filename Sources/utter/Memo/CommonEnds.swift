/// The lengths of the common beginning and the common end of two texts; between them is the difference.
struct CommonEnds: Equatable {
    /// The length of the common beginning, in bytes. It and `suffix` divide no Unicode scalar, and their sum is no more than the length
    /// of either text.
    private(set) var prefix = 0
    /// The length of the common end, in bytes.
    private(set) var suffix = 0

    /// Compares two texts in valid UTF-8.
    init(of one: UnsafeBufferPointer<UInt8>, and other: UnsafeBufferPointer<UInt8>) {
        func isInside(_ text: UnsafeBufferPointer<UInt8>, _ place: Int) -> Bool {
            place < text.count && text[place] & 0xC0 == 0x80
        }
        let most = min(one.count, other.count)
        while prefix < most, one[prefix] == other[prefix] { prefix += 1 }
        while isInside(one, prefix) || isInside(other, prefix) { prefix -= 1 }
        while suffix < most - prefix, one[one.count - suffix - 1] == other[other.count - suffix - 1] { suffix += 1 }
        while isInside(one, one.count - suffix) || isInside(other, other.count - suffix) { suffix -= 1 }
    }
}
