import CTranscribe
import Foundation
import Glibc

/// A model that libtranscribe has loaded. For one thread at a time, except `setCancelled(_:)`.
/// It lives as long as its process, the worker.
final class TranscribeModel {
    /// What the model can do.
    private struct Capabilities {
        /// The codes of its languages; empty if it names none.
        var languages: [String]
        var detectsLanguage: Bool
        /// The finest times that need no second run: those of words, or of segments, which are sentences and clauses.
        var times: Int
        /// Whether it can prefer a vocabulary.
        var takesVocabulary: Bool
        /// Whether it decodes a stream, so that a guess costs only the new samples.
        var streams: Bool
    }

    private let capabilities: Capabilities
    private let calls: TranscribeCalls
    private let setup: WorkerSetup
    private let model: OpaquePointer
    /// The sessions by the number of their threads, made when they are needed.
    private var sessions: [Int: OpaquePointer]
    private var threads: ThreadChoice
    /// The guesses of a model that streams; nil for another, and after a failure.
    private var stream: GuessStream?
    private let isWhisper: Bool
    private let marks: SpokenMarks
    // C strings for a run, freed with the model: the phrases to prefer, and the marks' names. A Whisper model takes the first of them
    // for the text before the sound, towards whose words it leans.
    private let vocabulary: UnsafeMutableBufferPointer<UnsafePointer<CChar>?>
    private var phraseCount: Int { setup.vocabulary.count }

    /// Decodes short guesses; nil before they are prepared, and where there is none.
    private var shortWindow: ShortWindow?
    /// How long the last run took that was not cancelled.
    private var elapsed = Duration.zero

    /// What makes the current run stop.
    private let interruption: Interruption

    /// The sample rate in Hz, the only one that the library takes.
    static let sampleRate = SecondPassModel.sampleRate
    /// The fewest samples that the library takes.
    private static let shortestInput = sampleRate / 10

    /// Loads the model.
    ///
    /// - Throws: `WorkerFailure` that describes the defect of the library, the model or the language.
    init(
        _ setup: WorkerSetup, calls: TranscribeCalls, interruption: Interruption = Interruption()
    ) throws(WorkerFailure) {
        try calls.check()
        // Before any other call: without a handler the library logs nothing, otherwise it would write to stderr.
        calls.logSet(nil, nil)
        let status = calls.initializeBackends(setup.library)
        guard status == TRANSCRIBE_OK else {
            throw WorkerFailure(
                kind: .library,
                sentence:
                    "libtranscribe can't compute on this machine: \(calls.words(for: status)); see \(setup.library)")
        }
        let model = try Self.load(setup, calls)
        var isKept = false
        defer { if !isKept { calls.modelFree(model) } }
        let capabilities = try Self.capabilities(of: model, setup, calls)
        try Self.check(setup, capabilities)
        let session = try Self.session(of: model, setup, threads: 1, calls)
        self.calls = calls
        self.setup = setup
        self.model = model
        sessions = [1: session]
        threads = ThreadChoice(most: setup.threads, cores: ProcessInfo.processInfo.activeProcessorCount)
        self.capabilities = capabilities
        stream = capabilities.streams ? GuessStream(calls, session) : nil
        isWhisper = calls.modelAcceptsExtension(model, Int32(TRANSCRIBE_EXTENDS_RUN), UInt32(TRANSCRIBE_WHISPER_RUN))
        marks = SpokenMarks(names: setup.marks)
        vocabulary = .allocate(capacity: setup.vocabulary.count + 1)
        // The model goes on as the text before is written: in lower case, it writes all in lower case, with many errors.
        let first = setup.vocabulary.first.map { $0.prefix(1).uppercased() + $0.dropFirst() }
        let phrases = [first].compactMap { $0 } + setup.vocabulary.dropFirst() + [marks.sentence]
        for (index, phrase) in phrases.enumerated() {
            vocabulary.initializeElement(at: index, to: UnsafePointer(strdup(phrase)))
        }
        self.interruption = interruption
        setAbortHandler(of: session)
        isKept = true
    }

    deinit {
        for session in sessions.values { calls.sessionFree(session) }
        calls.modelFree(model)
        for phrase in vocabulary { free(UnsafeMutablePointer(mutating: phrase)) }
        vocabulary.deallocate()
    }

