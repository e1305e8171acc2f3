import Foundation
import Models
import Speech
import System

/// The options about recognition, which several commands have.
struct RecognitionOptions: Equatable, Sendable {
    /// libvosk's model, as the user names it; nil for none named.
    var model: String?
    /// The spoken language, such as `en-US` or `English`; several with commas between them, or `auto`, of which the deciding model
    /// detects the one; nil for the user's.
    var locale: String?
    var phrases: [String] = []
    var vocabularyFile: String?
    /// The model of the second pass, or `none`; nil for the installed one.
    var secondPass: String?
    /// What guesses; nil for what fits the models.
    var guess: RecognitionPlan.Guess?
    /// The share of the time for guesses, in percent; nil for the standard.
    var guessLoad: Int?
    /// The silence that ends an utterance, in seconds; nil for the standard.
    var endpointSilence: Double?

    init() {}

    /// What the settings say of the models.
    init(_ settings: Settings?) {
        func text(_ key: String) -> String? { settings?.values[key]?.text }
        (model, locale, secondPass) = (text("model"), text("locale"), text("second-pass"))
        guess = text("guess").flatMap { RecognitionPlan.Guess(rawValue: $0) }
    }

    init(_ arguments: ParsedArguments) throws(UsageError) {
        model = arguments[Self.model]
        locale = arguments[Self.locale]
        phrases = arguments[Self.phrases]
        vocabularyFile = arguments[Self.vocabularyFile]
        secondPass = arguments[SecondPassChoice.option]
        guess = arguments[SecondPassChoice.guess]
        guessLoad = arguments[SecondPassChoice.guessLoad]
        endpointSilence = arguments[Self.endpointSilence]
        try arguments.refuse(Self.model, with: Self.locale)
    }

    var endpointing: Endpointing { Endpointing(trailingSilence: endpointSilence) }

    static let all: [any OptionKey] = [
        model, locale, phrases, vocabularyFile, endpointSilence, SecondPassChoice.option,
    ]

    /// The options of the commands that hear speech while it is spoken.
    static let live: [any OptionKey] = all + [SecondPassChoice.guess, SecondPassChoice.guessLoad]

    /// The exit statuses for files of words that the options or the settings name.
    static let wordFileStatuses: [CommandSpecification.ExitStatus] = [
        .init(.dataError, "The vocabulary or the replacements can't be understood."),
        .init(.noInput, "The file of the vocabulary or of the replacements can't be read."),
    ]

    static let model = Option<String>(
        "model", short: "m", "MODEL", .model(.first),
        help:
            "libvosk's model: a folder, a name or a part of one, or a locale (see utter help models). It sets the language, guesses, and "
            + "decides if no stronger model knows the language. Without it that of UTTER_MODEL or the configuration, or the installed "
            + "one for your locale, or the only one.")
    static let locale = Option<String>(
        "locale", short: "l", "LOCALE", .locale,
        help:
            "The language that is spoken, such as en-US or english: picks the installed models for it. With several, such as de,en, or auto "
            + "for any, a stronger model of several languages detects which is spoken.")
    static let phrases = RepeatableOption(
        "phrase", "TEXT", .text,
        help:
            "Words to listen for. The model that decides leans towards them where its kind can, as Whisper's does, and still hears "
            + "everything. libvosk alone hears only them.")
    static let vocabularyFile = Option<String>(
        "vocabulary", "FILE", .file, help: "Words to listen for, as with --phrase, from a file with one phrase a line.")
    static let endpointSilence = Option<Double>(
        "endpoint-silence", "SECONDS", 0.1...10,
        help:
            "The pause after which words are final, from 0.1 to 10; longer for slow speakers. Without it 1.3, and 2 in a memo; listen "
            + "and type take 0.95 after a sentence of which the model is sure. With libvosk alone it is as its model says. In recordings it "
            + "counts with libvosk alone."
    )
}

/// The models and the vocabulary that the options choose.
struct RecognitionChoice {
    let plan: RecognitionPlan
    let context: AnalysisContext
    /// The names of the marks that the user may say.
    var spokenMarks: [String] = []
    private let options: RecognitionOptions
    /// The number of readings of each result; nil for one.
    private let alternativeCount: Int?
    private let status: Status

