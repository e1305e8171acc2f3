import TestSupport
import Testing

@testable import Speech

@Suite("A decoded text with its times")
struct PlacedTextTests {
    private func segment(_ text: String, _ start: Int64, _ end: Int64) -> DecodedText.Piece {
        DecodedText.Piece(text: text, time: start..<end)
    }

    /// Places a text that begins at the sample 10,000, with 1000 samples per second.
    private func placed(_ text: DecodedText, _ speech: [Range<Int64>]) -> PlacedText {
        PlacedText(text, of: [10_000..<1_000_000], speech: speech, sampleRate: 1_000)
    }

    private func times(_ text: PlacedText) -> [Range<Int64>] { text.words.map(\.range) }

    @Test("A sentence that is repeated in a moment is left out; one that is said twice stays")
    func echo() {
        func heard(_ text: String, _ speech: [Range<Int64>]) -> String {
            let placed = placed(DecodedText(text: text), speech).withoutEcho(of: speech, sampleRate: 1_000)
            return placed.words.map(\.text).joined(separator: " ")
        }
        let (before, moment): (Range<Int64>, Range<Int64>) = (10_000..<13_000, 13_400..<13_500)
        let once = "It was wise, it was the age of foolishness."
        let twice = once + " It was the age of foolishness."
        #expect(heard(twice, [before, moment]) == once)
        #expect(heard(once + " It", [before, moment]) == once + " It")
        // There is time for it, or no pause before the moment.
        #expect(heard(twice, [before, 13_400..<13_701]) == twice)
        #expect(heard(twice, [before, 13_200..<13_300]) == twice && heard(twice, [10_000..<13_500]) == twice)
        // People repeat three words.
        #expect(heard("I know it, I know it.", [before, moment]) == "I know it, I know it.")
        #expect(heard("", [before, moment]) == "")
    }

    @Test("A word goes on as long as there is speech before the next; what is left between them is the pause")
    func holes() {
        let ranges: [Range<Int64>] = [0..<10, 30..<40, 40..<50, 90..<100]
        let text = ranges.reduce(PlacedText()) { text, range in
            text.appending(PlacedText(DecodedText(text: "word"), of: [range], speech: [range], sampleRate: 16_000))
        }
        #expect(text.withoutHoles(in: [0..<60, 80..<100]).words.map(\.range) == [0..<30, 30..<40, 40..<70, 90..<100])
    }

    @Test("Long speech with few letters is sparse; speech behind a text that is not slow is none of it")
    func sparseStretch() {
        let speech: [Range<Int64>] = [0..<160_000, 176_000..<320_000]
        /// Each segment is so many words of four letters, in a time in seconds.
        func stretch(_ segments: (words: Int, seconds: Range<Int64>)...) -> Range<Int64>? {
            let pieces = segments.map { words, seconds in
                let text = Array(repeating: "four", count: words).joined(separator: " ")
                return segment(text, seconds.lowerBound * 1_000, seconds.upperBound * 1_000)
            }
            let text = DecodedText(text: pieces.map(\.text).joined(separator: " "), segments: pieces)
            return PlacedText(text, of: [0..<320_000], speech: speech, sampleRate: 16_000).sparseStretch(of: speech)
        }
        #expect(stretch((10, 0..<20)) == 0..<320_000)
        #expect(stretch((30, 0..<10), (10, 11..<20)) == 176_000..<320_000)
        #expect(stretch((30, 0..<10), (30, 11..<20)) == nil)
        #expect(stretch((30, 0..<10)) == nil)
        #expect(stretch((10, 0..<10)) == 0..<320_000)
        #expect(stretch((30, 0..<10), (19, 11..<16), (2, 16..<20)) == nil, "it is short")
        #expect(PlacedText().sparseStretch(of: speech) == nil)
        // "The weather is nice today." in Hindi, Hebrew and Chinese, with six syllables a second; and letters, five in two seconds.
        for (text, syllables) in [("R-O-S-E", 9), ("आज मौसम बहुत अच्छा है", 8), ("מזג האוויר נעים היום", 9), ("今天天气很好", 6)] {
            let words = String(repeating: text + " ", count: 114 / syllables)
            let text = DecodedText(text: words, segments: [segment(words, 0, 20_000)])
            let placed = PlacedText(text, of: [0..<320_000], speech: speech, sampleRate: 16_000)
            #expect(placed.sparseStretch(of: speech) == nil, "\(text.text)")
            #expect(placed.prefix(placed.words.count / 2).sparseStretch(of: speech) == nil)
        }
    }

