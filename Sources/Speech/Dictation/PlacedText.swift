/// A decoded text with the times of its words in the stream. It is pure.
///
/// A model that gives the times of words is believed. Whisper's segments, which are sentences and clauses, end within some
/// tenths of a second of their words, and begin too early after a pause; so each boundary is moved to the pause that the
/// detector of speech has found beside it. Within a segment, and for a model without times, the words divide the speech by
/// their lengths, and no word goes on behind a pause. The last words end with the speech, unless the model's text ends long before it.
struct PlacedText: Equatable, Sendable {
    /// The code of the language, where it is known.
    private(set) var language: String?
    /// The words, in order, without overlaps, with times in samples of the stream.
    private(set) var words: [Hypothesis.Word]
    /// The pauses between words that lie beside the ends of sentences or segments.
    private(set) var pauses: [Pause]
    /// The ends of sentences for which the model has a time, and the detector no pause.
    private(set) var boundaries: [Pause] = []

    struct Pause: Equatable, Sendable {
        /// The index of the first word after the pause.
        var word: Int
        /// The pause in the stream; of a boundary, an empty one at the model's time.
        var range: Range<Int64>
        /// The distance from the model's own time.
        var distance: Int64 = 0

        /// Whether the model means this pause.
        var isNear: Bool { distance <= DictationDesk.samples(nearby) }

        /// Returns the pause as it is in a text with so many more words before it.
        func moved(by count: Int) -> Pause { Pause(word: word + count, range: range, distance: distance) }
    }

    /// The greatest distance of a pause from the model's time of a boundary, in seconds.
    private static let reach = 0.7

    /// The distance of a pause from the model's time that leaves no doubt, in seconds.
    static let nearby = 0.35

    /// The least speech behind the end of a model's text of which that is no text, in seconds: the ends of segments are less exact.
    static let leastUnheard = 1.5

    /// Creates an empty text.
    init() { (words, pauses) = ([], []) }

    /// Places a text.
    ///
    /// - Parameters:
    ///   - sound: the ranges of the stream that were decoded as one sound, at least one.
    ///   - speech: the ranges of speech in what was decoded, at least one, in samples of the stream.
    init(_ text: DecodedText, of sound: [Range<Int64>], speech: [Range<Int64>], sampleRate: Int) {
        language = text.language
        let whole = speech[0].lowerBound..<speech[speech.count - 1].upperBound
        let clock = SpeechTime(sound)
        func moved(_ piece: DecodedText.Piece) -> Range<Int64> {
            let time = piece.samples(at: sampleRate)
            let start = clock.position(at: time.lowerBound, isEnd: false)
            return (start..<max(start, clock.position(at: time.upperBound, isEnd: true))).clamped(to: whole)
        }
        guard text.words.isEmpty else {
            words = text.words.map { Hypothesis.Word(text: $0.text, range: moved($0), confidence: $0.confidence) }
            pauses = []
            words.putInOrder()
            pauses = Self.pauses(between: words, speech)
            boundaries = SentenceEnd.places(in: words.map(\.text)).filter { place in
                !pauses.contains { $0.word == place }
            }.map { Pause(word: $0, range: words[$0].range.lowerBound..<words[$0].range.lowerBound) }
            return
        }
        let sentences =
            text.segments.isEmpty
            ? Self.sentences(of: text.text, in: whole, speech)
            : Self.closed(text.segments).flatMap { Self.sentences(of: $0.text, in: moved($0), speech) }
        let reach = Int64(Self.reach * Double(sampleRate))
        let (pieces, found, others) = Self.placed(
            sentences, Self.heard(by: sentences.last?.range, speech), reach: reach)
        words = pieces.flatMap { Self.timed($0.words[...], in: $0.range, speech) }
        (pauses, boundaries) = (found, others)
        words.putInOrder()
    }

    /// The speech of a window behind the text's last word; empty where that has the end of the speech, or there is no word.
    func unheard(of speech: [Range<Int64>]) -> [Range<Int64>] { Self.unheard(after: words.last?.range, speech) }

    /// Returns the speech behind a text's last range; empty where that may be the text's. A short answer behind a pause is none of it, if
    /// the model means that pause.
    private static func unheard(after last: Range<Int64>?, _ speech: [Range<Int64>]) -> [Range<Int64>] {
        guard let end = last?.upperBound else { return [] }
        let rest = speech.after(end)
        if rest.seconds >= leastUnheard { return rest }
        guard let pause = speech.pauses.first(where: { $0.upperBound > end }), pause.count >= shortestPauseBeforeAnswer,
            abs(end - pause.lowerBound) <= DictationDesk.samples(nearby)
        else { return [] }
        return speech.after(pause.upperBound)
    }