    /// Finds the models and reads the vocabulary.
    ///
    /// - Parameters:
    ///   - options: the user's options.
    ///   - alternativeCount: the number of readings of each result; nil for one. Only libvosk has several.
    ///   - isLive: whether the speech is heard while it is spoken.
    ///   - status: gets the plan and the recognizer's log, if the command is verbose.
    /// - Throws: `SpeechError` or `CommandError` when there is no such model, or the vocabulary can't be read.
    init(
        _ options: RecognitionOptions, alternativeCount: Int? = nil, isLive: Bool = true, status: Status
    ) throws {
        (self.options, self.alternativeCount, self.status) = (options, alternativeCount, status)
        do throws(SpeechError) {
            plan = try RecognitionPlan(options, wantsAlternatives: alternativeCount != nil)
        } catch {
            throw Self.complaint(error, options)
        }
        context = AnalysisContext(vocabulary: try Self.phrases(options))
        if status.isVerbose {
            status.detail(plan.sentence(isLive: isLive))
            SpeechLog.setHandler { [status] _, message in status.detail("libvosk: \(message)") }
        }
    }

    /// The error that there is no plan; where the configuration names the language, with what takes it out of there.
    private static func complaint(_ error: SpeechError, _ options: RecognitionOptions) -> CommandError {
        var complaint = CommandError(error)
        let settings = Settings.readable()
        if error.code == .noModel, options.model == nil, let set = settings.values["locale"], set.source == .file,
            set.text == options.locale
        {
            complaint.message += "; \(settings.path) has this locale: utter config unset locale takes it out"
        }
        return complaint
    }

    /// The sample rate that the recognizer takes, in Hz.
    ///
    /// - Throws: `SpeechError` if the model does not say it.
    func sampleRate() throws -> Int {
        guard plan.deciding == nil, let speech = plan.speech else { return SecondPassModel.sampleRate }
        return try speech.sampleRate()
    }

    /// Says what is wrong with the model that is used by default: that it is for another language than that of the locale; and, once for
    /// each user, that the built-in model can't take dictation.
    func announceModel() {
        if let warning = plan.warning(ModelAdvice().command) { status.warn(warning) }
        if plan.isBuiltInByDefault { ModelChoice.announceBuiltIn(status) }
    }

    /// What is wrong with the model that is used by default, in a few words for a status line, with what installs a better one.
    var modelRemark: String? {
        if plan.isBuiltInByDefault { return ModelAdvice().status }
        return plan.missingLanguage.map { "no model knows \($0): \(ModelAdvice().command)" }
    }

    private var speechReference: ModelReference? { plan.speech.map { ModelReference(path: $0.path) } }

    var hasVocabulary: Bool { !context.vocabulary.isEmpty }

    /// Loads the model, and warns about words of the user's vocabulary that it does not know.
    func tellUnknownWords() async throws {
        guard hasVocabulary, plan.deciding == nil, let model = speechReference else { return }
        let transcriber = SpeechTranscriber(
            model: model, endpointing: options.endpointing, modelRetention: .processLifetime)
        let analyzer = SpeechAnalyzer(modules: [transcriber])
        if let warning = try await setVocabulary(of: analyzer, transcriber) { status.warn(warning) }
        await analyzer.cancelAndFinishNow()
    }