    @Test("The times of a model's words are believed, in the range of speech and in order")
    func words() {
        let text = DecodedText(
            text: "So it goes.",
            words: [segment("So", 0, 300), segment("it", 250, 500), segment("goes.", 500, 1_900)])
        let placed = placed(text, [10_100..<11_000])
        #expect(times(placed) == [10_100..<10_300, 10_300..<10_500, 10_500..<11_000])
        #expect(placed.words.map(\.text) == ["So", "it", "goes."] && placed.pauses.isEmpty)
    }

    @Test("A mark that closes a sentence stands with it, though the next segment begins with it; one that opens stays")
    func closingMarks() {
        func words(_ segments: String...) -> [String] {
            let pieces = segments.enumerated().map { segment($1, Int64($0) * 1_000, Int64($0) * 1_000 + 900) }
            let text = DecodedText(text: segments.joined(separator: " "), segments: pieces)
            return placed(text, [10_000..<10_900, 11_000..<11_900, 12_000..<12_900]).words.map(\.text)
        }
        #expect(
            words("He said \"go.", "\" And", "\"we went.\"") == ["He", "said", "\"go.\"", "And", "\"we", "went.\""])
        #expect(words("He said „go.", "”", "So") == ["He", "said", "„go.”", "So"])
        #expect(words("\" Go.", "(No)") == ["\"", "Go.", "(No)"])
    }

    @Test("Times in a sound without the middle of a pause are those of the stream")
    func shortenedPause() {
        let speech: [Range<Int64>] = [10_100..<10_500, 13_000..<13_900]
        let sound: [Range<Int64>] = [10_000..<10_800, 12_700..<14_000]
        func placed(_ text: DecodedText) -> PlacedText {
            PlacedText(text, of: sound, speech: speech, sampleRate: 1_000)
        }
        let words = [segment("One.", 100, 500), segment("Two", 1_100, 1_400), segment("three.", 1_400, 1_950)]
        let ofWords = placed(DecodedText(text: "One. Two three.", words: words))
        #expect(times(ofWords) == [10_100..<10_500, 13_000..<13_300, 13_300..<13_850])
        let segments = [segment("One.", 0, 800), segment("Two three.", 800, 2_000)]
        let ofSegments = placed(DecodedText(text: "One. Two three.", segments: segments))
        #expect(times(ofSegments).first == 10_100..<10_500 && times(ofSegments)[1].lowerBound == 13_000)
        #expect(ofWords.pauses == ofSegments.pauses && ofWords.pauses.map(\.range) == [10_500..<13_000])
    }

    @Test("Between words with times are the pauses of the detector")
    func pausesBetweenWords() {
        let text = DecodedText(
            text: "One. Two.", words: [segment("One.", 0, 500), segment("Two.", 1_000, 1_500)])
        let placed = placed(text, [10_000..<10_500, 11_000..<11_500])
        #expect(placed.pauses == [PlacedText.Pause(word: 1, range: 10_500..<11_000, distance: 0)])
    }

    @Test("The boundary of segments is moved to the pause beside it; the words share the speech between")
    func segments() {
        let text = DecodedText(
            text: "One two. Three four.", segments: [segment("One two.", 0, 900), segment("Three four.", 900, 2_500)])
        let placed = placed(text, [10_100..<11_000, 11_400..<12_400])
        #expect(placed.pauses == [PlacedText.Pause(word: 2, range: 11_000..<11_400, distance: 100)])
        #expect(times(placed) == [10_100..<10_500, 10_500..<11_000, 11_400..<11_900, 11_900..<12_400])
    }

    @Test("A pause that is far away moves no boundary")
    func farPause() {
        let text = DecodedText(
            text: "One two. Three four.", segments: [segment("One two.", 0, 900), segment("Three four.", 900, 2_900)])
        let placed = placed(text, [10_000..<12_000, 12_400..<12_900])
        #expect(placed.pauses.isEmpty)
        #expect(times(placed)[1].upperBound == 10_900 && times(placed)[2].lowerBound == 10_900)
    }

    @Test("The end of a sentence for which the model has a time, without a pause beside it, is a boundary")
    func boundaries() {
        let speech: [Range<Int64>] = [10_000..<13_000]
        let text = DecodedText(
            text: "One. Two. Three, four. Five",
            segments: [
                segment("One. Two.", 0, 900), segment("Three,", 900, 1_400), segment("four.", 1_400, 1_900),
                segment("Five", 1_900, 3_000),
            ])
        let ofSegments = placed(text, speech)
        #expect(
            ofSegments.boundaries.map(\.word) == [2, 4]
                && ofSegments.boundaries.map(\.range) == [10_900..<10_900, 11_900..<11_900])
        #expect(
            ofSegments.dropFirst(2).boundaries.map(\.word) == [2] && ofSegments.prefix(4).boundaries.map(\.word) == [2])
        let whole = ofSegments.prefix(3).appending(ofSegments.dropFirst(3))
        #expect(whole.boundaries.map(\.word) == [2, 4] && whole.words == ofSegments.words)
        let words = [segment("One.", 0, 500), segment("Two.", 500, 1_000)]
        let ofWords = placed(DecodedText(text: "One. Two.", words: words), speech)
        #expect(ofWords.boundaries == [PlacedText.Pause(word: 1, range: 10_500..<10_500)])
        #expect(placed(DecodedText(text: "One. Two."), speech).boundaries.isEmpty, "no time")
    }

    @Test("Sentences in one segment, and a text without times, are placed by their lengths, beside pauses")
    func lengths() {
        for segments in [[segment("Abcd. Efgh.", 0, 2_500)], []] {
            let placed = placed(
                DecodedText(text: "Abcd. Efgh.", segments: segments), [10_000..<11_000, 11_500..<12_500])
            #expect(times(placed) == [10_000..<11_000, 11_500..<12_500])
            #expect(placed.pauses.map(\.word) == [1])
        }
    }

    @Test(
        "No word goes on behind a pause within a segment: the words before it stand there, rather up to a mark that is near"
    )
    func pauseInSegment() {
        // Two seconds of speech, two of a pause, and two of speech, at 16 kHz.
        let speech: [Range<Int64>] = [0..<32_000, 64_000..<96_000]
        func placed(_ text: String) -> PlacedText {
            PlacedText(
                DecodedText(text: text, segments: [segment(text, 0, 6_000)]), of: [0..<96_000], speech: speech,
                sampleRate: 16_000)
        }
        func wordsBefore(_ text: PlacedText) -> [String] {
            text.words.filter { $0.range.upperBound <= 32_000 }.map(\.text)
        }
        // By its length alone, the third word would go on behind the pause.
        let plain = placed("aaaa bbbb ccccccccc dddd eeee")
        #expect(wordsBefore(plain) == ["aaaa", "bbbb", "ccccccccc"])
        #expect(plain.words.allSatisfy { $0.range.upperBound <= 32_000 || $0.range.lowerBound >= 64_000 })
        // What stands behind the mark belongs behind the pause, although it is a little more than half of the letters.
        let marked = placed("aaaa bbbb, cccccccc dddd eeee")
        #expect(wordsBefore(marked) == ["aaaa", "bbbb,"])
        #expect(wordsBefore(placed("aaaa, bbbb cccc dddd eeee")) == ["aaaa,", "bbbb"], "that mark is too far away")
        #expect(
            SentenceEnd.starts(
                of: marked.words.map {
                    ($0.text, Double($0.range.lowerBound) / 16_000, Double($0.range.upperBound) / 16_000)
                }) == [2])
        // With one word on each side, each has its own.
        #expect(times(placed("aaaaaaaaaaaa b")) == [0..<32_000, 64_000..<96_000])
        #expect(times(placed("aaaa")) == [0..<96_000])
    }

    @Test("Segments before or after all speech keep their words, in its range")
    func outside() {
        let text = DecodedText(
            text: "No. That is wrong. Bye.",
            segments: [segment("No.", 0, 10), segment("That is wrong.", 10, 1_900), segment("Bye.", 9_000, 9_900)])
        let placed = placed(text, [11_000..<12_000])
        #expect(placed.words.map(\.text) == ["No.", "That", "is", "wrong.", "Bye."])
        #expect(times(placed).first == 11_000..<11_000 && times(placed).last == 12_000..<12_000)
    }

    @Test("A text is divided with its pauses")
    func divided() {
        let text = DecodedText(
            text: "One. Two. Three.",
            segments: [segment("One.", 0, 500), segment("Two.", 1_000, 1_500), segment("Three.", 2_000, 2_500)])
        let placed = placed(text, [10_000..<10_500, 11_000..<11_500, 12_000..<12_500])
        #expect(placed.pauses.map(\.word) == [1, 2])
        #expect(placed.prefix(2).words.count == 2 && placed.prefix(2).pauses.map(\.word) == [1])
        #expect(placed.dropFirst(1).words.map(\.text) == ["Two.", "Three."])
        #expect(placed.dropFirst(1).pauses.map(\.word) == [1] && placed.dropFirst(3).words.isEmpty)
        #expect(
            placed.clamped(to: 10_200..<11_200).words.map(\.range) == [
                10_200..<10_500, 11_000..<11_200, 11_200..<11_200,
            ])
    }

    @Test("Sentences are divided at their ends and at long pauses, but not where there is no time")
    func sentences() {
        func sentences(_ text: DecodedText, _ speech: [Range<Int64>]) -> [String] {
            PlacedText(text, of: [0..<10_000_000], speech: speech, sampleRate: 16_000).sentences
                .map { $0.map(\.text).joined(separator: " ") }
        }
        let two = DecodedText(text: "One two. Three.", segments: [segment("One two. Three.", 0, 3_000)])
        #expect(sentences(two, [0..<48_000]) == ["One two.", "Three."])
        let paused = DecodedText(text: "one two", words: [segment("one", 0, 500), segment("two", 2_000, 2_500)])
        #expect(sentences(paused, [0..<8_000, 32_000..<40_000]) == ["one", "two"])
        let late = DecodedText(
            text: "One. Two. Three.",
            segments: [
                segment("One.", 0, 900), segment("Two.", 9_000, 9_000), segment("Three.", 9_000, 9_500),
            ])
        #expect(sentences(late, [0..<16_000]) == ["One. Two. Three."])
        #expect(sentences(DecodedText(text: ""), [0..<16_000]) == [])
    }

    @Test("All words are kept, in order, in the range of speech, whatever a model answers")
    func random() {
        var generator = SplitMix64(for: "placed-text")
        for _ in 0..<Tier.count(2_000, long: 50_000) {
            var speech: [Range<Int64>] = []
            var end: Int64 = 10_000 + .random(in: 0...300, using: &generator)
            for _ in 0..<Int.random(in: 1...5, using: &generator) {
                let start = end + .random(in: 1...1_500, using: &generator)
                end = start + .random(in: 1...3_000, using: &generator)
                speech.append(start..<end)
            }
            func pieces(_ longest: Int) -> [DecodedText.Piece] {
                (0..<Int.random(in: 0...6, using: &generator)).map { _ in
                    let words = (0..<Int.random(in: 1...longest, using: &generator)).map { _ in
                        ["One", "two.", "Three.", "four,", "5.", "Mr."].randomElement(using: &generator)!
                    }
                    let start = Int64.random(in: 0...12_000, using: &generator)
                    return segment(
                        words.joined(separator: " "), start, start + .random(in: 0...4_000, using: &generator))
                }
            }
            let isOfWords = Bool.random(using: &generator)
            let given = pieces(isOfWords ? 1 : 6).sorted { $0.time.lowerBound < $1.time.lowerBound }
            let text = given.map(\.text).joined(separator: " ")
            let placed = placed(
                DecodedText(text: text, words: isOfWords ? given : [], segments: isOfWords ? [] : given), speech)
            #expect(placed.words.map(\.text) == text.split(separator: " ").map(String.init))
            var before = speech[0].lowerBound
            for word in placed.words {
                #expect(word.range.lowerBound >= before && word.range.upperBound <= end, "\(given) \(speech)")
                before = word.range.upperBound
            }
            for (pause, next) in zip(placed.pauses, placed.pauses.dropFirst()) {
                #expect(pause.range.upperBound <= next.range.lowerBound && pause.word <= next.word)
            }
            #expect(placed.pauses.allSatisfy { $0.word > 0 && $0.word < placed.words.count && $0.distance >= 0 })
            #expect(placed.sentences.flatMap(\.self) == placed.words)
        }
    }
}

