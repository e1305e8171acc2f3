import Models
import System

/// Recognizes a stream with an engine that decodes stretches of sound: the detector finds the speech, a `DictationDesk`
/// decides what is decoded, and the engine's host decodes it. Another engine may guess at the words that the first has not
/// decoded yet. For the actor that feeds it. Samples have 16 kHz.
final class DictationPipeline: StreamRecognition {
    struct Settings {
        var desk = DictationDesk.Settings()
        var sensitivity = SpeechSegmenter.Sensitivity.medium
        var reportsVolatile = false
        /// Whether to report final utterances without words as well.
        var reportsSilence = false
        var punctuates = true
    }

    private(set) var clock = StreamClock()
    private(set) var counts = DictationCounts()
    private let settings: Settings
    private let lease: EngineHosts.Lease
    private let emit: (Utterance) -> Void
    /// Passes an outcome to the actor.
    private let deliver: @Sendable (_ identifier: UInt64, DecodingOutcome) -> Void
    private var desk: DictationDesk
    private var segmenter: SpeechSegmenter
    /// The samples from `soundStart` on, which may still be decoded.
    private var sound: [Int16] = []
    private var soundStart: Int64 = 0
    /// The host's identifiers of the requests, by the desk's.
    private var requests: [UInt64: UInt64] = [:]
    /// The guess that was reported last and is not replaced.
    private var shown = ""
    /// The guesses of another engine; nil if there is none.
    private var guesser: EngineGuesses?
    private let start = ContinuousClock.now

    private static let sampleRate = DictationDesk.sampleRate

    init(
        _ settings: Settings, lease: EngineHosts.Lease, weights: SileroWeights, guesser: EngineGuesses? = nil,
        emit: @escaping (Utterance) -> Void, deliver: @escaping @Sendable (UInt64, DecodingOutcome) -> Void
    ) {
        self.settings = settings
        self.lease = lease
        self.guesser = guesser
        self.emit = emit
        self.deliver = deliver
        desk = DictationDesk(settings.desk)
        segmenter = SpeechSegmenter(weights: weights, sensitivity: settings.sensitivity)
        desk.quietest = { [unowned self] range in quietest(range) }
    }

    deinit { abandon() }

    /// Withdraws what is requested: nothing will be decided any more.
    func abandon() {
        for identifier in requests.values { lease.host.withdraw(identifier) }
        requests = [:]
    }

    /// The number of requests that may wait before the reading of a file does. It limits the sound in memory.
    var mostWaiting: Int { max(4, 2 * lease.host.width) }
    /// The number of stretches that wait for their text.
    var waitingCount: Int { desk.waitingCount }
    /// The number of utterances that are not final.
    var undecidedCount: Int { desk.undecidedCount }
    /// The position of the first speech that is not final.
    var undecidedStart: Int64? { desk.undecidedStart.map { clock.position(ofDelivered: $0) } }

    private var now: Duration { ContinuousClock.now - start }

    func append(_ samples: UnsafeBufferPointer<Int16>, at position: Int64?) throws(SpeechError) {
        let gap = try clock.gap(before: position)
        if gap > Int64(Self.sampleRate), ledger.delivered > 0 { try finalize() }
        clock.deliver(samples.count, after: gap)
        sound += samples
        guesser?.append(samples)
        var rest = samples[...]
        while !rest.isEmpty {
            let part = UnsafeBufferPointer(rebasing: rest.prefix(segmenter.untilJudgement))
            rest = rest.dropFirst(part.count)
            hear(part)
        }
        let hasChanged = guesser?.hasChanged ?? false
        let (start, before) = (desk.start(heard: heard), shown)
        // What is shown is about the speech that is undecided, or about words that may turn out to be speech.
        let isOver = desk.undecidedCount == 0 && guesser?.words(after: start).isEmpty ?? true
        settle(through: start, withdrawing: isOver)
        forgetSound()
        if hasChanged || shown != before { showGuess() }
    }

    func finalize() throws(SpeechError) {
        guesser?.finalize()
        segmenter.finish()
        let delivered = ledger.delivered
        perform(desk.finish(segmenter.ranges, through: delivered, now: now))
        segmenter.forget(before: delivered + 1)
        if desk.undecidedCount == 0 { settle(through: delivered, withdrawing: true) }
        // What the other engine has guessed can't become final.
        guesser?.forget(before: delivered)
        showGuess()
    }

    func retire() { guesser?.retire() }

    /// Takes the outcome of a request.
    func take(_ outcome: DecodingOutcome, of identifier: UInt64) {
        requests[identifier] = nil
        perform(desk.take(outcome, of: identifier, now: now))
        if desk.undecidedCount == 0 { settle(through: desk.start(heard: heard)) }
        forgetSound()
    }

    /// Makes everything final with the last guess of the deciding engine.
    func settleWithGuess() {
        perform(desk.settle())
        settle(through: desk.start(heard: heard))
        forgetSound()
    }

