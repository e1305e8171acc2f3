import Synchronization
import TestSupport
import Testing

@testable import Speech

@Suite("Utterances that are decoded at once")
struct SharedWindowTests {
    private static let rate = 16_000

    private func word(_ text: String, _ start: Double, _ end: Double) -> SecondPassText.Word {
        SecondPassText.Word(text: text, time: Int64(start * 1000)..<Int64(end * 1000))
    }

    /// An utterance of words without pauses, with half a second of silence before and after them.
    private func member(_ words: String, seconds: Double) -> SharedWindow.Member {
        let texts = words.split(separator: " ").map(String.init)
        let room = 8_000..<(Int64(seconds * 16_000) - 8_000)
        let times = WordAlignment.shares(of: room, among: texts[...])
        return SharedWindow.Member(
            words: zip(texts, times).map { WordAlignment.Timed(text: $0, range: $1) }, length: Int64(seconds * 16_000))
    }

    private func parts(_ text: String, _ members: [SharedWindow.Member]) -> [String]? {
        SharedWindow(SecondPassText(text: text), members: members, sampleRate: Self.rate)?.parts.map(\.text)
    }

    @Test("each get the words that are said in them, by the length of their speech")
    func speech() {
        let members = [
            member("alpha beta", seconds: 3), member("gamma", seconds: 2), member("delta one two", seconds: 4),
        ]
        #expect(
            parts("He came home. Why? It was late, and dark.", members)
                == ["He came home.", "Why?", "It was late, and dark."])
    }

    @Test("are separated at a mark, not in mid-sentence, if one is spoken faster than the other")
    func marks() {
        let members = [member("alpha beta gamma", seconds: 3), member("delta one two", seconds: 3)]
        #expect(
            parts("He came home quite late. It was dark", members) == ["He came home quite late.", "It was dark"])
    }

    @Test("each get words, even if a sentence ends with the one before")
    func withoutMarks() {
        let members = [member("alpha beta gamma delta", seconds: 6), member("one two", seconds: 2.4)]
        #expect(
            parts("He might have been made still more respectable than he was.", members)
                == ["He might have been made still more respectable", "than he was."])
    }

    @Test("are separated at the words that both passes have heard, even if the times contradict that")
    func words() throws {
        let members = [member("one two three four five", seconds: 3), member("six seven", seconds: 3)]
        let texts = ["One", "two", "three", "four", "five", "six", "seven"]
        let text = SecondPassText(
            text: texts.joined(separator: " "),
            words: texts.enumerated().map { word($1, Double($0) * 0.8, Double($0) * 0.8 + 0.8) })
        let parts = try #require(SharedWindow(text, members: members, sampleRate: Self.rate)?.parts)
        #expect(parts.map(\.text) == ["One two three four five", "six seven"])
    }

    @Test("get no word that both passes have heard in a later one")
    func others() {
        let members = [member("january eleventh nineteen seventy one", seconds: 3), member("start repeat", seconds: 3)]
        #expect(parts("Gen. 11, 1971 Start, repeat", members) == ["Gen. 11, 1971", "Start, repeat"])
    }

    @Test("keep the times of words, if the model has them, relative to their own beginning")
    func wordTimes() throws {
        let members = [member("a b", seconds: 2), member("c", seconds: 2)]
        let text = SecondPassText(
            text: "A, b. C.", confidence: 0.5, words: [word("A,", 0.5, 1), word("b.", 1, 1.4), word("C.", 2.6, 3)])
        let parts = try #require(SharedWindow(text, members: members, sampleRate: Self.rate)?.parts)
        #expect(
            parts[0] == SecondPassText(text: "A, b.", confidence: 0.5, words: [word("A,", 0.5, 1), word("b.", 1, 1.4)]))
        #expect(parts[1] == SecondPassText(text: "C.", confidence: 0.5, words: [word("C.", 0.6, 1)]))
    }

    @Test("can't be separated if the text has no words")
    func withoutWords() {
        let members = [member("a", seconds: 2), member("b", seconds: 2)]
        #expect(parts("", members) == nil)
        #expect(parts("[Music]", members) == nil)
        #expect(parts("A. [noise]", members) == ["A.", ""])
    }

    @Test("lose and repeat no word, whatever was heard")
    func random() {
        var random = SplitMix64(for: "shared windows")
        func words(_ count: ClosedRange<Int>, _ mark: String = "") -> String {
            (0..<Int.random(in: count, using: &random)).map { _ in "w\(Int.random(in: 0...20, using: &random))\(mark)" }
                .joined(separator: " ")
        }
        for _ in 0..<Tier.count(300, long: 10_000) {
            let members = (0..<Int.random(in: 1...8, using: &random)).map { _ in
                member(words(1...6), seconds: Double.random(in: 1.2...6, using: &random))
            }
            let text = words(1...40, ".")
            let parts = parts(text, members)
            #expect(parts?.count == members.count && parts?.filter { !$0.isEmpty }.joined(separator: " ") == text)
        }
    }

    @Test("that got no words know which words would repeat those of their neighbours")
    func neighbours() {
        let parts = ["He came.", "", "", "It was late."].map { SecondPassText(text: $0) }
        let members = ["he came", "came", "what", "it was late"].map { member($0, seconds: 3) }
        let between = SharedWindow.Neighbours(of: 2, among: members, parts)
        #expect(between.contain("came") && between.contain("He came") && between.contain("it was,"))
        #expect(!between.contain("") && !between.contain("he") && !between.contain("late") && !between.contain("Yes."))
        let saidAgain = SharedWindow.Neighbours(of: 1, among: members, parts)
        #expect(!saidAgain.contain("Came."), "the first pass has heard it in both")
        #expect(saidAgain.contain("He came"))
    }

    @Test("keep a word that is said once more after a pause, and that the second pass has only once")
    func saidTwice() throws {
        let members = [member("next", seconds: 2), member("next", seconds: 2)]
        let parts = try #require(
            SharedWindow(SecondPassText(text: "Next."), members: members, sampleRate: Self.rate)?.parts)
        let left = try #require(parts.firstIndex { $0.text.isEmpty })
        #expect(!SharedWindow.Neighbours(of: left, among: members, parts).contain("Next."))
    }
}