    /// The shortest pause before a short answer, in samples.
    static let shortestPauseBeforeAnswer = DictationDesk.samples(0.4)

    /// Returns the longest stretch that has much fewer letters than people say in its speech; nil where there is none. Whisper's models
    /// leave out now and then all that one of several speakers says, and give its time to the words beside it.
    func sparseStretch(of speech: [Range<Int64>]) -> Range<Int64>? {
        let rest = unheard(of: speech)
        let end = rest.first?.lowerBound ?? speech.last?.upperBound ?? 0
        var stretches: [Range<Int64>] = []
        for (word, next) in zip(words, words.dropFirst().map(\.range.lowerBound) + [end]) {
            let range = word.range.lowerBound..<max(word.range.lowerBound, next)
            guard Double(Self.letterCount(of: [word])) < Self.fewestLetters * speech.seconds(in: range) else {
                continue
            }
            if let last = stretches.last, last.upperBound == range.lowerBound {
                stretches[stretches.count - 1] = last.lowerBound..<range.upperBound
            } else {
                stretches.append(range)
            }
        }
        // The end of a text is the model's own, unless its last words are slow as well.
        if let last = stretches.last, last.upperBound == end, let rest = rest.last {
            stretches[stretches.count - 1] = last.lowerBound..<rest.upperBound
        }
        let longest = stretches.max { speech.seconds(in: $0) < speech.seconds(in: $1) }
        return longest.flatMap { speech.seconds(in: $0) >= Self.shortestSparse ? $0 : nil }
    }

    /// The fewest letters that people say in a second of speech, with few exceptions, and the shortest stretch with fewer, in seconds.
    private static let (fewestLetters, shortestSparse) = (8.5, 4.5)

    /// The last word without its marks, in lower case; nil where there is none.
    var lastWord: String? { words.last.map { WordAlignment.normalized($0.text) } }

    /// The number of letters, where a digit, a spelled letter, a consonant with its vowel, and a syllable count as those of what is said.
    var letterCount: Int { Self.letterCount(of: words) }

    static func letterCount(of words: some Sequence<Hypothesis.Word>) -> Int {
        let parts = words.flatMap { $0.text.split { !$0.isLetter && !$0.isNumber && !"'’".contains($0) } }
        return parts.reduce(0) { count, part in
            // A letter by itself is spelled, as in "R-O-S-E".
            count + (part.count == 1 ? lettersOfDigit : part.reduce(0) { $0 + letterCount(of: $1) })
        }
    }

    /// The letters of the word for a digit, from zero to nine in English the mean.
    private static let lettersOfDigit = 4

    private static func letterCount(of character: Character) -> Int {
        if character.isNumber { return lettersOfDigit }
        guard character.isLetter, let scalar = character.unicodeScalars.first else { return 0 }
        return switch scalar.value {
        // Most scripts from Hebrew to Mongolian have letters for consonants; a vowel belongs to the character, or is not written.
        case 0x0590..<0x18B0: 2
        // Chinese, Japanese and Korean.
        case 0x2E80...: 3
        default: 1
        }
    }

    /// The text without its first words.
    func dropFirst(_ count: Int) -> PlacedText {
        var rest = self
        rest.words.removeFirst(count)
        rest.pauses = pauses.filter { $0.word > count }.map { $0.moved(by: -count) }
        rest.boundaries = boundaries.filter { $0.word > count }.map { $0.moved(by: -count) }
        return rest
    }

    /// The first words of the text.
    func prefix(_ count: Int) -> PlacedText {
        var rest = self
        rest.words = Array(words.prefix(count))
        rest.pauses = pauses.filter { $0.word < count }
        rest.boundaries = boundaries.filter { $0.word < count }
        return rest
    }

    /// The text with another one behind it.
    func appending(_ other: PlacedText) -> PlacedText {
        var whole = self
        whole.language = other.language ?? language
        whole.words += other.words
        whole.pauses += other.pauses.map { $0.moved(by: words.count) }
        whole.boundaries += other.boundaries.map { $0.moved(by: words.count) }
        whole.words.putInOrder()
        return whole
    }

