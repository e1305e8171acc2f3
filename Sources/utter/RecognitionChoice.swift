import Foundation
import Models
import Speech
import System

/// The options about recognition, which several commands have.
struct RecognitionOptions: Equatable, Sendable {
    var model: String?
    var locale: String?
    var phrases: [String] = []
    var vocabularyFile: String?
    /// The model of the second pass, or `none`; nil for the installed one.
    var secondPass: String?
    /// The silence that ends an utterance, in seconds; nil for the model's own.
    var endpointSilence: Double?

    init() {}

    init(_ arguments: ParsedArguments) throws(UsageError) {
        model = arguments[Self.model]
        locale = arguments[Self.locale]
        phrases = arguments[Self.phrases]
        vocabularyFile = arguments[Self.vocabularyFile]
        secondPass = arguments[SecondPassChoice.option]
        endpointSilence = arguments[Self.endpointSilence]
        try arguments.refuse(Self.model, with: Self.locale)
    }

    var endpointing: Endpointing { Endpointing(trailingSilence: endpointSilence) }

    static let all: [any OptionKey] = [
        model, locale, phrases, vocabularyFile, endpointSilence, SecondPassChoice.option,
    ]

    /// The exit statuses for files of words that the options or the settings name.
    static let wordFileStatuses: [CommandSpecification.ExitStatus] = [
        CommandSpecification.ExitStatus(
            code: .dataError, meaning: "The vocabulary or the replacements can't be understood."),
        CommandSpecification.ExitStatus(
            code: .noInput, meaning: "The file of the vocabulary or of the replacements can't be read."),
    ]

    static let model = Option<String>(
        "model", short: "m", "MODEL", .model(.first),
        help:
            "The model: a folder, a name or a part of one, or a locale (see utter help models). Without it that of UTTER_MODEL or the "
            + "configuration, or the installed one for your locale, or the only one.")
    static let locale = Option<String>(
        "locale", short: "l", "LOCALE", .locale,
        help: "The language that is spoken, such as en-US: picks the installed model for it.")
    static let phrases = RepeatableOption(
        "phrase", "TEXT", .text,
        help:
            "Words to listen for. Without a second pass only such words are heard. With one the first pass hears everything, and "
            + "the second leans towards these where its kind of model can: Whisper's can.")
    static let vocabularyFile = Option<String>(
        "vocabulary", "FILE", .file, help: "Words to listen for, as with --phrase, from a file with one phrase a line.")
    static let endpointSilence = Option<Double>(
        "endpoint-silence", "SECONDS", 0.1...10, help: "How long a pause ends an utterance, from 0.1 to 10.")
}

/// The models and the vocabulary that the options choose.
struct RecognitionChoice {
    let installed: InstalledModel
    let model: ModelReference
    /// The model of the second pass; nil when the first pass's text is final.
    let secondPass: SecondPassModel?
    let context: AnalysisContext
    /// Whether the built-in model is used because no other is installed.
    let isBuiltInByDefault: Bool
    private let status: Status

    /// Finds the models and reads the vocabulary.
    ///
    /// - Parameters:
    ///   - options: the user's options.
    ///   - wantsAlternatives: whether results need alternatives, which only the first pass has; there is no second pass then.
    ///   - status: gets the recognizer's log, if the command is verbose.
    /// - Throws: `SpeechError` or `CommandError` when there is no such model, or the vocabulary can't be read.
    init(_ options: RecognitionOptions, wantsAlternatives: Bool = false, status: Status) throws {
        self.status = status
        let choice = try ModelChoice(model: options.model, locale: options.locale)
        installed = choice.installed
        isBuiltInByDefault = choice.isBuiltInByDefault
        model = ModelReference(path: installed.path)
        secondPass = wantsAlternatives ? nil : try SecondPassChoice.model(options.secondPass, besides: installed)
        context = AnalysisContext(contextualStrings: [.general: try Self.phrases(options)])
        CrashReport.prepare(
            "the recognizer crashed on the model \(installed.name); to check it: utter models verify \(reference)")
        if status.isVerbose {
            SpeechLog.setHandler { [status] _, message in status.detail("libvosk: \(message)") }
        }
    }

    /// Says, once for each user, that the built-in model can't take dictation, if it is used by default.
    func announceBuiltIn() { if isBuiltInByDefault { ModelChoice.announceBuiltIn(status) } }

    /// The remark for a status line while the built-in model is used by default: that it knows few words, and what installs a better one.
    var modelRemark: String? { isBuiltInByDefault ? ModelAdvice().status : nil }

    /// The model's name or path for `utter models`, as a word for a shell.
    var reference: String {
        let isNamed = ModelStore.standardFolders.contains { installed.path == "\($0)/\(installed.name)" }
        return ShellWord.quoted(isNamed ? installed.name : installed.path)
    }

    /// Whether the user gave words to listen for.
    var hasVocabulary: Bool { context != AnalysisContext(contextualStrings: [.general: []]) }

    /// Loads the model, and warns about words of the user's vocabulary that it does not know.
    func tellUnknownWords(endpointing: Endpointing) async throws {
        guard hasVocabulary else { return }
        let transcriber = SpeechTranscriber(model: model, endpointing: endpointing, modelRetention: .processLifetime)
        let analyzer = SpeechAnalyzer(modules: [transcriber])
        try await unlessStopped { [self] in
            if let warning = try await setVocabulary(of: analyzer, .speech(transcriber)) { status.warn(warning) }
            await analyzer.cancelAndFinishNow()
        }
    }

