import Models

/// Passes a stream through recognizers: divides it into blocks of equal size, counts its samples, ends utterances in
/// which no pause comes, and replaces the recognizer from time to time. For one thread at a time.
///
/// Samples are counted in the order of delivery, from 0. Two other counts depend on that one: the position in the
/// stream (`StreamClock`, which knows the missing samples), and the samples that the current recognizer has taken
/// (`recognizerOffset`).
final class RecognitionPipeline: StreamRecognition {
    struct Settings {
        /// Whether to report the hypothesis of an utterance before it has ended.
        var reportsVolatile = false
        /// Whether to report final utterances without words as well.
        var reportsSilence = false
        /// Whether to guess the first words of an utterance before the engine reports them.
        var guessesEarly = false
        /// Whether a long silence is left out of the decoding.
        var skipsSilence = false
        /// The seconds of audio after which another recognizer takes over. libvosk's memory grows with the audio, and
        /// after ten minutes it would drop frames to start again.
        var renewal: Double = 240
    }

    private(set) var clock = StreamClock()
    private let engine: any SpeechEngine
    private var configuration: RecognizerConfiguration
    private let settings: Settings
    private let emit: (Utterance) -> Void

    private var recognizer: any SpeechRecognizer
    /// The recognizer's time for delivered sample 0, whether or not it has heard that sample.
    private var recognizerOffset: Int64
    /// The first delivered sample that the recognizer has heard.
    private var recognizerStart: Int64 = 0

    /// The last samples that were decoded or left out, with which the next recognizer begins.
    private var recent: [Int16] = []
    /// The samples of a block that is not complete yet.
    private var block: [Int16] = []
    private let blockLength: Int
    /// The volatile utterance that was reported and is neither finalized nor withdrawn.
    private var volatileUtterance: Utterance?
    /// Knows when to guess, and when there is nothing to decode; nil if neither is wanted.
    private var activity: SpeechActivity?
    /// Whether to guess early: not if the engine is too slow.
    private var guessesEarly: Bool
    /// The sample before which speech does not count for the next early guess, and the number of guesses since.
    private var guesses: (floor: Int64, count: Int) = (0, 0)
    /// The first sample of the silence that is not decoded; nil while the recognizer hears everything.
    private var restStart: Int64?
    /// The number of samples delivered at the last early guess that is still shown; nil once the engine has reported
    /// words itself.
    private var earlyGuessEnd: Int64?
    /// The number of samples that `recent` keeps: 4 seconds.
    private var recentLength: Int { 4 * engine.sampleRate }
    /// The number of delivered samples that the recognizer has taken.
    private var decoded: Int64 = 0
    /// The first delivered sample that no final utterance covers.
    private var utteranceStart: Int64 { clock.settled }

    init(
        engine: any SpeechEngine, configuration: RecognizerConfiguration, settings: Settings,
        emit: @escaping (Utterance) -> Void
    ) throws(SpeechError) {
        self.engine = engine
        self.configuration = configuration
        self.settings = settings
        self.emit = emit
        recognizer = try engine.makeRecognizer(configuration)
        recognizerOffset = recognizer.samplesAccepted
        // The text depends on how samples are divided into calls, since the engine looks for the end of an utterance
        // after each one. 100 ms are fast enough for the eye, and cost hardly more than longer blocks.
        blockLength = engine.sampleRate / 10
        block.reserveCapacity(blockLength)
        guessesEarly = settings.guessesEarly && settings.reportsVolatile
        // Without the detector, guesses come a little later, and silence is decoded.
        activity = guessesEarly || settings.skipsSilence ? SpeechActivity(sampleRate: engine.sampleRate) : nil
    }

    /// Takes the next samples of the stream.
    ///
    /// - Parameter position: the position of the first sample; `nil` if it follows the last one directly.
    /// - Throws: `.audioDisordered` if the samples begin before the end of the last ones, and the errors of the engine.
    func append(_ samples: UnsafeBufferPointer<Int16>, at position: Int64? = nil) throws(SpeechError) {
        let gap = try clock.gap(before: position)
        if gap > Int64(engine.sampleRate), ledger.delivered > 0 { try finalize() }
        clock.deliver(samples.count, after: gap)
        var rest = samples[...]
        while !rest.isEmpty {
            let part = UnsafeBufferPointer(rebasing: rest.prefix(blockLength - block.count))
            activity?.hear(part)
            block.append(contentsOf: part)
            rest = rest.dropFirst(part.count)
            if block.count == blockLength { try decodeBlock() }
        }
        if guessesEarly { guessEarly() }
    }

    /// Decodes the samples taken, to the last one, and finalizes them.
    func finalize() throws(SpeechError) {
        if !block.isEmpty { try decodeBlock() }
        // The detector needs a moment to be sure of speech.
        if restStart != nil { try wake(from: decoded - samples(1)) }
        let hypothesis = try salvaging { () throws(SpeechError) in try recognizer.flush() }
        close(hypothesis, through: decoded)
        restart(at: decoded)
    }