    /// The text in which each word goes on as long as there is speech before the next: between them are the pauses of the speech alone.
    func withoutHoles(in speech: [Range<Int64>]) -> PlacedText {
        var rest = self
        for (index, next) in words.dropFirst().enumerated() {
            let range = words[index].range
            let hole = range.upperBound..<max(range.upperBound, next.range.lowerBound)
            rest.words[index].range = range.lowerBound..<range.upperBound + SpeechTime(speech, in: hole).length
        }
        return rest
    }

    /// The text without an end that repeats the sentence before it, where nothing but a moment of speech follows a pause: a word
    /// that is cut off, or a click. A model fills such a moment with what it has just heard.
    func withoutEcho(of speech: [Range<Int64>], sampleRate: Int) -> PlacedText {
        guard speech.count > 1, let moment = speech.last else { return self }
        let pause = moment.lowerBound - speech[speech.count - 2].upperBound
        let limit = Int64(Self.momentSeconds * Double(sampleRate))
        guard moment.count <= limit, pause >= limit else { return self }
        let said = words.normalized
        let lengths = (Self.fewestEchoed...max(Self.fewestEchoed, said.count / 2)).reversed()
        let echo = lengths.first { said.count >= 2 * $0 && said.suffix($0) == said.dropLast($0).suffix($0) }
        return prefix(words.count - (echo ?? 0))
    }

    /// The longest moment, and the shortest pause before it, in seconds: no word of a sentence that someone repeats is shorter.
    private static let momentSeconds = 0.3
    /// The fewest words that are taken for an echo. People repeat fewer.
    static let fewestEchoed = 4

    /// Returns the text with a capital if the text before it ends a sentence. Behind a pause, a model begins now and then as if it went on.
    ///
    /// - Parameter last: the last word before it; nil if there is none.
    func beginning(after last: String?) -> PlacedText {
        guard let last, SentenceEnd.isFound(in: last), !last.hasSuffix(".."), !last.hasSuffix("…"),
            let first = words.first?.text, first.first?.isLowercase == true, first == first.lowercased()
        else { return self }
        var rest = self
        rest.words[0].text = first.prefix(1).uppercased() + first.dropFirst()
        return rest
    }

    /// The text with all times in a range.
    func clamped(to range: Range<Int64>) -> PlacedText {
        var rest = self
        for index in words.indices { rest.words[index].range = words[index].range.clamped(to: range) }
        return rest
    }

    /// A sentence or a part of one.
    private struct Sentence {
        var words: [String]
        var range: Range<Int64>
        /// Whether the model has a time for its start.
        var isTimed = true
    }

    /// Returns segments of which none begins with a mark that closes the one before, such as a quotation mark. Whisper's do now and then.
    private static func closed(_ segments: [DecodedText.Piece]) -> [DecodedText.Piece] {
        segments.reduce(into: []) { closed, segment in
            let marks = segment.text.prefix { "\"”’»)]".contains($0) }
            let rest = segment.text.dropFirst(marks.count)
            // What touches a word opens.
            guard let last = closed.indices.last, !marks.isEmpty, rest.first?.isWhitespace ?? true else {
                return closed.append(segment)
            }
            closed[last].text += marks
            let text = String(rest.drop(while: \.isWhitespace))
            if !text.isEmpty { closed.append(DecodedText.Piece(text: text, time: segment.time)) }
        }
    }

    /// Divides a segment into its sentences, which share its speech by their lengths.
    private static func sentences(of text: String, in range: Range<Int64>, _ speech: [Range<Int64>]) -> [Sentence] {
        let words = text.split(separator: " ").map(String.init)
        let ends = SentenceEnd.places(in: words)
        let parts = zip([0] + ends, ends + [words.count]).map { Array(words[$0..<$1]) }.filter { !$0.isEmpty }
        if parts.count == 1 { return [Sentence(words: words, range: range)] }
        let time = SpeechTime(speech, in: range)
        return zip(parts, time.shares(among: parts.map { $0.joined(separator: " ") }[...]))
            .enumerated().map { Sentence(words: $1.0, range: $1.1, isTimed: $0 == 0) }
    }

    /// Returns the speech of which a text is whose last piece has a range: all, unless much of it follows, or a short answer. Whisper's models
    /// end some texts in the middle of the speech, at a pause or where another speaker begins.
    private static func heard(by last: Range<Int64>?, _ speech: [Range<Int64>]) -> [Range<Int64>] {
        guard let rest = unheard(after: last, speech).first, rest.lowerBound > speech[0].lowerBound else {
            return speech
        }
        return speech.before(rest.lowerBound)
    }

