import Audio
import Foundation
import Models

/// A module for a `SpeechAnalyzer` that turns speech into text.
///
/// The names are those of Apple's `SpeechTranscriber`. It adds models by folder, a custom vocabulary through the
/// analyzer's `AnalysisContext`, rules for the end of an utterance, and a ledger of samples. The engine has
/// nothing for `etiquetteReplacements`.
public final class SpeechTranscriber: SpeechModule, WorkerModule {
    /// The sequence of results.
    public typealias Results = ResultSequence<Result>

    /// The results, in order.
    public let results: Results
    /// The locale that was asked for; empty if the transcriber was created with a model.
    public let selectedLocales: [Locale]
    let model: ModelReference?
    let worker: TranscriptionWorker

    /// Creates a transcriber with a particular model.
    ///
    /// - Parameters:
    ///   - model: the model, which is loaded when the analyzer starts or prepares.
    ///   - reportingOptions: the options for the results that are reported.
    ///   - attributeOptions: the attributes of the text.
    ///   - maximumAlternatives: the number of alternatives that `.alternativeTranscriptions` gives, at least 2.
    ///   - isLive: whether someone waits for each sentence. Otherwise, for files, stretches between long pauses are decoded side by side,
    ///     and there are no volatile results. The text does not depend on `width`.
    ///   - width: the most stretches to decode side by side; nil for one on each core.
    ///   - endpointing: the rules for the end of an utterance.
    ///   - modelRetention: how long the model stays loaded for later transcribers.
    public convenience init(
        model: ModelReference, reportingOptions: Set<ReportingOption> = [],
        attributeOptions: Set<ResultAttributeOption> = [], maximumAlternatives: Int = 5,
        isLive: Bool = true, width: Int? = nil, endpointing: Endpointing = Endpointing(),
        modelRetention: ModelRetention = .whileInUse
    ) {
        self.init(
            setup: Self.setup(
                model, reportingOptions: reportingOptions, attributeOptions: attributeOptions,
                maximumAlternatives: maximumAlternatives, isLive: isLive, width: width, endpointing: endpointing,
                modelRetention: modelRetention),
            model: model)
    }

    private static func setup(
        _ model: ModelReference, reportingOptions: Set<ReportingOption>, attributeOptions: Set<ResultAttributeOption>,
        maximumAlternatives: Int = 5, isLive: Bool = true, width: Int? = nil,
        endpointing: Endpointing = Endpointing(), modelRetention: ModelRetention = .whileInUse
    ) -> TranscriptionWorker.Setup {
        let reportsVolatile = isLive && reportingOptions.contains(.volatileResults)
        return TranscriptionWorker.Setup(
            loadEngine: ModelCache.loading(model, endpointing: endpointing, retention: modelRetention),
            configuration: RecognizerConfiguration(
                maximumAlternatives: reportingOptions.contains(.alternativeTranscriptions)
                    ? max(2, maximumAlternatives) : 0,
                volatileWordTimes: reportsVolatile && attributeOptions.contains(.audioTimeRange),
                endpointing: endpointing),
            settings: RecognitionPipeline.Settings(
                reportsVolatile: reportsVolatile, reportsSilence: reportingOptions.contains(.silences),
                guessesEarly: reportingOptions.contains(.fastResults), skipsSilence: true),
            attributes: attributeOptions,
            width: isLive ? nil : width ?? ProcessInfo.processInfo.activeProcessorCount)
    }

    /// Creates a transcriber with the best installed model for a locale. If there is none, `prepareToAnalyze()` or the
    /// finish of the analyzer throws an error.
    ///
    /// - Parameters:
    ///   - locale: the locale of the speaker.
    ///   - transcriptionOptions: ignored: libvosk has nothing for them.
    ///   - reportingOptions: the options for the results that are reported.
    ///   - attributeOptions: the attributes of the text.
    public convenience init(
        locale: Locale, transcriptionOptions: Set<TranscriptionOption> = [], reportingOptions: Set<ReportingOption>,
        attributeOptions: Set<ResultAttributeOption>
    ) {
        let model = ModelReference(locale: locale)
        self.init(
            setup: Self.setup(model, reportingOptions: reportingOptions, attributeOptions: attributeOptions),
            model: model, locale: locale)
    }

    /// Creates a transcriber with the best installed model for a locale and a combination of options.
    public convenience init(locale: Locale, preset: Preset) {
        self.init(
            locale: locale, transcriptionOptions: preset.transcriptionOptions,
            reportingOptions: preset.reportingOptions, attributeOptions: preset.attributeOptions)
    }

    /// - Parameter model: the model to install; nil in tests, which have their own engine.
    init(setup: TranscriptionWorker.Setup, model: ModelReference? = nil, locale: Locale? = nil) {
        self.model = model
        selectedLocales = locale.map { [$0] } ?? []
        (worker, results) = TranscriptionWorker.transcribing(setup)
    }

    deinit { worker.cancel() }

    /// The formats that the transcriber takes without conversion; empty while its model is not installed.
    public var availableCompatibleAudioFormats: [AudioFormat] {
        get async { await worker.formats }
    }

    /// The account of every sample so far, complete after a finish.
    public var ledger: SampleLedger {
        get async { await worker.ledger }
    }

    /// The words of the context's vocabulary that the model does not know, and therefore can't recognize.
    public var unknownContextualWords: [String] {
        get async { await worker.unknownWords }
    }
}
