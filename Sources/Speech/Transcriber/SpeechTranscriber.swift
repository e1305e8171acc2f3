import Audio
import Foundation

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
    let worker: TranscriptionWorker

    /// A transcriber with a certain model.
    ///
    /// - Parameters:
    ///   - model: loaded when the analyzer starts or prepares.
    ///   - maximumAlternatives: how many readings `.alternativeTranscriptions` gives, at least 2.
    ///   - modelRetention: how long the model stays loaded for the next transcriber.
    public convenience init(
        model: SpeechModel, reportingOptions: Set<ReportingOption> = [],
        attributeOptions: Set<ResultAttributeOption> = [], maximumAlternatives: Int = 5,
        endpointing: Endpointing = Endpointing(), modelRetention: ModelRetention = .whileInUse
    ) {
        let reportsVolatile = reportingOptions.contains(.volatileResults)
        self.init(
            setup: TranscriptionWorker.Setup(
                loadEngine: { try await ModelCache.shared.engine(model, endpointing: endpointing, retention: modelRetention) },
                configuration: RecognizerConfiguration(
                    maximumAlternatives: reportingOptions.contains(.alternativeTranscriptions) ? max(2, maximumAlternatives) : 0,
                    volatileWordTimes: reportsVolatile && attributeOptions.contains(.audioTimeRange),
                    endpointing: endpointing),
                settings: RecognitionPipeline.Settings(
                    reportsVolatile: reportsVolatile, reportsSilence: reportingOptions.contains(.silences),
                    guessesEarly: reportingOptions.contains(.fastResults), endpointing: endpointing),
                attributes: attributeOptions),
            model: model)
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

    /// - Parameter model: nil for tests, which have an engine of their own.
    init(setup: TranscriptionWorker.Setup, model: SpeechModel? = nil) {
        self.model = model
        let storage = ResultStorage<Result>()
        results = ResultSequence(storage: storage)
        worker = TranscriptionWorker(setup, storage: storage)
    }

    deinit { worker.abandon() }

    public var availableCompatibleAudioFormats: [AudioFormat] {
        get async { await worker.formats }
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

extension SpeechTranscriber: WorkerModule {}
