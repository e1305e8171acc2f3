import Audio
import Models
import Synchronization
import System

/// Does the work of a transcriber or a detector, in order, on its own executor: the engine computes for long, and would block the
/// cooperative pool.
actor TranscriptionWorker {
    struct Setup: Sendable {
        /// Loads libvosk's model, which guesses, and decides if no other engine does; nil if there is none. Without an engine
        /// the worker only detects speech.
        var loadEngine: (@Sendable () async throws -> any SpeechEngine)?
        var configuration = RecognizerConfiguration()
        var settings = RecognitionPipeline.Settings()
        var attributes: Set<SpeechTranscriber.ResultAttributeOption> = []
        /// How many stretches of recorded speech libvosk decodes at a time; nil for speech that is heard while it is spoken.
        var width: Int?
        /// The engine that decides in a process of its own; nil if libvosk does.
        var deciding: DecidingEngine?
    }

    private let executor = SerialDispatchExecutor(label: "utter.recognition", for: .computing)
    nonisolated var unownedExecutor: UnownedSerialExecutor { executor.asUnownedSerialExecutor() }
    nonisolated var tasks: any TaskExecutor { executor.tasks }

    let setup: Setup
    private let output: WorkerOutput
    /// Set from any thread, and read between two blocks.
    private let isCancelled = Atomic(false)

    /// The engines, or why they could not be loaded; nil before.
    private var loaded: Result<Engines, any Error>?
    private var engines: Engines? { try? loaded?.get() }
    private var isLoading = false
    private(set) var recognition: (any StreamRecognition)?
    /// Converts the input to the rate of the model; nil if it has that.
    private var converter: SampleRateConverter?
    /// The end of the input so far, at its own rate.
    private var inputEnd: AudioTime?
    /// Those who wait for a decision or for the engines.
    private var waiters: [CheckedContinuation<Void, Never>] = []
    private var isFinished = false
    /// The error after which the engine can't continue. The results have ended with it.
    private var failure: (any Error)?
    var phrases: [String] = []
    private(set) var unknownWords: [String] = []
    private var finishedLedger = SampleLedger()
    private var finishedCounts = DictationCounts()
    private let isAttached = Atomic(false)
    /// Whether nobody waits for what is not decoded yet. What is heard later is waited for again.
    private var hasSettled = false
    /// The sensitivity of the detector, which is set before the first sound.
    nonisolated let sensitivity = Mutex(SpeechSegmenter.Sensitivity.medium)

    /// The number of samples to decode between two checks for cancellation.
    private static let sliceLength = 1600

    init(_ setup: Setup, output: WorkerOutput) {
        self.setup = setup
        self.output = output
    }

    /// Creates the worker of a transcriber, and its results.
    static func transcribing(_ setup: Setup) -> (TranscriptionWorker, ResultSequence<SpeechTranscriber.Result>) {
        let storage = ResultStorage<SpeechTranscriber.Result>()
        let attributes = setup.attributes
        // Whether a final result has had text.
        let hasText = Atomic(false)
        let output = WorkerOutput(storage) { utterance, rate in
            let followsText = hasText.load(ordering: .relaxed)
            if utterance.isFinal, !utterance.text.isEmpty { hasText.store(true, ordering: .relaxed) }
            return SpeechTranscriber.Result(
                utterance, sampleRate: rate, attributes: attributes, followsText: followsText && utterance.writesSpaces)
        }
        return (TranscriptionWorker(setup, output: output), ResultSequence(storage: storage))
    }

    /// Claims the worker for an analyzer. It works for one analyzer, once.
    nonisolated func attach() throws(SpeechError) {
        guard !isAttached.exchange(true, ordering: .relaxed) else {
            throw SpeechError(
                .moduleInUse, "a transcriber works for one analyzer, once; make a new one for the next session")
        }
    }

    private struct Engines: Sendable {
        /// libvosk's model.
        var speech: (any SpeechEngine)?
        var deciding: EngineHosts.Lease?
        /// The weights of the detector, unless libvosk hears everything.
        var weights: SileroWeights?

        /// The sample rate in Hz.
        var sampleRate: Int { weights == nil ? speech?.sampleRate ?? 0 : DictationDesk.sampleRate }
    }

    var ledger: SampleLedger { recognition?.ledger ?? finishedLedger }
    var dictation: DictationPipeline? { recognition as? DictationPipeline }
    var dictationCounts: DictationCounts { dictation?.counts ?? finishedCounts }
    /// The number of utterances whose text is not decided.
    var undecidedCount: Int { dictation?.undecidedCount ?? 0 }

    func sampleRate() async throws -> Int {
        if setup.loadEngine == nil || setup.deciding != nil { return DictationDesk.sampleRate }
        return try await (isOver ? load() : loadedEngines()).sampleRate
    }

    /// The formats that are taken without conversion; empty while the model is not installed.
    var formats: [AudioFormat] {
        get async {
            guard let rate = try? await sampleRate() else { return [] }
            // The model that decides is looked for without loading it.
            if let deciding = setup.deciding, (try? deciding.model()) == nil { return [] }
            return [AudioFormat(sampleRate: rate, channelCount: 1, encoding: .signed16)]
        }
    }

    func prepare(_ extent: Preparation) async throws {
        _ = try await loadedEngines()
        if isOver || extent == .model { return }
        if let failure { throw failure }
        // What is wrong with the model shows before the first sound. A context that is set meanwhile has another host.
        var started: EngineHosts.Lease?
        while let lease = engines?.deciding, lease !== started {
            defer { started = lease }
            try await lease.host.start()
        }
        guard !isOver, let engines else { return }
        if extent == .warm, let speech = engines.speech { return try warmUp(speech) }
        _ = try failing { try runningRecognition(engines) }
    }

    private func warmUp(_ engine: any SpeechEngine) throws {
        // The first decoding loads pages and caches for later ones.
        let recognizer = try engine.makeRecognizer(configuration)
        let silence = [Int16](repeating: 0, count: engine.sampleRate / 2)
        _ = try silence.withUnsafeBufferPointer { samples throws(SpeechError) in try recognizer.accept(samples) }
        _ = try recognizer.flush()
        engine.keep(try engine.makeRecognizer(configuration))
    }

    func setContext(_ context: AnalysisContext) async throws {
        if let deciding = setup.deciding { return try await prefer(context.preferredPhrases, deciding) }
        // A detector has no use for them.
        if setup.loadEngine == nil { return }
        var (phrases, unknown) = (context.onlyPhrases, [] as [String])
        if !phrases.isEmpty, let engine = try await loadedEngines().speech {
            (phrases, unknown) = try Self.spelled(phrases, as: engine)
        }
        unknownWords = unknown
        // A phrase that contains an unknown word can't be recognized.
        let known = phrases.filter { $0.split(separator: " ").allSatisfy { !unknown.contains(String($0)) } }
        if known.isEmpty && !phrases.isEmpty {
            throw SpeechError(
                .vocabularyNotSupported,
                "the model knows no phrase of the vocabulary; words it lacks: \(unknown.joined(separator: ", "))")
        }
        // A recognizer is made for its phrases, so the audio before is finalized.
        guard known != self.phrases else { return }
        self.phrases = known
        if failure == nil, let recognition {
            try failing {
                try finalizeConverted(recognition)
                try recognition.change(to: configuration)
            }
        }
    }

    /// Sets the phrases for the engine that decides, whose workers get them when they load. One that has heard nothing goes.
    private func prefer(_ phrases: [String], _ deciding: DecidingEngine) async throws {
        guard phrases != self.phrases else { return }
        await wait { !isLoading || isOver }
        guard inputEnd == nil else {
            throw SpeechError(.vocabularyNotSupported, "the vocabulary is set before the first sound")
        }
        if var engines {
            engines.deciding = try deciding.lease(phrases)
            loaded = .success(engines)
            recognition?.abandon()
            recognition = nil
        }
        self.phrases = phrases
    }

    /// Returns the phrases in the model's spelling, usually in lower case, and the words that it does not know.
    private static func spelled(
        _ phrases: [String], as engine: any SpeechEngine
    ) throws -> (phrases: [String], unknownWords: [String]) {
        let unknown = try engine.unknownWords(in: phrases)
        let lowerCase = Set(try engine.unknownWords(in: unknown.map { $0.lowercased() }))
        let known = Set(unknown.filter { !lowerCase.contains($0.lowercased()) })
        let spelled = phrases.map { phrase in
            phrase.split(separator: " ").map { known.contains(String($0)) ? $0.lowercased() : String($0) }
                .joined(separator: " ")
        }
        return (spelled, unknown.filter { !known.contains($0) })
    }

    func consume(_ input: AnalyzerInput) async throws -> AudioTimeRange {
        if let failure { throw failure }
        let engines: Engines
        do {
            engines = try await loadedEngines()
        } catch {
            fail(error)
            throw error
        }
        guard !isOver else { throw CancellationError() }
        hasSettled = false
        try failing { try feed(input, to: try runningRecognition(engines), rate: engines.sampleRate) }
        // What closes with a whole text is decided without an answer.
        resumeWaiters()
        // In a file no one waits for a sentence, so that the sound in memory is limited. A reader that is cancelled reads no more.
        let isRecorded = setup.deciding?.isLive == false
        await waitForRecognitionUnlessCancelled { recognition in
            switch recognition {
            case let dictation as DictationPipeline: !isRecorded || dictation.waitingCount <= dictation.mostWaiting
            case let stretches as StretchRecognition: !stretches.isFull
            default: true
            }
        }
        return volatileRange
    }

    /// Finalizes the audio. The text of some may still be undecided.
    ///
    /// - Returns: the position up to which it is finalized.
    func finalize() async throws -> Int64 {
        if let failure { throw failure }
        guard let recognition else { return 0 }
        try failing { try finalizeConverted(recognition) }
        return recognition.clock.nextPosition
    }

    /// Makes everything final, and ends the results.
    ///
    /// - Parameter inputFailure: the error that ended the input, with which the results end as well.
    func finish(inputFailure: (any Error)?) async throws {
        if isOver { return }
        defer {
            output.finish(inputFailure)
            release()
        }
        if let failure { throw failure }
        guard let recognition else { return }
        let finalized = Result { try failing { try finalizeConverted(recognition) } }
        // An error of the input leaves the audio before it, which is decided all the same.
        if hasSettled { settle() }
        if failure == nil { await waitForRecognition { $0.undecidedStart == nil } }
        recognition.retire()
        try finalized.get()
        if let failure { throw failure }
        try throwIfLost()
    }

    /// Waits until the recognition is so far, or is given up.
    private func waitForRecognition(until isDone: (any StreamRecognition) -> Bool) async {
        await wait { recognition.map { isDone($0) } ?? true }
    }

    /// Waits likewise, or until the task is cancelled.
    private func waitForRecognitionUnlessCancelled(until isDone: (any StreamRecognition) -> Bool) async {
        await withTaskCancellationHandler {
            await waitForRecognition { Task.isCancelled || isDone($0) }
        } onCancel: {
            Task(executorPreference: tasks) { await self.resumeWaiters() }
        }
    }

    private func wait(until isDone: () -> Bool) async {
        while !isDone() {
            await withCheckedContinuation { waiter in
                // Check again: the actor may have done other work before this closure ran.
                if isDone() { waiter.resume() } else { waiters.append(waiter) }
            }
        }
    }

    /// Lets those who wait look again.
    private func resumeWaiters() {
        defer { waiters = [] }
        for waiter in waiters { waiter.resume() }
    }

    /// Waits until everything before a position is final.
    ///
    /// - Throws: `CancellationError` if the task is cancelled before.
    func waitUntilDecided(before end: Int64) async throws {
        func isDecided(_ recognition: any StreamRecognition) -> Bool { (recognition.undecidedStart ?? end) >= end }
        await waitForRecognitionUnlessCancelled(until: isDecided)
        if let recognition, !isDecided(recognition) { try Task.checkCancellation() }
    }

    /// Makes everything so far final with the deciding engine's last guess, and waits for no more of it.
    func settle() {
        hasSettled = true
        dictation?.settleWithGuess()
        resumeWaiters()
    }

    private func take(_ outcome: DecodingOutcome, of identifier: UInt64) {
        dictation?.take(outcome, of: identifier)
        resumeWaiters()
    }

    /// Reports what has been decoded of stretches.
    private func advance() {
        do { try (recognition as? StretchRecognition)?.advance() } catch { fail(error) }
        resumeWaiters()
    }

    /// - Throws: `SpeechError` `.moduleOutputFailed` if the text of some speech could not be decoded, or was not waited for.
    private func throwIfLost() throws {
        if let loss = dictationCounts.loss { throw SpeechError(.moduleOutputFailed, loss) }
    }

    /// Calls `body`, and records an error of the engine.
    private func failing<Value>(_ body: () throws -> Value) throws -> Value {
        do { return try body() } catch {
            fail(error)
            throw error
        }
    }

    /// Ends the results with an error of the engine, after which nothing more can come. An error of the input is
    /// reported by its reader, and the finish still finalizes the audio before it.
    private func fail(_ error: any Error) {
        let isOfInput = error is SampleRateError || (error as? SpeechError)?.code == .audioDisordered
        guard failure == nil, !isOfInput, !isOver else { return }
        failure = error
        settle()
        output.finish(error)
    }

    /// Ends the results at once; no more are delivered. Results that have ended remain for their reader. Does not wait.
    nonisolated func cancel() {
        isCancelled.store(true, ordering: .relaxed)
        output.cancel()
        Task { await release() }
    }

    /// Frees everything.
    func release() {
        finishedLedger = ledger
        finishedCounts = dictationCounts
        isFinished = true
        // A finish that waits still uses it.
        recognition?.abandon()
        (recognition, loaded) = (nil, nil)
        converter = nil
        resumeWaiters()
    }

    private var isOver: Bool { isFinished || isCancelled.load(ordering: .relaxed) }

    /// Returns the engines, which are loaded once for all callers. Throws when the worker is released before they have
    /// loaded.
    private func loadedEngines() async throws -> Engines {
        if let engines { return engines }
        if !isLoading, !isOver {
            isLoading = true
            Task(executorPreference: tasks) { [self] in
                do { await endLoad(.success(try await load())) } catch { await endLoad(.failure(error)) }
            }
        }
        await wait { !isLoading || isOver }
        guard !isOver, let loaded else { throw CancellationError() }
        return try loaded.get()
    }

    private func endLoad(_ result: Result<Engines, any Error>) {
        if !isOver { loaded = result }
        isLoading = false
        resumeWaiters()
    }

    private nonisolated func load() async throws -> Engines {
        var engines = Engines()
        // The worker loads its model meanwhile.
        engines.deciding = try setup.deciding?.lease(await phrases)
        if setup.deciding != nil || setup.loadEngine == nil { engines.weights = try SileroWeights.shared.get() }
        engines.speech = try await setup.loadEngine?()
        return engines
    }

    private var configuration: RecognizerConfiguration {
        var configuration = setup.configuration
        configuration.phrases = setup.deciding == nil ? phrases : []
        return configuration
    }

    private func runningRecognition(_ engines: Engines) throws -> any StreamRecognition {
        if let recognition { return recognition }
        let rate = engines.sampleRate
        let new = try makeRecognition(engines) { [output] in output.send($0, rate) }
        recognition = new
        return new
    }

    private func makeRecognition(
        _ engines: Engines, _ emit: @escaping @Sendable (Utterance) -> Void
    ) throws -> any StreamRecognition {
        if let deciding = setup.deciding, let lease = engines.deciding, let weights = engines.weights {
            // A model for telephones guesses at what the detector's rate does not give it.
            let guessing = engines.speech.flatMap { $0.sampleRate == DictationDesk.sampleRate ? $0 : nil }
            return DictationPipeline(
                deciding.settings(setup.settings, sensitivity.withLock(\.self)), lease: lease, weights: weights,
                guesser: try guessing.map {
                    try EngineGuesses(
                        engine: $0, configuration: configuration, guessesEarly: setup.settings.guessesEarly)
                }, emit: emit
            ) { [weak self, tasks] identifier, outcome in
                Task(executorPreference: tasks) { await self?.take(outcome, of: identifier) }
            }
        }
        if let weights = engines.weights {
            return DetectionPipeline(
                SpeechSegmenter(weights: weights, sensitivity: sensitivity.withLock(\.self)), emit: emit)
        }
        guard let speech = engines.speech else { preconditionFailure("a transcriber has an engine") }
        guard let width = setup.width else {
            return try RecognitionPipeline(
                engine: speech, configuration: configuration, settings: setup.settings, emit: emit)
        }
        return try StretchRecognition(
            engine: speech, configuration: configuration, settings: setup.settings, width: width, emit: emit,
            isCancelled: { [weak self] in self?.isCancelled.load(ordering: .relaxed) ?? true }
        ) { [weak self, tasks] in
            Task(executorPreference: tasks) { await self?.advance() }
        }
    }

    private func feed(_ input: AnalyzerInput, to pipeline: any StreamRecognition, rate: Int) throws {
        let buffer = input.buffer
        let expected = inputEnd ?? .zero
        let start = input.bufferStartTime.flatMap { $0.isNext(to: expected) ? nil : $0 }
        if let start, start < expected {
            throw SpeechError(
                .audioDisordered,
                "audio came out of order: it begins at \(start.seconds) s, but the audio before it ends at \(expected.seconds) s"
            )
        }
        if let start, [rate, buffer.sampleRate].contains(where: { start.converted(toRate: $0).sampleCount > .max / 4 })
        {
            throw SpeechError(.audioDisordered, "audio begins later than samples can be counted")
        }
        if start != nil || converter?.inputRate != buffer.sampleRate {
            // The samples that the converter still holds come before these.
            try drainConverter(into: pipeline)
            if buffer.sampleRate != rate { converter = try SampleRateConverter(from: buffer.sampleRate, to: rate) }
        }
        let position = start.map { max($0.converted(toRate: rate).sampleCount, pipeline.clock.nextPosition) }
        var end = (start ?? expected).converted(toRate: buffer.sampleRate)
        end.sampleCount += Int64(buffer.samples.count)
        inputEnd = end
        do {
            var samples = buffer.samples
            if converter != nil {
                samples = []
                try converter?.convert(buffer.samples.map { Float($0) / 32768 }, appendingTo: &samples)
            }
            try append(samples, at: position, to: pipeline)
        } catch let error as SampleRateError {
            converter = nil
            throw error
        }
    }

    private func append(_ samples: [Int16], at position: Int64?, to pipeline: any StreamRecognition) throws {
        try samples.withUnsafeBufferPointer { samples in
            var start = 0
            repeat {
                if isCancelled.load(ordering: .relaxed) { throw CancellationError() }
                let end = min(start + Self.sliceLength, samples.count)
                try pipeline.append(
                    UnsafeBufferPointer(rebasing: samples[start..<end]), at: start == 0 ? position : nil)
                start = end
            } while start < samples.count
        }
    }

    private func drainConverter(into pipeline: any StreamRecognition) throws {
        defer { converter = nil }
        var rest: [Int16] = []
        try converter?.finish(appendingTo: &rest)
        if !rest.isEmpty { try append(rest, at: nil, to: pipeline) }
    }

    private func finalizeConverted(_ pipeline: any StreamRecognition) throws {
        let drained = Result { try drainConverter(into: pipeline) }
        // Finalize the audio even if the converter fails.
        try pipeline.finalize()
        try drained.get()
    }

    var volatileRange: AudioTimeRange {
        guard let range = recognition?.volatileRange, let rate = engines?.sampleRate else { return .zero ..< .zero }
        let start = AudioTime(sampleCount: range.lowerBound, sampleRate: rate)
        let end = AudioTime(sampleCount: range.upperBound, sampleRate: rate)
        // The converter holds back the end of the input.
        return start..<(converter == nil ? end : max(end, inputEnd ?? end))
    }
}

/// Where the results of a worker go.
struct WorkerOutput: Sendable {
    /// Sends an utterance, whose positions are in samples at a rate in Hz.
    var send: @Sendable (Utterance, Int) -> Void
    /// Ends the results, with an error if one has ended them.
    var finish: @Sendable ((any Error)?) -> Void
    /// Ends the results at once, unless they have ended.
    var cancel: @Sendable () -> Void

    /// Creates an output that keeps results in a storage.
    init<Element: Sendable>(
        _ storage: ResultStorage<Element>, _ result: @escaping @Sendable (Utterance, Int) -> Element
    ) {
        send = { storage.send(result($0, $1), isFinal: $0.isFinal) }
        finish = { storage.finish(throwing: $0) }
        cancel = { storage.cancel() }
    }
}