    /// The number of delivered samples that the detector has judged.
    private var heard: Int64 { segmenter.heard }

    /// Lets the detector hear samples, up to the end of its frame at most.
    private func hear(_ samples: UnsafeBufferPointer<Int16>) {
        segmenter.hear(samples)
        let isWithinFrame = segmenter.untilJudgement < SileroNetwork.frameLength
        if isWithinFrame || segmenter.ranges.isEmpty && !desk.hasOpen && !desk.isHolding { return }
        perform(desk.hear(segmenter.ranges, isSpeaking: segmenter.isSpeaking, through: heard, now: now))
        segmenter.forget(before: desk.cut + 1)
    }

    private func perform(_ actions: [DictationDesk.Action]) {
        var changesGuess = false
        for action in actions {
            switch action {
            case .decode(let identifier, let sound, let priority, let language):
                let samples = sound.flatMap(samples)
                requests[identifier] = lease.host.decode(samples, priority, language: language) { [deliver] outcome in
                    deliver(identifier, outcome)
                }
            case .withdraw(let identifier): requests.removeValue(forKey: identifier).map(lease.host.withdraw)
            case .final(let text, let range, let confidence):
                report(text, range, confidence)
                changesGuess = true
            case .lost(let range, let failure):
                counts.noteLoss(at: clockTime(of: range.lowerBound), failure)
                report(PlacedText(), range, nil)
                changesGuess = true
            case .nonsense(let range):
                counts.nonsense += Double(range.count) / Double(Self.sampleRate)
                if counts.firstNonsense == nil {
                    counts.firstNonsense =
                        Double(clock.position(ofDelivered: range.lowerBound)) / Double(Self.sampleRate)
                }
                report(PlacedText(), range, nil)
                changesGuess = true
            case .guess: changesGuess = true
            }
        }
        if changesGuess { showGuess() }
    }

    /// The time of a delivered sample in the stream: `1:07`.
    private func clockTime(of sample: Int64) -> String {
        let seconds = clock.position(ofDelivered: sample) / Int64(Self.sampleRate)
        return "\(seconds / 60):\((seconds % 60).digits(2))"
    }

    /// Returns the middle of the quietest 60 ms of a range: between two words, or in the closure of a consonant.
    private func quietest(_ range: Range<Int64>) -> Int64 {
        let (length, step) = (Self.sampleRate * 6 / 100, Self.sampleRate / 100)
        let samples = samples(range)
        var best = (energy: Int64.max, middle: samples.count)
        for start in stride(from: 0, through: samples.count - length, by: step) {
            let energy = samples[start..<(start + length)].reduce(Int64(0)) { $0 + Int64($1) * Int64($1) }
            if energy < best.energy { best = (energy, start + length / 2) }
        }
        return range.lowerBound + Int64(best.middle)
    }

    private func samples(_ range: Range<Int64>) -> [Int16] {
        let kept = range.clamped(to: soundStart..<soundStart + Int64(sound.count))
        return Array(sound[Int(kept.lowerBound - soundStart)..<Int(kept.upperBound - soundStart)])
    }

    /// Forgets sound that is not needed any more, some seconds at a time.
    private func forgetSound() {
        let needed = desk.start(heard: heard)
        guard needed - soundStart > Int64(5 * Self.sampleRate) else { return }
        sound.removeFirst(Int(needed - soundStart))
        soundStart = needed
    }

    // MARK: Reporting

    private func report(_ text: PlacedText, _ range: Range<Int64>, _ confidence: Double?) {
        if text.words.isEmpty {
            counts.silent += 1
            return settle(through: range.upperBound, withdrawing: true)
        }
        counts.noteConfidence(confidence, seconds: Double(range.count) / Double(Self.sampleRate))
        // Where guesses are shown, what becomes final at once is one result: each result replaces the whole guess.
        for sentence in settings.reportsVolatile ? [text.words] : text.sentences {
            counts.decided += 1
            let words = settings.punctuates ? sentence : sentence.compactMap(Self.withoutPunctuation)
            guard let first = sentence.first, let last = sentence.last, !words.isEmpty else { continue }
            // At least one sample, but none after the last.
            let start = min(max(first.range.lowerBound, clock.settled), max(clock.settled, range.upperBound - 1))
            settle(through: start)
            let end = max(start, min(max(last.range.upperBound, start + 1), range.upperBound))
            let alternative = Hypothesis.Alternative(
                text: words.map(\.text).joined(separator: " "), words: words, confidence: confidence)
            let utterance = Utterance(
                range: start..<end, alternatives: [alternative], isFinal: true, pass: .second, language: text.language)
            let placed = clock.placed(utterance)
            clock.settle(through: end, hasText: true)
            shown = ""
            emit(placed)
        }
        // A guess of marks alone has no result without them.
        settle(through: range.upperBound, withdrawing: true)
    }