    /// Does work that waits for the recognizer, and gives up when the recognizer has stopped; see `unlessRecognizerStops`.
    ///
    /// - Throws: `CommandError` when the recognizer has stopped, and the errors of `work`.
    func unlessStopped<Value: Sendable>(_ work: @escaping @Sendable () async throws -> Value) async throws -> Value {
        do {
            return try await unlessRecognizerStops(work)
        } catch is RecognizerStopped {
            throw stoppedError
        }
    }

    /// The error when the recognizer has stopped.
    var stoppedError: CommandError {
        var error = CommandError(
            "the recognizer does not return with the model \(installed.name); to check it: utter models verify \(reference)",
            .unavailable)
        error.concernsAll = true
        return error
    }

    /// Creates a transcriber for speech while it is spoken.
    ///
    /// - Parameters:
    ///   - guesses: whether it reports volatile results.
    ///   - guessesEarly: whether it reports volatile results as early as possible.
    ///   - alternativeCount: the number of alternatives of each result; nil for none.
    ///   - endpointing: when an utterance ends.
    ///   - report: called with a sentence about a fault of the second pass, on any thread.
    func liveTranscriber(
        guesses: Bool, guessesEarly: Bool, alternativeCount: Int? = nil, endpointing: Endpointing,
        report: @escaping @Sendable (String) -> Void
    ) -> ChosenTranscriber {
        if let secondPass {
            var reporting: Set<DictationTranscriber.ReportingOption> = []
            if guesses { reporting.insert(.volatileResults) }
            if guessesEarly { reporting.insert(.fastResults) }
            return .dictation(
                DictationTranscriber(
                    model: model, secondPass: secondPass, reportingOptions: reporting, endpointing: endpointing,
                    report: report))
        }
        var reporting: Set<SpeechTranscriber.ReportingOption> = []
        if guesses { reporting.insert(.volatileResults) }
        if guessesEarly { reporting.insert(.fastResults) }
        if alternativeCount != nil { reporting.insert(.alternativeTranscriptions) }
        return .speech(
            SpeechTranscriber(
                model: model, reportingOptions: reporting, maximumAlternatives: alternativeCount ?? 0,
                endpointing: endpointing))
    }

    /// A transcriber for recorded speech, without guesses.
    ///
    /// - Parameters:
    ///   - reportsSilences: whether results report progress where nobody speaks, too.
    ///   - alternativeCount: the number of readings of a result; nil for one.
    ///   - sharesWindows: whether several utterances may be decoded at once.
    ///   - report: receives a sentence, on any thread, when something is wrong with the second pass.
    func recordedTranscriber(
        reportsSilences: Bool, alternativeCount: Int? = nil, sharesWindows: Bool, endpointing: Endpointing,
        report: @escaping @Sendable (String) -> Void
    ) -> ChosenTranscriber {
        if let secondPass {
            return .dictation(
                DictationTranscriber(
                    model: model, secondPass: secondPass, reportingOptions: reportsSilences ? [.silences] : [],
                    timeout: nil,
                    sharesWindows: sharesWindows, endpointing: endpointing, modelRetention: .processLifetime,
                    report: report))
        }
        var reporting: Set<SpeechTranscriber.ReportingOption> = []
        if alternativeCount != nil { reporting.insert(.alternativeTranscriptions) }
        if reportsSilences { reporting.insert(.silences) }
        return .speech(
            SpeechTranscriber(
                model: model, reportingOptions: reporting, maximumAlternatives: alternativeCount ?? 0,
                endpointing: endpointing,
                modelRetention: .processLifetime))
    }

    /// Gives an analyzer the user's vocabulary, if there is one.
    ///
    /// - Parameter transcriber: the analyzer's module.
    /// - Returns: a sentence with the words that the transcriber can't hear, because its model does not know them; nil when there are
    ///   none. With a second pass it hears everything.
    /// - Throws: `SpeechError` when the model takes no vocabulary, or knows no word of it.
    func setVocabulary(of analyzer: SpeechAnalyzer, _ transcriber: ChosenTranscriber) async throws -> String? {
        guard hasVocabulary else { return nil }
        try await analyzer.setContext(context)
        guard case .speech(let transcriber) = transcriber else { return nil }
        let words = await transcriber.unknownContextualWords
        if words.isEmpty { return nil }
        return "\(installed.name) does not know these words, and can't hear them: \(words.joined(separator: ", "))"
    }

    /// The phrases of the options and of the vocabulary file, which has one a line; `#` begins a comment.
    static func phrases(_ options: RecognitionOptions) throws -> [String] {
        guard let path = options.vocabularyFile else { return options.phrases }
        let text: String
        do {
            text = try String(contentsOfFile: path, encoding: .utf8)
        } catch {
            let isUnreadable = !FileManager.default.isReadableFile(atPath: path)
            if error.systemErrorNumber.isShortage { throw error }
            throw CommandError(
                isUnreadable
                    ? "can't read the vocabulary \(path)" : "the vocabulary \(path) is not a text file in UTF-8",
                isUnreadable ? .noInput : .dataError)
        }
        let lines = text.split(whereSeparator: \.isNewline).map { $0.trimmingCharacters(in: .whitespaces) }
        let phrases = lines.filter { !$0.isEmpty && !$0.hasPrefix("#") }
        if phrases.isEmpty && options.phrases.isEmpty {
            throw CommandError("the vocabulary \(path) holds no phrase", .dataError)
        }
        return options.phrases + phrases
    }
}
