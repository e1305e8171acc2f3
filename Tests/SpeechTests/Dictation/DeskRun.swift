import TestSupport
import Testing

@testable import Speech

/// A desk that hears a script frame by frame through the rules of the detector, and whose requests wait until the test, or
/// a delay, answers them. It checks at every step what must always hold.
struct DeskRun {
    struct Request {
        /// The ranges that are decoded as one sound.
        var sound: [Range<Int64>]
        var priority: EngineSchedule.Priority
        var language: String?
        /// When it is answered; nil if the test answers it.
        var due: Duration?
        /// From the beginning of the sound to its end.
        var range: Range<Int64> { sound[0].lowerBound..<sound[sound.count - 1].upperBound }
    }

    struct Final: Equatable, CustomStringConvertible {
        var words: [String]
        var range: Range<Int64>
        var failure: DecodingOutcome.Failure?
        /// Whether all that the engine has given was doubtful.
        var isNonsense = false
        var description: String { "\(words.joined(separator: " ")) \(range)\(failure.map { " \($0)" } ?? "")" }
    }

    let script: SpeechScript
    var desk: DictationDesk
    private(set) var now = Duration.zero
    private(set) var frame = 0
    private(set) var finals: [Final] = []
    /// The times of the words in the finals.
    private(set) var times: [Range<Int64>] = []
    /// The requests that have no answer, by their identifiers.
    private(set) var waiting: [UInt64: Request] = [:]
    private(set) var withdrawn: [UInt64] = []
    /// All requests so far, in order.
    private(set) var requests: [Request] = []
    /// The guess after each change of it.
    private(set) var guesses: [String] = []

    /// The time that a frame takes.
    var pace = Duration.milliseconds(32)
    /// When a request is answered; nil leaves that to the test.
    var delay: (Request) -> Duration? = { _ in nil }
    var answer: (SpeechScript, Request) -> DecodingOutcome = { script, request in
        .text(script.decoded(request.sound, .ofSentences))
    }

    private var speech = SpeechRanges(threshold: 0.5)
    /// The same, with nothing forgotten.
    private var all = SpeechRanges(threshold: 0.5)
    /// The first sample that the desk has kept so far.
    private var kept: Int64 = 0

    init(_ script: SpeechScript, _ settings: DictationDesk.Settings) {
        self.script = script
        desk = DictationDesk(settings)
    }

    init(_ text: String, _ settings: DictationDesk.Settings = .live(.rolling)) {
        self.init(SpeechScript(text), settings)
    }

    var heard: Int64 { speech.heard }
    /// All ranges of speech so far.
    var speechRanges: [Range<Int64>] { all.ranges }
    var isAtEnd: Bool { frame == script.frameCount }
    /// The text that is final.
    var text: String { finals.flatMap(\.words).joined(separator: " ") }
    var guess: String { desk.guess.map(\.text).joined(separator: " ") }
    /// The identifier of the newest request that waits.
    var newest: UInt64? { waiting.keys.max() }

    /// Hears the rest of the script.
    mutating func hear() { while !isAtEnd { hearFrame() } }

    /// Hears the next seconds of the script.
    mutating func hear(_ seconds: Double) {
        for _ in 0..<Int((seconds * SpeechScript.framesPerSecond).rounded()) where !isAtEnd { hearFrame() }
    }

    /// Hears until there is one more request.
    mutating func hearUntilRequest() {
        let count = requests.count
        while !isAtEnd, requests.count == count { hearFrame() }
    }

    mutating func hearFrame() {
        let isSpoken = script.isSpoken(frame)
        frame += 1
        now += pace
        answerDue()
        speech.hear(isSpoken ? 1 : 0, length: 512)
        all.hear(isSpoken ? 1 : 0, length: 512)
        perform(desk.hear(speech.ranges, isSpeaking: speech.isOpen, through: heard, now: now))
        speech.forget(before: desk.cut + 1)
        check()
    }

    mutating func finish() {
        speech.finish()
        all.finish()
        perform(desk.finish(speech.ranges, through: heard, now: now))
        speech.forget(before: heard + 1)
        check()
    }

    mutating func settle() {
        perform(desk.settle())
        #expect(desk.undecidedCount == 0 && waiting.isEmpty)
        check()
    }

    /// Answers a request by what the script says, or otherwise.
    mutating func answer(_ identifier: UInt64?, _ outcome: DecodingOutcome? = nil) throws {
        let identifier = try #require(identifier)
        let request = try #require(waiting[identifier])
        waiting[identifier] = nil
        perform(desk.take(outcome ?? answer(script, request), of: identifier, now: now))
        check()
    }

    /// Hears until there is one more request, and answers it.
    mutating func answerNext(_ outcome: DecodingOutcome? = nil) throws {
        hearUntilRequest()
        try answer(newest, outcome)
    }

    /// Answers everything that waits, and what is requested because of that.
    mutating func answerAll() {
        while let identifier = waiting.keys.min(), let request = waiting.removeValue(forKey: identifier) {
            perform(desk.take(answer(script, request), of: identifier, now: now))
            check()
        }
    }