    /// Stops the current run, or lets the next one proceed. Any thread may call it.
    func setCancelled(_ cancelled: Bool) { interruption.isCancelled.store(cancelled, ordering: .relaxed) }

    private static func load(_ setup: WorkerSetup, _ calls: TranscribeCalls) throws(WorkerFailure) -> OpaquePointer {
        var load = transcribe_load()
        calls.loadInitialize(&load)
        load.backend = Int32(TRANSCRIBE_ON_PROCESSOR)
        var model: OpaquePointer?
        let status = calls.modelLoad(setup.model, &load, &model)
        guard status == TRANSCRIBE_OK, let model else {
            let reason =
                switch Int(status) {
                case TRANSCRIBE_NO_FILE: "there is no such file"
                case TRANSCRIBE_NO_MEMORY: "there is not enough memory"
                default: "\(calls.words(for: status)); it may be damaged or made for another version"
                }
            let kind = status == TRANSCRIBE_NO_MEMORY ? WorkerFailure.Kind.memory : .model
            throw WorkerFailure(kind: kind, sentence: "the model \(setup.model) can't be loaded: \(reason)")
        }
        return model
    }

    private static func capabilities(
        of model: OpaquePointer, _ setup: WorkerSetup, _ calls: TranscribeCalls
    ) throws(WorkerFailure) -> Capabilities {
        var found = transcribe_capabilities()
        calls.capabilitiesInitialize(&found)
        let status = calls.modelCapabilities(model, &found)
        guard status == TRANSCRIBE_OK, calls.modelRoles(model) & UInt32(TRANSCRIBE_TRANSCRIBES) != 0,
            found.sample_rate == Int32(sampleRate)
        else {
            throw WorkerFailure(
                kind: .model, sentence: "the model \(setup.model) is not one that turns speech at 16 kHz into text")
        }
        let languages = (0..<Int(max(0, found.language_count))).compactMap { index in
            found.languages?[index].map { String(cString: $0) }
        }
        let times =
            switch Int(found.finest_times) {
            case TRANSCRIBE_TIMES_OF_WORDS, TRANSCRIBE_TIMES_OF_TOKENS: TRANSCRIBE_TIMES_OF_WORDS
            case TRANSCRIBE_TIMES_OF_SEGMENTS: TRANSCRIBE_TIMES_OF_SEGMENTS
            default: TRANSCRIBE_TIMES_NONE
            }
        return Capabilities(
            languages: languages, detectsLanguage: found.detects_language, times: times,
            takesVocabulary: calls.modelSupports(model, Int32(TRANSCRIBE_CAN_VOCABULARY)), streams: found.streams)
    }

    /// Throws a failure if the model does not know one of the languages, or can't tell several from each other.
    private static func check(_ setup: WorkerSetup, _ model: Capabilities) throws(WorkerFailure) {
        let unknown = model.languages.isEmpty ? nil : setup.languages.first { !model.languages.contains($0) }
        if let unknown {
            throw WorkerFailure(
                kind: .language,
                sentence: "the model \(setup.model) does not know the language \(unknown); it knows: "
                    + model.languages.joined(separator: ", "))
        }
        if setup.languages.count > 1, !model.detectsLanguage {
            throw WorkerFailure(
                kind: .language,
                sentence: "the model \(setup.model) does not detect which language is spoken; name one")
        }
    }

    private static func session(
        of model: OpaquePointer, _ setup: WorkerSetup, threads: Int, _ calls: TranscribeCalls
    ) throws(WorkerFailure) -> OpaquePointer {
        var sessionSetup = transcribe_session_setup()
        calls.sessionSetupInitialize(&sessionSetup)
        sessionSetup.threads = Int32(threads)
        var session: OpaquePointer?
        let status = calls.sessionMake(model, &sessionSetup, &session)
        guard status == TRANSCRIBE_OK, let session else {
            throw WorkerFailure(
                kind: .model, sentence: "the model \(setup.model) can't be used: \(calls.words(for: status))")
        }
        return session
    }

    private func session(threads: Int) throws(WorkerFailure) -> OpaquePointer {
        if let session = sessions[threads] { return session }
        let session = try Self.session(of: model, setup, threads: threads, calls)
        setAbortHandler(of: session)
        sessions[threads] = session
        return session
    }