    /// Continues with a recognizer of another configuration. All audio must be final.
    func change(to configuration: RecognizerConfiguration) throws(SpeechError) {
        let next = try engine.makeRecognizer(configuration)
        retire()
        self.configuration = configuration
        recognizer = next
        restart(at: decoded)
    }

    /// Returns the recognizer to the engine, which keeps it if it is unused. The pipeline can't be used after that.
    func retire() {
        engine.keep(recognizer)
    }

    private func decodeBlock() throws(SpeechError) {
        let samples = block
        block.removeAll(keepingCapacity: true)
        decoded += Int64(samples.count)
        recent += samples
        // Forget some seconds at a time.
        if recent.count > 2 * recentLength { recent.removeFirst(recent.count - recentLength) }
        if restStart != nil { return try rest(samples.count) }
        try samples.withUnsafeBufferPointer { samples throws(SpeechError) in try take(samples) }
        guard isSilent, volatileUtterance == nil else { return }
        let hypothesis = try salvaging { () throws(SpeechError) in try recognizer.volatileHypothesis() }
        if hypothesis.isEmpty { restStart = decoded }
    }

    /// Whether nobody has spoken for so long that the recognizer may rest.
    private var isSilent: Bool {
        settings.skipsSilence && activity.map { $0.silence >= samples(Self.silenceBeforeRest) } ?? false
    }

    /// Leaves a block of a long silence out, unless speech has begun.
    private func rest(_ count: Int) throws(SpeechError) {
        recognizerOffset -= Int64(count)
        if let start = activity?.speechStart { return try wake(from: start - samples(Self.leadOfSpeech)) }
        // What lies before the sound that may be decoded again is silence for good.
        let settled = decoded - samples(1)
        if settled - utteranceStart >= samples(5) { close(.empty, through: settled) }
    }

    /// Lets the recognizer hear again, from a sample in the silence that it has not heard.
    private func wake(from start: Int64) throws(SpeechError) {
        let first = max(start, restStart ?? 0, utteranceStart, decoded - Int64(recent.count))
        restStart = nil
        recognizerOffset = recognizer.samplesAccepted - first
        try hear(recent.suffix(Int(decoded - first)))
    }

    /// Passes samples to the recognizer.
    private func take(_ samples: UnsafeBufferPointer<Int16>) throws(SpeechError) {
        if try salvaging({ () throws(SpeechError) in try recognizer.accept(samples) }) {
            try endUtterance()
        } else if decoded - utteranceStart > self.samples(configuration.endpointing.longestUtterance) {
            try cutUtterance()
        } else if settings.reportsVolatile {
            try report(salvaging { () throws(SpeechError) in try recognizer.volatileHypothesis() })
        }
    }

    private func report(_ hypothesis: Hypothesis) {
        if let earlyGuessEnd {
            // The engine has no words yet. An early guess stays for a while, and is then withdrawn.
            if hypothesis.isEmpty && decoded - earlyGuessEnd < samples(Self.earlyGuessLife) { return }
            self.earlyGuessEnd = nil
        }
        guard hypothesis.best.text != volatileUtterance?.text ?? "" else { return }
        let utterance = utterance(hypothesis, through: decoded, isFinal: false)
        volatileUtterance = utterance
        emit(utterance)
    }

    /// Finalizes an utterance that the engine has ended.
    private func endUtterance() throws(SpeechError) {
        let hypothesis = try salvaging { () throws(SpeechError) in try recognizer.endUtterance() }
        // The engine has not decoded its last frames yet. Words in them belong to the next utterance.
        let undecoded = max(utteranceStart, decoded - samples(Self.longestUndecoded))
        var end = undecoded
        if !hypothesis.isEmpty {
            end =
                hypothesis.best.words.last.map { word in
                    index(of: word.range.upperBound) + samples(configuration.endpointing.shortestPause / 2)
                } ?? decoded
            end = min(max(end, utteranceStart), decoded)
        }
        close(hypothesis, through: end)
        if decoded - recognizerStart >= samples(settings.renewal) {
            // The next one begins in the pause that ended the utterance, so that it hears every sample that this one has taken but not
            // decoded.
            recognizer = try engine.makeRecognizer(configuration)
            try hearAgain(from: max(end, undecoded, decoded - Int64(recent.count)))
        }
    }

