/// The way of a stream through recognizers: cuts it into blocks of one size, keeps the clock and the ledger, ends
/// utterances that know no end, and renews the recognizer. One thread's at a time; no concurrency in here.
///
/// Samples are counted in the order of delivery, from 0. Three other counts hang on it: the position in the stream
/// (`StreamClock`, which knows what went missing), what the present recognizer has taken (`recognizerOffset`), and the
/// ledger.
final class RecognitionPipeline {
    struct Settings {
        /// Whether to say what has been heard of an utterance before it has ended.
        var reportsVolatile = false
        /// Whether to emit final utterances without words as well.
        var reportsSilence = false
        /// Whether final utterances come with their samples, and end where it gets quiet after their last word.
        var keepsSamples = false
        /// Whether to guess at the first word of an utterance before the engine does.
        var guessesEarly = false
        var endpointing = Endpointing()
        /// How much one recognizer hears before the next takes over, in seconds. libvosk's memory grows with it, and after
        /// ten minutes it would drop frames to start afresh.
        var renewal: Double = 240
    }

    /// Someone who has said words is quiet; the utterance may have ended.
    enum Pause: Equatable {
        /// These will be the utterance's samples if it has.
        case began([Int16])
        /// It goes on.
        case ended
    }

    private(set) var ledger = SampleLedger()
    private let engine: any SpeechEngine
    private var configuration: RecognizerConfiguration
    private let settings: Settings
    private let emit: (Utterance) -> Void
    private let notePause: ((Pause) -> Void)?

    private var recognizer: any SpeechRecognizer
    /// What the recognizer had taken before the delivered sample 0, as if it had taken that one too.
    private var recognizerOffset: Int64
    /// From which delivered sample on the recognizer knows the stream.
    private var recognizerStart: Int64 = 0

    private var clock = StreamClock()
    private var recent: RecentAudio
    /// What the recognizer has taken since `utteranceStart`, where that is asked for.
    private var kept: [Int16] = []
    /// The beginning of a block.
    private var block: [Int16] = []
    private let blockLength: Int
    /// The first delivered sample that no final utterance covers.
    private var utteranceStart: Int64 = 0
    /// The guess that is out and has been neither finalized nor taken back.
    private var volatileUtterance: Utterance?
    /// Says when to guess; nil when nobody wants that, or the engine is too slow for it.
    private var onset: SpeechOnset?
    /// Where the stream stood at the last early guess that is out; nil when the engine has said something itself.
    private var earlyGuessEnd: Int64?
    /// Nil where nobody wants samples.
    private var pauses: SpeechPause?
    /// Since when it is quiet, while the engine has not said a word yet.
    private var unnotedPause: Int64?

    /// Delivered samples that the recognizer has taken.
    private var decoded: Int64 { ledger.delivered - Int64(block.count) }

    init(
        engine: any SpeechEngine, configuration: RecognizerConfiguration, settings: Settings,
        notePause: ((Pause) -> Void)? = nil, emit: @escaping (Utterance) -> Void
    ) throws(SpeechError) {
        self.engine = engine
        self.configuration = configuration
        self.settings = settings
        self.emit = emit
        self.notePause = notePause
        recognizer = try engine.makeRecognizer(configuration)
        recognizerOffset = recognizer.samplesAccepted
        // The text depends on how samples are cut into calls, since after each call the end of an utterance is looked for;
        // 100 ms are soon enough for the eye and cost hardly more than longer blocks.
        blockLength = engine.sampleRate / 10
        block.reserveCapacity(blockLength)
        recent = RecentAudio(capacity: engine.sampleRate * 4)
        pauses = settings.keepsSamples ? SpeechPause(sampleRate: engine.sampleRate) : nil
        onset = settings.guessesEarly && settings.reportsVolatile ? SpeechOnset(sampleRate: engine.sampleRate) : nil
    }

    /// The part of the stream that was delivered and is not final yet, in samples at the model's rate.
    var volatileRange: Range<Int64> {
        let start = clock.position(ofDelivered: utteranceStart)
        return start..<max(start, clock.nextPosition)
    }

    /// Where the next sample stands when nothing is missing.
    var nextPosition: Int64 { clock.nextPosition }