    private func setAbortHandler(of session: OpaquePointer) {
        calls.setAbortHandler(
            session, { $0.map { Unmanaged<Interruption>.fromOpaque($0).takeUnretainedValue().isDue } ?? false },
            Unmanaged.passUnretained(interruption).toOpaque())
    }

    /// Decodes a stretch of sound, and once more without its first moment where the model is unsure of the text or repeats itself; the other
    /// text is taken if the model is far surer of it. A small model may lose its way in speech that it hears well when that begins a tenth of a
    /// second later: one of 87 windows of people who speak freely was nonsense with a confidence of 0.4, and then good with 0.8.
    /// C: `transcribe_run`
    ///
    /// - Parameter language: the code of the language; nil for that of the setup, or to detect it.
    func decode(_ samples: [Int16], language: String? = nil) throws(WorkerFailure) -> DecodedText {
        let first = attempt(samples, language)
        guard isWhisper, Self.isInDoubt(first), samples.count > Self.shortestRetried else { return try first.get() }
        let text = try? first.get()
        let rest = Array(samples.dropFirst(Self.moment * Self.sampleRate / 1000))
        let second = attempt(rest, text?.language ?? language)
        if case .failure(let failure) = second, failure.kind != .repetition, failure.kind != .length { throw failure }
        let least = Self.repeatsItself(first) ? 0 : (text?.confidence ?? 0) * Self.farSurer
        guard !Self.repeatsItself(second), let other = try? second.get(), other.confidence ?? 0 > least else {
            return try first.get()
        }
        return other.later(by: Int64(Self.moment))
    }

    private func attempt(_ samples: [Int16], _ language: String?) -> Result<DecodedText, WorkerFailure> {
        Result { () throws(WorkerFailure) in try hear(samples, language) }
    }

    private static func isInDoubt(_ result: Result<DecodedText, WorkerFailure>) -> Bool {
        guard repeatsItself(result) else { return (try? result.get()).map { !$0.isSure } ?? false }
        // Hundreds of marks without a word are those of a damaged model, which computes at them for a minute.
        return (try? result.get()).map { $0.text.contains { $0.isLetter || $0.isNumber } } ?? true
    }

    private static func repeatsItself(_ result: Result<DecodedText, WorkerFailure>) -> Bool {
        switch result {
        case .success(let text): Repetition.isFound(in: text.text)
        case .failure(let failure): failure.kind == .repetition
        }
    }

    /// The moment, in milliseconds: most sound begins 0.2 s before its speech.
    private static let moment = 150
    /// How many times the confidence there is in a text of which the model is far surer. Of 12 texts that differ by less, as many are worse as
    /// better; the two that were nonsense differ by 1.5 and 2.
    private static let farSurer = 1.25
    /// The shortest sound of which the moment is left out, in samples.
    private static let shortestRetried = 1 * sampleRate

    /// Decodes a stretch of sound in the language that is named, or in the likeliest.
    private func hear(_ samples: [Int16], _ language: String?) throws(WorkerFailure) -> DecodedText {
        let offset = Self.offset(of: samples)
        let gain = Self.gain(for: samples, without: offset)
        var sound = samples.map { (Float($0) - offset) * gain }
        if sound.count < Self.shortestInput { sound += [Float](repeating: 0, count: Self.shortestInput - sound.count) }
        if language != nil || setup.languages.count < 2 {
            return try decode(sound, as: language ?? setup.languages.first)
        }
        let text = try sensible { () throws(WorkerFailure) in try decode(sound, as: nil) }
        if let text, text.language.map(setup.languages.contains) ?? true { return text }
        // None of the languages that may be spoken: the model is surest of the text in the one that is.
        var best: DecodedText?
        for language in setup.languages {
            let other = try sensible { () throws(WorkerFailure) in try decode(sound, as: language) }
            guard let other else { continue }
            if best.map({ ($0.confidence ?? 0) < other.confidence ?? 0 }) ?? true { best = other }
        }
        guard let best else {
            throw WorkerFailure(kind: .repetition, sentence: "the model \(setup.model) repeats itself in each language")
        }
        return best
    }

