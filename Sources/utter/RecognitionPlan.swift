import Foundation
import Models
import Speech
import System

/// The plan of a recognition: which engine decides on the text, and which guesses before. The detector of speech cuts it into
/// utterances, unless libvosk alone is used, which does that itself.
struct RecognitionPlan {
    /// What guesses while someone speaks.
    enum Guess: String, CaseIterable, Sendable {
        /// libvosk's model, and the deciding one at pauses.
        case first
        /// The deciding model, again and again.
        case second
        /// The deciding model, at pauses.
        case pauses
        /// Nothing.
        case none
    }

    /// libvosk's model, which decides if no other does, and otherwise guesses; nil if it is not used.
    let speech: InstalledModel?
    /// The stronger model, which decides in a process of its own; nil if libvosk's does.
    let deciding: SecondPassModel?
    let guesses: DictationTranscriber.Guesses
    /// The codes of the languages that may be spoken; of several, or of all if there is none here, the deciding model detects the one.
    let languages: [String]
    /// The code of the spoken language; nil if it is not known, or is detected.
    var language: String? { languages.count == 1 ? languages[0] : nil }
    /// Why it is that language, in words that follow it.
    let languageReason: String
    /// The code of the language of the user's locale, if nothing was chosen and no installed model knows it; nil otherwise.
    let missingLanguage: String?
    /// Whether libvosk's built-in model decides because no other is installed.
    let isBuiltInByDefault: Bool

    /// Finds the models.
    ///
    /// - Parameters:
    ///   - options: the models and the language, as the user names them.
    ///   - wantsAlternatives: whether results need alternatives, which only libvosk has.
    ///   - store: the installed models.
    ///   - environment: the user's environment.
    /// - Throws: `SpeechError` if there is no such model.
    init(
        _ options: RecognitionOptions, wantsAlternatives: Bool = false,
        in store: ModelStore = .ofUser(), _ environment: [String: String] = ProcessInfo.processInfo.environment
    ) throws(SpeechError) {
        let (model, locale) = (options.model, options.locale)
        let (secondPass, guess) = (options.secondPass, options.guess)
        try Self.check(locale, store)
        if let detectable = Self.detectable(locale, store) {
            guard model == nil, secondPass != SecondPassChoice.none, !wantsAlternatives, guess != .first else {
                throw SpeechError(.noModel, "libvosk's models hear one language each: name one with --locale")
            }
            self = try Self(detecting: detectable, with: secondPass, guess, in: store)
            return
        }
        let first: Result<ModelChoice, SpeechError>
        do throws(SpeechError) {
            first = .success(try ModelChoice(model: model, locale: locale, in: store, environment))
        } catch {
            first = .failure(error)
        }
        let files = SecondPassFiles.ofUser(store)
        let isNamed = model != nil
        let choice = try? first.get()
        let noOther = wantsAlternatives || secondPass == SecondPassChoice.none
        // Who has no locale, has chosen no model, and has none of libvosk's besides the built-in one, may speak any language.
        if locale == nil, !isNamed, choice?.isBuiltInByDefault ?? true, !noOther, secondPass == nil, guess != .first,
            store.chosen.isEmpty, SpokenLanguage.ofUser(environment) == nil,
            let plan = try? Self(detecting: [], with: nil, guess, in: store)
        {
            self = plan
            return
        }
        let named = noOther ? nil : secondPass
        let language = Self.language(locale, choice, files, named: named, libvoskOnly: noOther, environment)
        let own = SpokenLanguage.ofUser(environment)?.language
        let isSaid = locale != nil || isNamed || choice?.reason == .chosen
        // What nobody knows the language of may be for that of the locale.
        let isOther = language != nil && language != own && (noOther || secondPass == nil)
        missingLanguage = isOther && !isSaid ? own : nil
        languages = language.map { [$0] } ?? []
        languageReason = Self.reason(locale, choice, own: own, language, missing: missingLanguage)
        if noOther {
            deciding = nil
        } else if let secondPass {
            deciding = try .installed(secondPass, in: files)
        } else {
            deciding = language.flatMap { try? .installed(for: $0, in: files) }
        }
        guard deciding != nil else {
            // A model of either kind would have done.
            if !noOther, secondPass == nil, let locale, case .failure(let error) = first, error.code == .noModel {
                let identifier = store.catalog.language(locale)?.identifier ?? locale
                throw store.noModel(for: Locale(identifier: identifier), nil)
            }
            let choice = try first.get()
            (speech, guesses, isBuiltInByDefault) = (choice.installed, .none, choice.isBuiltInByDefault)
            return
        }
        if isNamed { _ = try first.get() }
        // The built-in model knows 133 words, so its guesses at anything else are nonsense.
        let fitting = (try? first.get()).map(\.installed).flatMap { [language] model in
            !model.isBuiltIn && (isNamed || model.languageAndRegion?.language == language) ? model : nil
        }
        switch guess {
        case nil: (speech, guesses) = (fitting, .rolling)
        case .first: (speech, guesses) = (try first.get().installed, .atPauses)
        case .second: (speech, guesses) = (nil, .rolling)
        case .pauses: (speech, guesses) = (nil, .atPauses)
        case .some(.none): (speech, guesses) = (nil, .none)
        }
        isBuiltInByDefault = false
    }

    /// The locale that leaves the language to the deciding model.
    private static let anyLanguage = "auto"

