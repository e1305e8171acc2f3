import Audio
import Foundation
import Synchronization

/// Turns speech into text: a module for a `SpeechAnalyzer`.
///
/// The names are those of Apple's `SpeechTranscriber`. Beyond it: any model by folder, custom vocabulary through the analyzer's
/// `AnalysisContext`, a say in where utterances end, and a ledger of samples. Left out, because the engine has nothing for
/// it: `etiquetteReplacements`.
public final class SpeechTranscriber: SpeechModule {
    public typealias Results = ResultSequence<Result>

    /// The results, in order.
    public let results: Results
    let model: SpeechModel?
    private let worker: TranscriptionWorker
    private let isAttached = Atomic(false)

    /// A transcriber with a certain model.
    ///
    /// - Parameters:
    ///   - model: loaded when the analyzer starts or prepares.
    ///   - maximumAlternatives: how many readings `.alternativeTranscriptions` gives, at least 2.
    ///   - modelRetention: how long the model stays loaded for the next transcriber.
    public init(
        model: SpeechModel, reportingOptions: Set<ReportingOption> = [],
        attributeOptions: Set<ResultAttributeOption> = [], maximumAlternatives: Int = 5,
        endpointing: Endpointing = Endpointing(), modelRetention: ModelRetention = .whileInUse
    ) {
        self.model = model
        let storage = ResultStorage<Result>()
        results = ResultSequence(storage: storage)
        let reportsVolatile = reportingOptions.contains(.volatileResults)
        worker = TranscriptionWorker(
            TranscriptionWorker.Setup(
                loadEngine: { try await ModelCache.shared.engine(model, endpointing: endpointing, retention: modelRetention) },
                configuration: RecognizerConfiguration(
                    maximumAlternatives: reportingOptions.contains(.alternativeTranscriptions) ? max(2, maximumAlternatives) : 0,
                    volatileWordTimes: reportsVolatile && attributeOptions.contains(.audioTimeRange),
                    endpointing: endpointing),
                settings: RecognitionPipeline.Settings(
                    reportsVolatile: reportsVolatile, reportsSilence: reportingOptions.contains(.silences),
                    guessesEarly: reportingOptions.contains(.fastResults), endpointing: endpointing),
                attributes: attributeOptions),
            storage: storage)
    }

    /// A transcriber with the best installed model for a locale.
    ///
    /// Whether there is one shows when the analyzer starts or prepares.
    public convenience init(
        locale: Locale, reportingOptions: Set<ReportingOption>, attributeOptions: Set<ResultAttributeOption>
    ) {
        self.init(
            model: SpeechModel(locale: locale), reportingOptions: reportingOptions, attributeOptions: attributeOptions)
    }

    public convenience init(locale: Locale, preset: Preset) {
        self.init(locale: locale, reportingOptions: preset.reportingOptions, attributeOptions: preset.attributeOptions)
    }

    /// For tests: a transcriber on an engine of their own.
    init(setup: TranscriptionWorker.Setup) {
        model = nil
        let storage = ResultStorage<Result>()
        results = ResultSequence(storage: storage)
        worker = TranscriptionWorker(setup, storage: storage)
    }

    deinit { worker.abandon() }

    public var availableCompatibleAudioFormats: [AudioFormat] {
        get async {
            guard let rate = try? await worker.sampleRate() else { return [] }
            return [AudioFormat(sampleRate: rate, channelCount: 1, encoding: .signed16)]
        }
    }

    /// Where every sample went so far; whole after a finish.
    public var ledger: SampleLedger {
        get async { await worker.ledger }
    }

    /// The words of the analyzer's contextual strings that the model does not know. It can't hear them.
    public var unknownContextualWords: [String] {
        get async { await worker.unknownWords }
    }
}

extension SpeechTranscriber: AnalyzerModule {
    var executor: any TaskExecutor { worker.tasks }

    func attach() throws(SpeechError) {
        guard !isAttached.exchange(true, ordering: .relaxed) else {
            throw SpeechError(.moduleInUse, "a transcriber works for one analyzer, once; make a new one for the next session")
        }
    }

    func prepare(warm: Bool) async throws { try await worker.prepare(warm: warm) }
    func setContext(_ context: AnalysisContext) async throws { try await worker.setPhrases(context.phrases) }
    func consume(_ input: AnalyzerInput) async throws -> AudioTimeRange { try await worker.consume(input) }
    // Inlined into its callers it crashes the optimizer of Swift 6.3.1.
    @inline(never)
    func finalize() async throws { try await worker.finalize() }
    var volatileRange: AudioTimeRange { get async { await worker.volatileRange } }
    func finish() async throws { try await worker.finish() }
    func cancel() { worker.cancel() }
    func abandon() { worker.abandon() }
    func waitUntilCancelled() async { await worker.release() }
}