    /// Counts everything before a delivered sample that is not final as silence.
    ///
    /// - Parameter withdrawing: whether a guess that was shown was about it.
    private func settle(through end: Int64, withdrawing: Bool = false) {
        guard end > clock.settled else { return }
        if settings.reportsSilence || withdrawing && !shown.isEmpty {
            shown = ""
            emit(
                clock.placed(
                    Utterance(range: clock.settled..<end, alternatives: Hypothesis.empty.alternatives, isFinal: true)))
        }
        clock.settle(through: end, hasText: false)
    }

    private func showGuess() {
        guard settings.reportsVolatile else { return }
        var words = desk.guess
        words += guesser?.words(after: words.isEmpty ? clock.settled : desk.guessEnd) ?? []
        let text = words.map(\.text).joined(separator: " ")
        guard text != shown, !text.isEmpty || desk.undecidedCount > 0 else { return }
        shown = text
        let guess = Hypothesis.Alternative(text: text, words: words, confidence: nil)
        let range = clock.settled..<ledger.delivered
        emit(
            clock.placed(
                Utterance(range: range, alternatives: [guess], isFinal: false, language: desk.guessLanguage)))
    }

    /// Removes the characters around a word that are neither letters nor digits: `word,` becomes `word`, and `3.5` is
    /// kept. Returns nil if nothing is left.
    private static func withoutPunctuation(_ word: Hypothesis.Word) -> Hypothesis.Word? {
        let isPart: (Character) -> Bool = { $0.isLetter || $0.isNumber }
        guard let first = word.text.firstIndex(where: isPart), let last = word.text.lastIndex(where: isPart) else {
            return nil
        }
        var word = word
        word.text = String(word.text[first...last])
        return word
    }
}

extension PlacedText {
    /// The words of each sentence, or part of one before a long pause.
    var sentences: [[Hypothesis.Word]] {
        if words.isEmpty { return [] }
        let rate = Double(DictationDesk.sampleRate)
        let starts = SentenceEnd.starts(
            of: words.map {
                (text: $0.text, start: Double($0.range.lowerBound) / rate, end: Double($0.range.upperBound) / rate)
            })
        return zip([0] + starts, starts + [words.count]).map { Array(words[$0..<$1]) }
    }
}

extension DecodingOutcome.Failure {
    /// The failure as a sentence.
    var sentence: String {
        switch self {
        case .cancelled: "its text was not waited for"
        case .refused: "the model can't decode it"
        case .stopped: "the model's process has stopped each time"
        case .unavailable(let failure): failure.sentence
        }
    }
}

/// The numbers of the utterances of a stream, by what has become of them.
public struct DictationCounts: Hashable, Sendable {
    /// The utterances with text.
    public internal(set) var decided = 0
    /// The stretches that sounded like speech, in which the model has found no words.
    public internal(set) var silent = 0
    /// How many seconds of those have a text from the model that is nonsense: it repeats itself, or nobody speaks it in the time.
    public internal(set) var nonsense = 0.0
    /// The beginning of the first of those seconds, in the stream; nil when there is none.
    public internal(set) var firstNonsense: Double?
    /// How many seconds of speech have a text.
    public internal(set) var heard = 0.0
    /// How many seconds of those have a text of which the model is most unsure: its confidence is below 0.4. Of 202 English telephone prompts
    /// Whisper tiny.en was so unsure of 1, and of 70 in 83 in French and Spanish, which it does not know.
    public internal(set) var unsure = 0.0
    /// The stretches of speech whose text could not be decoded.
    public internal(set) var lost = 0
    /// How many of those were not waited for.
    private var unawaited = 0
    /// When the first of those was said.
    private var firstUnawaited = ""
    /// When the first of the others was said, and why it was lost.
    private var firstFailure = ""

    /// Creates counts of 0.
    public init() {}

    /// Counts a stretch of speech without text, which was said at a time such as `1:07`.
    mutating func noteLoss(at time: String, _ failure: DecodingOutcome.Failure) {
        lost += 1
        if failure == .cancelled {
            unawaited += 1
            if unawaited == 1 { firstUnawaited = time }
        } else if lost - unawaited == 1 {
            firstFailure = "at \(time), \(failure.sentence)"
        }
    }

    /// What was lost, and why; nil where nothing was.
    var loss: String? { lost == 0 ? nil : [failedLoss, unawaitedLoss].compactMap { $0 }.joined(separator: "; ") }

    private var failedLoss: String? {
        switch lost - unawaited {
        case 0: nil
        case 1: "a stretch of speech could not be decoded: \(firstFailure)"
        case let count: "\(count) stretches of speech could not be decoded; the first: \(firstFailure)"
        }
    }

    private var unawaitedLoss: String? {
        switch unawaited {
        case 0: nil
        case 1: "the text of speech at \(firstUnawaited) was not waited for"
        case let count: "the text of \(count) stretches of speech was not waited for, the first at \(firstUnawaited)"
        }
    }

    /// Counts speech with a text of this confidence.
    mutating func noteConfidence(_ confidence: Double?, seconds: Double) {
        heard += seconds
        if let confidence, confidence < 0.4 { unsure += seconds }
    }
}
