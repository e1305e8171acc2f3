import Audio
import Synchronization

/// Does a transcriber's work, in order, on an executor of its own: the engine computes for long and would starve the
/// cooperative pool.
actor TranscriptionWorker {
    struct Setup: Sendable {
        var loadEngine: @Sendable () async throws -> any SpeechEngine
        var configuration = RecognizerConfiguration()
        var settings = RecognitionPipeline.Settings()
        var attributes: Set<SpeechTranscriber.ResultAttributeOption> = []
        /// nil where the first pass's text is final.
        var secondPass: SecondPassUse?
    }

    private let executor = SerialDispatchExecutor(label: "utter.recognition", for: .computing)
    nonisolated var unownedExecutor: UnownedSerialExecutor { executor.asUnownedSerialExecutor() }
    nonisolated var tasks: any TaskExecutor { executor.tasks }

    let setup: Setup
    private let storage: ResultStorage<SpeechTranscriber.Result>
    /// Set from any thread; looked at between two blocks.
    private let isCancelled = Atomic(false)

    private var engine: (any SpeechEngine)?
    private(set) var pipeline: RecognitionPipeline?
    private var converter: InputConverter?
    /// Where the input ends that has come so far, at its own rate.
    private var inputEnd: AudioTime?
    /// Who waits for the model that is loading; `nil` while none is.
    private var loadWaiters: [CheckedContinuation<any SpeechEngine, any Error>]?
    private var isFinished = false
    /// Why the engine can't go on. The results have ended with it.
    private var failure: (any Error)?
    var phrases: [String] = []
    private(set) var unknownWords: [String] = []
    private var finishedLedger = SampleLedger()
    /// Where utterances wait for their second pass.
    private(set) var desk: DictationDesk?
    /// The second pass until its first utterance.
    var service: (any SecondPassService)?
    private(set) var dictationCounts = DictationCounts()
    private let isAttached = Atomic(false)

    /// How much is decoded between two looks at whether it was cancelled, in samples.
    private static let sliceLength = 1600

    init(_ setup: Setup, storage: ResultStorage<SpeechTranscriber.Result>) {
        self.setup = setup
        self.storage = storage
    }

    /// Claims it for an analyzer; it works for one, once.
    nonisolated func attach() throws(SpeechError) {
        guard !isAttached.exchange(true, ordering: .relaxed) else {
            throw SpeechError(.moduleInUse, "a transcriber works for one analyzer, once; make a new one for the next session")
        }
    }

    var ledger: SampleLedger {
        guard let ledger = pipeline?.ledger else { return finishedLedger }
        return desk?.adjusted(ledger) ?? ledger
    }

    func sampleRate() async throws -> Int { try await (isOver ? setup.loadEngine() : loadedEngine()).sampleRate }

    /// What it takes without converting; empty while its model is not there.
    var formats: [AudioFormat] {
        get async {
            guard let rate = try? await sampleRate() else { return [] }
            return [AudioFormat(sampleRate: rate, channelCount: 1, encoding: .signed16)]
        }
    }

    func prepare(warm: Bool) async throws {
        let engine = try await loadedEngine()
        guard warm, !isOver else { return }
        // The first decoding touches pages and caches that later ones find warm.
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
        // A phrase with a word that can't be heard can't be heard either.
        let unknown = Set(unknownWords)
        let known = phrases.filter { $0.split(separator: " ").allSatisfy { !unknown.contains(String($0)) } }
        if known.isEmpty && !phrases.isEmpty {
            throw SpeechError(
                .vocabularyNotSupported,
                "the model knows no phrase of the vocabulary; words it lacks: \(unknownWords.joined(separator: ", "))")
        }
        // An engine's recognizer is made for its phrases, so what came before ends here.
        guard known != self.phrases else { return }
        self.phrases = known
        if failure == nil, let pipeline {
            try failing {
                try finalizeConverted(pipeline)
                try pipeline.change(to: configuration)
            }
        }
    }

    /// The phrases with their words as the model writes them, mostly in lower case, and the words that it does not know.
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

    /// What the first pass has heard by then may still wait for the second.
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
        if failure == nil, let pipeline {
            try failing { try finalizeConverted(pipeline) }
            desk?.submitWindow()
            await decided(to: 0)
            self.pipeline?.retire()
        }
        if let failure { throw failure }
    }

    /// Does what an engine may fail in.
    private func failing<Value>(_ body: () throws -> Value) throws -> Value {
        do { return try body() } catch {
            fail(error)
            throw error
        }
    }

    /// After an error of the engine there is nothing more to come, and the results tell it. An error of the input's own is the
    /// reader's to tell, and what was heard before is still made final by the finish.
    private func fail(_ error: any Error) {
        let isOfInput = error is SampleRateError || (error as? SpeechError)?.code == .audioDisordered
        guard failure == nil, !isOfInput, !isOver else { return }
        failure = error
        desk?.settle()
        storage.finish(throwing: error)
    }

    /// Nothing more is delivered from now on. Does not wait.
    nonisolated func cancel() {
        isCancelled.store(true, ordering: .relaxed)
        storage.cancel()
        Task { await release() }
    }

    /// A cancel, unless the results have ended: those stay for whoever reads them.
    nonisolated func abandon() {
        if !storage.hasEnded { return cancel() }
        Task { await release() }
    }

    /// Frees what is held.
    func release() {
        finishedLedger = ledger
        dictationCounts = desk?.counts ?? dictationCounts
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

    /// The engine, loaded once for all who ask. Whoever waits for it waits no longer than until the worker is released.
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
        // Nobody waits for the end of an utterance in a file.
        let speculating = setup.secondPass?.timeout == nil ? nil : desk
        let new = try RecognitionPipeline(
            engine: engine, configuration: configuration, settings: setup.settings,
            notePause: speculating.map { desk in { desk.note($0) } }, emit: desk.map { desk in { desk.take($0) } } ?? emit)
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
                "audio came out of order: it begins at \(start.seconds) s, and was heard up to \(expected.seconds) s")
        }
        if start != nil || converter?.inputRate != buffer.sampleRate {
            // What the converter still holds belongs before what comes now.
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
        // What was heard is made final even if the converter fails.
        try pipeline.finalize()
        try drained.get()
    }

    var volatileRange: AudioTimeRange {
        guard let range = pipeline?.volatileRange, let rate = engine?.sampleRate else { return .zero ..< .zero }
        let start = AudioTime(sampleCount: desk?.start ?? range.lowerBound, sampleRate: rate)
        let end = AudioTime(sampleCount: range.upperBound, sampleRate: rate)
        // The converter holds the last of the input back.
        return start..<(converter == nil ? end : max(end, inputEnd ?? end))
    }
}