    /// Ends an utterance in which no pause comes. Its last word may be incomplete, so the next utterance begins with
    /// that word.
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
                end = min(
                    decoded, max(lastEnd + samples(configuration.endpointing.shortestPause / 2), decoded - samples(0.5))
                )
            }
            end = max(end, decoded - Int64(recent.count))
        } else if let first = words.first,
            index(of: first.range.lowerBound) > max(utteranceStart, decoded - Int64(recent.count))
        {
            // The only word has just begun.
            end = index(of: first.range.lowerBound)
            hypothesis = .empty
        }
        close(hypothesis, through: end)
        try hearAgain(from: end)
    }

    private func hearAgain(from start: Int64) throws(SpeechError) {
        restart(at: start)
        try hear(recent.suffix(Int(decoded - start)))
    }

    /// Passes sound that was delivered before to the recognizer.
    private func hear(_ again: ArraySlice<Int16>) throws(SpeechError) {
        let ended = try again.withUnsafeBufferPointer { samples throws(SpeechError) in
            try salvaging { () throws(SpeechError) in try recognizer.accept(samples) }
        }
        if ended { try endUtterance() }
    }

    /// Records that the next sample that the recognizer takes is the delivered sample `index`.
    private func restart(at index: Int64) {
        recognizerOffset = recognizer.samplesAccepted - index
        restStart = nil
        recognizerStart = index
    }

    /// Finalizes everything before the delivered sample `end`.
    private func close(_ hypothesis: Hypothesis, through end: Int64) {
        // Report silence if a guess was shown before, or if the settings ask for it.
        if !hypothesis.isEmpty || volatileUtterance != nil || (settings.reportsSilence && end > utteranceStart) {
            emit(utterance(hypothesis, through: end, isFinal: true))
        }
        volatileUtterance = nil
        earlyGuessEnd = nil
        guesses = (activity?.heard ?? 0, 0)
        clock.settle(through: end, hasText: !hypothesis.isEmpty)
    }

    private func utterance(_ hypothesis: Hypothesis, through end: Int64, isFinal: Bool) -> Utterance {
        clock.placed(
            Utterance(
                range: utteranceStart..<max(utteranceStart, end),
                alternatives: hypothesis.moved(by: -recognizerOffset).alternatives, isFinal: isFinal))
    }

    /// Returns the delivered sample at a recognizer's time.
    private func index(of recognizerTime: Int64) -> Int64 { recognizerTime - recognizerOffset }

    private func samples(_ seconds: Double) -> Int64 { Int64(seconds * Double(engine.sampleRate)) }

    /// Calls `body`. If the engine fails, the text that was shown of the utterance is finalized first.
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

    /// Guesses the words since the onset of speech, with a second recognizer that does not wait for more audio. The
    /// engine itself needs some tenths of a second more until it reports a word, which then replaces the guess.
    private func guessEarly() {
        guard guesses.count < Self.earlyGuesses.count, let activity, let onset = activity.speechStart else { return }
        let since = activity.heard - max(onset, guesses.floor)
        guard since >= samples(Self.earlyGuesses[guesses.count]) else { return }
        guesses.count += 1
        guard volatileUtterance == nil || earlyGuessEnd != nil else { return }
        let start = ContinuousClock.now
        let before = Int(since + samples(Self.leadOfEarlyGuess)) - block.count
        let heard = recent.suffix(max(0, before)) + block
        do throws(SpeechError) {
            let recognizer = try engine.makeRecognizer(configuration)
            _ = try heard.withUnsafeBufferPointer { samples throws(SpeechError) in try recognizer.accept(samples) }
            var hypothesis = try recognizer.flush()
            guard !hypothesis.isEmpty else { return }
            // Its times count from the first sample that it has heard, those of the main recognizer from its own.
            hypothesis = hypothesis.moved(by: ledger.delivered - Int64(heard.count) + recognizerOffset)
            earlyGuessEnd = nil
            report(hypothesis)
            earlyGuessEnd = ledger.delivered
        } catch {
            // An error of a guess is ignored: a defect of the engine shows in the real work.
            guessesEarly = false
        }
        // A guess must not delay the real work.
        if ContinuousClock.now - start > Self.longestEarlyGuess { guessesEarly = false }
    }

    /// The amount of silence before speech that a recognizer hears after a rest, in seconds.
    private static let leadOfSpeech = 0.5
    /// The silence after which a recognizer rests, in seconds. Longer than any that ends an utterance of words.
    private static let silenceBeforeRest = 3.0
    /// The times since the onset of speech at which an early guess is due, in seconds; the later guess is the better one. They are
    /// whole frames of the detector, which finds a soft onset some hundredths late.
    private static let earlyGuesses = [0.16, 0.25]
    /// The time for which an early guess is shown while the engine reports nothing, in seconds.
    private static let earlyGuessLife = 0.8
    /// The amount of audio before the onset that an early guess includes, in seconds.
    private static let leadOfEarlyGuess = 0.3
    private static let longestEarlyGuess = Duration.milliseconds(150)

    /// The most audio that an engine has taken but not decoded, in seconds: a chunk of frames and their right context.
    private static let longestUndecoded = 1.0
}