    /// Answers a request that was withdrawn, after all.
    mutating func answerWithdrawn(_ outcome: DecodingOutcome) {
        for identifier in withdrawn {
            let actions = desk.take(outcome, of: identifier, now: now)
            #expect(actions == [])
        }
        withdrawn = []
    }

    private mutating func answerDue() {
        if waiting.isEmpty { return }
        let due = waiting.filter { $0.value.due.map { $0 <= now } ?? false }
        for (identifier, request) in due.sorted(by: { ($0.value.due!, $0.key) < ($1.value.due!, $1.key) })
        where waiting.removeValue(forKey: identifier) != nil {
            perform(desk.take(answer(script, request), of: identifier, now: now))
            check()
        }
    }

    private mutating func perform(_ actions: [DictationDesk.Action]) {
        for action in actions {
            switch action {
            case .decode(let identifier, let sound, let priority, let language):
                check(sound)
                // There is no sound yet after what was heard.
                let known = sound.map { $0.clamped(to: 0..<heard) }
                var request = Request(sound: known, priority: priority, language: language)
                request.due = delay(request).map { now + $0 }
                requests.append(request)
                #expect(waiting[identifier] == nil, "each request has its own identifier")
                waiting[identifier] = request
            case .withdraw(let identifier):
                #expect(waiting[identifier] != nil, "what is withdrawn waits")
                waiting[identifier] = nil
                withdrawn.append(identifier)
            case .final(let text, let range, _):
                add(Final(words: text.words.map(\.text), range: range))
                times += text.words.map(\.range)
                for (word, next) in zip(text.words, text.words.dropFirst()) {
                    #expect(word.range.upperBound <= next.range.lowerBound, "words are in order")
                }
                if let first = text.words.first, let last = text.words.last {
                    #expect(first.range.lowerBound >= range.lowerBound && last.range.upperBound <= range.upperBound)
                }
            case .lost(let range, let failure): add(Final(words: [], range: range, failure: failure))
            case .nonsense(let range): add(Final(words: [], range: range, isNonsense: true))
            case .guess: guesses.append(guess)
            }
        }
    }

    private mutating func add(_ final: Final) {
        #expect(!final.range.isEmpty)
        if let last = finals.last {
            #expect(final.range.lowerBound >= last.range.upperBound, "finals are in order, and do not overlap")
        }
        finals.append(final)
    }

    /// Checks that the ranges to decode are in order, are still kept, and leave out nothing but pauses.
    private func check(_ sound: [Range<Int64>]) {
        #expect(sound[0].lowerBound >= kept && sound.allSatisfy { !$0.isEmpty })
        for (range, next) in zip(sound, sound.dropFirst()) {
            #expect(range.upperBound < next.lowerBound)
            let leftOut = range.upperBound..<next.lowerBound
            #expect(!speechRanges.contains { $0.overlaps(leftOut) }, "it is a pause")
        }
    }

    private mutating func check() {
        kept = max(kept, desk.start(heard: heard))
        if waiting.count > 1 {
            let ranges = waiting.values.map(\.range).sorted { $0.lowerBound < $1.lowerBound }
            for (range, next) in zip(ranges, ranges.dropFirst()) {
                // A closing pause below 0.4 s has less sound than belongs to what is before it and to what is after it.
                #expect(range.upperBound <= next.lowerBound + 1_600, "each window has one request at a time")
            }
        }
        // Without #expect, which takes half of the time of a run.
        if waiting.count > desk.undecidedCount {
            Issue.record("\(waiting.count) requests, \(desk.undecidedCount) undecided")
        }
        if let last = finals.last, let start = desk.undecidedStart, start < last.range.upperBound {
            Issue.record("what is final until \(last.range.upperBound) is undecided from \(start) on")
        }
    }

    /// Hears and answers the rest, and checks that every word of the script is final, once and in order.
    mutating func expectAllSaid(sourceLocation: SourceLocation = #_sourceLocation) {
        hear()
        finish()
        answerAll()
        expectComplete(script.words.map(\.text).joined(separator: " "), sourceLocation: sourceLocation)
    }

    /// Checks that every sample of speech is in exactly one final or lost range, that nothing is undecided, and what text is final.
    func expectComplete(_ text: String? = nil, sourceLocation: SourceLocation = #_sourceLocation) {
        if let text { #expect(self.text == text, sourceLocation: sourceLocation) }
        #expect(desk.undecidedCount == 0 && waiting.isEmpty && desk.guess.isEmpty && desk.undecidedStart == nil)
        for range in finals.map(\.range) {
            #expect(speechRanges.contains { $0.contains(range.lowerBound) }, "each range begins in speech")
        }
        var rest = finals.map(\.range)[...]
        for speech in speechRanges {
            var start = speech.lowerBound
            while start < speech.upperBound {
                guard let range = rest.first else {
                    Issue.record("speech at \(start) is in no range")
                    return
                }
                if range.upperBound <= start {
                    rest.removeFirst()
                } else if range.lowerBound <= start {
                    start = range.upperBound
                } else {
                    Issue.record("speech at \(start) is in no range; the next is \(range)")
                    return
                }
            }
        }
    }
}