    /// Creates a transcriber for speech while it is spoken.
    ///
    /// - Parameters:
    ///   - guesses: whether it reports volatile results.
    ///   - guessesEarly: whether it reports volatile results as early as possible.
    ///   - finalizesFrequently: whether someone waits for each sentence to be final.
    ///   - reportsSilences: whether results report progress where nobody speaks, too.
    ///   - report: called with a sentence about a fault of the deciding model's process, on any thread.
    func liveTranscriber(
        guesses: Bool, guessesEarly: Bool, finalizesFrequently: Bool, reportsSilences: Bool = false,
        report: @escaping @Sendable (String) -> Void
    ) -> any ChosenTranscriber {
        if let deciding = plan.deciding {
            var reporting: Set<DictationTranscriber.ReportingOption> = []
            if guesses { reporting.insert(.volatileResults) }
            if guessesEarly { reporting.insert(.fastResults) }
            if finalizesFrequently { reporting.insert(.frequentFinalization) }
            if reportsSilences { reporting.insert(.silences) }
            return DictationTranscriber(
                model: deciding, languages: plan.languages, guessing: guesses ? speechReference : nil,
                spokenMarks: spokenMarks, reportingOptions: reporting, guesses: plan.guesses,
                guessShare: options.guessLoad.map { Double($0) / 100 } ?? 0.36, endpointing: options.endpointing,
                report: report)
        }
        var reporting: Set<SpeechTranscriber.ReportingOption> = []
        if guesses { reporting.insert(.volatileResults) }
        if guessesEarly { reporting.insert(.fastResults) }
        if reportsSilences { reporting.insert(.silences) }
        return speechTranscriber(reporting, .whileInUse)
    }

    /// A transcriber for recorded speech, without guesses.
    ///
    /// - Parameters:
    ///   - reportsSilences: whether results report progress where nobody speaks, too.
    ///   - width: how many stretches are decoded side by side; nil for one on each core.
    ///   - streams: how many streams share the cores. Those of a deciding model share its processes by themselves.
    ///   - report: receives a sentence, on any thread, when something is wrong with the deciding model's process.
    func recordedTranscriber(
        reportsSilences: Bool, width: Int? = nil, streams: Int = 1,
        report: @escaping @Sendable (String) -> Void
    ) -> any ChosenTranscriber {
        if let deciding = plan.deciding {
            return DictationTranscriber(
                model: deciding, languages: plan.languages, spokenMarks: spokenMarks,
                reportingOptions: reportsSilences ? [.silences] : [],
                isLive: false, guesses: .none, width: width, endpointing: options.endpointing,
                modelRetention: .processLifetime, report: report)
        }
        let cores = width ?? ProcessInfo.processInfo.activeProcessorCount
        return speechTranscriber(
            reportsSilences ? [.silences] : [], .processLifetime, width: max(1, cores / streams))
    }

    private func speechTranscriber(
        _ reporting: Set<SpeechTranscriber.ReportingOption>, _ retention: ModelRetention, width: Int? = nil
    ) -> SpeechTranscriber {
        guard let model = speechReference else { preconditionFailure("a plan has a model that decides") }
        return SpeechTranscriber(
            model: model,
            reportingOptions: alternativeCount == nil ? reporting : reporting.union([.alternativeTranscriptions]),
            maximumAlternatives: alternativeCount ?? 0, isLive: width == nil, width: width,
            endpointing: options.endpointing, modelRetention: retention)
    }

    /// Gives an analyzer the user's vocabulary, if there is one.
    ///
    /// - Parameter transcriber: the analyzer's module.
    /// - Returns: a sentence with the words that the transcriber can't hear, because its model does not know them; nil when there are
    ///   none. A deciding model of the other kind hears everything.
    /// - Throws: `SpeechError` when the model takes no vocabulary, or knows no word of it.
    func setVocabulary(of analyzer: SpeechAnalyzer, _ transcriber: any ChosenTranscriber) async throws -> String? {
        guard hasVocabulary else { return nil }
        try await analyzer.setContext(context)
        guard let transcriber = transcriber as? SpeechTranscriber else { return nil }
        let words = await transcriber.unknownContextualWords
        if words.isEmpty { return nil }
        return "\(plan.name) does not know these words, and can't hear them: \(words.joined(separator: ", "))"
    }

    /// The phrases of the options and of the vocabulary file, which has one a line; `#` begins a comment.
    static func phrases(_ options: RecognitionOptions) throws -> [String] {
        guard let path = options.vocabularyFile else { return options.phrases }
        let lines = try UserFile.required(path, "the vocabulary").split(whereSeparator: \.isNewline).map {
            $0.trimmingCharacters(in: .whitespaces)
        }
        let phrases = lines.filter { !$0.isEmpty && !$0.hasPrefix("#") }
        if phrases.isEmpty && options.phrases.isEmpty {
            throw CommandError("the vocabulary \(path) holds no phrase", .dataError)
        }
        return options.phrases + phrases
    }
}
