import TestSupport
import Testing

@testable import Speech

@Suite("The desk of a dictation")
struct DictationDeskTests {
    /// Those of a file, with a shorter pause that closes, so that the scripts are short.
    private static let file = {
        var settings = DictationDesk.Settings()
        settings.closingPause = 2
        return settings
    }()
    private static let live = DictationDesk.Settings.live(.rolling)
    private static let quiet = DictationDesk.Settings.live(.none)
    /// So many words with pauses of 0.3 s, which are in 28 s.
    private static func words(_ count: Int, separator: String = " (0.3) ") -> String {
        SpeechScript.words(count).joined(separator: separator)
    }

    private func seconds(_ position: Int64) -> Double { Double(position) / 16_000 }

    // MARK: Where it ends

    @Test("A pause closes a window, which is decoded with a little sound around it")
    func pause() throws {
        var run = DeskRun("(0.5) so it goes (3)", Self.quiet)
        run.hear(0.5 + 1.2 + 1.2)
        #expect(run.requests.isEmpty && run.desk.undecidedCount == 1 && run.desk.waitingCount == 0)
        run.hear(0.3)
        #expect(run.requests.map(\.priority) == [.final] && run.desk.waitingCount == 1)
        let speech = try #require(run.speechRanges.first)
        #expect(run.requests[0].range == speech.lowerBound - 3_200..<speech.upperBound + 3_200)
        run.hear()
        #expect(run.finals.isEmpty)
        try run.answer(run.newest)
        #expect(run.finals == [DeskRun.Final(words: ["so", "it", "goes"], range: speech)])
        run.expectComplete()
    }

    @Test("Speech that begins with the stream is decoded from the first sample")
    func beginning() throws {
        for (silence, isWhole) in [(0.1, true), (0.32, true), (0.5, false)] {
            var run = DeskRun("(\(silence)) so it goes (4)", Self.quiet)
            run.hear()
            let speech = try #require(run.speechRanges.first).lowerBound
            #expect(run.requests.first?.range.lowerBound == (isWhole ? 0 : speech - 3_200), "\(silence) s")
        }
    }

    @Test("In a file the pause that closes is longer")
    func filePause() throws {
        var run = DeskRun("so it goes (3.5) on (4.5)", DictationDesk.Settings())
        run.hear()
        #expect(run.requests.map(\.priority) == [.final] && run.speechRanges.count == 2)
        try run.answer(run.newest)
        run.expectComplete("so it goes on")
    }

    @Test("In a file of several languages a window ends where the other speaker may begin, at a pause of 0.7 s")
    func languagePause() throws {
        for (hasLanguages, pause, count) in [(true, 0.5, 1), (true, 0.9, 2), (false, 3, 1)] {
            var run = DeskRun("so it goes (\(pause)) on (5)", .file(hasLanguages: hasLanguages))
            run.hear()
            #expect(run.requests.count == count, "\(pause)")
        }
    }

    @Test("The end of a sentence closes earlier, once its text is known")
    func sentence() throws {
        var run = DeskRun("It is done. (2)", .live(.atPauses))
        run.hear(1.2 + 0.5)
        #expect(run.requests.map(\.priority) == [.pause])
        try run.answer(run.newest)
        #expect(run.guess == "It is done." && run.finals.isEmpty)
        run.hear(0.35)
        #expect(run.finals.isEmpty, "0.85 s")
        run.hear(0.25)
        #expect(run.text == "It is done." && run.requests.count == 1, "the text at the pause is final")
        run.expectComplete()

        var unfinished = DeskRun("It is (2)", .live(.atPauses))
        unfinished.hear(0.8 + 0.5)
        try unfinished.answer(unfinished.newest)
        unfinished.hear(0.65)
        #expect(unfinished.finals.isEmpty, "1.15 s")
        unfinished.hear(0.35)
        #expect(unfinished.text == "It is")
    }

    @Test("The end of a sentence of which the model is unsure closes no earlier, and may turn out to be none")
    func unsureSentence() throws {
        var run = DeskRun("And so my fellow (0.96) ask (1.5)", .live(.atPauses))
        run.hear(1.6 + 0.5)
        try run.answer(run.newest, .text(DecodedText(text: "And so am I fellow.", confidence: 0.59)))
        run.hear(0.96 - 0.5 + 0.4 + 0.5)
        #expect(run.finals.isEmpty && run.guess == "And so am I fellow.")
        try run.answer(run.newest)
        run.hear()
        #expect(run.finals.count == 1 && run.text == "And so my fellow ask")
        run.expectComplete()
    }

    @Test("Pauses of 0.9 s within a sentence leave it whole")
    func hesitating() throws {
        var run = DeskRun("well (0.9) this is (0.9) a long (0.9) story (1.5)", .live(.atPauses))
        run.delay = { _ in .milliseconds(200) }
        run.hear()
        #expect(run.requests.map(\.priority) == [.pause, .pause, .pause, .pause])
        #expect(run.finals.count == 1 && run.text == "well this is a long story")
        #expect(run.guesses.dropLast().starts(with: ["well", "well this is"]))
        run.expectComplete()
    }

    @Test("A user's own pause closes, also after a sentence")
    func closingPause() throws {
        for (pause, text) in [
            (0.5, "So it goes. (1)"), (0.5, "so it goes (1)"), (3, "so it goes (3.2)"), (3, "So it goes. (3.2)"),
        ] {
            var run = DeskRun(text, .live(.atPauses, closingPause: pause))
            run.delay = { _ in .milliseconds(10) }
            run.hear(1.2 + pause - 0.15)
            #expect(run.finals.isEmpty)
            run.hear(0.25)
            #expect(run.text.lowercased().hasPrefix("so it goes"))
        }
    }

    @Test("A long pause is decoded as one of 2 s, so that a window holds 28 s without it; words keep their times")
    func longPauses() throws {
        let words = SpeechScript.words(20)
        let text = words.joined(separator: " (3.5) ") + " (5)"
        var run = DeskRun(text, DictationDesk.Settings())
        run.answer = { script, request in .text(script.decoded(request.sound, .ofWords)) }
        run.hear()
        let first = try #require(run.requests.first)
        #expect(run.requests.count == 2, "\(run.requests.map(\.range))")
        for (range, next) in zip(first.sound, first.sound.dropFirst()) {
            let before = try #require(run.script.words.last { $0.range.upperBound <= range.upperBound })
            let after = try #require(run.script.words.first { $0.range.lowerBound >= next.lowerBound })
            #expect(range.upperBound == before.range.upperBound + 16_000)
            #expect(next.lowerBound == after.range.lowerBound - 16_000)
        }
        run.answerAll()
        #expect(run.text == words.joined(separator: " "))
        #expect(run.times == run.script.words.map(\.range))
        run.expectComplete()
    }

    @Test("28 s are cut at the longest pause of their second half", arguments: [file, quiet])
    func longSpeech(_ settings: DictationDesk.Settings) throws {
        // Words of 0.384 s and pauses of 0.32 s; the longest pause is in the first half.
        let words = SpeechScript.words(60)
        var text = words[..<12].joined(separator: " (0.3) ") + " (0.7) "
        text += words[12..<32].joined(separator: " (0.3) ") + " (0.5) "
        text += words[32...].joined(separator: " (0.3) ") + " (5)"
        var run = DeskRun(text, settings)
        run.hear()
        #expect(run.requests.count == 2)
        let pause = run.script.words[31].range.upperBound..<run.script.words[32].range.lowerBound
        #expect(run.requests[0].range == 0..<pause.lowerBound + 3_200)
        #expect(run.requests[1].range.lowerBound == pause.upperBound - 3_200)
        run.answerAll()
        #expect(run.text == words.joined(separator: " "))
        #expect(run.finals.map(\.words.count) == [32, 28])
        run.expectComplete()
    }

    @Test(
        "After a cut, no guess from before it stands for speech that can't be decoded: a word at the cut may be in neither part"
    )
    func failureAfterCut() throws {
        let words = SpeechScript.words(60)
        var run = DeskRun(
            words[..<32].joined(separator: " (0.3) ") + " (0.5) " + words[32...].joined(separator: " (0.3) ") + " (5)",
            .live(.atPauses))
        let pause = run.script.words[31].range.upperBound..<run.script.words[32].range.lowerBound
        run.delay = { _ in .milliseconds(50) }
        run.answer = { script, request in
            if request.range.lowerBound >= pause.lowerBound { return .failed(.stopped) }
            var text = script.decoded(request.sound, .ofWords)
            // The model places a word before the pause that it follows.
            for index in text.words.indices where text.words[index].text == words[32] {
                text.words[index].time = text.words[index].time.lowerBound - 900..<text.words[index].time.upperBound
            }
            return .text(text)
        }
        run.hear()
        #expect(run.finals.map(\.words) == [Array(words[..<32]), []])
        #expect(run.finals.last?.failure == .stopped && run.finals.last?.range.lowerBound == pause.upperBound)
        run.expectComplete()
    }

    @Test("With pauses in the first half only, it is cut at the last of them")
    func earlyPause() throws {
        let words = SpeechScript.words(80)
        var run = DeskRun(
            words[..<3].joined(separator: " ") + " (0.4) " + words[3..<6].joined(separator: " ") + " (0.2) "
                + words[6...].joined(separator: " ") + " (5)", Self.file)
        run.hear()
        run.answerAll()
        #expect(run.finals.first?.words.count == 6)
        run.expectComplete(words.joined(separator: " "))
    }