@Suite("A desk with shared windows")
struct SharedWindowDeskTests {
    /// A service that keeps the requests.
    private final class Service: SecondPassService {
        let requests = Mutex<
            [(samples: [Int16], hasTwoThreads: Bool, completion: @Sendable (SecondPassOutcome) -> Void)]
        >([])
        /// The outcomes that the desk has not taken yet.
        let outcomes = Mutex<[(UInt64, Int, SecondPassOutcome)]>([])
        let width = 1
        func decode(
            _ samples: [Int16], hasTwoThreads: Bool, timeout: Duration?,
            completion: @escaping @Sendable (SecondPassOutcome) -> Void
        ) {
            requests.withLock { $0.append((samples, hasTwoThreads, completion)) }
        }
        func decodeAhead(_ samples: [Int16]) {}
        func endDecodingAhead() {}
        func close() {}
    }

    /// A stream of utterances, in which the first pass has heard one word each second.
    private final class Stream {
        let service = Service()
        var finals: [Utterance] = []
        var said: [Utterance] = []
        private(set) var desk: DictationDesk!
        private var end: Int64 = 0

        init() {
            let use = SecondPassUse(model: SecondPassModel(path: "", library: ""), sharesWindows: true)
            desk = DictationDesk(
                use, service: service, sampleRate: 16_000, reportsVolatile: false, reportsSilence: true,
                emit: { [unowned self] in if $0.isFinal { finals.append($0) } },
                deliver: { [service] identifier, piece, outcome in
                    service.outcomes.withLock { $0.append((identifier, piece, outcome)) }
                })
        }

        /// Adds an utterance, whose samples are its number.
        func say(seconds: Int) {
            let number = said.count + 1
            let words = (0..<seconds).map { second in
                let start = end + Int64(second) * 16_000
                return Hypothesis.Word(
                    text: "w\(number).\(second)", range: (start + 3_000)..<(start + 13_000), confidence: nil)
            }
            var utterance = Utterance(
                range: end..<(end + Int64(seconds) * 16_000),
                alternatives: [
                    Hypothesis.Alternative(
                        text: words.map(\.text).joined(separator: " "), words: words, confidence: nil)
                ],
                isFinal: true)
            utterance.samples = [Int16](repeating: Int16(number), count: seconds * 16_000)
            end += Int64(seconds) * 16_000
            said.append(utterance)
            desk.take(utterance)
        }

        /// Answers one of the requests.
        func answer(_ index: Int = 0, _ answer: ([Int16]) -> SecondPassOutcome) {
            let request = service.requests.withLock { $0.remove(at: index) }
            request.completion(answer(request.samples))
            let outcomes = service.outcomes.withLock { outcomes in
                defer { outcomes = [] }
                return outcomes
            }
            for (identifier, piece, outcome) in outcomes { desk.take(outcome, of: identifier, piece: piece) }
        }

        var requestCount: Int { service.requests.withLock(\.count) }
    }

    /// A model's sentence for an utterance, with the words of the first pass.
    private func sentence(_ number: Int, seconds: Int) -> String {
        (0..<seconds).map { "W\(number).\($0)" }.joined(separator: " ") + "."
    }

    /// The answer of a model: a sentence for each utterance.
    private func sentences(_ samples: [Int16]) -> SecondPassOutcome {
        let numbers = samples.reduce(into: [Int16]()) { if $0.last != $1 { $0.append($1) } }
        let texts = numbers.map { number in
            sentence(Int(number), seconds: samples.count { $0 == number } / 16_000)
        }
        return .text(SecondPassText(text: texts.joined(separator: " ")))
    }