    /// Decodes speech that goes on. A model that streams only decodes the samples since the last guess.
    func guess(_ samples: [Int16], language: String? = nil) throws(WorkerFailure) -> DecodedText {
        // With several languages to choose from, only whole runs are compared.
        guard let stream, language != nil || setup.languages.count < 2 else {
            guard let shortWindow, ShortWindow.takes(samples) else { return try decodeInTime(samples, language) }
            var text = try shortWindow.model.decodeInTime(samples, language)
            text.isRough = true
            return text
        }
        let named = language ?? setup.languages.first
        let status = stream.hear(samples, gain: Self.gain(for: samples), in: named) {
            withRun(in: named, after: phraseCount, $0)
        }
        switch Int(status) {
        case TRANSCRIBE_OK: return DecodedText(text: stream.text ?? "", language: named, isRough: true)
        case TRANSCRIBE_ABORTED: throw failure(status)
        default:
            // Its guesses cost more from now on, and are there.
            self.stream = nil
            return try hear(samples, language)
        }
    }

    /// Decodes sound for a guess. What takes much longer than the sound before repeats itself without end; the next guess has other sound.
    private func decodeInTime(_ samples: [Int16], _ language: String?) throws(WorkerFailure) -> DecodedText {
        interruption.setLimit(elapsed == .zero ? nil : elapsed * 4)
        defer { interruption.setLimit(nil) }
        return try hear(samples, language)
    }

    /// Loads what makes guesses sooner. It takes some tenths of a second.
    func prepareGuesses() {
        guard isWhisper else { return }
        shortWindow = ShortWindow(setup, calls: calls, interruption: interruption)
    }

    /// Returns the text of a decoding as if something else were said, as in another language; nil if it repeats itself, as it may then.
    private func sensible(
        _ decode: () throws(WorkerFailure) -> DecodedText
    ) throws(WorkerFailure) -> DecodedText? {
        do throws(WorkerFailure) {
            return try decode()
        } catch {
            if error.kind == .repetition || error.kind == .length { return nil }
            throw error
        }
    }

    /// Decodes sound in a language; nil detects it.
    private func decode(_ sound: [Float], as language: String?) throws(WorkerFailure) -> DecodedText {
        var text = try decode(sound, as: language, after: phraseCount)
        guard capabilities.takesVocabulary else { return text }
        if !setup.vocabulary.isEmpty, Self.isSparse(text, sound) {
            let plain = try decode(sound, as: language, after: 0)
            if Self.length(plain) > Self.length(text) { text = plain }
        }
        guard marks.mayBeHeard(in: text.text) else { return text }
        let other = try sensible { () throws(WorkerFailure) in try decode(sound, as: language, after: phraseCount + 1) }
        if let other, Self.length(other) * 2 > Self.length(text), marks.areWon(in: other.text, over: text.text) {
            text = other
        }
        return marks.areDictated(in: text.text) ? continued(text) : text
    }

    /// Returns a text with dictated marks in which no sentence begins with the name of one.
    private func continued(_ text: DecodedText) -> DecodedText {
        var text = text
        text.text = marks.continued([text.text])[0]
        for (place, word) in marks.continued(text.words.map(\.text)).enumerated() { text.words[place].text = word }
        for (place, part) in marks.continued(text.segments.map(\.text)).enumerated() {
            text.segments[place].text = part
        }
        return text
    }

    /// Whether a text is far shorter than speech of its length. A Whisper model that goes on after other text, as after phrases to prefer,
    /// sometimes ends at once: with the phrase "Ada" it wrote 3 of 43 words.
    private static func isSparse(_ text: DecodedText, _ sound: [Float]) -> Bool {
        length(text) < 3 * sound.count / sampleRate
    }

    private static func length(_ text: DecodedText) -> Int { text.text.count(where: \.isLetter) }

