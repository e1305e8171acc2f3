/// A clock that runs only while someone speaks, or in the sound that was decoded. It gives times in the stream to words of which
/// only the order and the lengths are known, or the times in that sound. It is pure.
struct SpeechTime {
    /// The ranges of speech, in samples of the stream, in ascending order.
    let ranges: [Range<Int64>]
    /// The sum of their lengths.
    let length: Int64
    /// The position of every reading if there is no speech.
    private let start: Int64

    /// Creates a clock that runs in those parts of the speech that lie in `limits`.
    init(_ speech: [Range<Int64>], in limits: Range<Int64>? = nil) {
        ranges = speech.map { range in limits.map { range.clamped(to: $0) } ?? range }.filter { !$0.isEmpty }
        length = ranges.reduce(0) { $0 + Int64($1.count) }
        start = limits?.lowerBound ?? speech.first?.lowerBound ?? 0
    }

    /// Returns the position in the stream at a reading. At a pause there are two: its beginning, where speech ends, and its
    /// end.
    func position(at reading: Int64, isEnd: Bool) -> Int64 {
        var rest = reading
        for range in ranges {
            if rest < Int64(range.count) || isEnd && rest == Int64(range.count) { return range.lowerBound + rest }
            rest -= Int64(range.count)
        }
        return ranges.last?.upperBound ?? start
    }

    /// Divides the speech among texts by their lengths.
    ///
    /// - Returns: a range of the stream for each text, in order.
    func shares(among texts: ArraySlice<String>) -> [Range<Int64>] {
        WordAlignment.shares(of: 0..<length, among: texts).map { share in
            let start = position(at: share.lowerBound, isEnd: false)
            return start..<max(start, position(at: share.upperBound, isEnd: true))
        }
    }
}
