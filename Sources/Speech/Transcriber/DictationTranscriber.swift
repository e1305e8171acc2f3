import Audio
import Foundation

/// Turns speech into text that people keep as it is, with capitals and punctuation: a module for a `SpeechAnalyzer`.
///
/// The names are those of Apple's `DictationTranscriber`. It hears twice: the first pass, libvosk, guesses at once and finds where
/// utterances end; the second, a stronger model, decodes each utterance whole, in a process of its own. Until it has, the first pass's text
/// is a volatile result; then exactly one final result is over the same range. Where the second pass fails or is late the first pass's
/// text is final. A program that uses it calls `SecondPassWorker.runIfAsked()` first of all.
public final class DictationTranscriber: SpeechModule {
    public typealias Result = SpeechTranscriber.Result
    public typealias Results = ResultSequence<Result>
    public typealias ResultAttributeOption = SpeechTranscriber.ResultAttributeOption

    /// How the text is written.
    public enum TranscriptionOption: Hashable, Sendable, CaseIterable {
        /// Full stops, commas and what else stands between words.
        case punctuation
    }

    /// Which results are reported.
    public enum ReportingOption: Hashable, Sendable, CaseIterable {
        /// What is not decided, in place of the one before: what waits for its second pass, then what is being said.
        case volatileResults
        /// The first guess at an utterance a quarter of a second after someone begins to speak, as `SpeechTranscriber` has it. Needs
        /// `volatileResults`.
        case fastResults
        /// Stretches without words, as final results without text.
        case silences
    }

    /// Options that go well together.
    public struct Preset: Hashable, Sendable {
        public var transcriptionOptions: Set<TranscriptionOption>
        public var reportingOptions: Set<ReportingOption>
        public var attributeOptions: Set<ResultAttributeOption>

        public init(
            transcriptionOptions: Set<TranscriptionOption>, reportingOptions: Set<ReportingOption>,
            attributeOptions: Set<ResultAttributeOption>
        ) {
            self.transcriptionOptions = transcriptionOptions
            self.reportingOptions = reportingOptions
            self.attributeOptions = attributeOptions
        }

        /// A few words without punctuation, such as a name.
        public static let phrase = Preset(transcriptionOptions: [], reportingOptions: [], attributeOptions: [])
        /// Punctuated text.
        public static let shortDictation = Preset(transcriptionOptions: [.punctuation], reportingOptions: [], attributeOptions: [])
        /// Punctuated text with guesses at once.
        public static let progressiveShortDictation = Preset(
            transcriptionOptions: [.punctuation], reportingOptions: [.volatileResults], attributeOptions: [])
        /// The same as `shortDictation`: utterances are of any number.
        public static let longDictation = shortDictation
        /// The same as `progressiveShortDictation`.
        public static let progressiveLongDictation = progressiveShortDictation
        /// Punctuated text with the times of words.
        public static let timeIndexedLongDictation = Preset(
            transcriptionOptions: [.punctuation], reportingOptions: [], attributeOptions: [.audioTimeRange])
    }

    /// The results, in order.
    public let results: Results
    let model: SpeechModel?
    let worker: TranscriptionWorker

    /// - Parameter model: nil for tests, which have an engine of their own.
    init(setup: TranscriptionWorker.Setup, model: SpeechModel? = nil) {
        self.model = model
        let storage = ResultStorage<Result>()
        results = ResultSequence(storage: storage)
        worker = TranscriptionWorker(setup, storage: storage)
    }

    /// A transcriber with certain models.
    ///
    /// - Parameters:
    ///   - model: of the first pass.
    ///   - secondPass: loaded in the background while the first pass already hears.
    ///   - timeout: how long an utterance that has ended waits for its second pass. Where somebody waits for it a worker begins as soon as the
    ///     speaker pauses. Nil, for files, waits as long as it takes: then utterances are decoded side by side, by a worker for every two cores
    ///     as far as half of the free memory holds them, which all transcribers of the process share.
    ///   - sharesWindows: whether utterances that follow on one another are decoded at once, up to 29 seconds of them. A model that computes 30
    ///     seconds whatever it is given, as Whisper's, needs a third of the time then, and hears better what has something before it; final
    ///     results come when there is no room for another utterance. Where no time or no text can be told for one, it is decoded by itself.
    ///   - report: gets a sentence when the second pass stops or is late for the first time, and when there is none any more, on any thread.
    public convenience init(
        model: SpeechModel, secondPass: SecondPassModel, transcriptionOptions: Set<TranscriptionOption> = [.punctuation],
        reportingOptions: Set<ReportingOption> = [], attributeOptions: Set<ResultAttributeOption> = [], timeout: Duration? = .seconds(3),
        sharesWindows: Bool = false, endpointing: Endpointing = Endpointing(), modelRetention: ModelRetention = .whileInUse,
        report: @escaping @Sendable (String) -> Void = { _ in }
    ) {
        let reportsVolatile = reportingOptions.contains(.volatileResults)
        self.init(
            setup: TranscriptionWorker.Setup(
                loadEngine: { try await ModelCache.shared.engine(model, endpointing: endpointing, retention: modelRetention) },
                configuration: RecognizerConfiguration(
                    volatileWordTimes: reportsVolatile && attributeOptions.contains(.audioTimeRange), endpointing: endpointing),
                settings: RecognitionPipeline.Settings(
                    reportsVolatile: reportsVolatile, reportsSilence: reportingOptions.contains(.silences),
                    keepsSamples: true, guessesEarly: reportingOptions.contains(.fastResults), endpointing: endpointing),
                attributes: attributeOptions,
                secondPass: SecondPassUse(
                    model: secondPass, language: (try? model.resolved())?.language?.language,
                    punctuates: transcriptionOptions.contains(.punctuation), timeout: timeout, report: report,
                    isKept: modelRetention == .processLifetime, sharesWindows: sharesWindows)),
            model: model)
    }

    /// A transcriber with the best installed models for a locale.
    ///
    /// - Throws: `SpeechError` when there is no second pass.
    public convenience init(locale: Locale, preset: Preset) throws(SpeechError) {
        self.init(
            model: SpeechModel(locale: locale), secondPass: try .installed(for: locale.language.languageCode?.identifier ?? ""),
            transcriptionOptions: preset.transcriptionOptions,
            reportingOptions: preset.reportingOptions, attributeOptions: preset.attributeOptions)
    }

    deinit { worker.abandon() }

    public var availableCompatibleAudioFormats: [AudioFormat] {
        get async { await worker.formats }
    }

    /// Where every sample went so far; whole after a finish. What waits for its second pass is pending.
    public var ledger: SampleLedger {
        get async { await worker.ledger }
    }

    /// Waits for the second pass no longer: what it has not decided, and what is said from now on, has the first pass's text.
    public func endSecondPass() async { await worker.endSecondPass() }

    /// Whose text became final, counted in utterances.
    public var counts: DictationCounts {
        get async { await worker.dictationCounts }
    }
}

extension DictationTranscriber: WorkerModule {}