@Suite("The ends of sentences")
struct SentenceEndTests {
    @Test(
        "are marks at the end of a word, also within quotes",
        arguments: ["so.", "so?", "so!", "so…", "so.\"", "so!’)", "是。", "5.", "3.5.", "example.com."])
    func found(_ word: String) { #expect(SentenceEnd.isFound(in: word)) }

    @Test(
        "are no abbreviations, initials, or marks within a word",
        arguments: [
            "so", "so,", "Mr.", "etc.", "J.", "a.", "3.5", "e.g.", "", "\"", "z.B.", "p.m.", "U.S.", "Ph.D.", "Inc.",
        ])
    func notFound(_ word: String) { #expect(!SentenceEnd.isFound(in: word)) }

    @Test("are not before a word in lower case, nor at the end of the text")
    func places() {
        func places(_ text: String) -> [Int] { SentenceEnd.places(in: text.split(separator: " ").map(String.init)) }
        #expect(places("It is so. And so. It goes.") == [3, 5])
        #expect(places("He said no. way. Then 5. 6 follow") == [4, 6])
        #expect(places("Dr. No is J. Wiseman. \"Yes.\" ") == [5])
        #expect(places("Meet the U.S. Army at 5 p.m. on Monday, or at 6 p.m. See you. So.") == [13, 15])
        #expect(places("Im 13. Jahrhundert, am 25. März. Der 1. Mai war 1990. So.") == [6, 11])
        #expect(places("I am 13. My sister is 15. The 3. Das.") == [3, 7, 9])
        #expect(places("13. Am 133. So.") == [1, 3])
        #expect(places("") == [] && places("One.") == [])
    }
}

@Suite("The time of speech")
struct SpeechTimeTests {
    @Test("runs only while someone speaks, and has two places at a pause")
    func positions() {
        let time = SpeechTime([100..<200, 300..<350])
        #expect(time.length == 150)
        #expect([0, 99, 100, 149].map { time.position(at: $0, isEnd: false) } == [100, 199, 300, 349])
        #expect([1, 100, 101, 150].map { time.position(at: $0, isEnd: true) } == [101, 200, 301, 350])
        #expect(time.position(at: 1_000, isEnd: true) == 350)
    }

    @Test("can be limited, and stands where its limits begin if there is no speech in them")
    func limits() {
        #expect(SpeechTime([100..<200, 300..<350], in: 150..<320).ranges == [150..<200, 300..<320])
        let none = SpeechTime([100..<200, 300..<350], in: 220..<280)
        #expect(none.length == 0 && none.shares(among: ["one", "two"]) == [220..<220, 220..<220])
    }

    @Test("is divided among texts by their lengths")
    func shares() {
        let time = SpeechTime([0..<40, 100..<140])
        #expect(time.shares(among: ["abc", "abc"]) == [0..<40, 100..<140])
        #expect(time.shares(among: ["abc", "abcdefghijk"]) == [0..<20, 20..<140])
        #expect(time.shares(among: []) == [])
    }
}
