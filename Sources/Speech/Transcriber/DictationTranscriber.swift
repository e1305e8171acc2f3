import Audio
import Foundation
import Models

/// A module for a `SpeechAnalyzer` that turns speech into text with capitals and punctuation, to keep as it is.
///
/// The names are those of Apple's `DictationTranscriber`. Speech is recognized twice: the first pass, libvosk, gives
/// text at once and finds the ends of utterances; the second, a stronger model in another process, decodes each
/// utterance as a whole. Until then the first pass's text is a volatile result, which exactly one final result over the
/// same range replaces. If the second pass fails or is late, the first pass's text becomes final.
///
/// A program that uses it must call `SecondPassWorker.runIfAsked()` first in its `main`.
public final class DictationTranscriber: SpeechModule {
    /// A result, of the same type as those of a `SpeechTranscriber`.
    public typealias Result = SpeechTranscriber.Result
    /// The sequence of results.
    public typealias Results = ResultSequence<Result>
    /// An attribute of the text of a result.
    public typealias ResultAttributeOption = SpeechTranscriber.ResultAttributeOption

    /// An option for the form of the text.
    public enum TranscriptionOption: Hashable, Sendable, CaseIterable {
        /// Full stops, commas and other punctuation.
        case punctuation
    }

    /// An option for the results that are reported.
    public enum ReportingOption: Hashable, Sendable, CaseIterable {
        /// Text that is not final, each result in place of the previous one: the utterances that wait for their second
        /// pass, and then the one being spoken.
        case volatileResults
        /// A first guess a quarter of a second after speech begins, as with `SpeechTranscriber`. Needs
        /// `volatileResults`.
        case fastResults
        /// Stretches without words, as final results without text.
        case silences
    }

    /// A combination of options.
    public struct Preset: Hashable, Sendable {
        /// The options for the form of the text.
        public var transcriptionOptions: Set<TranscriptionOption>
        /// The options for the results that are reported.
        public var reportingOptions: Set<ReportingOption>
        /// The attributes of the text.
        public var attributeOptions: Set<ResultAttributeOption>

        /// Creates a combination of options.
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
        public static let shortDictation = Preset(
            transcriptionOptions: [.punctuation], reportingOptions: [], attributeOptions: [])
        /// Punctuated text, and volatile results at once.
        public static let progressiveShortDictation = Preset(
            transcriptionOptions: [.punctuation], reportingOptions: [.volatileResults], attributeOptions: [])
        /// Punctuated text of any length. Equal to `shortDictation`, since the number of utterances is not limited.
        public static let longDictation = shortDictation
        /// Punctuated text of any length, and volatile results at once. Equal to `progressiveShortDictation`.
        public static let progressiveLongDictation = progressiveShortDictation
        /// Punctuated text with the times of its words.
        public static let timeIndexedLongDictation = Preset(
            transcriptionOptions: [.punctuation], reportingOptions: [], attributeOptions: [.audioTimeRange])
    }

    /// The results, in order.
    public let results: Results
    let model: ModelReference?
    let worker: TranscriptionWorker

    /// - Parameter model: the model to install; nil in tests, which have their own engine.
    init(setup: TranscriptionWorker.Setup, model: ModelReference? = nil) {
        self.model = model
        let storage = ResultStorage<Result>()
        results = ResultSequence(storage: storage)
        worker = TranscriptionWorker(setup, storage: storage)
    }

    /// Creates a transcriber with particular models.
    ///
    /// - Parameters:
    ///   - model: the model for the first pass.
    ///   - secondPass: the model for the second pass, which is loaded in the background while the first pass begins.
    ///   - transcriptionOptions: the options for the form of the text.
    ///   - reportingOptions: the options for the results that are reported.
    ///   - attributeOptions: the attributes of the text.
    ///   - timeout: the time that an utterance waits for its second pass after it has ended. A worker begins as soon as
    ///     the speaker pauses. Nil, for files, waits without a limit: utterances are then decoded in parallel, with
    ///     one thread for each core, as far as half of the free memory suffices for the workers. Several
    ///     groups of utterances that are decoded together take one thread each; a single group or utterance takes two.
    ///     All transcribers of the process share the workers.
    ///   - sharesWindows: whether up to 29 seconds of consecutive utterances are decoded together. A model that
    ///     computes 30 seconds whatever its input is, such as Whisper, then takes a third of the time, and recognizes
    ///     speech better after other speech. Final results come when no other utterance fits in, and `timeout` counts
    ///     from then. An utterance that gets no part of the text is decoded again by itself.
    ///   - endpointing: the rules for the end of an utterance.
    ///   - modelRetention: how long the models stay loaded for later transcribers.
    ///   - report: receives a sentence, on any thread, when the second pass stops or is late for the first time, and
    ///     when it is given up.
    public convenience init(
        model: ModelReference, secondPass: SecondPassModel,
        transcriptionOptions: Set<TranscriptionOption> = [.punctuation],
        reportingOptions: Set<ReportingOption> = [], attributeOptions: Set<ResultAttributeOption> = [],
        timeout: Duration? = .seconds(3),
        sharesWindows: Bool = false, endpointing: Endpointing = Endpointing(),
        modelRetention: ModelRetention = .whileInUse,
        report: @escaping @Sendable (String) -> Void = { _ in }
    ) {
        let reportsVolatile = reportingOptions.contains(.volatileResults)
        self.init(
            setup: TranscriptionWorker.Setup(
                loadEngine: ModelCache.loading(model, endpointing: endpointing, retention: modelRetention),
                configuration: RecognizerConfiguration(
                    volatileWordTimes: reportsVolatile && attributeOptions.contains(.audioTimeRange),
                    endpointing: endpointing),
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

    /// Creates a transcriber with the best installed models for a locale.
    ///
    /// - Throws: `SpeechError` if the library or a model for the second pass is missing.
    public convenience init(locale: Locale, preset: Preset) throws(SpeechError) {
        self.init(
            model: ModelReference(locale: locale),
            secondPass: try .installed(for: locale.language.languageCode?.identifier ?? ""),
            transcriptionOptions: preset.transcriptionOptions,
            reportingOptions: preset.reportingOptions, attributeOptions: preset.attributeOptions)
    }

    deinit { worker.abandon() }

    /// The formats that the transcriber takes without conversion; empty while its model is not installed.
    public var availableCompatibleAudioFormats: [AudioFormat] {
        get async { await worker.formats }
    }

    /// The account of every sample so far, complete after a finish. Utterances that wait for their second pass are
    /// pending.
    public var ledger: SampleLedger {
        get async { await worker.ledger }
    }

    /// Ends the second pass: utterances that wait for it, and all later ones, have the first pass's text.
    public func endSecondPass() async { await worker.endSecondPass() }

    /// The numbers of utterances that were decided so far, by the pass that gave their text.
    public var counts: DictationCounts {
        get async { await worker.dictationCounts }
    }
}

extension DictationTranscriber: WorkerModule {}