    /// Decodes sound once, as if so many of the phrases came before it.
    private func decode(
        _ sound: [Float], as language: String?, after phraseCount: Int
    ) throws(WorkerFailure) -> DecodedText {
        stream?.end()
        let count = setup.threads == 1 ? 1 : threads.next(running: ThreadChoice.running)
        let session = try session(threads: count)
        let (start, processorTime) = (ContinuousClock.now, ThreadChoice.processorTime)
        let status = run(sound, language, session, after: phraseCount)
        let elapsed = ContinuousClock.now - start
        if !interruption.isCancelled.load(ordering: .relaxed) {
            // A run that was cut off, as the last of several within a limit, makes the next limit no shorter.
            self.elapsed = Int(status) == TRANSCRIBE_ABORTED ? max(self.elapsed, elapsed) : elapsed
        }
        threads.note(
            threads: count, processorTime: ThreadChoice.processorTime - processorTime, elapsed: elapsed / .seconds(1))
        if Int(status) != TRANSCRIBE_OK { throw failure(status) }
        var text = result(of: session)
        if !text.text.isEmpty { text.language = language ?? Self.detected(calls.detectedLanguage(session)) }
        return text
    }

    private func failure(_ status: Int32) -> WorkerFailure {
        switch Int(status) {
        case TRANSCRIBE_ABORTED where interruption.isCancelled.load(ordering: .relaxed):
            return WorkerFailure(kind: .cancelled, sentence: "it was cancelled")
        case TRANSCRIBE_OUTPUT_REPEATS, TRANSCRIBE_ABORTED:
            return WorkerFailure(kind: .repetition, sentence: "the model \(setup.model) repeats itself")
        case TRANSCRIBE_OUTPUT_TRUNCATED, TRANSCRIBE_INPUT_TOO_LONG:
            return WorkerFailure(kind: .length, sentence: "the model \(setup.model) can't take that much at once")
        case TRANSCRIBE_NO_MEMORY:
            return WorkerFailure(kind: .memory, sentence: "there is not enough memory to compute")
        default:
            // The model has loaded, though of a damaged one that can't detect the language the library says "gguf load error".
            return WorkerFailure(
                kind: .decoding,
                sentence:
                    "the model \(setup.model) loads, but can't decode this; it may be damaged or made for another version "
                    + "(libtranscribe says: \(calls.words(for: status)))")
        }
    }

    /// The offset of a microphone or recorder that has one, which costs a model words; 0 for what is too small to do so.
    private static func offset(of samples: [Int16]) -> Float {
        let mean = samples.isEmpty ? 0 : Float(samples.reduce(0) { $0 + Int($1) }) / Float(samples.count)
        // Nothing but an offset is no sound at all.
        let isSound = samples.contains { Float($0) != mean }
        return isSound && abs(mean) >= leastOffset ? mean : 0
    }

    /// The least offset that is taken out: one in a hundred of full scale.
    private static let leastOffset: Float = 328

    /// The peak to which quieter sound is raised, of full scale 1. A model's features have a floor, under which soft speech
    /// vanishes: at a peak of -54 dB, 22 of 71 words.
    private static let leastPeak: Float = 0.25

    /// Returns the factor from samples to -1...1, or to `leastPeak` for quieter sound.
    private static func gain(for samples: [Int16], without offset: Float = 0) -> Float {
        let peak = samples.reduce(Float(1)) { max($0, abs(Float($1) - offset)) }
        return max(1 / 32768, min(leastPeak / peak, 1))
    }

    private static func detected(_ language: UnsafePointer<CChar>?) -> String? {
        language.map { String(cString: $0) }.flatMap { $0.isEmpty ? nil : $0 }
    }

    private func run(
        _ sound: [Float], _ language: String?, _ session: OpaquePointer, after phraseCount: Int
    ) -> Int32 {
        withRun(in: language, after: phraseCount) { run in
            var whisper = transcribe_whisper_run()
            guard isWhisper else { return calls.run(session, sound, Int32(sound.count), &run) }
            calls.whisperRunInitialize(&whisper)
            // By default Whisper decodes doubtful text again at random temperatures, with another text each time and
            // without a time limit. Our own rules check the text instead.
            whisper.temperature_step = 0
            whisper.seed = 1
            return withUnsafePointer(to: &whisper.extension) { family in
                run.family = family
                return calls.run(session, sound, Int32(sound.count), &run)
            }
        }
    }