    /// Gives words the speech in a range by their lengths: those before its longest pause what is before it, and the others what is behind.
    private static func timed(
        _ texts: ArraySlice<String>, in range: Range<Int64>, _ speech: [Range<Int64>]
    ) -> [Hypothesis.Word] {
        let time = SpeechTime(speech, in: range)
        guard let pause = time.ranges.pauses.max(by: { $0.count < $1.count }), pause.count >= shortestPause,
            let first = firstWord(behind: pause, of: texts, time)
        else {
            return zip(texts, time.shares(among: texts)).map { Hypothesis.Word(text: $0, range: $1, confidence: nil) }
        }
        return timed(texts[..<first], in: range.lowerBound..<pause.lowerBound, speech)
            + timed(texts[first...], in: pause.upperBound..<range.upperBound, speech)
    }

    /// Finds the first word behind a pause: the one that begins nearest by the words' lengths, or rather one near it behind a mark, since that
    /// is where people pause.
    private static func firstWord(behind pause: Range<Int64>, of texts: ArraySlice<String>, _ time: SpeechTime) -> Int?
    {
        let before = SpeechTime(time.ranges.before(pause.lowerBound)).length
        let ends = WordAlignment.shares(of: 0..<time.length, among: texts).map(\.upperBound)
        let costs = zip(texts.indices, ends).dropLast().map { index, end in
            let hasMark = texts[index].last?.isPunctuation == true
            return (first: index + 1, cost: abs(end - before) - (hasMark ? worthOfMark : 0))
        }
        return costs.min { $0.cost < $1.cost }?.first
    }

    /// The shortest pause beside which words are divided, and how much nearer another boundary must be than one behind a mark, in samples.
    private static let (shortestPause, worthOfMark) = (DictationDesk.samples(0.3), DictationDesk.samples(0.6))

    /// Moves the boundaries between pieces to the pauses beside them.
    private static func placed(_ pieces: [Sentence], _ speech: [Range<Int64>], reach: Int64) -> (
        [Sentence], [Pause], boundaries: [Pause]
    ) {
        var pieces = pieces
        var pauses: [Pause] = []
        var boundaries: [Pause] = []
        guard let last = pieces.indices.last else { return ([], [], []) }
        pieces[0].range = speech[0].lowerBound..<max(speech[0].lowerBound, pieces[0].range.upperBound)
        pieces[last].range = min(pieces[last].range.lowerBound, speech.last!.upperBound)..<speech.last!.upperBound
        var gaps = speech.pauses[...]
        var wordCount = 0
        for index in pieces.indices.dropLast() {
            wordCount += pieces[index].words.count
            // The model knows better when a segment begins than when the one before ends, which is often the same time.
            let time = pieces[index + 1].range.lowerBound
            func distance(_ gap: Range<Int64>) -> Int64 {
                gap.contains(time) ? 0 : min(abs(gap.lowerBound - time), abs(gap.upperBound - time))
            }
            let nearest = gaps.indices.min { distance(gaps[$0]) < distance(gaps[$1]) }
            if let nearest, distance(gaps[nearest]) <= reach {
                pauses.append(Pause(word: wordCount, range: gaps[nearest], distance: distance(gaps[nearest])))
                set(&pieces, index, gaps[nearest])
                gaps = gaps[(nearest + 1)...]
            } else {
                set(&pieces, index, time..<time)
                if pieces[index + 1].isTimed, pieces[index].words.last.map({ SentenceEnd.isFound(in: $0) }) == true {
                    boundaries.append(Pause(word: wordCount, range: time..<time))
                }
            }
        }
        return (pieces, pauses, boundaries)
    }

    /// Sets the pause between two pieces.
    private static func set(_ pieces: inout [Sentence], _ index: Int, _ pause: Range<Int64>) {
        let start = min(pieces[index].range.lowerBound, pause.lowerBound)
        pieces[index].range = start..<pause.lowerBound
        pieces[index + 1].range = pause.upperBound..<max(pause.upperBound, pieces[index + 1].range.upperBound)
    }

    /// Finds the pauses of the detector between words with times of their own.
    private static func pauses(between words: [Hypothesis.Word], _ speech: [Range<Int64>]) -> [Pause] {
        speech.pauses.compactMap { pause in
            guard let word = words.firstIndex(where: { $0.range.lowerBound >= pause.middle }), word > 0 else {
                return nil
            }
            let distance = max(
                0, words[word - 1].range.upperBound - pause.upperBound, pause.lowerBound - words[word].range.lowerBound)
            return Pause(word: word, range: pause, distance: distance)
        }
    }
}