    /// Whether the deciding model detects the language of a locale: one that names several, or none in particular.
    static func isDetected(_ locale: String) -> Bool {
        locale.contains(",") || names(in: locale) == [anyLanguage]
    }

    /// The languages that a locale names, as they are written.
    private static func names(in locale: String) -> [String] {
        locale.split(separator: ",").map { $0.trimmingCharacters(in: .whitespaces) }
            .map { $0.lowercased() == anyLanguage ? anyLanguage : $0 }
    }

    /// The first part of a locale that names no language, neither by a code nor by a word; nil if each does.
    static func unknownLanguage(in locale: String, _ store: ModelStore) -> String? {
        let names = names(in: locale)
        return names.isEmpty ? locale : names.first { $0 != anyLanguage && store.knownLanguage($0) == nil }
    }

    /// Refuses a locale of which a part names no language.
    static func check(_ locale: String?, _ store: ModelStore) throws(SpeechError) {
        guard let locale, let unknown = unknownLanguage(in: locale, store) else { return }
        throw SpeechError(.noModel, store.catalog.complaint(aboutLanguage: unknown))
    }

    /// The codes of the languages of a locale that names several, of which one is detected; nil if it names one language.
    private static func detectable(_ locale: String?, _ store: ModelStore) -> [String]? {
        guard let locale, isDetected(locale) else { return nil }
        let names = names(in: locale)
        if names.contains(anyLanguage) { return [] }
        return names.compactMap { store.catalog.language($0)?.language }.unique
    }

    /// Finds a model that detects the language. libvosk's are for one each, so none of them guesses.
    private init(
        detecting languages: [String], with secondPass: String?, _ guess: Guess?, in store: ModelStore
    ) throws(SpeechError) {
        let files = SecondPassFiles.ofUser(store)
        if let secondPass {
            deciding = try .installed(secondPass, in: files)
        } else {
            deciding = try .detectingLanguage(among: languages, in: files)
        }
        guesses =
            switch guess {
            case .pauses: .atPauses
            case .some(.none): .none
            default: .rolling
            }
        (speech, missingLanguage, isBuiltInByDefault) = (nil, nil, false)
        self.languages = languages
        languageReason =
            languages.count == 1
            ? ", as it is set"
            : " (it detects the language\(languages.isEmpty ? "" : ": " + languages.joined(separator: " or ")))"
    }

    /// The code of the spoken language: what the user has said, by a locale or a model; then the locale of the machine, if a
    /// model knows it; then the language of the model that libvosk would use.
    private static func language(
        _ locale: String?, _ first: ModelChoice?, _ files: SecondPassFiles, named: String?, libvoskOnly: Bool,
        _ environment: [String: String]
    ) -> String? {
        if let locale { return files.store.catalog.language(locale)?.language }
        let known = first?.installed.languageAndRegion?.language
        // Where libvosk has no model at all, nothing is named.
        if let first, first.reason == nil || first.reason == .chosen { return known }
        guard !libvoskOnly, let own = SpokenLanguage.ofUser(environment)?.language else { return known }
        let isKnown = named.map { files.knows($0, own) } ?? (files.model(forLanguage: own) != nil)
        return isKnown ? own : known
    }

    /// Why the language is spoken, in words that follow it.
    private static func reason(
        _ locale: String?, _ first: ModelChoice?, own: String?, _ language: String?, missing: String?
    ) -> String {
        if locale != nil { return ", as it is set" }
        if let missing { return ", since no installed model knows \(missing), that of your locale" }
        if let first, first.reason == nil { return ", that of the named model" }
        if first?.reason == .chosen { return ", as chosen with utter models use" }
        return own == language ? ", that of your locale" : ", that of the installed models"
    }

    /// A sentence that warns that a model of another language than that of the locale is used; nil if it is not.
    ///
    /// - Parameter command: the command that installs a model for the locale.
    func warning(_ command: String) -> String? {
        guard let missingLanguage, let language else { return nil }
        let what =
            "no installed model knows \(missingLanguage), the language of your locale, so \(name) hears \(language)"
        return "\(what); to install one: \(command); to hear \(language) always: utter config set locale \(language)"
    }

    var name: String { deciding?.name ?? speech?.name ?? "" }

    /// Who cuts, who guesses and who decides, in a sentence.
    ///
    /// - Parameter isLive: whether the speech is heard while it is spoken. Recorded speech needs no guesses.
    func sentence(isLive: Bool = true) -> String {
        guard let deciding else { return "\(name) (libvosk) cuts, guesses and decides\(languageWords)" }
        if !isLive { return "the detector of speech cuts, \(deciding.name) decides\(languageWords)" }
        var guessing: [String] = []
        if let speech { guessing.append("\(speech.name) (libvosk) guesses") }
        switch guesses {
        case .rolling: guessing.append("\(deciding.name) guesses while you speak")
        case .atPauses: guessing.append("\(deciding.name) guesses at pauses")
        case .none: if guessing.isEmpty { guessing.append("nothing guesses") }
        }
        return (["the detector of speech cuts"] + guessing + ["\(deciding.name) decides\(languageWords)"])
            .joined(separator: ", ")
    }

    /// The language, which is why these models are used.
    private var languageWords: String {
        guard let language else { return languageReason.hasPrefix(" (") ? languageReason : "" }
        return " (language: \(language)\(languageReason))"
    }
}