    /// Takes samples of the stream, in order.
    ///
    /// - Parameter position: where the first stands; `nil` right behind the last one before.
    /// - Throws: `.audioDisordered` for samples from before the end of the last ones, and what the engine throws.
    func append(_ samples: UnsafeBufferPointer<Int16>, at position: Int64? = nil) throws(SpeechError) {
        let position = position ?? clock.nextPosition
        let gap = position - clock.nextPosition
        guard gap >= 0 else {
            throw SpeechError(
                .audioDisordered,
                "audio came out of order: it begins at sample \(position), and was heard up to sample \(clock.nextPosition)")
        }
        if gap > 0 {
            if gap > Int64(engine.sampleRate), ledger.delivered > 0 { try finalize() }
            if ledger.delivered > 0 { ledger.missing += gap }
        }
        clock.advance(delivered: ledger.delivered, position: position, count: Int64(samples.count))
        let isGuessDue = onset?.hear(samples) ?? false
        let pause = pauses?.hear(samples)

        var rest = samples[...]
        while !rest.isEmpty {
            if block.isEmpty, rest.count >= blockLength {
                let whole = rest.prefix(blockLength)
                ledger.delivered += Int64(blockLength)
                rest = rest.dropFirst(blockLength)
                try decode(UnsafeBufferPointer(rebasing: whole))
            } else {
                let part = rest.prefix(blockLength - block.count)
                block.append(contentsOf: part)
                ledger.delivered += Int64(part.count)
                rest = rest.dropFirst(part.count)
                if block.count == blockLength { try decodeBlock() }
            }
        }
        if isGuessDue { guessEarly() }
        try note(pause)
    }

    /// Decodes what was taken to the last sample and makes it final.
    func finalize() throws(SpeechError) {
        if !block.isEmpty { try decodeBlock() }
        let hypothesis = try salvaging { () throws(SpeechError) in try recognizer.flush() }
        let pause = hypothesis.best.words.last.flatMap { quiet(afterWordEnding: index(of: $0.range.upperBound)) } ?? decoded
        close(hypothesis, through: pause)
        if pause < decoded { close(.empty, through: decoded) }
        restart(at: decoded)
    }

    /// Goes on with a recognizer of another kind. What came before has to be final.
    func change(to configuration: RecognizerConfiguration) throws(SpeechError) {
        let next = try engine.makeRecognizer(configuration)
        retire()
        self.configuration = configuration
        recognizer = next
        restart(at: decoded)
    }

    /// Leaves the recognizer to the engine, which keeps it if it has heard nothing; a used one goes with the pipeline, which is of
    /// no more use.
    func retire() {
        engine.keep(recognizer)
    }

    private func decodeBlock() throws(SpeechError) {
        let samples = block
        block.removeAll(keepingCapacity: true)
        try samples.withUnsafeBufferPointer { samples throws(SpeechError) in try decode(samples) }
    }

    private func decode(_ samples: UnsafeBufferPointer<Int16>) throws(SpeechError) {
        recent.append(samples)
        if settings.keepsSamples { kept += samples }
        if try salvaging({ () throws(SpeechError) in try recognizer.accept(samples) }) {
            try endUtterance()
        } else if decoded - utteranceStart > self.samples(settings.endpointing.longestUtterance) {
            try cutUtterance()
        } else if settings.reportsVolatile {
            try report(salvaging { () throws(SpeechError) in try recognizer.volatileHypothesis() })
        }
    }

    private func report(_ hypothesis: Hypothesis) {
        if let earlyGuessEnd {
            // The engine knows nothing yet. After a while that says that there was nothing.
            if hypothesis.isEmpty && decoded - earlyGuessEnd < samples(Self.earlyGuessLife) { return }
            self.earlyGuessEnd = nil
        }
        guard hypothesis.best.text != volatileUtterance?.text ?? "" else { return }
        let utterance = utterance(hypothesis, through: decoded, isFinal: false)
        volatileUtterance = utterance
        emit(utterance)
    }

