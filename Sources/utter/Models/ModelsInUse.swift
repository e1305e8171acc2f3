import Foundation
import Models
import Speech

/// The models that are used when no option names one.
struct ModelsInUse {
    private let settings: Settings?
    private let store: ModelStore
    private let first: InstalledModel?
    private let plan: RecognitionPlan?
    /// Why there is no plan; nil when there is one.
    private let problem: SpeechError?
    private var second: SecondPassModel? { plan?.deciding }

    init() {
        store = .ofUser()
        settings = try? Settings.load()
        let options = RecognitionOptions(settings)
        first = try? ModelChoice(model: options.model, locale: options.locale, in: store).installed
        do throws(SpeechError) {
            plan = try RecognitionPlan(options, in: store)
            problem = nil
        } catch {
            plan = nil
            problem = error
        }
    }

    /// Whether a model decides on the text, or guesses.
    func uses(_ model: InstalledModel?) -> Bool {
        guard let model, isChosen(model) else { return false }
        return model.pass == .second || plan?.speech != nil
    }

    /// Whether a model is the one of its pass, though libvosk's may have nothing to do beside a stronger one.
    private func isChosen(_ model: InstalledModel) -> Bool {
        model.pass == .first ? model.path == first?.path : second?.path.hasPrefix(model.path + "/") == true
    }

    /// A sentence that says, to a user who has just installed or chosen a model, which one is used from now on.
    func sentence(about model: InstalledModel) -> String {
        if isChosen(model) {
            if model.pass == .first, let second {
                let part = plan?.speech == nil ? "\(model.name) is not used" : "\(model.name) guesses while you speak"
                return "\(second.name) decides on the text, and \(part); "
                    + "to let \(model.name) decide: utter config set second-pass none"
            }
            return "memo, listen, transcribe and type use \(model.name) from now on"
                + (model.pass == .second ? ", for the second pass" : "")
        }
        let key = Setting.model(of: model.pass)
        if let value = settings?.values[key] {
            let name = TerminalText.visible(value.text)
            switch value.source {
            case .variable(let variable):
                return "\(model.name) is not used as long as the variable \(variable) is \(name)"
            case .file:
                return
                    "\(model.name) is not used as long as the configuration says \(name); to end that: utter config unset \(key)"
            }
        }
        return model.pass == .first ? firstPassSentence(model) : secondPassSentence(model)
    }

    /// A sentence that says, to a user who has just removed models, what decides from now on; nil where that is as before.
    ///
    /// - Parameter before: what was in use before.
    func sentence(afterRemoving names: [String], _ before: ModelsInUse) -> String? {
        guard let old = before.plan?.name, old != plan?.name else { return nil }
        guard let plan else { return problem.map { "after this no model decides: \($0)" } }
        // The error says by itself how to get a model; otherwise say how to get the old one.
        // The list may have no model of that name, but others of which it is a part.
        let isListed = names.contains(old) && store.catalog.model(named: old) != nil
        var back = isListed ? "to have \(old) again: utter models install \(old)" : nil
        var decides = "\(plan.name) decides on the text"
        if plan.isBuiltInByDefault {
            decides = "the built-in model decides, which knows 133 words only"
            back = back ?? "to get one that takes dictation: \(ModelAdvice(in: store).command)"
        }
        return ["after this, \(decides)", back].compactMap { $0 }.joined(separator: "; ")
    }

    private func firstPassSentence(_ model: InstalledModel) -> String {
        let used =
            (second?.name ?? first?.name).map { "memo, listen, transcribe and type use \($0)" } ?? "no model is used"
        let choose = "utter models use \(model.name)"
        guard let language = ModelRecord(model, in: store.catalog).spokenLanguage?.language else {
            return "\(used); to use \(model.name): utter config set model \(model.name)"
        }
        let best = try? ModelReference(locale: Locale(identifier: language)).resolved(in: store)
        if best != model { return "\(used); to use \(model.name): \(choose)" }
        return
            "\(used), and \(model.name) with --locale \(language); to use it always: utter config set model \(model.name)"
    }

    private func secondPassSentence(_ model: InstalledModel) -> String {
        if SecondPassFiles.standard.library == nil {
            return "\(model.name) is used as soon as libtranscribe is installed; to get that: Scripts/setup"
        }
        let used = second.map { "memo, listen, transcribe and type use \($0.name) for the second pass" }
        let own = SpokenLanguage.ofUser(ProcessInfo.processInfo.environment)?.language ?? "en"
        let languages = ModelRecord(model, in: store.catalog).languages
        // What nothing is known of is used for the language that is named, and may be for another than the locale's.
        let locale = languages == nil && own != "en" ? " --locale \(own)" : ""
        return (used ?? "\(model.name) is used for the languages that it knows")
            + "; to use \(model.name): utter models use\(locale) \(model.name)"
    }
}
