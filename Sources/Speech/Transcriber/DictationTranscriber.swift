import Audio
import Foundation
import Models

/// A module for a `SpeechAnalyzer` that turns speech into text with capitals and punctuation, to keep as it is.
///
/// The names are those of Apple's `DictationTranscriber`. A detector finds the speech, and a model in another process
/// decodes it: live again and again while someone speaks, so that its guess is a volatile result, which final ones replace.
/// libvosk may guess as well, between two decodings; its words never become final. Speech whose text can't be decoded
/// has none, and the finish throws.
///
/// The other process is the program itself, started again. It never runs the program's `main`, which needs no line for it.
public final class DictationTranscriber: SpeechModule, WorkerModule {
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
        /// Emoji for their names: the models here write names as words.
        case emoji
        /// Something milder in the place of strong words: the models here write what is said.
        case etiquetteReplacements
    }

    /// A hint at what is said, of which the models here make no use.
    public enum ContentHint: Hashable, Sendable {
        /// A few words.
        case shortForm
        /// A voice far from the microphone.
        case farField
        /// An unusual way of speaking.
        case atypicalSpeech
    }

    /// An option for the results that are reported.
    public enum ReportingOption: Hashable, Sendable, CaseIterable {
        /// Text that is not final, each result in place of the previous one.
        case volatileResults
        /// A first guess a quarter of a second after speech begins, as with `SpeechTranscriber`: that of the model of libvosk that an
        /// initializer takes as `guessing`. Without one, as with the initializers for a locale, it changes nothing. Needs
        /// `volatileResults`.
        case fastResults
        /// Stretches without words, as final results without text.
        case silences
        /// Several readings of a text: the models here give one.
        case alternativeTranscriptions
        /// Text that is final sooner: a sentence after a shorter pause, or when two decodings agree on it. Otherwise text is final after
        /// a pause of 2 s, or after 28 s without one, and has the words that a file of the same sound would have.
        case frequentFinalization
    }

    /// A combination of options.
    public struct Preset: Hashable, Sendable {
        /// Hints at what is said.
        public var contentHints: Set<ContentHint>
        /// The options for the form of the text.
        public var transcriptionOptions: Set<TranscriptionOption>
        /// The options for the results that are reported.
        public var reportingOptions: Set<ReportingOption>
        /// The attributes of the text.
        public var attributeOptions: Set<ResultAttributeOption>

        /// Creates a combination of options.
        public init(
            contentHints: Set<ContentHint> = [], transcriptionOptions: Set<TranscriptionOption>,
            reportingOptions: Set<ReportingOption>, attributeOptions: Set<ResultAttributeOption>
        ) {
            self.contentHints = contentHints
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
    /// The locale that was asked for; empty if the transcriber was created with particular models.
    public let selectedLocales: [Locale]
    let model: ModelReference?
    let worker: TranscriptionWorker
    var decidingLanguage: String? { selectedLocales.first.map(Self.language) }

    /// - Parameter model: the model to install; nil in tests, which have their own engine.
    init(setup: TranscriptionWorker.Setup, model: ModelReference? = nil, locale: Locale? = nil) {
        self.model = model
        selectedLocales = locale.map { [$0] } ?? []
        (worker, results) = TranscriptionWorker.transcribing(setup)
    }

    /// When the model decodes speech that is not final.
    public enum Guesses: Hashable, Sendable, CaseIterable {
        /// Never: there are only the guesses of another model, or none.
        case none
        /// At pauses.
        case atPauses
        /// At pauses, and again and again while someone speaks.
        case rolling
    }

    /// Creates a transcriber with particular models.
    ///
    /// - Parameters:
    ///   - model: the model that decides the text.
    ///   - languages: the codes of the languages that may be spoken, such as `en`. Of several, or of all that it knows if there is none
    ///     here, the model detects which.
    ///   - guessing: a model of libvosk, which guesses before the other has decoded; nil for none.
    ///   - spokenMarks: the names of the marks that may be dictated, such as `comma`, in one language. If a Whisper model hears one of
    ///     them, it decodes the sound again, leaning towards all of them; the text has the names, not the marks.
    ///   - transcriptionOptions: the options for the form of the text.
    ///   - reportingOptions: the options for the results that are reported.
    ///   - attributeOptions: the attributes of the text.
    ///   - isLive: whether someone waits for each sentence. Otherwise, for files, stretches of up to 28 seconds are decoded
    ///     side by side, each in one thread.
    ///   - guesses: when a live transcriber decodes speech that is not final; without volatile results only at pauses, where
    ///     sentences end.
    ///   - guessShare: the share of the time in which it does so while someone speaks, 0.05…1. The decoding takes two threads.
    ///   - width: the most stretches to decode side by side; nil for one on each core. Fewer if the free memory does not
    ///     suffice. All transcribers of the process share the workers.
    ///   - endpointing: the rules for the end of an utterance.
    ///   - modelRetention: how long the models stay loaded for later transcribers.
    ///   - report: receives a sentence, on any thread, when a process of the model's stops for the first time.
    public convenience init(
        model: SecondPassModel, languages: [String] = [], guessing: ModelReference? = nil,
        spokenMarks: [String] = [], transcriptionOptions: Set<TranscriptionOption> = [.punctuation],
        reportingOptions: Set<ReportingOption> = [], attributeOptions: Set<ResultAttributeOption> = [],
        isLive: Bool = true, guesses: Guesses = .rolling, guessShare: Double = 0.36, width: Int? = nil,
        endpointing: Endpointing = Endpointing(), modelRetention: ModelRetention = .whileInUse,
        report: @escaping @Sendable (String) -> Void = { _ in }
    ) {
        let reportsVolatile = reportingOptions.contains(.volatileResults)
        let deciding = DecidingEngine(
            model: { () throws(SpeechError) in model }, languages: languages, marks: spokenMarks,
            punctuates: transcriptionOptions.contains(.punctuation), isLive: isLive,
            guesses: reportsVolatile || guesses == .none ? guesses : .atPauses,
            finalizesFrequently: reportingOptions.contains(.frequentFinalization),
            closingPause: endpointing.trailingSilence, guessShare: min(max(guessShare, 0.05), 1), width: width,
            isKept: modelRetention == .processLifetime, report: report)
        self.init(
            setup: TranscriptionWorker.Setup(
                loadEngine: guessing.map {
                    ModelCache.loading($0, endpointing: endpointing, retention: modelRetention)
                },
                configuration: RecognizerConfiguration(endpointing: endpointing),
                settings: RecognitionPipeline.Settings(
                    reportsVolatile: reportsVolatile, reportsSilence: reportingOptions.contains(.silences),
                    guessesEarly: reportingOptions.contains(.fastResults)),
                attributes: attributeOptions, deciding: deciding),
            model: guessing)
    }

    /// Creates a live transcriber with the best installed model for a locale. If there is none, or no libtranscribe,
    /// `prepareToAnalyze()` or the finish of the analyzer throws an error, and the results end with it; `AssetInventory` can
    /// install the model before.
    ///
    /// - Parameters:
    ///   - locale: the locale of the speaker, of which the language counts.
    ///   - contentHints: ignored.
    ///   - transcriptionOptions: the options for the form of the text.
    ///   - reportingOptions: the options for the results that are reported.
    ///   - attributeOptions: the attributes of the text.
    public convenience init(
        locale: Locale, contentHints: Set<ContentHint> = [], transcriptionOptions: Set<TranscriptionOption>,
        reportingOptions: Set<ReportingOption>, attributeOptions: Set<ResultAttributeOption>
    ) {
        let language = Self.language(of: locale)
        let reportsVolatile = reportingOptions.contains(.volatileResults)
        self.init(
            setup: TranscriptionWorker.Setup(
                settings: RecognitionPipeline.Settings(
                    reportsVolatile: reportsVolatile, reportsSilence: reportingOptions.contains(.silences)),
                attributes: attributeOptions,
                deciding: DecidingEngine(
                    model: { () throws(SpeechError) in try .installed(for: language) }, languages: [language],
                    punctuates: transcriptionOptions.contains(.punctuation),
                    guesses: reportsVolatile ? .rolling : .atPauses,
                    finalizesFrequently: reportingOptions.contains(.frequentFinalization))),
            locale: locale)
    }

    /// Creates a live transcriber with the best installed model for a locale, as the other initializer for locales does.
    public convenience init(locale: Locale, preset: Preset) {
        self.init(
            locale: locale, contentHints: preset.contentHints, transcriptionOptions: preset.transcriptionOptions,
            reportingOptions: preset.reportingOptions, attributeOptions: preset.attributeOptions)
    }

    private static func language(of locale: Locale) -> String { locale.language.languageCode?.identifier ?? "" }

    deinit { worker.cancel() }

    /// The formats that the transcriber takes without conversion; empty while its model is not installed.
    public var availableCompatibleAudioFormats: [AudioFormat] {
        get async { await worker.formats }
    }

    /// The account of every sample so far, complete after a finish. Utterances that are not decided are pending.
    public var ledger: SampleLedger {
        get async { await worker.ledger }
    }

    /// Makes everything that was heard so far final with the deciding model's last guess, and waits for no decoding of it any more, be it
    /// now or at the finish. Speech behind that guess is lost: it counts in ``DictationCounts/lost``, and the finish throws `SpeechError`
    /// `.moduleOutputFailed`. What is heard later is decoded as always.
    public func settle() async { await worker.settle() }

    /// The number of utterances whose text is not decided.
    public var undecidedCount: Int {
        get async { await worker.undecidedCount }
    }

    /// The numbers of utterances so far, by what has become of them.
    public var counts: DictationCounts {
        get async { await worker.dictationCounts }
    }
}