    /// Calls a function with the parameters of a run in a language; nil detects it.
    private func withRun(
        in language: String?, after phraseCount: Int, _ body: (inout CTranscribe.transcribe_run) -> Int32
    ) -> Int32 {
        var run = CTranscribe.transcribe_run()
        calls.runInitialize(&run)
        run.times = Int32(capabilities.times)
        if calls.modelSupports(model, Int32(TRANSCRIBE_CAN_PUNCTUATE)) {
            run.punctuation = Int32(setup.punctuates ? TRANSCRIBE_PUNCTUATION_ON : TRANSCRIBE_PUNCTUATION_OFF)
        }
        if capabilities.takesVocabulary, phraseCount > 0 {
            run.vocabulary = UnsafePointer(vocabulary.baseAddress)
            run.vocabulary_count = Int32(phraseCount)
        }
        guard let language else { return body(&run) }
        return language.withCString {
            run.language = $0
            return body(&run)
        }
    }

    /// The windows of a Whisper model's last run; none for other models.
    private func windows(of session: OpaquePointer) -> [transcribe_whisper_window] {
        (0..<(isWhisper ? calls.whisperWindowCount(session) : 0)).compactMap { index in
            var window = transcribe_whisper_window()
            calls.whisperWindowInitialize(&window)
            return calls.whisperWindow(session, index, &window) == TRANSCRIBE_OK ? window : nil
        }
    }

    /// Copies the result, whose C strings are freed at the session's next call.
    private func result(of session: OpaquePointer) -> DecodedText {
        let windows = windows(of: session)
        let isSilence = windows.allSatisfy {
            WhisperSilence.isFound(noSpeech: Double($0.no_speech), logProbability: Double($0.probability))
        }
        if !windows.isEmpty && isSilence { return DecodedText(text: "") }
        let tokens = (0..<calls.tokenCount(session)).map { index in
            var token = transcribe_token()
            calls.tokenInitialize(&token)
            return calls.token(session, index, &token) == TRANSCRIBE_OK ? Double(token.probability) : .nan
        }
        func confidence(_ first: Int32, _ count: Int32) -> Double? {
            let range = (Int(first)..<Int(first) + Int(max(0, count))).clamped(to: tokens.indices)
            let known = tokens[range].filter { (0...1).contains($0) }
            return known.isEmpty ? nil : known.reduce(0, +) / Double(known.count)
        }
        let words = (0..<calls.wordCount(session)).compactMap { index -> DecodedText.Piece? in
            var word = transcribe_word()
            calls.wordInitialize(&word)
            guard calls.word(session, index, &word) == TRANSCRIBE_OK, let text = word.text.map(Self.text), !text.isEmpty
            else { return nil }
            return DecodedText.Piece(
                text: text, time: Self.time(word.start, word.end),
                confidence: confidence(word.first_token, word.token_count))
        }
        let segments = (0..<calls.segmentCount(session)).compactMap { index -> DecodedText.Piece? in
            var segment = transcribe_segment()
            calls.segmentInitialize(&segment)
            guard calls.segment(session, index, &segment) == TRANSCRIBE_OK, let text = segment.text.map(Self.text),
                !text.isEmpty
            else { return nil }
            return DecodedText.Piece(text: text, time: Self.time(segment.start, segment.end))
        }
        return DecodedText(
            text: calls.fullText(session).map(Self.text) ?? "",
            confidence: confidence(0, Int32(tokens.count)) ?? Self.confidence(of: windows),
            words: words, segments: capabilities.times == TRANSCRIBE_TIMES_OF_SEGMENTS ? segments : [])
    }

    /// Returns a time that is in order and not too great for the protocol.
    private static func time(_ start: Int64, _ end: Int64) -> Range<Int64> {
        let start = min(max(0, start), 1 << 39)
        return start..<min(max(start, end), 1 << 39)
    }

    /// The confidence of the least probable window: the geometric mean of its tokens' probabilities.
    private static func confidence(of windows: [transcribe_whisper_window]) -> Double? {
        windows.map { exp(Double($0.probability)) }.filter { (0...1).contains($0) }.min()
    }

    /// Converts a C string, without superfluous spaces.
    private static func text(_ text: UnsafePointer<CChar>) -> String {
        String(cString: text).split(whereSeparator: \.isWhitespace).joined(separator: " ")
    }
}

extension TranscribeCalls {
    /// The library's message for a status.
    fileprivate func words(for status: Int32) -> String {
        statusString(status).map { String(cString: $0) } ?? "status \(status)"
    }
}
