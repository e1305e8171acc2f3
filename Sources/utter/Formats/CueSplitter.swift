/// Cuts an utterance into subtitle cues that can be read: at most two lines of 42 columns, or one when several people speak at once.
///
/// Of all ways to cut, the splitter takes the one with the least cost. A cut in a longer pause costs less; a pause inside a cue
/// costs, and so does each cue, a cue that is too short and one that is too long. The lines of a cue are as even as the words
/// allow. A word wider than a line is cut, since a player would cut it too, and worse; its time is divided by width. In scripts
/// without spaces a line may break between characters, rather after a mark than elsewhere, and no mark begins a line.
struct CueSplitter {
    /// The lines that are shown together.
    struct Cue: Equatable {
        /// One line or two.
        var lines: [String]
        /// When the cue begins, in seconds from the start of the file.
        var start: Double
        /// When the cue ends, in seconds from the start of the file.
        var end: Double
        /// How long the cue takes to read, in seconds; 0 when the time of the speech is enough.
        var reading = 0.0
    }

    /// The greatest width of a line, in columns.
    static let lineWidth = 42
    static let maximumLines = 2
    /// The pause, in seconds, from which on a cut costs nothing.
    private static let fullPause = 0.4
    /// The durations of a cue, in seconds, that cost nothing.
    private static let comfortable = 1.0...7.0

    /// The width of the label in the first line, in columns.
    var labelWidth = 0
    /// The most lines of a cue: one or two.
    var lineCount = maximumLines

    func cues(of segment: TranscribedSegment) -> [Cue] {
        let words = self.words(of: segment)
        guard !words.isEmpty else { return [] }
        // best[n]: the least cost of the first n words, and where its last cue begins.
        var best: [(cost: Double, start: Int)] = [(0, 0)]
        for end in 1...words.count {
            var least = (cost: Double.infinity, start: end - 1)
            var width = 0
            for start in stride(from: end - 1, through: 0, by: -1) {
                width += words[start].width + (start < end - 1 && !words[start + 1].isJoined ? 1 : 0)
                if start < end - 1, width + labelWidth > Self.lineWidth * lineCount + 1 { break }
                guard lineBreak(in: words[start..<end], width: width) != nil else { continue }
                let cost = best[start].cost + self.cost(of: words[start..<end], in: words)
                if cost < least.cost { least = (cost, start) }
            }
            best.append(least)
        }
        var cues: [Cue] = []
        var end = words.count
        while end > 0 {
            let start = best[end].start
            cues.append(cue(of: words[start..<end]))
            end = start
        }
        return cues.reversed()
    }

    private struct Word {
        var text: String
        var width: Int
        /// Whether there is no space between it and the word before.
        var isJoined: Bool
        var start: Double
        var end: Double

        /// Whether it ends with a mark, after which a line breaks well.
        let endsWithMark: Bool
    }

    /// The words in one line, none wider than a line. Without times for the words, the utterance's time is divided by width.
    private func words(of segment: TranscribedSegment) -> [Word] {
        var timed = segment.words
        if timed.isEmpty {
            timed = [TranscribedWord(text: segment.text, start: segment.start, end: segment.end)]
        }
        return timed.flatMap { word in
            let texts = word.text.singleLine.split(separator: " ").flatMap { Self.unbreakable($0).flatMap(fitting) }
            return pieces(of: texts, from: word.start, to: max(word.start, word.end))
        }
    }

    /// The pieces of a word between which a line may break: of most scripts the word, of others about each character.
    private static func unbreakable(_ word: Substring) -> [Substring] {
        var pieces: [Substring] = []
        var start = word.startIndex
        for (last, next) in zip(word.indices, word.indices.dropFirst())
        where SpeechSpacing.breaks(between: word[last], and: word[next]) {
            pieces.append(word[start..<next])
            start = next
        }
        return pieces + [word[start...]]
    }

    /// The pieces of a word, each of which fits into any line.
    private func fitting(_ word: Substring) -> [Substring] {
        let limit = Self.lineWidth - labelWidth
        var pieces: [Substring] = []
        var rest = word
        while displayWidth(rest) > limit {
            var piece = prefix(of: rest, fitting: limit)
            if piece.isEmpty { piece = rest.prefix(1) }
            pieces.append(piece)
            rest = rest[piece.endIndex...]
        }
        return rest.isEmpty ? pieces : pieces + [rest]
    }

    private func pieces(of texts: [Substring], from start: Double, to end: Double) -> [Word] {
        let widths = texts.map { max(1, displayWidth($0)) }
        let rate = (end - start) / Double(max(1, widths.reduce(0, +)))
        var before = 0
        var end: Substring.Index?
        return zip(texts, widths).map { text, width in
            defer { (before, end) = (before + width, text.endIndex) }
            return Word(
                text: String(text), width: width, isJoined: end == text.startIndex,
                start: start + Double(before) * rate,
                end: start + Double(before + width) * rate, endsWithMark: text.last?.isPunctuation == true)
        }
    }

    private func cost(of cue: ArraySlice<Word>, in words: [Word]) -> Double {
        guard let first = cue.first, let last = cue.last else { return 0 }
        var cost = 1.0
        if cue.endIndex < words.count {
            let pause = max(0, words[cue.endIndex].start - last.end)
            cost += 2 * (1 - min(pause / Self.fullPause, 1))
            // In the middle of what is written without a space; a mark is as good as one.
            if words[cue.endIndex].isJoined, !last.endsWithMark { cost += 1 }
        }
        for (word, next) in zip(cue, cue.dropFirst()) {
            cost += 2 * max(0, next.start - word.end - Self.fullPause)
        }
        let duration = last.end - first.start
        cost += max(0, Self.comfortable.lowerBound - duration)
        cost += max(0, duration - Self.comfortable.upperBound)
        return cost
    }

    /// The index of the second line's first word, such that both lines fit and are as even as possible; the end when one line is
    /// enough; nil when two are not.
    ///
    /// - Parameters:
    ///   - words: the words of a cue.
    ///   - width: their width in one line, in columns.
    private func lineBreak(in words: ArraySlice<Word>, width: Int) -> Int? {
        let total = width + labelWidth
        if total <= Self.lineWidth { return words.endIndex }
        if lineCount == 1 { return nil }
        var best: (unevenness: Int, index: Int)?
        var upper = labelWidth
        for index in words.indices.dropLast() {
            upper += words[index].width + (index == words.startIndex || words[index].isJoined ? 0 : 1)
            let isJoined = words[index + 1].isJoined
            let lower = total - upper - (isJoined ? 0 : 1)
            // Of two equally even divisions, the one with the shorter upper line, which hides less of the picture.
            var unevenness = abs(upper - lower) * 2 + (upper > lower ? 1 : 0)
            if isJoined, !words[index].endsWithMark { unevenness += Self.lineWidth }
            if upper <= Self.lineWidth, lower <= Self.lineWidth, unevenness < best?.unevenness ?? .max {
                best = (unevenness, index + 1)
            }
        }
        return best?.index
    }

    private func cue(of words: ArraySlice<Word>) -> Cue {
        let width = words.reduce(0) { $0 + $1.width } + words.dropFirst().count { !$0.isJoined }
        let middle = lineBreak(in: words, width: width) ?? words.endIndex
        let lines = [words[..<middle], words[middle...]].filter { !$0.isEmpty }
        return Cue(
            lines: lines.map { line in
                line.enumerated().map { $0 == 0 || $1.isJoined ? $1.text : " " + $1.text }.joined()
            }, start: words.first?.start ?? 0,
            end: words.last?.end ?? 0)
    }
}
