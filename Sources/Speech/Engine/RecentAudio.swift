/// The last seconds of audio that a recognizer was given, with which the next recognizer begins.
struct RecentAudio {
    private var ring: [Int16]
    private var next = 0
    private(set) var count = 0

    /// - Parameter capacity: the number of samples to keep, more than 0.
    init(capacity: Int) {
        ring = [Int16](repeating: 0, count: capacity)
    }

    mutating func append(_ samples: UnsafeBufferPointer<Int16>) {
        var rest = samples.suffix(ring.count)[...]
        while !rest.isEmpty {
            let part = rest.prefix(ring.count - next)
            ring.withUnsafeMutableBufferPointer { ring in
                _ = UnsafeMutableBufferPointer(rebasing: ring[next...]).update(fromContentsOf: part)
            }
            next = (next + part.count) % ring.count
            rest = rest.dropFirst(part.count)
        }
        count = min(count + samples.count, ring.count)
    }

    /// Returns the last `length` samples, or as many as there are, oldest first.
    func suffix(_ length: Int) -> [Int16] {
        let length = min(length, count)
        let start = (next - length + ring.count) % ring.count
        let first = ring[start..<min(start + length, ring.count)]
        return Array(first) + ring[0..<(length - first.count)]
    }
}
