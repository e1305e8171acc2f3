import Foundation
import Models
import Outbox
import Speech
import System

/// The model of the first pass that a command uses: the one that the user names, or the standard one.
struct ModelChoice {
    let installed: InstalledModel
    /// Why this is the standard model; nil when the user named it.
    let reason: StandardModel.Reason?

    /// Whether the built-in model is used because no other is installed.
    var isBuiltInByDefault: Bool { reason != nil && reason != .chosen && installed.isBuiltIn }

    /// Finds the model.
    ///
    /// - Parameters:
    ///   - model: a folder, a name, a part of a name, or a locale; nil when the user names none.
    ///   - locale: a language, such as `en-US` or `English`; nil when the user names none, or several, or `auto`.
    ///   - store: the installed models.
    ///   - environment: the user's environment.
    /// - Throws: `SpeechError` when the model is not installed, or several fit.
    init(
        model: String?, locale: String?, in store: ModelStore = .ofUser(),
        _ environment: [String: String] = ProcessInfo.processInfo.environment
    ) throws(SpeechError) {
        if let named = model, !named.isEmpty {
            // As in a shell, a slash makes it a path. A folder with a model needs none.
            let isFolder = named.contains("/") || FileManager.default.fileExists(atPath: named + "/conf")
            installed = isFolder ? InstalledModel(path: named) : try store.installedModel(for: named, pass: .first)
            reason = nil
        } else if let locale, !RecognitionPlan.isDetected(locale) {
            try RecognitionPlan.check(locale, store)
            let identifier = store.catalog.language(locale)?.identifier ?? locale
            installed = try ModelReference(locale: Locale(identifier: identifier)).resolved(in: store)
            reason = nil
        } else {
            let standard = try store.standardModel(environment)
            installed = standard.model
            reason = standard.reason
        }
    }

    /// Says that the built-in model can't take dictation, and how to install one that can: to each user once, and at a terminal always, for
    /// nobody sees in a text of nonsense where it is from.
    static func announceBuiltIn(_ status: Status) {
        let environment = ProcessInfo.processInfo.environment
        let state = BaseFolder.state.utter(environment)
        let name = "built-in-model-announced"
        // With --quiet, leave the notice for a later run.
        if status.isQuiet { return }
        if FileManager.default.fileExists(atPath: "\(state)/\(name)") {
            if isatty(STDERR_FILENO) != 0 {
                status.warn(
                    "the built-in model knows 133 words only; to get one that takes dictation: \(ModelAdvice(environment).command)"
                )
            }
            return
        }
        status.announce(
            """
            the built-in model knows 133 words (letters, digits, numbers, dates, a few commands) and can't take dictation; to get one that can:
              \(ModelAdvice(environment).command)
            It is used from then on; utter models list shows what else there is.
            """)
        // If the mark can't be written, the notice appears again next time.
        do {
            let folder = try OpenFolder(state, .own)
            try folder.removeLitter()
            _ = try folder.write([], to: name, .new)
        } catch {}
    }
}

extension ModelStore {
    /// The store of the user's models, with the models that the user has chosen.
    static func ofUser(_ environment: [String: String] = ProcessInfo.processInfo.environment) -> ModelStore {
        var store = ModelStore()
        // An unreadable configuration chooses nothing; it is reported elsewhere.
        store.chosen = (try? Settings.load(environment).chosenModels) ?? []
        return store
    }
}

extension SecondPassFiles {
    /// The files of the second pass, with the models that the user has chosen.
    static func ofUser(_ store: ModelStore = .ofUser()) -> SecondPassFiles {
        var files = standard
        files.store = store
        return files
    }
}