    @Test("requests as many utterances at once as fit in a window, and the rest at the end")
    func windows() {
        let stream = Stream()
        let lengths = [10, 10, 9, 1, 30, 5, 5]
        for seconds in lengths { stream.say(seconds: seconds) }
        // The first three fill a window. The fourth and the fifth are too long for one together, so each has its own.
        let asked = { stream.service.requests.withLock { $0.map { $0.samples.count / 16_000 } } }
        #expect(asked() == [29, 1, 30])
        #expect(stream.desk.waitingCount == 3 && stream.finals.isEmpty)
        stream.desk.submitWindow()
        #expect(asked() == [29, 1, 30, 10])
        #expect(
            stream.service.requests.withLock { $0.map(\.hasTwoThreads) } == [false, true, true, false],
            "shared windows are decoded side by side")
        while stream.requestCount > 0 { stream.answer(0, sentences) }
        #expect(stream.finals.map(\.text) == lengths.enumerated().map { sentence($0 + 1, seconds: $1) })
        #expect(stream.finals.map(\.range) == stream.said.map(\.range))
        #expect(stream.finals.allSatisfy { $0.pass == .second } && stream.desk.counts.second == 7)
    }

    @Test(
        "requests each utterance by itself if there is no text of their window, which was the only one, or a doubtful one",
        arguments: [
            SecondPassOutcome.failed(.refused(.repetition)),
            .text(SecondPassText(text: "I'm going to go.", confidence: 0.3)),
        ])
    func unparted(_ outcome: SecondPassOutcome) {
        let stream = Stream()
        for _ in 0..<3 { stream.say(seconds: 4) }
        stream.desk.submitWindow()
        #expect(stream.service.requests.withLock { $0.map(\.hasTwoThreads) } == [true])
        stream.answer { _ in outcome }
        #expect(stream.service.requests.withLock { $0.map(\.hasTwoThreads) } == [true, true, true])
        #expect(stream.finals.isEmpty)
        while stream.requestCount > 0 { stream.answer(0, sentences) }
        #expect(stream.finals.map(\.text) == (1...3).map { sentence($0, seconds: 4) })
    }

    @Test(
        "requests an utterance that got no words again, and repeats no neighbour's word in it",
        arguments: [true, false])
    func left(isNew: Bool) throws {
        let stream = Stream()
        for _ in 0..<3 { stream.say(seconds: 4) }
        stream.desk.submitWindow()
        let (before, after) = (sentence(1, seconds: 4), sentence(3, seconds: 4))
        stream.answer { _ in .text(SecondPassText(text: "\(before) \(after)")) }
        #expect(stream.finals.map(\.text) == [before])
        try #require(stream.requestCount == 1)
        stream.answer { _ in .text(SecondPassText(text: isNew ? "Yes." : "w1.3!")) }
        #expect(stream.finals.map(\.text) == [before, isNew ? "Yes." : "", after])
    }

    @Test(
        "returns the first pass's text if there is no worker any more, or the deadline is over",
        arguments: [SecondPassOutcome.Reason.unavailable, .late, .cancelled])
    func unavailable(_ reason: SecondPassOutcome.Reason) {
        let stream = Stream()
        for _ in 0..<3 { stream.say(seconds: 4) }
        stream.desk.submitWindow()
        stream.answer { _ in .failed(reason) }
        #expect(stream.requestCount == 0 && stream.finals.map(\.text) == stream.said.map(\.text))
        #expect(stream.desk.counts.first == 3)
    }

    @Test("makes every utterance final once, in order, with its range, whatever is answered and in whatever order")
    func random() {
        var random = SplitMix64(for: "desks with shared windows")
        for _ in 0..<Tier.count(10, long: 400) {
            let stream = Stream()
            func answerOne() {
                let text = sentences
                let kind = Int.random(in: 0..<8, using: &random)
                stream.answer(Int.random(in: 0..<stream.requestCount, using: &random)) { samples in
                    switch kind {
                    case 0: .failed(.stopped)
                    case 1: .failed(.refused(.repetition))
                    case 2: .text(SecondPassText(text: ""))
                    case 3: .text(SecondPassText(text: "Other words."))
                    default: text(samples)
                    }
                }
            }
            for _ in 0..<Int.random(in: 1...12, using: &random) {
                stream.say(seconds: Int.random(in: 1...14, using: &random))
                if stream.requestCount > 0, Bool.random(using: &random) { answerOne() }
                if Int.random(in: 0..<6, using: &random) == 0 { stream.desk.submitWindow() }
            }
            stream.desk.submitWindow()
            while stream.requestCount > 0 { answerOne() }
            #expect(stream.finals.map(\.range) == stream.said.map(\.range))
            for (final, said) in zip(stream.finals, stream.said) where final.pass == .first && !final.text.isEmpty {
                #expect(final.text == said.text)
            }
            #expect(stream.desk.waitingCount == 0 && stream.desk.start == nil)
            let ledger = stream.desk.adjusted(SampleLedger())
            let silent = stream.finals.filter(\.text.isEmpty).reduce(0) { $0 + Int64($1.range.count) }
            #expect(ledger.silent == silent && ledger.transcribed == -silent, "nothing waits any more")
        }
    }
}
