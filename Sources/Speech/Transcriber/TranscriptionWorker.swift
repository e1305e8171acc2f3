import Audio
import Models
import Synchronization
import System

/// Does the work of a transcriber, in order, on its own executor: the engine computes for long, and would block the
/// cooperative pool.
actor TranscriptionWorker {
    struct Setup: Sendable {
        var loadEngine: @Sendable () async throws -> any SpeechEngine
        var configuration = RecognizerConfiguration()
        var settings = RecognitionPipeline.Settings()
        var attributes: Set<SpeechTranscriber.ResultAttributeOption> = []
        /// The second pass; nil if the first pass's text is final.
        var secondPass: SecondPassUse?
    }

    private let executor = SerialDispatchExecutor(label: "utter.recognition", for: .computing)
    nonisolated var unownedExecutor: UnownedSerialExecutor { executor.asUnownedSerialExecutor() }
    nonisolated var tasks: any TaskExecutor { executor.tasks }

    let setup: Setup
    private let storage: ResultStorage<SpeechTranscriber.Result>
    /// Set from any thread, and read between two blocks.
    private let isCancelled = Atomic(false)

    private var engine: (any SpeechEngine)?
    private(set) var pipeline: RecognitionPipeline?
    private var converter: InputConverter?
    /// The end of the input so far, at its own rate.
    private var inputEnd: AudioTime?
    /// The continuations that wait for the model to load; `nil` if it is not loading.
    private var loadWaiters: [CheckedContinuation<any SpeechEngine, any Error>]?
    private var isFinished = false
    /// The error after which the engine can't continue. The results have ended with it.
    private var failure: (any Error)?
    var phrases: [String] = []
    private(set) var unknownWords: [String] = []
    private var finishedLedger = SampleLedger()
    /// The utterances that wait for their second pass.
    private(set) var desk: DictationDesk?
    /// The service of the second pass, until its first utterance.
    var service: (any SecondPassService)?
    /// Whether the user has ended the second pass.
    var secondPassHasEnded = false
    private var finishedCounts = DictationCounts()
    private let isAttached = Atomic(false)

    /// The number of samples to decode between two checks for cancellation.
    private static let sliceLength = 1600

    init(_ setup: Setup, storage: ResultStorage<SpeechTranscriber.Result>) {
        self.setup = setup
        self.storage = storage
    }

    /// Claims the worker for an analyzer. It works for one analyzer, once.
    nonisolated func attach() throws(SpeechError) {
        guard !isAttached.exchange(true, ordering: .relaxed) else {
            throw SpeechError(
                .moduleInUse, "a transcriber works for one analyzer, once; make a new one for the next session")
        }
    }

    var ledger: SampleLedger {
        guard let ledger = pipeline?.ledger else { return finishedLedger }
        return desk?.adjusted(ledger) ?? ledger
    }

    var dictationCounts: DictationCounts { desk?.counts ?? finishedCounts }

    func sampleRate() async throws -> Int { try await (isOver ? setup.loadEngine() : loadedEngine()).sampleRate }

    /// The formats that are taken without conversion; empty while the model is not installed.
    var formats: [AudioFormat] {
        get async {
            guard let rate = try? await sampleRate() else { return [] }
            return [AudioFormat(sampleRate: rate, channelCount: 1, encoding: .signed16)]
        }
    }

    func prepare(_ extent: Preparation) async throws {
        let engine = try await loadedEngine()
        if isOver { return }
        switch extent {
        case .model: break
        case .recognizer:
            if let failure { throw failure }
            _ = try failing { try runningPipeline(engine) }
        case .warm: try warmUp(engine)
        }
    }

    private func warmUp(_ engine: any SpeechEngine) throws {
        // The first decoding loads pages and caches for later ones.
        let recognizer = try engine.makeRecognizer(configuration)
        let silence = [Int16](repeating: 0, count: engine.sampleRate / 2)
        _ = try silence.withUnsafeBufferPointer { samples throws(SpeechError) in try recognizer.accept(samples) }
        _ = try recognizer.flush()
        engine.keep(try engine.makeRecognizer(configuration))
    }

    func setPhrases(_ phrases: [String]) async throws {
        if setup.secondPass != nil { return try await setSecondPassPhrases(phrases) }
        var phrases = phrases
        if phrases.isEmpty {
            unknownWords = []
        } else {
            (phrases, unknownWords) = try Self.spelled(phrases, as: try await loadedEngine())
        }
        // A phrase that contains an unknown word can't be recognized.
        let unknown = Set(unknownWords)
        let known = phrases.filter { $0.split(separator: " ").allSatisfy { !unknown.contains(String($0)) } }
        if known.isEmpty && !phrases.isEmpty {
            throw SpeechError(
                .vocabularyNotSupported,
                "the model knows no phrase of the vocabulary; words it lacks: \(unknownWords.joined(separator: ", "))")
        }
        // A recognizer is made for its phrases, so the audio before is finalized.
        guard known != self.phrases else { return }
        self.phrases = known
        if failure == nil, let pipeline {
            try failing {
                try finalizeConverted(pipeline)
                try pipeline.change(to: configuration)
            }
        }
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
        let engine: any SpeechEngine
        do {
            engine = try await loadedEngine()
        } catch {
            fail(error)
            throw error
        }
        guard !isOver else { throw CancellationError() }
        try failing { try feed(input, to: try runningPipeline(engine), rate: engine.sampleRate) }
        if let desk, setup.secondPass?.timeout == nil { await decided(to: desk.mostWaiting) }
        return volatileRange
    }

    /// Finalizes the audio in the first pass. Utterances may still wait for the second.
    func finalize() async throws {
        if let failure { throw failure }
        if let pipeline { try failing { try finalizeConverted(pipeline) } }
    }

    func finish() async throws {
        if isOver { return }
        defer {
            storage.finish()
            release()
        }
        if let failure { throw failure }
        guard let pipeline else { return }
        let finalized = Result { try failing { try finalizeConverted(pipeline) } }
        // An error of the input leaves the audio before it, which is decided all the same.
        if failure == nil {
            desk?.submitWindow()
            await decided(to: 0)
        }
        self.pipeline?.retire()
        try finalized.get()
        if let failure { throw failure }
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
        desk?.settle()
        storage.finish(throwing: error)
    }

    /// Ends the results at once; no more are delivered. Does not wait.
    nonisolated func cancel() {
        isCancelled.store(true, ordering: .relaxed)
        storage.cancel()
        Task { await release() }
    }

    /// Cancels the work unless the results have ended; those remain for their reader.
    nonisolated func abandon() {
        if !storage.hasEnded { return cancel() }
        Task { await release() }
    }

    /// Frees everything.
    func release() {
        finishedLedger = ledger
        finishedCounts = dictationCounts
        isFinished = true
        desk?.settle()
        desk = nil
        service?.close()
        service = nil
        pipeline = nil
        converter = nil
        engine = nil
        endLoad(.failure(CancellationError()))
    }

    private var isOver: Bool { isFinished || isCancelled.load(ordering: .relaxed) }

    /// Returns the engine, which is loaded once for all callers. Throws when the worker is released before it has
    /// loaded.
    private func loadedEngine() async throws -> any SpeechEngine {
        if let engine { return engine }
        guard !isOver else { throw CancellationError() }
        return try await withCheckedThrowingContinuation { continuation in
            if loadWaiters != nil {
                loadWaiters?.append(continuation)
                return
            }
            loadWaiters = [continuation]
            startSecondPass()
            Task(executorPreference: tasks) { [weak self, setup] in
                let result: Result<any SpeechEngine, any Error>
                do { result = .success(try await setup.loadEngine()) } catch { result = .failure(error) }
                await self?.endLoad(result)
            }
        }
    }

    private func endLoad(_ result: Result<any SpeechEngine, any Error>) {
        if !isOver, case .success(let loaded) = result { engine = loaded }
        let waiters = loadWaiters ?? []
        loadWaiters = nil
        for waiter in waiters { waiter.resume(with: result) }
    }

    private var configuration: RecognizerConfiguration {
        var configuration = setup.configuration
        configuration.phrases = setup.secondPass == nil ? phrases : []
        return configuration
    }

    private func runningPipeline(_ engine: any SpeechEngine) throws -> RecognitionPipeline {
        if let pipeline { return pipeline }
        let emit = { @Sendable [storage, attributes = setup.attributes] (utterance: Utterance) in
            storage.send(
                SpeechTranscriber.Result(utterance, sampleRate: engine.sampleRate, attributes: attributes),
                isFinal: utterance.isFinal)
        }
        let desk = setup.secondPass.map { makeDesk($0, sampleRate: engine.sampleRate, emit: emit) }
        // In a file no one waits for the end of an utterance.
        let speculating = setup.secondPass?.timeout == nil ? nil : desk
        let new = try RecognitionPipeline(
            engine: engine, configuration: configuration, settings: setup.settings,
            notePause: speculating.map { desk in { desk.note($0) } },
            emit: desk.map { desk in { desk.take($0) } } ?? emit)
        self.desk = desk
        pipeline = new
        return new
    }

    private func feed(_ input: AnalyzerInput, to pipeline: RecognitionPipeline, rate: Int) throws {
        let buffer = input.buffer
        let expected = inputEnd ?? .zero
        let start = input.bufferStartTime.flatMap { $0.isNext(to: expected) ? nil : $0 }
        if let start, start < expected {
            throw SpeechError(
                .audioDisordered,
                "audio came out of order: it begins at \(start.seconds) s, but the audio before it ends at \(expected.seconds) s"
            )
        }
        if start != nil || converter?.inputRate != buffer.sampleRate {
            // The samples that the converter still holds come before these.
            try drainConverter(into: pipeline)
            if buffer.sampleRate != rate { converter = try InputConverter(from: buffer.sampleRate, to: rate) }
        }
        let position = start.map { max($0.converted(toRate: rate).sampleCount, pipeline.nextPosition) }
        var end = (start ?? expected).converted(toRate: buffer.sampleRate)
        end.sampleCount += Int64(buffer.samples.count)
        inputEnd = end
        do {
            try append(converter?.convert(buffer.samples) ?? buffer.samples, at: position, to: pipeline)
        } catch let error as SampleRateError {
            converter = nil
            throw error
        }
    }

    private func append(_ samples: [Int16], at position: Int64?, to pipeline: RecognitionPipeline) throws {
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

    private func drainConverter(into pipeline: RecognitionPipeline) throws {
        defer { converter = nil }
        guard let rest = try converter?.finish() else { return }
        try append(rest, at: nil, to: pipeline)
    }

    private func finalizeConverted(_ pipeline: RecognitionPipeline) throws {
        let drained = Result { try drainConverter(into: pipeline) }
        // Finalize the audio even if the converter fails.
        try pipeline.finalize()
        try drained.get()
    }

    var volatileRange: AudioTimeRange {
        guard let range = pipeline?.volatileRange, let rate = engine?.sampleRate else { return .zero ..< .zero }
        let start = AudioTime(sampleCount: desk?.start ?? range.lowerBound, sampleRate: rate)
        let end = AudioTime(sampleCount: range.upperBound, sampleRate: rate)
        // The converter holds back the end of the input.
        return start..<(converter == nil ? end : max(end, inputEnd ?? end))
    }
}