    @Test("Speech without any pause is cut after 28 s", arguments: [file, quiet, live])
    func noPause(_ settings: DictationDesk.Settings) throws {
        let words = SpeechScript.words(200)
        var run = DeskRun(words.joined(separator: " ") + " (5)", settings)
        run.delay = { _ in .milliseconds(300) }
        run.hear()
        run.answerAll()
        #expect(run.finals.map { seconds(Int64($0.range.count)) }.dropLast() == [28, 28])
        run.expectComplete(words.joined(separator: " "))
    }

    /// Sentences of so many words, and their last one, without a pause between words.
    private static func sentences(_ lengths: [Int]) -> [String] {
        var words = SpeechScript.words(lengths.reduce(0, +))[...]
        return lengths.map { length in
            defer { words = words.dropFirst(length) }
            let text = words.prefix(length).joined(separator: " ")
            return text.prefix(1).uppercased() + text.dropFirst() + "."
        }
    }

    /// A model that takes all that it hears for whole sentences.
    private static func wholeSentences(_ script: SpeechScript, _ request: DeskRun.Request) -> DecodingOutcome {
        let text = script.decoded(request.sound, .none).text
        return .text(
            DecodedText(
                text: text.prefix(1).uppercased() + text.dropFirst() + (text.hasSuffix(".") ? "" : "."), confidence: 0.9
            ))
    }

    @Test(
        "A sentence in which a window is cut is whole, and the window ends beside it",
        arguments: [file, DictationDesk.Settings.live(.none, finalizesFrequently: false)], [" ", " (0.15) "])
    func cutSentence(_ settings: DictationDesk.Settings, _ separator: String) {
        let sentences = Self.sentences([20, 40, 30, 12, 40, 30, 20])
        let text = sentences.joined(separator: " ").replacing(" ", with: separator)
        var run = DeskRun(text + " (5)", settings)
        run.answer = Self.wholeSentences
        run.hear()
        run.answerAll()
        #expect(run.finals.count > 2)
        for final in run.finals {
            let text = final.words.joined(separator: " ")
            #expect(sentences.contains { text.hasPrefix($0) } && sentences.contains { text.hasSuffix($0) }, "\(text)")
        }
        run.expectComplete(sentences.joined(separator: " "))
    }

    @Test("A sentence that goes on behind the pause of a cut is whole, where its text says so", arguments: ["", "..."])
    func cutSentenceAtPause(_ end: String) {
        let sentences = Self.sentences([50, 40])
        let words = sentences.joined(separator: " ").split(separator: " ")
        let text = words[..<60].joined(separator: " ") + " (0.5) " + words[60...].joined(separator: " ")
        var run = DeskRun(text + " (5)", Self.file)
        run.answer = { script, request in
            let text = script.decoded(request.sound, .none).text
            return .text(DecodedText(text: text.hasSuffix(".") ? text : text + end, confidence: 0.9))
        }
        run.hear()
        run.answerAll()
        #expect(run.finals.map { $0.words.joined(separator: " ") } == sentences)
        run.expectComplete()
    }

    @Test(
        "A cut sentence stays as it is where the speech around it can't be decoded, or its text meets no other",
        arguments: [
            DecodingOutcome.failed(.stopped), .failed(.refused(.repetition)),
            .text(DecodedText(text: "Quite other words.")),
        ])
    func cutSentenceStays(_ outcome: DecodingOutcome) {
        let sentences = Self.sentences([30, 60])
        var run = DeskRun(sentences.joined(separator: " ") + " (5)", Self.file)
        run.answer = { script, request in
            let isAround =
                script.words[60].range.lowerBound > request.range.lowerBound && request.range.lowerBound > 0
                && request.range.count < 25 * 16_000 && request.range.lowerBound < 20 * 16_000
            return isAround ? outcome : .text(script.decoded(request.sound, .none))
        }
        run.hear()
        run.answerAll()
        #expect(run.requests.count == 3)
        run.expectComplete(sentences.joined(separator: " "))
    }

    @Test("Where each sentence is waited for, a window is cut at the end of one rather than at a longer pause")
    func cutBetweenSentences() {
        let sentences = Self.sentences([44, 40])
        let words = sentences.joined(separator: " ").split(separator: " ")
        let text = [words[..<44], words[44..<54], words[54...]].map { $0.joined(separator: " ") }.joined(
            separator: " (0.3) ")
        var run = DeskRun(text.replacing("(0.3) " + words[54], with: "(0.4) " + words[54]) + " (5)", .live(.atPauses))
        // Only one text of the sentence comes before the cut.
        let script = run.script
        run.delay = { $0.range.upperBound < script.words[50].range.lowerBound ? nil : .milliseconds(100) }
        run.hear()
        run.answerAll()
        #expect(run.finals.map { $0.words.joined(separator: " ") } == sentences)
        run.expectComplete()
    }