    /// The engine has found a pause.
    private func endUtterance() throws(SpeechError) {
        let hypothesis = try salvaging { () throws(SpeechError) in try recognizer.endUtterance() }
        // The engine has not decoded its last frames yet, and what is said in them belongs to the next utterance.
        let undecoded = max(utteranceStart, decoded - samples(Self.longestUndecoded))
        var end = undecoded
        if !hypothesis.isEmpty {
            end =
                hypothesis.best.words.last.map { word in
                    let wordEnd = index(of: word.range.upperBound)
                    return quiet(afterWordEnding: wordEnd) ?? wordEnd + samples(settings.endpointing.shortestPause / 2)
                } ?? decoded
            end = min(max(end, utteranceStart), decoded)
        }
        close(hypothesis, through: end)
        if decoded - recognizerStart >= samples(settings.renewal) {
            try renew(from: max(end, undecoded))
        }
    }

    /// When it first was quiet for a moment after a word; nil where it was not soon. It is a better end of an utterance than a time of the
    /// engine's: it is known while the engine still waits for more, and so the second pass can begin with the very samples.
    private func quiet(afterWordEnding wordEnd: Int64) -> Int64? {
        let moment = pauses?.moments.first { $0 >= wordEnd && $0 > utteranceStart }
        return moment.flatMap { $0 <= min(decoded, wordEnd + samples(Self.longestUntilQuiet)) ? $0 : nil }
    }

    /// Hands on that it is quiet, once there are words. A sound that is none has no second pass.
    private func note(_ pause: SpeechPause.Event?) throws(SpeechError) {
        guard let notePause else { return }
        switch pause {
        case .began(let position): unnotedPause = position
        case .ended:
            unnotedPause = nil
            notePause(.ended)
        case nil: break
        }
        guard let moment = unnotedPause, moment > utteranceStart else { return }
        var hasWords = volatileUtterance.map { !$0.text.isEmpty } ?? false
        if !settings.reportsVolatile { hasWords = try !recognizer.volatileHypothesis().isEmpty }
        guard hasWords else { return }
        unnotedPause = nil
        notePause(.began(Array((kept + block).prefix(Int(moment - utteranceStart)))))
    }

    /// Ends an utterance in which no pause comes. The last word may not be over, so it is heard again in the next.
    private func cutUtterance() throws(SpeechError) {
        var hypothesis = try salvaging { () throws(SpeechError) in try recognizer.flush() }
        let safe = decoded - samples(0.3)
        let words = hypothesis.best.words
        let kept = words.prefix { index(of: $0.range.upperBound) <= safe }
        var end = decoded
        if let last = kept.last {
            let lastEnd = index(of: last.range.upperBound)
            if kept.count < words.count {
                end = (lastEnd + max(lastEnd, index(of: words[kept.count].range.lowerBound))) / 2
                hypothesis.alternatives = [
                    Hypothesis.Alternative(
                        text: kept.map(\.text).joined(separator: " "), words: Array(kept),
                        confidence: hypothesis.best.confidence)
                ]
            } else {
                end = min(decoded, max(lastEnd + samples(settings.endpointing.shortestPause / 2), decoded - samples(0.5)))
            }
            end = max(end, decoded - Int64(recent.count))
        } else if let first = words.first, index(of: first.range.lowerBound) > max(utteranceStart, decoded - Int64(recent.count)) {
            // The only word has just begun.
            end = index(of: first.range.lowerBound)
            hypothesis = .empty
        }
        close(hypothesis, through: end)
        try hearAgain(from: end)
    }

    /// Goes on with a new recognizer. It begins in the pause that the old one ended with, so that it hears every sample that
    /// the old one had taken and not decoded.
    private func renew(from start: Int64) throws(SpeechError) {
        let start = max(start, decoded - Int64(recent.count))
        recognizer = try engine.makeRecognizer(configuration)
        try hearAgain(from: start)
    }

    private func hearAgain(from start: Int64) throws(SpeechError) {
        restart(at: start)
        let again = recent.suffix(Int(decoded - start))
        let ended = try again.withUnsafeBufferPointer { samples throws(SpeechError) in try recognizer.accept(samples) }
        if ended { try endUtterance() }
    }

    /// Notes that the next sample the recognizer takes is the delivered sample `index`.
    private func restart(at index: Int64) {
        recognizerOffset = recognizer.samplesAccepted - index
        recognizerStart = index
    }

