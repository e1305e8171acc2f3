/// Which windows belong together: those in one language, one after another without a long pause. A model recognizes speech better beside
/// other speech, in the same language. It is pure. Lengths are in samples.
struct SpeechTurns {
    /// The pause at which windows are apart.
    let pause: Int64
    /// The longest window.
    let longest: Int64

    /// Speech is known so many samples after it begins, at most.
    private static let latency = DictationDesk.samples(1)

    /// Returns how many of the first windows belong together; nil while that is not known.
    ///
    /// - Parameter windows: the windows from a decided one on.
    func count(_ windows: ArraySlice<SpeechWindow>, heard: Int64) -> Int? {
        let windows = Array(windows)
        if !windows[0].isJoinable { return 1 }
        var language = windows[0].draft?.text.language
        for (index, next) in windows.enumerated().dropFirst() {
            let last = windows[index - 1]
            if last.isLast || next.start - last.end >= pause { return index }
            if !next.isChecked { return nil }
            let other = next.draft?.text.language
            if !next.isJoinable || language != nil && other != nil && language != other { return index }
            if next.end - windows[0].start > longest { return longestPause(in: windows[...index]) }
            language = language ?? other
        }
        let last = windows[windows.count - 1]
        return last.isLast || heard >= last.end + pause + Self.latency ? windows.count : nil
    }

    /// Whether a text has words of every turn: Whisper may leave out a whole "Yes." between longer ones.
    ///
    /// - Parameters:
    ///   - counts: the number of the words of each turn.
    ///   - text: the texts of the turns, each decoded by itself.
    ///   - whole: the text of the turns that were decoded as one.
    static func areKept(_ counts: [Int], of text: PlacedText, in whole: PlacedText) -> Bool {
        var owners = WordAlignment.owners(of: text.words.normalized, among: whole.words.normalized)[...]
        var last = -1
        return counts.filter { $0 > 0 }.allSatisfy { count in
            let found = owners.prefix(count).compactMap { $0 }.last ?? -1
            owners = owners.dropFirst(count)
            defer { last = max(last, found) }
            return found > last
        }
    }

    /// Returns how many windows are before the longest pause in the second half of what would be too long.
    private func longestPause(in windows: ArraySlice<SpeechWindow>) -> Int {
        let places = windows.indices.dropFirst().filter { windows[$0 - 1].end - windows[0].start >= longest / 2 }
        return places.max { windows[$0].start - windows[$0 - 1].end < windows[$1].start - windows[$1 - 1].end }
            ?? windows.count - 1
    }
}