    @Test("Texts around a cut meet at the words nearest to it, and not where the same is said again")
    func cutSentenceMeets() throws {
        func joined(_ before: String, _ around: String, from start: Int64, _ behind: String?, from cut: Int64)
            -> String?
        {
            CutSentence(
                PlacedText(words: before, pace: 5_600), PlacedText(words: around, from: start, pace: 5_600),
                PlacedText(words: behind ?? "", from: cut, pace: 5_600), isToEnd: behind == nil,
                reach: cut * 5_600 - 200_000...cut * 5_600 + 200_000
            ).map { $0.text.words.map(\.text).joined(separator: " ") }
        }
        #expect(
            joined("A bo. C d e f go.", "x D e f g h i j k", from: 3, "H i j ko. L mo.", from: 7)
                == "A bo. C d e f g h i j ko. L mo.")
        #expect(
            joined("A bo. C d e f xo.", "c d e f g h i jo", from: 2, "y h i jo. L.", from: 6)
                == "A bo. C d e f g h i jo. L.")
        #expect(joined("A bo. C d e f go.", "d e f g h io. J k", from: 3, nil, from: 7) == "A bo. C d e f g h io. J k")
        let refrain = "It was the age of wisdom, it was the age of"
        #expect(
            joined(
                refrain + ".", "age of wisdom, it was the age of light. It was the season", from: 3,
                "Light. It was the season of.", from: 11)
                == refrain + " light. It was the season of.")
        let echo = "A bo. We had a before us, we had a."
        #expect(
            joined(echo, "we had a before us, we had no before us", from: 2, nil, from: 10)
                == "A bo. We had a before us, we had no before us", "an echo ends the text before the cut")
        #expect(joined("A bo. C d eo.", "v w x y z", from: 3, "F g ho.", from: 5) == nil)
        #expect(joined("A bo.", "A b c d", from: 0, "C d eo.", from: 2) == nil, "too few words")
    }

    @Test("A cut just before speech ends leaves nothing behind", arguments: [file, live])
    func cutAtEnd(_ settings: DictationDesk.Settings) throws {
        // The detector hears for 0.1 s that speech has ended, and takes that for speech until then.
        for frames in 870...880 {
            var script = SpeechScript("")
            var rest = frames
            for word in SpeechScript.words(73) where rest > 0 {
                script.say(word, frames: min(12, rest))
                rest -= 12
            }
            script.pause(frames: 200)
            var run = DeskRun(script, settings)
            run.delay = { _ in .milliseconds(100) }
            run.hear()
            #expect(run.desk.undecidedCount == 0, "\(frames) frames")
            run.expectComplete()
            #expect(run.finals.count == (frames <= 875 ? 1 : 2), "\(frames) frames")
        }
    }

    @Test("A finish closes the window in the middle of speech, and what follows is another")
    func finish() throws {
        for settings in [Self.file, Self.live] {
            var run = DeskRun("one two three four five six (5)", settings)
            run.hear(4 * 0.384)
            run.finish()
            #expect(run.desk.waitingCount == 1)
            let request = try #require(run.requests.last)
            #expect(request.priority == .final && request.range.upperBound == run.heard)
            run.hear()
            run.answerAll()
            #expect(run.finals.map { $0.words.joined(separator: " ") } == ["one two three four", "five six"])
            run.expectComplete()
        }
    }

    @Test("What was finished is never decoded with sound that came later")
    func finishedSound() throws {
        var run = DeskRun("one (0.3) two (2)", Self.file)
        while run.frame < run.script.words[1].frames.upperBound + 1 { run.hearFrame() }
        run.finish()
        let end = run.heard
        run.hear()
        try run.answer(run.newest, .failed(.refused(.repetition)))
        #expect(run.requests.count == 3 && run.requests.allSatisfy { $0.range.upperBound <= end })
        run.answerAll()
        run.expectComplete("one two")
    }

    @Test("Sound that was finished is not decoded with speech that comes later")
    func soundBeforeFinish() throws {
        var run = DeskRun("one (0.25) two (5)", Self.file)
        while run.frame < run.script.words[0].frames.upperBound + 6 { run.hearFrame() }
        run.finish()
        let end = run.heard
        run.hear()
        #expect(run.requests.count == 2 && run.requests[1].range.lowerBound >= end)
        run.answerAll()
        run.expectComplete("one two")
    }

    @Test("A finish without speech, and one after everything is final, do nothing")
    func idleFinish() {
        var run = DeskRun("(1) one (5)", Self.file)
        run.hear(1)
        run.finish()
        #expect(run.requests.isEmpty && run.finals.isEmpty)
        run.hear()
        run.answerAll()
        run.finish()
        run.finish()
        #expect(run.finals.count == 1 && run.requests.count == 1)
        run.expectComplete()
    }

    // MARK: Guesses

    @Test("While someone speaks it is decoded again, when the answer has come and the share allows it")
    func rolling() throws {
        var run = DeskRun(Self.words(30, separator: " "))
        run.hear(0.4)
        #expect(run.requests.isEmpty, "0.4 s are too short")
        run.hear(0.2)
        #expect(run.requests.map(\.priority) == [.guess] && run.requests[0].range.upperBound <= run.heard)
        run.hear(2)
        #expect(run.requests.count == 1, "the first has no answer")
        try run.answer(run.newest)
        // It took 2 s, which are to be no more than their share of the time.
        run.hear(2 / DictationDesk.Settings().share - 2 - 0.1)
        #expect(run.requests.count == 1)
        run.hearUntilRequest()
        #expect(run.requests.count == 2 && run.requests[1].range.lowerBound == 0)
        try run.answer(run.newest)
        run.hear(0.38)
        #expect(run.requests.count == 2, "no more often than every 0.4 s, and for 0.5 s of new sound")
        run.hear(0.2)
        #expect(run.requests.count == 3)
    }

    @Test("Without guesses nothing is decoded before it is closed; at pauses it is decoded at pauses only")
    func guesses() {
        var none = DeskRun("one two (0.5) three four (0.5) five", Self.quiet)
        none.hear()
        #expect(none.requests.isEmpty)
        var atPauses = DeskRun("one two (0.5) three four (0.5) five", .live(.atPauses))
        atPauses.delay = { _ in .milliseconds(50) }
        atPauses.hear()
        #expect(atPauses.requests.map(\.priority) == [.pause, .pause])
        #expect(atPauses.guesses == ["one two", "one two three four"])
    }

    @Test("A decoding at a pause replaces a guess that has not heard the last word")
    func replaced() throws {
        var run = DeskRun("one two three (2)")
        run.hearUntilRequest()
        let guess = try #require(run.newest)
        run.hear(1.2 + 0.3 - seconds(run.heard))
        #expect(run.withdrawn == [guess] && run.requests.map(\.priority) == [.guess, .pause])
        run.answerWithdrawn(.text(DecodedText(text: "something else")))
        try run.answer(run.newest)
        #expect(run.guess == "one two three")
        run.hear()
        #expect(run.text == "one two three" && run.requests.count == 2)
        run.expectComplete()
    }

    @Test("A guess that has heard the last word is not replaced at the pause, nor when the window closes")
    func kept() throws {
        var run = DeskRun("Tomorrow (2)")
        // The detector takes the beginning of the pause for speech.
        while run.requests.isEmpty, !run.isAtEnd { run.hearFrame() }
        #expect(run.requests.count == 1)
        run.hear()
        let covers = run.requests[0].range.upperBound >= run.speechRanges[0].upperBound
        #expect(run.requests.count == (covers ? 1 : 2))
        try run.answer(run.newest)
        run.expectComplete("Tomorrow")
    }

    @Test(
        "A guess that fails is made again when the window closes",
        arguments: [
            DecodingOutcome.Failure.stopped, .refused(.decoding), .cancelled,
        ])
    func failedGuess(_ failure: DecodingOutcome.Failure) throws {
        // The last guess begins after the last word, before the detector is sure of the pause.
        var script = SpeechScript("")
        script.say("Now", frames: 15)
        script.pause(frames: 60)
        var run = DeskRun(script, Self.live)
        run.hear()
        #expect(run.requests.map(\.priority) == [.guess] && run.desk.waitingCount == 1, "it has heard the word")
        try run.answer(run.newest, .failed(failure))
        #expect(run.finals.isEmpty && run.requests.map(\.priority) == [.guess, .final])
        try run.answer(run.newest)
        run.expectComplete("Now")
    }

    @Test("A pause is decoded once in a hurry, and once with care, also where nothing comes of it")
    func failedPause() throws {
        var run = DeskRun("one two (0.3) three (2)", .live(.atPauses))
        run.answer = Self.roughly
        try run.answerNext()
        for _ in 0..<2 { try run.answerNext(.failed(.refused(.decoding))) }
        run.hearUntilRequest()
        #expect(run.requests.map(\.priority) == [.pause, .pause, .final, .final])
        #expect(run.desk.waitingCount == 1, "the window is closed")
        try run.answer(run.newest)
        run.expectComplete("one two three")
    }

    @Test("A rough text at a pause is shown, and replaced before the window closes; the other is final")
    func rough() throws {
        var run = DeskRun("It is done. (2)", .live(.atPauses))
        run.answer = Self.roughly
        run.hearUntilRequest()
        #expect(run.requests.map(\.priority) == [.pause])
        try run.answer(run.newest)
        #expect(run.guess == "It is done.")
        run.hearUntilRequest()
        #expect(run.requests.map(\.priority) == [.pause, .final] && run.desk.waitingCount == 0, "it is still open")
        #expect((0.5..<0.6).contains(seconds(run.heard - run.speechRanges[0].upperBound)))
        run.hear(0.7)
        #expect(run.finals.isEmpty, "the rough text does not close it")
        try run.answer(run.newest)
        run.hear()
        #expect(run.text == "It is done." && run.requests.count == 2)
        run.expectComplete()
    }

    @Test("A sentence that was heard in a hurry closes a window as well, though its last text takes longer")
    func roughSentence() {
        var run = DeskRun("It is done. (0.98) And on (3)")
        run.answer = Self.roughly
        run.delay = { $0.priority == .final ? .milliseconds(800) : .milliseconds(100) }
        run.hear(1.2 + 0.96 + 0.064)
        #expect(run.desk.waitingCount == 1 && run.requests.last?.priority == .final && run.finals.isEmpty)
        run.hear()
        #expect(run.finals.map { $0.words.joined(separator: " ") } == ["It is done.", "And on"])
        #expect(run.withdrawn.isEmpty)
        run.expectComplete()
    }

    @Test("Speech that goes on withdraws the text that was to be the last")
    func goesOn() throws {
        var run = DeskRun("one two (0.7) three (2)", .live(.atPauses))
        run.answer = Self.roughly
        try run.answerNext()
        run.hearUntilRequest()
        let settled = try #require(run.newest)
        while run.withdrawn.isEmpty, !run.isAtEnd { run.hearFrame() }
        #expect(run.requests.count == 2, "it is withdrawn as soon as speech goes on")
        run.hearUntilRequest()
        #expect(run.withdrawn == [settled] && run.requests.map(\.priority) == [.pause, .final, .pause])
        try run.answer(run.newest)
        run.delay = { _ in .milliseconds(10) }
        run.hear()
        #expect(run.text == "one two three" && run.requests.map(\.priority) == [.pause, .final, .pause, .final])
        run.expectComplete()
    }

    @Test("The text of a pause is waited for where the speech that goes on is too long for the window")
    func goesOnTooLong() throws {
        var run = DeskRun(Self.words(39) + " (0.8) four five (2)", .live(.atPauses))
        run.answer = Self.roughly
        run.delay = { $0.priority == .final ? nil : .milliseconds(10) }
        while run.requests.last?.priority != .final, !run.isAtEnd { run.hearFrame() }
        let text = try #require(run.newest)
        run.hear(0.8)
        #expect(run.withdrawn.isEmpty && run.newest == text && run.requests.count { $0.priority == .final } == 1)
        try run.answer(text)
        #expect(run.finals.map(\.words.count) == [39])
        run.delay = { _ in .milliseconds(10) }
        run.hear()
        run.expectComplete()
    }

    @Test("A window that closes waits for no rough text, and such a one does not decide it")
    func roughAtEnd() throws {
        var run = DeskRun("one two (0.6) three (0.3)", .live(.atPauses))
        run.answer = Self.roughly
        try run.answerNext()
        run.hear()
        let pause = try #require(run.newest)
        run.finish()
        #expect(run.withdrawn.last == pause && run.requests.last?.priority == .final)
        try run.answer(run.newest)
        run.expectComplete("one two three")

        // The first guess is on the way when it closes: it is not known yet that guesses are rough.
        var first = DeskRun("one two (0.3)", .live(.atPauses))
        first.answer = Self.roughly
        first.hear()
        first.finish()
        #expect(first.requests.map(\.priority) == [.pause])
        try first.answer(first.newest)
        #expect(first.finals.isEmpty && first.requests.map(\.priority) == [.pause, .final])
        try first.answer(first.newest)
        first.expectComplete("one two")
    }

    /// A text that begins with a capital, as a model begins all that it hears.
    private static func roughly(_ script: SpeechScript, _ request: DeskRun.Request) -> DecodingOutcome {
        var text = script.decoded(request.sound, .ofSentences)
        text.isRough = request.priority.isGuess
        if text.isRough, !text.segments.isEmpty {
            text.segments[0].text = text.segments[0].text.prefix(1).uppercased() + text.segments[0].text.dropFirst()
            text.text = text.segments.map(\.text).joined(separator: " ")
        }
        return .text(text)
    }

    // MARK: Agreement

    @Test("What two decodings agree on becomes final at the pause after a sentence, while someone speaks on")
    func agreement() throws {
        var run = DeskRun("This is one. (0.5) And this is two. (0.5) And so on it goes without an end")
        run.delay = { _ in .milliseconds(150) }
        while run.finals.isEmpty, !run.isAtEnd { run.hearFrame() }
        #expect(run.text == "This is one." && run.desk.undecidedCount == 1 && run.guess.hasPrefix("And"))
        #expect(run.finals[0].range.upperBound == run.speechRanges[0].upperBound)
        while run.finals.count == 1, !run.isAtEnd { run.hearFrame() }
        #expect(run.finals.map { $0.words.joined(separator: " ") } == ["This is one.", "And this is two."])
        run.expectAllSaid()
        for guess in run.guesses.suffix(4) { #expect(!guess.contains("one") && !guess.contains("two")) }
        run.expectComplete()
    }

    @Test("Where nobody waits for each sentence, what two decodings agree on stays a guess up to a pause of 2 s")
    func wholeWindows() throws {
        var run = DeskRun(
            "This is one. (0.5) And this is two. (1.8) So it ends here. (2.2)",
            .live(.rolling, finalizesFrequently: false))
        run.delay = { _ in .milliseconds(150) }
        run.hear()
        #expect(run.finals.map(\.words.count) == [11])
        #expect(run.guesses.contains("This is one. And this is two."))
        run.expectAllSaid()
        run.expectComplete()
    }

    /// A sentence of 5.4 s, and fluent speech after it.
    private static func longSpeech(pause: String = "") -> DeskRun {
        DeskRun(
            "This is one and there is more of it all the way up here. \(pause) And so it goes on "
                + words(40, separator: " "))
    }

    @Test("Shown words after a sentence keep it open while the window is short; in a long one it is decoded by itself")
    func shownWords() throws {
        var run = Self.longSpeech(pause: "(0.25)")
        run.delay = { _ in .seconds(1) }
        run.answer = { script, request in
            request.priority == .pause ? .failed(.stopped) : .text(script.decoded(request.sound, .ofSentences))
        }
        while run.finals.isEmpty, !run.isAtEnd { run.hearFrame() }
        #expect(run.text == "This is one and there is more of it all the way up here." && run.heard > 10 * 16_000)
        #expect(run.requests.filter { $0.priority == .final }.map(\.range.lowerBound) == [0])
        #expect(run.guess.hasPrefix("And so it goes on"))
        var quick = DeskRun("This is one. (0.4) And so it goes on " + Self.words(40, separator: " "))
        quick.delay = { _ in .milliseconds(100) }
        while quick.finals.isEmpty, !quick.isAtEnd { quick.hearFrame() }
        #expect(quick.text == "This is one." && quick.heard < 5 * 16_000, "it was decoded at the pause")
    }

    @Test("A changed word in the middle of a guess is shown when the next decoding has it, too")
    func steady() throws {
        var run = DeskRun(Self.words(30, separator: " "))
        try run.answerNext()
        var shown: [String] = []
        for text in [
            "one two three", "one too three four", "one two three four", "one too three four",
            "one too three four five",
        ] {
            try run.answerNext(.text(DecodedText(text: text)))
            shown.append(run.guess)
        }
        #expect(shown == ["one two", "one two three", "one two three", "one two three", "one too three four"])
    }

    @Test("The last word of a guess is shown when the next one is heard, or in a pause, and not hidden again")
    func lastWord() throws {
        var run = DeskRun("one two three four five six (0.5) seven eight nine ten eleven")
        try run.answerNext(.text(DecodedText(text: "One")))
        #expect(run.guess == "One", "a guess of one word is shown")
        try run.answerNext(.text(DecodedText(text: "One to")))
        #expect(run.guess == "One")
        while run.requests.last?.priority != .pause { run.hearFrame() }
        #expect(run.guess == "One to" && run.guesses.last == run.guess)
        try run.answer(run.newest, .text(DecodedText(text: "One two three.")))
        #expect(run.guess == "One two three.")
        while run.requests.last?.priority != .guess { run.hearFrame() }
        #expect(run.guess == "One two three.")
        try run.answer(run.newest, .text(DecodedText(text: "One two three")))
        #expect(run.guess == "One two three")
        try run.answerNext(.text(DecodedText(text: "One two three four")))
        #expect(run.guess == "One two three")
    }

    @Test("A word that stays in the guess stays there when speech without a pause is cut")
    func steadyAtCut() throws {
        var run = DeskRun(Self.words(100, separator: " "))
        for _ in 0..<8 { try run.answerNext() }
        try run.answerNext(.text(DecodedText(text: "one two three four five six seven eight")))
        try run.answerNext(.text(DecodedText(text: "one too three four five six seven eight nine")))
        #expect(run.guess == "one two three four five six seven eight")
        while run.desk.undecidedCount < 2 { run.hearFrame() }
        #expect(run.guess == "one two three four five six seven eight")
    }

    @Test("A sentence that ends in one of two decodings only, or that no pause follows, is not final")
    func disagreement() throws {
        var changing = DeskRun("This is one. (0.5) And so on it goes without an end or anything at all")
        changing.delay = { _ in .milliseconds(150) }
        var count = 0
        changing.answer = { script, request in
            var text = script.decoded(request.sound, .ofSentences)
            count += 1
            if count.isMultiple(of: 2) {
                text.segments[0].text = text.segments[0].text.replacing("one.", with: "won't")
                text.text = text.text.replacing("one.", with: "won't")
            }
            return .text(text)
        }
        changing.hear()
        #expect(changing.finals.isEmpty && changing.requests.count > 4)

        var fluent = DeskRun("This is one. And so on it goes without an end (0.5) or anything at all")
        fluent.delay = { _ in .milliseconds(150) }
        fluent.hear()
        #expect(fluent.finals.isEmpty && fluent.requests.count > 4)
    }

    @Test("A pause that is far from where the model ends a sentence makes nothing final")
    func farPause() {
        var run = DeskRun("This is one. So (0.4) it goes on and on without an end or anything (0.3) at all")
        run.delay = { _ in .milliseconds(150) }
        run.hear()
        #expect(run.finals.isEmpty && run.requests.count > 4)
        run.expectAllSaid()
    }

    @Test("A pause before a sentence's last word is not its end, also where a guess ended with that word")
    func pauseInSentence() {
        var run = DeskRun("This is (0.4) one. And so it goes on and on (0.5) without an end or anything")
        run.delay = { _ in .milliseconds(150) }
        // A guess leaves out the words that have just begun.
        run.answer = { script, request in
            let end = request.range.upperBound - (request.priority == .guess ? 9600 : 0)
            return .text(script.decoded(request.sound.before(end), .ofSentences))
        }
        run.expectAllSaid()
    }

    @Test(
        "In long speech without pauses, a sentence that the model has a time for is decoded by itself up to a quiet moment"
    )
    func boundary() throws {
        var run = Self.longSpeech()
        run.delay = { _ in .milliseconds(150) }
        let quiet = run.script.words[14].range.lowerBound
        run.desk.quietest = { $0.contains(quiet) ? quiet : $0.upperBound }
        while run.finals.isEmpty, !run.isAtEnd { run.hearFrame() }
        #expect(run.text == "This is one and there is more of it all the way up here.")
        #expect(run.finals.first?.range.upperBound == quiet)
        run.expectAllSaid()
    }

    @Test("Where long speech is divided in a word, that word is final once, also at the last pause")
    func boundaryInWord() throws {
        let first = "This is one and there is more of it all the way up here. And so it goes on "
        for word in [13, 14] {
            var run = DeskRun(first + Self.words(15, separator: " ") + " (0.3) that was it. (3)", .live(.atPauses))
            run.delay = { _ in .milliseconds(150) }
            let said = run.script.words
            let quiet = word == 13 ? said[word].range.lowerBound + 1_000 : said[word].range.upperBound - 1_000
            run.desk.quietest = { $0.contains(quiet) ? quiet : $0.upperBound }
            run.hear()
            run.finish()
            run.answerAll()
            #expect(run.requests.contains { $0.range.upperBound == quiet })
            #expect(run.text == said.map(\.text).joined(separator: " "))
            run.expectComplete()
        }
    }

    @Test(
        "What follows the end of a sentence behind a long pause begins with a capital, as a model forgets now and then",
        arguments: [
            ("One two.", "and three", "And"), ("One two?", "and three", "And"), ("One two", "and three", "and"),
            ("One two...", "and three", "and"), ("Mr.", "miller said", "miller"), ("One.", "iPhone was it", "iPhone"),
        ])
    func capital(_ first: String, _ second: String, _ beginning: String) {
        var run = DeskRun("\(first) (3) \(second)", .live(.none))
        run.delay = { _ in .zero }
        run.hear()
        run.finish()
        run.answerAll()
        #expect(run.finals.count == 2 && run.finals.last?.words.first == beginning)
    }

    @Test(
        "Of speech that can't be decoded the guess is kept, without a last word that may be half of one, and the rest is lost"
    )
    func keptGuess() {
        var run = DeskRun(Self.words(40, separator: " "), .live(.rolling, finalizesFrequently: false))
        run.delay = { _ in .milliseconds(150) }
        run.answer = { script, request in
            request.priority == .final ? .failed(.stopped) : .text(script.decoded(request.sound, .ofWords))
        }
        while run.guess.count(where: { $0 == " " }) < 10 { run.hearFrame() }
        let shown = run.guess
        run.finish()
        run.answerAll()
        #expect(run.text == shown && run.finals.map(\.failure) == [nil, .stopped])
        run.expectComplete()
    }

    @Test(
        "A part without a pause at its end that can't be decoded is lost: a word beside its end may not be in the guess"
    )
    func lostPart() throws {
        var run = Self.longSpeech()
        run.delay = { _ in .milliseconds(150) }
        run.answer = { script, request in
            request.priority == .final ? .failed(.stopped) : .text(script.decoded(request.sound, .ofSentences))
        }
        while run.finals.isEmpty, !run.isAtEnd { run.hearFrame() }
        let lost = try #require(run.finals.first)
        #expect(
            lost.words.isEmpty && lost.failure == .stopped
                && lost.range.lowerBound == run.script.words[0].range.lowerBound)
        #expect(run.guess.hasPrefix("And so it goes on"))
    }

    // MARK: The end of long speech

    /// Long speech that is guessed at roughly.
    private static func fluent() -> DeskRun {
        var run = DeskRun("It begins " + words(40, separator: " "))
        run.answer = roughly
        run.delay = { _ in .milliseconds(150) }
        return run
    }

    @Test("Of long speech only the end is decoded for a rough guess, behind the words that were heard before")
    func tail() throws {
        var run = Self.fluent()
        run.hear()
        let (whole, tails) = (
            run.requests.filter { $0.range.lowerBound == 0 }, run.requests.filter { $0.range.lowerBound > 0 }
        )
        #expect(whole.allSatisfy { $0.range.upperBound <= 10 * 16_000 } && tails.count > 8)
        #expect(tails.allSatisfy { $0.priority != .guess || $0.range.count <= 10 * 16_000 })
        // The start moves on now and then, so that one decoding differs less from the next.
        #expect(Set(tails.map(\.range.lowerBound)).count < tails.count / 2)
        let said = run.script.words.map(\.text)
        for guess in run.guesses { #expect(said.starts(with: guess.split(separator: " ").dropLast().map(String.init))) }
        run.finish()
        run.answerAll()
        #expect(run.text == said.joined(separator: " ") && run.requests.last?.range.lowerBound == 0)
        run.expectComplete()
    }

    @Test("An end that does not go on from the words before is not shown, and all speech is decoded again")
    func lostSeam() throws {
        var run = Self.fluent()
        run.answer = { script, request in
            guard request.range.lowerBound > 0 else { return Self.roughly(script, request) }
            return .text(DecodedText(text: "quite another text", isRough: true))
        }
        run.hear()
        let ends = run.requests.filter { $0.range.upperBound > 10 * 16_000 }.map { $0.range.lowerBound > 0 }
        #expect(ends.count > 6 && zip(ends, ends.dropFirst()).allSatisfy { $0 != $1 }, "one after the other")
        #expect(run.guesses.allSatisfy { !$0.contains("another") })
        run.expectAllSaid()
    }

    @Test("The seam of two texts is where both have three words, though the first may be half a word")
    func seam() throws {
        func seam(_ old: String, _ new: String, at start: Int64) -> [Int]? {
            Agreement(PlacedText(words: old), PlacedText(words: new, from: start)).seam().map { [$0.old, $0.new] }
        }
        #expect(seam("a b c d e f g", "c d e f g h", at: 2) == [2, 0])
        #expect(seam("a b c d e f g", "c d e f g h", at: 0) == [2, 0], "the times of words are not exact")
        #expect(seam("a b c d e f g", "x d E, f g h", at: 2) == [3, 1])
        #expect(seam("a a a a a a", "a a a a", at: 3) == [3, 0], "the nearest of many")
        #expect(seam("it was the spring it was the wind", "it was the spring it was the winter", at: 4) == [0, 0])
        #expect(seam("a b c d e f g", "x y z f g", at: 4) == nil)
        #expect(seam("a b", "a b", at: 0) == nil && seam("", "a b c", at: 0) == nil)
    }

    @Test("Words that are said again and again are the same only at the same time: what is between is not lost")
    func seamInTime() {
        // A new text begins at "it was the epoch of incredulity", of which the old one has the first word.
        let (old, new) = ("it was the epoch of belief it", "it was the epoch of incredulity it was the season")
        let pace: Int64 = 5_600
        let said = PlacedText(words: old, pace: pace)
        #expect(Agreement(said, PlacedText(words: new, from: 6, pace: pace)).seam() == nil)
        let more = PlacedText(words: old + " was the epoch", pace: pace)
        let seam = Agreement(more, PlacedText(words: new, from: 6, pace: pace)).seam()
        #expect(seam?.old == 6 && seam?.new == 0)
    }

    @Test("What is agreed on waits for the windows before")
    func agreementWaits() throws {
        var run = DeskRun("one two (1.5) This is one. (0.5) And so on it goes without an end or anything")
        run.delay = { $0.range.lowerBound == 0 ? nil : .milliseconds(150) }
        run.hear()
        #expect(run.finals.isEmpty && run.desk.undecidedCount == 3)
        #expect(run.guess.hasPrefix("This is one. And so on"), "it is still shown")
        run.answerAll()
        #expect(run.finals.map { $0.words.joined(separator: " ") } == ["one two", "This is one."])
        run.expectAllSaid()
    }

    @Test("A word that the model places beyond a pause is final once", arguments: SpeechScript.Times.allCases)
    func misplaced(_ times: SpeechScript.Times) throws {
        var run = DeskRun("This is one. (0.4) And (0.5)")
        run.delay = { $0.priority == .final ? nil : .milliseconds(100) }
        run.answer = { script, request in
            var text = script.decoded(request.sound, times)
            for index in text.words.indices where text.words[index].text == "one." {
                text.words[index].time = text.words[index].time.lowerBound..<text.words[index].time.upperBound + 300
            }
            return .text(text)
        }
        run.hear()
        run.finish()
        run.answerAll()
        run.expectComplete("This is one. And")
    }

    @Test("A short sentence that the model places before the speech is not lost", arguments: [live, quiet, file])
    func tooEarly(_ settings: DictationDesk.Settings) throws {
        var run = DeskRun("(1) No. That is wrong (5)", settings)
        run.delay = { _ in .milliseconds(100) }
        run.answer = { script, request in
            var text = script.decoded(request.sound, .ofSentences)
            if text.segments.count > 1 {
                text.segments[0].time = 0..<100
                text.segments[1].time = 100..<text.segments[1].time.upperBound
            }
            return .text(text)
        }
        run.hear()
        run.expectComplete("No. That is wrong")
    }

    // MARK: Missing words

    /// Answers the first request as if the model had heard no more than the first twelve words.
    private static func answerFirstWords(_ run: inout DeskRun, _ times: SpeechScript.Times) throws {
        run.hear()
        try #require(run.requests.count == 1)
        let heard = run.requests[0].range.lowerBound..<run.script.words[11].range.upperBound
        try run.answer(run.newest, .text(run.script.decoded([heard], times)))
    }

    @Test(
        "Speech that goes on behind the model's text is decoded by itself", arguments: ["(1) ", "(0.3) ", ""],
        [SpeechScript.Times.ofWords, .ofSentences])
    func unheard(pause: String, times: SpeechScript.Times) throws {
        let words = SpeechScript.words(24)
        let (first, second) = (words[..<12].joined(separator: " "), words[12...].joined(separator: " "))
        var run = DeskRun("\(first) \(pause)\(second) (5)", Self.file)
        try Self.answerFirstWords(&run, times)
        #expect(run.finals.flatMap(\.words) == words.dropLast(12) && run.requests.count == 2)
        let end = run.script.words[11].range.upperBound
        #expect(run.times.last?.upperBound ?? 0 <= end + 3_200 && run.requests[1].range.lowerBound >= end - 4_800)
        try run.answer(run.newest)
        #expect(run.finals.flatMap(\.words) == words)
        run.expectComplete()
    }

    @Test(
        "What somebody says again, word for word, is kept twice, though the model's text ends before it",
        arguments: [0, 8])
    func saidTwice(others: Int) throws {
        let words = SpeechScript.words(12 + others)
        let again = Array(words[others...])
        var run = DeskRun("\(words.joined(separator: " ")) (1) \(again.joined(separator: " ")) (5)", Self.file)
        run.hear()
        try #require(run.requests.count == 1)
        let heard = run.requests[0].range.lowerBound..<run.script.words[words.count - 1].range.upperBound
        try run.answer(run.newest, .text(run.script.decoded([heard], .ofSentences)))
        #expect(run.requests.count == 2)
        try run.answer(run.newest)
        #expect(run.finals.flatMap(\.words) == words + again)
        run.expectComplete()
    }

    @Test(
        "Speech behind the model's time for the end of its text adds nothing to it where the text had it already",
        arguments: [false, true])
    func heardTwice(isJoined: Bool) throws {
        let words = SpeechScript.words(24)
        let (first, second) = (words[..<12].joined(separator: " "), words[12...].joined(separator: " "))
        var run = DeskRun(
            "\(first) (\(isJoined ? 0.5 : 1)) \(second) (5)", isJoined ? .file(hasLanguages: true) : Self.file)
        run.hear()
        try #require(run.requests.count == 1)
        let heard = run.requests[0].range.lowerBound..<run.script.words[11].range.upperBound
        var text = run.script.decoded([heard], .ofSentences)
        for place in text.segments.indices { text.segments[place].text += " " + second }
        text.text += " " + second
        try run.answer(run.newest, .text(text))
        #expect(run.requests.count == 2)
        try run.answer(run.newest)
        #expect(run.finals.flatMap(\.words) == words)
        run.expectComplete()
    }

    @Test(
        "A short answer behind a pause that the model's text leaves out is decoded by itself, and adds nothing to a text that has it",
        arguments: ["0.5", "1"], [false, true])
    func shortAnswer(pause: String, isInText: Bool) throws {
        let words = SpeechScript.words(13)
        var run = DeskRun("\(words.dropLast().joined(separator: " ")) (\(pause)) \(words[12]) (5)", Self.file)
        run.hear()
        try #require(run.requests.count == 1)
        let heard = run.requests[0].range.lowerBound..<run.script.words[11].range.upperBound
        var text = run.script.decoded([heard], .ofSentences)
        if isInText {
            text.text += " " + words[12]
            text.segments[text.segments.count - 1].text += " " + words[12]
        }
        try run.answer(run.newest, .text(text))
        #expect(run.requests.count == 2 && run.requests[1].range.upperBound >= run.script.words[12].range.upperBound)
        try run.answer(run.newest)
        #expect(run.finals.flatMap(\.words) == words)
        run.expectComplete()
    }

    @Test(
        "A short answer whose time the model gives to the sentence's last word is decoded by itself; nothing is added where that word is said there",
        arguments: ["0.5", "1"], [false, true])
    func answerUnderLastWord(pause: String, isInText: Bool) throws {
        let words = SpeechScript.words(13)
        var run = DeskRun("\(words.dropLast().joined(separator: " ")) (\(pause)) \(words[12]) (5)", Self.file)
        run.hear()
        try #require(run.requests.count == 1)
        let text = (isInText ? words : words.dropLast()).joined(separator: " ")
        try run.answer(run.newest, .text(DecodedText(text: text, confidence: 0.9)))
        let (last, answer) = (run.script.words[11].range, run.script.words[12].range)
        #expect(run.requests.count == 2 && run.requests[1].range.lowerBound >= last.upperBound)
        try run.answer(run.newest)
        if !isInText {
            #expect(run.requests.count == 3 && run.requests[2].range.upperBound <= answer.lowerBound)
            try run.answer(run.newest)
        }
        #expect(run.requests.count == (isInText ? 2 : 3))
        #expect(run.finals.flatMap(\.words) == words)
        run.expectComplete()
    }

    @Test(
        "A short end whose text the model is not sure of adds nothing, nor one behind a part that lacks the last word")
    func doubtfulAnswer() throws {
        for (answer, part) in [(("noise", 0.3), nil), (("five", 0.9), "one two three")] as [((String, Double), String?)]
        {
            var run = DeskRun("one two three four (1) five (5)", Self.file)
            run.hear()
            try run.answer(run.newest, .text(DecodedText(text: "one two three four", confidence: 0.9)))
            try run.answer(run.newest, .text(DecodedText(text: answer.0, confidence: answer.1)))
            if let part { try run.answer(run.newest, .text(DecodedText(text: part, confidence: 0.9))) }
            #expect(run.text == "one two three four")
            run.expectComplete()
        }
    }

    @Test(
        "Speech behind a text of few words is kept whole, though it begins with these words or is the same once more",
        arguments: [(1, 11), (3, 0), (1, 0)])
    func saidAgain(count: Int, others: Int) throws {
        let words = SpeechScript.words(count + others)
        let first = Array(words[..<count])
        let spoken = { (words: [String]) in words.joined(separator: " ") }
        var run = DeskRun("\(spoken(first)) (1) \(spoken(words)) (5)", Self.file)
        run.hear()
        try #require(run.requests.count == 1)
        let heard = run.requests[0].range.lowerBound..<run.script.words[count - 1].range.upperBound
        try run.answer(run.newest, .text(run.script.decoded([heard], .ofSentences)))
        #expect(run.requests.count == 2)
        try run.answer(run.newest)
        #expect(run.finals.flatMap(\.words) == first + words)
        run.expectComplete()
    }

    @Test("A moment of speech behind the model's text is none by itself")
    func unheardMoment() throws {
        var run = DeskRun(Self.words(15, separator: " ") + " (5)", Self.file)
        try Self.answerFirstWords(&run, .ofSentences)
        #expect(run.requests.count == 1 && run.finals.count == 1)
        #expect(run.times.last?.upperBound == run.speechRanges.last?.upperBound)
        run.expectComplete()
    }

    @Test("Speech that a model without times leaves out is decoded, though there is no pause before it")
    func unheardWithoutTimes() throws {
        var run = DeskRun(Self.words(24, separator: " ") + " (5)", Self.file)
        let ends = run.script.words.map(\.range.upperBound)
        run.desk.quietest = { range in ends.first(where: range.contains) ?? range.upperBound }
        try Self.answerFirstWords(&run, .none)
        run.answerAll()
        run.expectComplete(Self.words(24, separator: " "))
    }

    /// A text of some words, for which a model gives all the time of a request.
    private static func spread(_ words: some Collection<String>, over request: DeskRun.Request) -> DecodingOutcome {
        let text = words.joined(separator: " ")
        let length = request.sound.reduce(0) { $0 + Int64($1.count) }
        return .text(
            DecodedText(text: text, confidence: 0.8, segments: [DecodedText.Piece(text: text, time: 0..<length / 16)]))
    }

    /// A script of three speakers, who say twelve words each.
    private static let threeSpeakers = {
        let words = SpeechScript.words(36)
        let said = [words[..<12], words[12..<24], words[24...]].map { $0.joined(separator: " ") }
        return (words: words, text: "\(said[0]) (1) \(said[1]) (0.5) \(said[2]) (5)")
    }()

    @Test("A text of few words for its time is replaced by those of the parts of the speech", arguments: [0, 12, 24])
    func fewWords(first: Int) throws {
        let (words, text) = Self.threeSpeakers
        var run = DeskRun(text, Self.file)
        run.hear()
        try run.answer(run.newest, Self.spread(words[first..<first + 12], over: run.requests[0]))
        #expect(run.finals.isEmpty && run.requests.count == 2)
        let pause = run.speechRanges[0].upperBound..<run.speechRanges[1].lowerBound
        #expect(pause.contains(run.requests[1].range.upperBound))
        try run.answer(run.newest)
        #expect(run.finals.isEmpty && run.requests.count == 3)
        #expect(run.requests[2].range.lowerBound >= run.requests[1].range.upperBound)
        #expect(pause.contains(run.requests[2].range.lowerBound))
        try run.answer(run.newest)
        #expect(run.requests.count == 3)
        run.expectComplete(words.joined(separator: " "))
    }

    @Test("Speech with few words that has no pause is divided where they end, at the quietest moment near that")
    func fewWordsWithoutPause() throws {
        let words = Self.threeSpeakers.words
        var run = DeskRun(words.joined(separator: " ") + " (5)", Self.file)
        let ends = run.script.words.map(\.range.upperBound)
        run.desk.quietest = { range in ends.first(where: range.contains) ?? range.upperBound }
        run.hear()
        try run.answer(run.newest, Self.spread(words[..<12], over: run.requests[0]))
        run.answerAll()
        #expect(run.requests.count >= 3 && ends.contains(run.requests[1].range.upperBound))
        run.expectComplete(words.joined(separator: " "))
    }

    @Test("A part with few words is decoded in parts as well")
    func fewWordsOfPart() throws {
        let (words, text) = Self.threeSpeakers
        var run = DeskRun(text, Self.file)
        run.hear()
        try run.answer(run.newest, Self.spread(words[..<12], over: run.requests[0]))
        try run.answer(run.newest)
        try run.answer(run.newest, Self.spread(words[24...], over: run.requests[2]))
        #expect(run.text == words[..<12].joined(separator: " ") && run.requests.count == 4)
        run.answerAll()
        #expect(run.requests.count == 5)
        run.expectComplete(words.joined(separator: " "))
    }

    @Test("A text of few words stays where the parts have no more, or can't be decoded", arguments: [0, 1, 2])
    func fewWordsAgain(failures: Int) throws {
        let (words, text) = Self.threeSpeakers
        var run = DeskRun(text, Self.file)
        run.hear()
        try run.answer(run.newest, Self.spread(words[..<12], over: run.requests[0]))
        for part in 0..<2 {
            let fewer = Self.spread(words[part * 4..<part * 4 + 6], over: run.requests[part + 1])
            try run.answer(run.newest, part < failures ? .failed(.refused(.length)) : fewer)
        }
        #expect(run.requests.count == 3)
        run.expectComplete(words[..<12].joined(separator: " "))
    }

    @Test("Where a part can't be decoded and the other has more, it is decoded once more, and lost if that is in vain")
    func fewWordsFailure() throws {
        let (words, text) = Self.threeSpeakers
        for isLost in [false, true] {
            var run = DeskRun(text, Self.file)
            run.hear()
            try run.answer(run.newest, Self.spread(words[..<12], over: run.requests[0]))
            try run.answer(run.newest, .failed(.cancelled))
            try run.answer(run.newest)
            #expect(run.requests.count == 4 && run.requests[3].range == run.requests[1].range)
            try run.answer(run.newest, isLost ? .failed(.cancelled) : nil)
            #expect(run.finals.map(\.failure) == [isLost ? .cancelled : nil, nil])
            run.expectComplete(words[(isLost ? 12 : 0)...].joined(separator: " "))
        }
    }

    @Test("A sentence of few words for its time is not final while someone speaks on")
    func fewWordsLive() {
        let words = SpeechScript.words(36)
        let said = [words[..<12], words[12..<24], words[24...]].map { $0.joined(separator: " ") + "." }
        var run = DeskRun("\(said[0]) (0.6) \(said[1]) (0.5) \(said[2]) (5)", Self.live)
        run.delay = { _ in .milliseconds(100) }
        run.answer = { script, request in
            var text = script.decoded(request.sound, .ofSentences)
            guard text.text.hasPrefix(words[0]), text.segments.count > 1 else { return .text(text) }
            // The model leaves the second speaker out, wherever it hears the first as well.
            let end = text.segments.remove(at: 1).time.upperBound
            text.segments[0].time = text.segments[0].time.lowerBound..<end
            text.text = text.segments.map(\.text).joined(separator: " ")
            return .text(text)
        }
        run.hear()
        run.expectComplete()
        #expect(run.text.lowercased() == said.joined(separator: " "))
    }

    @Test("People who say few words without a pause, or for a moment, are not heard again")
    func fewWordsSaid() throws {
        for (text, words) in [
            ("\(Self.threeSpeakers.words[..<12].joined(separator: " ")) (5)", 2), ("a b (0.5) c d (5)", 4),
        ] {
            var run = DeskRun(text, Self.file)
            run.hear()
            let said = run.script.words.prefix(words).map(\.text)
            try run.answer(run.newest, Self.spread(said, over: run.requests[0]))
            #expect(run.requests.count == 1)
            run.expectComplete(said.joined(separator: " "))
        }
    }

    // MARK: Language

    /// A text of a script, in a language in which the model has a confidence.
    private static func text(
        _ run: DeskRun, _ range: Range<Int64>, _ language: String, _ confidence: Double
    ) -> DecodingOutcome {
        var text = run.script.decoded([range], .ofSentences)
        (text.language, text.confidence) = (language, confidence)
        return .text(text)
    }

    @Test(
        "A short window in another language than a long one before is decoded in that as well, and the surer text is kept",
        arguments: [(0.5, 0.4, "Hi there"), (0.5, 0.3, "Yes"), (0.7, 0.55, "Yes"), (0.7, 0.65, "Hi there")])
    func shortForeignWindow(detected: Double, confidence: Double, text: String) throws {
        var run = DeskRun("This was said in one language at length (5) Yes (5)", Self.file)
        run.hear()
        #expect(run.requests.map(\.language) == [nil, nil])
        let (long, short) = (run.requests[0].range, run.requests[1].range)
        // Side by side, the short one may be first.
        try run.answer(run.newest, Self.text(run, short, "de", detected))
        #expect(run.finals.isEmpty)
        try run.answer(run.newest, Self.text(run, long, "en", 0.8))
        #expect(run.finals.count == 1 && run.requests.map(\.language) == [nil, nil, "en"])
        #expect(run.requests[2].range == short)
        let other = DecodedText(text: "Hi there", language: "en", confidence: confidence)
        try run.answer(run.newest, .text(other))
        #expect(run.finals.last?.words.joined(separator: " ") == text)
        run.expectComplete()
    }

    @Test(
        "A long window is believed, and so is a short one while no long one was heard; a failure keeps the detected text"
    )
    func language() throws {
        var run = DeskRun("Yes (5) Dies hier ist lang genug und noch mehr (5) Yes (5)", Self.file)
        run.hear()
        let ranges = run.requests.map(\.range)
        for (range, language) in zip(ranges, ["en", "de", "en"]) {
            try run.answer(run.waiting.keys.min(), Self.text(run, range, language, 0.5))
        }
        #expect(run.finals.count == 2 && run.requests.map(\.language) == [nil, nil, nil, "de"])
        try run.answer(run.newest, .failed(.refused(.repetition)))
        #expect(run.finals.map { $0.words.joined(separator: " ") }.last == "Yes")
        run.expectComplete()

        // Two speakers, each in a language of their own.
        var two = DeskRun(
            "Dies hier ist lang genug und noch mehr (5) This was said in one language at length (5) Ja (5)", Self.file)
        two.hear()
        for (range, language) in zip(two.requests.map(\.range), ["de", "en", "de"]) {
            try two.answer(two.waiting.keys.min(), Self.text(two, range, language, 0.5))
        }
        #expect(two.finals.count == 3 && two.requests.count == 3)

        var settled = DeskRun("Dies hier ist lang genug und noch mehr (5) Yes (5)", Self.file)
        settled.hear()
        let wanted = settled.requests.map(\.range)
        for (range, language) in zip(wanted, ["de", "en"]) {
            try settled.answer(settled.waiting.keys.min(), Self.text(settled, range, language, 0.5))
        }
        settled.settle()
        #expect(settled.finals.count == 2 && settled.text.hasSuffix("Yes"))
    }

    @Test(
        "Speech behind the text of a window that was decoded in the language of the stream is lost if it can't be decoded"
    )
    func lostBehindRetry() throws {
        var run = DeskRun("This was said in one language at length (5) Ja und so weiter noch mehr (5)", Self.file)
        run.hear()
        let (long, short) = (run.requests[0].range, run.requests[1].range)
        try run.answer(run.waiting.keys.min(), Self.text(run, long, "en", 0.8))
        try run.answer(run.newest, Self.text(run, short, "de", 0.5))
        let heard = short.lowerBound..<run.script.words[8].range.upperBound
        try run.answer(run.newest, Self.text(run, heard, "en", 0.5))
        #expect(run.finals.count == 2 && run.requests.count == 4)
        try run.answer(run.newest, .failed(.stopped))
        #expect(run.finals.map(\.failure) == [nil, nil, .stopped])
    }

    /// Hears turns, and answers each in its language; returns the run, whose joined turns wait.
    private static func turns(_ script: String, _ languages: [String]) throws -> DeskRun {
        var run = DeskRun(script, .file(hasLanguages: true))
        run.hear()
        run.finish()
        #expect(run.requests.count == languages.count)
        let requests = run.waiting.sorted { $0.key < $1.key }
        for (language, (identifier, request)) in zip(languages, requests) {
            try run.answer(identifier, text(run, request.range, language, 0.5))
        }
        return run
    }

    @Test("Turns in one language are decoded once more as one, in that language; those in another are apart")
    func joinedTurns() throws {
        let script =
            "We begin this with a long and slow (1) sentence that goes on (1) Dies hier ist lang genug und noch mehr (1) so (3) it is"
        var run = try Self.turns(script, ["en", "en", "de", "en", "en"])
        let joined = try #require(run.requests.last)
        #expect(run.waiting.count == 1 && run.finals.isEmpty && joined.language == "en")
        #expect(joined.range.lowerBound == run.requests[0].range.lowerBound)
        #expect(joined.range.upperBound == run.requests[1].range.upperBound)
        try run.answer(
            run.newest,
            .text(DecodedText(text: "We begin this in one slow and long sentence that goes on", confidence: 0.5)))
        #expect(run.finals.count == 4 && run.finals[0].words.joined(separator: " ").contains("in one slow"))
        #expect(run.finals.dropFirst().map { $0.words.first } == ["Dies", "so", "it"])
        run.expectComplete()
    }

    @Test(
        "Turns stay as they are where the text of all has less words, is less sure or fails",
        arguments: [
            .text(DecodedText(text: "We begin", confidence: 0.9)),
            .text(DecodedText(text: "We begin this with a long sentence that goes on", confidence: 0.2)),
            .failed(.refused(.repetition)), .failed(.stopped),
        ] as [DecodingOutcome])
    func turnsThatStay(outcome: DecodingOutcome) throws {
        var run = try Self.turns("We begin this with a long (1) sentence that goes on", ["en", "en"])
        try run.answer(run.newest, outcome)
        #expect(run.finals.count == 1 && run.text == "We begin this with a long sentence that goes on")
        run.expectComplete()
    }

    @Test(
        "Turns stay as they are where one is missing in the text of all",
        arguments: [
            "You have been here before I have", "You have been here before? I have, yes.",
            "You have been here beyond yes I have",
        ])
    func missingTurn(whole: String) throws {
        var run = try Self.turns("You have been here before? (1) Yes. (1) I have", ["en", "en", "en"])
        try run.answer(run.newest, .text(DecodedText(text: whole, confidence: 0.9)))
        #expect(run.text == (whole.contains("beyond") ? whole : "You have been here before? Yes. I have"))
        run.expectComplete()
    }

    @Test("More turns than a window holds are joined up to the longest pause in its second half")
    func manyTurns() throws {
        let turn = "this is said at some length here (0.8) "
        let script = String(repeating: turn, count: 7) + "and this (1.5) " + String(repeating: turn, count: 7) + "so"
        let count = 16
        var run = try Self.turns(script, [String](repeating: "en", count: count))
        let joined = run.requests.dropFirst(count)
        #expect(joined.count > 1)
        for request in joined { #expect(request.range.upperBound - request.range.lowerBound <= 29 * 16_000) }
        #expect(joined.contains { $0.range.upperBound == run.requests[7].range.upperBound })
        run.expectAllSaid()
    }

    @Test("What waits for turns to join it is final after a pause, while nobody speaks")
    func heldTurn() throws {
        var run = DeskRun("We begin this with a long (9) sentence", .file(hasLanguages: true))
        run.hearUntilRequest()
        try run.answer(run.newest, Self.text(run, run.requests[0].range, "en", 0.5))
        #expect(run.finals.isEmpty && run.desk.isHolding)
        run.hear(4)
        #expect(run.finals.count == 1 && !run.desk.isHolding)
    }

    @Test(
        "A window that is nonsense in the language that was detected is decoded in that of the speech before",
        arguments: [true, false])
    func nonsenseInAnotherLanguage(isNonsense: Bool) throws {
        var run = DeskRun("Dies hier ist lang genug und noch mehr (5) Ja (5)", .file(hasLanguages: true))
        run.hear()
        let ranges = run.requests.map(\.range)
        try run.answer(run.waiting.keys.min(), Self.text(run, ranges[0], "de", 0.5))
        try run.answer(run.newest, .failed(.refused(.repetition)))
        #expect(run.finals.count == 1 && run.requests.map(\.language) == [nil, nil, "de"])
        try run.answer(run.newest, isNonsense ? .failed(.refused(.repetition)) : Self.text(run, ranges[1], "de", 0.4))
        #expect(run.finals.last?.words == (isNonsense ? [] : ["Ja"]) && run.finals.last?.isNonsense == isNonsense)
        run.expectComplete()

        // In one language, it stays nonsense.
        var one = DeskRun("Dies hier ist lang genug und noch mehr (5) Ja (5)", Self.file)
        one.hear()
        try one.answer(one.waiting.keys.min(), Self.text(one, one.requests[0].range, "de", 0.5))
        try one.answer(one.newest, .failed(.refused(.repetition)))
        #expect(one.requests.count == 2 && one.finals.last?.isNonsense == true)
    }

    // MARK: Text

    @Test(
        "A closed window with doubtful text is divided at its longest pause",
        arguments: [
            DecodingOutcome.text(DecodedText(text: String(repeating: "thank you very much ", count: 20))),
            .failed(.refused(.repetition)), .failed(.refused(.length)),
        ])
    func doubtful(_ doubtful: DecodingOutcome) throws {
        var run = DeskRun("one two (0.3) three four (0.5) five six (0.2) seven (5)", Self.file)
        run.hear()
        try run.answer(run.newest, doubtful)
        #expect(run.requests.count == 3 && run.finals.isEmpty)
        let pause = run.speechRanges[1].upperBound..<run.speechRanges[2].lowerBound
        #expect(run.requests[1].range.upperBound <= run.requests[2].range.lowerBound)
        #expect(pause.contains(run.requests[1].range.upperBound) && pause.contains(run.requests[2].range.lowerBound))
        run.answerAll()
        #expect(run.finals.map { $0.words.joined(separator: " ") } == ["one two three four", "five six seven"])
        run.expectComplete()
    }

    @Test(
        "A closed window with doubtful text and without a pause is divided in its middle, and of the part that loops the rest is kept"
    )
    func doubtfulWithoutPause() throws {
        let words = Self.words(12, separator: " ")
        var run = DeskRun(words + " (5)", Self.file)
        run.hear()
        let loop = DecodedText(text: "he said " + String(repeating: "no ", count: 250), confidence: 0.8)
        try run.answer(run.newest, .text(loop))
        #expect(run.requests.count == 3 && run.finals.isEmpty)
        let (first, second) = (run.requests[1].range, run.requests[2].range)
        let whole = run.requests[0].range
        #expect(first.upperBound == second.lowerBound && whole.lowerBound == first.lowerBound)
        let quarter = Int64(whole.count / 5)
        #expect(first.count > quarter && second.count > quarter)
        run.answer = { script, request in
            .text(request.range.lowerBound == whole.lowerBound ? loop : script.decoded(request.sound, .ofWords))
        }
        run.answerAll()
        // Each part that is too short to be divided has its few words once.
        #expect(run.text.hasPrefix("he said no no no ") && run.text.hasSuffix(words.suffix(5)), "\(run.text)")
        #expect(run.text.components(separatedBy: "he said").count == 2 && !run.finals.contains { $0.isNonsense })
        run.expectComplete()
    }

    @Test(
        "A word at which speech without a pause is cut stands there once, and one that is said again behind a pause twice"
    )
    func wordAtCut() {
        for (wordCount, separator, count) in [(100, " ", 1), (65, " (0.3) ", 2)] {
            var run = DeskRun(Self.words(wordCount, separator: separator) + " (5)", Self.quiet)
            run.answer = { script, request in
                let text = script.decoded(request.sound, .ofWords).text
                return .text(DecodedText(text: request.range.lowerBound == 0 ? text + " be." : "Be " + text))
            }
            run.hear()
            run.answerAll()
            let words = run.text.lowercased().split(separator: " ")
            #expect(
                run.requests.count == 2 && words.count { $0.hasPrefix("be.") || $0 == "be" } == count, "\(run.text)")
            run.expectComplete()
        }
    }

    @Test("Such a word is shown once as well, behind the final words")
    func wordAtCutShown() {
        var run = DeskRun(Self.words(100, separator: " ") + " (5)")
        run.delay = { _ in .milliseconds(100) }
        run.answer = { script, request in
            let text = script.decoded(request.sound, .ofWords).text
            return .text(DecodedText(text: request.range.lowerBound == 0 ? text + " be." : "Be " + text))
        }
        var shown: Set<String> = []
        while !run.isAtEnd {
            run.hearFrame()
            let screen = (run.text + " " + run.guess).lowercased().split(separator: " ")
            for (word, next) in zip(screen, screen.dropFirst()) where word.hasPrefix("be") {
                shown.insert(String(next))
            }
        }
        #expect(!shown.isEmpty && !shown.contains("be") && run.finals.count > 1, "\(shown)")
        run.expectComplete()
    }

    @Test("Speech whose text stays doubtful has none, after a few divisions")
    func alwaysDoubtful() throws {
        var run = DeskRun(Self.words(40) + " (5)", Self.file)
        run.answer = { _, _ in .failed(.refused(.repetition)) }
        run.hear()
        run.answerAll()
        #expect(run.text.isEmpty && run.requests.count <= 31 && !run.finals.isEmpty)
        #expect(run.finals.allSatisfy { $0.failure == nil && $0.isNonsense })
        run.expectComplete()
    }

    @Test("A doubtful guess is not shown, and the one before stays")
    func doubtfulGuess() throws {
        var run = DeskRun("one two (0.5) three four")
        run.hear(0.8 + 0.3)
        try run.answer(run.newest)
        #expect(run.guess == "one two")
        try run.answerNext(.text(DecodedText(text: String(repeating: "thank you very much ", count: 20))))
        #expect(run.guess == "one two")
    }

    @Test("Sound without words is final without text")
    func noWords() throws {
        for settings in [Self.file, Self.live] {
            var run = DeskRun("(1) hm hm (5)", settings)
            run.answer = { _, _ in .text(DecodedText(text: "[Music]")) }
            run.delay = { _ in .milliseconds(100) }
            run.hear()
            #expect(run.finals == [DeskRun.Final(words: [], range: run.speechRanges[0])])
            run.expectComplete()
        }
    }

    // MARK: Failures

    @Test("The guess of the engine that decides stays when the rest can't be decoded, and the rest alone is lost")
    func failedRest() throws {
        var run = DeskRun("one two three (0.5) four five (3)")
        run.hear(1.2 + 0.3)
        try run.answer(run.newest)
        #expect(run.guess == "one two three")
        run.delay = { _ in .milliseconds(50) }
        run.answer = { _, _ in .failed(.stopped) }
        run.hear()
        #expect(run.finals.map(\.words) == [["one", "two", "three"], []])
        #expect(run.finals.map(\.failure) == [nil, .stopped])
        #expect(run.finals.last?.range == run.speechRanges[1])
    }

    @Test(
        "Speech that can't be decoded is lost once, in order",
        arguments: [
            DecodingOutcome.Failure.stopped, .refused(.decoding),
            .unavailable(WorkerFailure(kind: .model, sentence: "it does not work")),
        ])
    func failures(_ failure: DecodingOutcome.Failure) throws {
        var run = DeskRun("one (5) two (5) three (5)", Self.file)
        run.hear()
        let identifiers = run.waiting.keys.sorted()
        #expect(identifiers.count == 3)
        try run.answer(identifiers[1], .failed(failure))
        try run.answer(identifiers[2])
        #expect(run.finals.isEmpty, "the first has no answer")
        try run.answer(identifiers[0])
        #expect(run.finals.map(\.words) == [["one"], [], ["three"]])
        #expect(run.finals.map(\.failure) == [nil, failure, nil])
        run.expectComplete()
    }

    @Test("A guess that took too long decides nothing, however short the speech is")
    func interruptedGuess() throws {
        var run = DeskRun("yes (2)", .live(.atPauses))
        run.hearUntilRequest()
        let guess = run.newest
        run.hear()
        run.finish()
        #expect(run.requests.map(\.priority) == [.pause])
        try run.answer(guess, .failed(.refused(.repetition)))
        run.answerAll()
        #expect(run.text == "yes" && run.requests.map(\.priority) == [.pause, .final])
        run.expectComplete()
    }

    // MARK: Settling

    @Test("To settle keeps the last guess, loses what was said behind it, and goes on")
    func settle() throws {
        var run = DeskRun("one two (0.5) three four five (0.5) six seven (2)")
        run.hear(0.8 + 0.3)
        try run.answer(run.newest)
        run.hear(0.9)
        run.settle()
        #expect(run.text == "one two")
        #expect(run.finals.map(\.failure) == [nil, .cancelled])
        #expect(run.finals[1].range.upperBound == run.heard, "it is final up to what was heard")
        run.answerWithdrawn(.text(DecodedText(text: "late")))
        run.hear()
        run.answerAll()
        #expect(run.text.hasPrefix("one two") && run.text.hasSuffix("six seven") && !run.text.contains("late"))
        run.expectComplete()
    }

    @Test("To settle without a guess loses what was said; what is decided already is not lost")
    func settleWithoutGuess() throws {
        var run = DeskRun("one (5) two (5) three (5)", Self.file)
        run.hear()
        let identifiers = run.waiting.keys.sorted()
        try run.answer(identifiers[1], .failed(.refused(.repetition)))
        try run.answer(identifiers[2])
        run.settle()
        #expect(run.finals.map(\.failure) == [.cancelled, nil, nil], "the second has no words")
        #expect(run.finals.map(\.words) == [[], [], ["three"]])
        run.expectComplete()
    }

    @Test("What is settled just before speech ends leaves nothing behind")
    func settleAtEnd() {
        for frames in 20..<32 {
            var run = DeskRun("one two (3)")
            run.delay = { _ in .milliseconds(50) }
            for _ in 0..<frames { run.hearFrame() }
            run.settle()
            run.hearFrame()
            run.settle()
            run.hear()
            #expect(run.desk.undecidedCount == 0, "after \(frames) frames")
            run.expectComplete()
        }
    }
}

extension PlacedText {
    /// Words of a tenth of a second each.
    /// Words one after the other, each with so many samples, where so many are before them.
    fileprivate init(words: String, from place: Int64 = 0, pace: Int64 = 1_600) {
        let start = pace * place
        let range = start..<start + pace * Int64(words.split(separator: " ").count)
        self.init(DecodedText(text: words), of: [range], speech: [range], sampleRate: 16_000)
    }
}
