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
    }

    private let executor = SerialDispatchExecutor(label: "utter.recognition")
    nonisolated var unownedExecutor: UnownedSerialExecutor { executor.asUnownedSerialExecutor() }

    private let setup: Setup
    private let storage: ResultStorage<SpeechTranscriber.Result>
    /// Set from any thread; looked at between two blocks.
    private let isCancelled = Atomic(false)

    private var engine: (any SpeechEngine)?
    private var pipeline: RecognitionPipeline?
    private var converter: InputConverter?
    private var isFinished = false
    private var failure: (any Error)?
    private var phrases: [String] = []
    private(set) var unknownWords: [String] = []
    private var finishedLedger = SampleLedger()

    /// How much is decoded between two looks at whether it was cancelled, in samples.
    private static let sliceLength = 1600

    init(_ setup: Setup, storage: ResultStorage<SpeechTranscriber.Result>) {
        self.setup = setup
        self.storage = storage
    }

    var ledger: SampleLedger { pipeline?.ledger ?? finishedLedger }

    func sampleRate() async throws -> Int { try await loadedEngine().sampleRate }

    func prepare(warm: Bool) async throws {
        let engine = try await loadedEngine()
        guard warm, !isOver else { return }
        // The first decoding touches pages and caches that later ones find warm.
        let recognizer = try engine.makeRecognizer(setup.configuration)
        let silence = [Int16](repeating: 0, count: engine.sampleRate / 2)
        _ = try silence.withUnsafeBufferPointer { samples throws(SpeechError) in try recognizer.accept(samples) }
        _ = try recognizer.flush()
        engine.recycle(recognizer)
    }

    func setPhrases(_ phrases: [String]) async throws {
        if phrases.isEmpty {
            unknownWords = []
        } else {
            unknownWords = try await loadedEngine().unknownWords(in: phrases)
        }
        // A phrase with a word that can't be heard can't be heard either.
        let unknown = Set(unknownWords)
        let known = phrases.filter { $0.split(separator: " ").allSatisfy { !unknown.contains(String($0)) } }
        if known.isEmpty && !phrases.isEmpty {
            throw SpeechError(
                .vocabularyNotSupported, "the model knows no phrase of the vocabulary; words it lacks: \(unknownWords.joined(separator: ", "))")
        }
        // An engine's recognizer is made for its phrases, so what came before ends here.
        if known != self.phrases, let pipeline {
            try finalizeConverted(pipeline)
            self.phrases = known
            try pipeline.change(to: configuration)
        }
        self.phrases = known
    }

    func consume(_ input: AnalyzerInput) async throws -> AudioTimeRange {
        let engine = try await loadedEngine()
        guard !isOver else { throw CancellationError() }
        if let failure { throw failure }
        do {
            let pipeline = try runningPipeline(engine)
            try feed(input, to: pipeline, rate: engine.sampleRate)
            return volatileRange
        } catch {
            failure = error
            throw error
        }
    }

    func finalize() throws {
        if let pipeline { try finalizeConverted(pipeline) }
    }

    func finish() throws {
        if isOver { return }
        defer { release() }
        if failure == nil, let pipeline {
            do {
                try finalizeConverted(pipeline)
                pipeline.retire()
            } catch {
                failure = error
            }
        }
        // An error of the input's own is the reader's to tell; the results fail by the engine's.
        let ownFailure = (failure as? SpeechError).flatMap { $0.code == .audioDisordered ? nil : $0 }
        storage.finish(throwing: ownFailure)
        if let failure { throw failure }
    }

    /// Nothing more is delivered from now on. Does not wait.
    nonisolated func cancel() {
        isCancelled.store(true, ordering: .relaxed)
        storage.cancel()
        Task { await release() }
    }

    /// Frees what is held.
    func release() {
        finishedLedger = ledger
        isFinished = true
        pipeline = nil
        converter = nil
        engine = nil
    }

    private var isOver: Bool { isFinished || isCancelled.load(ordering: .relaxed) }

    private func loadedEngine() async throws -> any SpeechEngine {
        if let engine { return engine }
        let loaded = try await setup.loadEngine()
        if !isOver { engine = engine ?? loaded }
        return engine ?? loaded
    }

    private var configuration: RecognizerConfiguration {
        var configuration = setup.configuration
        configuration.phrases = phrases
        return configuration
    }

    private func runningPipeline(_ engine: any SpeechEngine) throws -> RecognitionPipeline {
        if let pipeline { return pipeline }
        let new = try RecognitionPipeline(engine: engine, configuration: configuration, settings: setup.settings) {
            [storage, attributes = setup.attributes] utterance in
            storage.send(
                SpeechTranscriber.Result(utterance, sampleRate: engine.sampleRate, attributes: attributes),
                isFinal: utterance.isFinal)
        }
        pipeline = new
        return new
    }

    private func feed(_ input: AnalyzerInput, to pipeline: RecognitionPipeline, rate: Int) throws {
        var samples = input.buffer.samples
        var position = input.bufferStartTime.map { $0.converted(toRate: rate).sampleCount }
        if input.buffer.sampleRate != rate {
            if converter?.inputRate != input.buffer.sampleRate || position.map({ $0 > pipeline.nextPosition + Int64(rate) }) ?? false {
                try drainConverter(into: pipeline)
                converter = try InputConverter(from: input.buffer.sampleRate, to: rate)
            }
            samples = try converter?.convert(samples) ?? []
            // The converter holds samples back, so its output has a time of its own: it follows on.
            position = nil
        } else {
            try drainConverter(into: pipeline)
        }
        try append(samples, at: position, to: pipeline)
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
        guard let rest = try converter?.finish() else { return }
        converter = nil
        try append(rest, at: nil, to: pipeline)
    }

    private func finalizeConverted(_ pipeline: RecognitionPipeline) throws {
        try drainConverter(into: pipeline)
        try pipeline.finalize()
    }

    var volatileRange: AudioTimeRange {
        guard let range = pipeline?.volatileRange, let rate = engine?.sampleRate else { return .zero ..< .zero }
        return AudioTime(sampleCount: range.lowerBound, sampleRate: rate)
            ..< AudioTime(sampleCount: range.upperBound, sampleRate: rate)
    }
}