    /// Makes everything before the delivered sample `end` final.
    private func close(_ hypothesis: Hypothesis, through end: Int64) {
        let count = end - utteranceStart
        if hypothesis.isEmpty { ledger.silent += count } else { ledger.transcribed += count }
        let samples = Array(kept.prefix(Int(count)))
        kept.removeFirst(samples.count)
        // Silence is told to those who were shown a guess, and to those who asked.
        if !hypothesis.isEmpty || volatileUtterance != nil || (settings.reportsSilence && count > 0) {
            var utterance = utterance(hypothesis, through: end, isFinal: true)
            utterance.samples = samples
            emit(utterance)
        }
        volatileUtterance = nil
        earlyGuessEnd = nil
        onset?.reset()
        unnotedPause = nil
        pauses?.forget(through: end)
        utteranceStart = end
        clock.forget(beforeDelivered: end)
    }

    private func utterance(_ hypothesis: Hypothesis, through end: Int64, isFinal: Bool) -> Utterance {
        let start = clock.position(ofDelivered: utteranceStart)
        let range = start..<max(start, clock.endPosition(beforeDelivered: end))
        let alternatives = hypothesis.alternatives.map { alternative in
            var alternative = alternative
            for position in alternative.words.indices {
                let word = alternative.words[position].range
                let wordStart = clock.position(ofDelivered: index(of: word.lowerBound))
                let wordEnd = clock.endPosition(beforeDelivered: max(0, index(of: word.upperBound)))
                alternative.words[position].range = (wordStart..<max(wordStart, wordEnd)).clamped(to: range)
            }
            return alternative
        }
        return Utterance(range: range, alternatives: alternatives, isFinal: isFinal)
    }

    /// The delivered sample that a recognizer's time names.
    private func index(of recognizerTime: Int64) -> Int64 { recognizerTime - recognizerOffset }

    private func samples(_ seconds: Double) -> Int64 { Int64(seconds * Double(engine.sampleRate)) }

    /// When the engine fails, what has been shown of the utterance is kept.
    private func salvaging<Value>(_ body: () throws(SpeechError) -> Value) throws(SpeechError) -> Value {
        do throws(SpeechError) {
            return try body()
        } catch {
            if var guess = volatileUtterance {
                guess.isFinal = true
                volatileUtterance = nil
                emit(guess)
            }
            throw error
        }
    }

    /// Guesses at what has been said since someone began to speak, with a recognizer of its own that does not wait for what comes next. The
    /// engine itself needs some tenths of a second more to be sure enough to say a word, and its word then replaces the guess.
    private func guessEarly() {
        guard volatileUtterance == nil || earlyGuessEnd != nil, let since = onset?.samplesSince else { return }
        let start = ContinuousClock.now
        let before = since + Int(samples(Self.leadOfEarlyGuess)) - block.count
        let heard = recent.suffix(max(0, before)) + block
        do throws(SpeechError) {
            let recognizer = try engine.makeRecognizer(configuration)
            _ = try heard.withUnsafeBufferPointer { samples throws(SpeechError) in try recognizer.accept(samples) }
            var hypothesis = try recognizer.flush()
            guard !hypothesis.isEmpty else { return }
            // From its times to those of the engine's own recognizer.
            let shift = ledger.delivered - Int64(heard.count) + recognizerOffset
            for alternative in hypothesis.alternatives.indices {
                for word in hypothesis.alternatives[alternative].words.indices {
                    let range = hypothesis.alternatives[alternative].words[word].range
                    hypothesis.alternatives[alternative].words[word].range =
                        (range.lowerBound + shift)..<(range.upperBound + shift)
                }
            }
            earlyGuessEnd = nil
            report(hypothesis)
            earlyGuessEnd = ledger.delivered
        } catch {
            // It was only a guess. What is wrong with the engine shows in the real work.
            onset = nil
        }
        // Work for a guess must not make the real work late.
        if ContinuousClock.now - start > Self.longestEarlyGuess { onset = nil }
    }

    /// How long an early guess stands while the engine says nothing, in seconds.
    private static let earlyGuessLife = 0.8
    /// How much of what came before the onset an early guess hears, in seconds.
    private static let leadOfEarlyGuess = 0.3
    private static let longestEarlyGuess = Duration.milliseconds(150)

    /// How long after the end of a word, in seconds, the moment ends in which it is quiet, if it is: the engine's times are not exact.
    private static let longestUntilQuiet = 0.5

    /// How much of what it was fed an engine may not have decoded yet, in seconds: a chunk of frames and their right context.
    private static let longestUndecoded = 1.0
}
