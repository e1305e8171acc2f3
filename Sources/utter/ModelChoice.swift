import Foundation
import Outbox
import Speech

/// Which model of the first pass a command uses: the one asked for or set, or the standard one.
struct ModelChoice {
    let installed: InstalledModel
    /// Why it is the standard one; nil where the user named it.
    let reason: StandardModel.Reason?

    /// Whether the built-in model is used since there is no other to use.
    var isBuiltInByDefault: Bool { reason != nil && reason != .chosen && installed.isBuiltIn }

    /// - Parameters:
    ///   - model: what people call it: a folder, a name, a part of one, or a locale.
    ///   - locale: a language, such as `en-US`.
    /// - Throws: `SpeechError` when it is not installed.
    init(
        model: String?, locale: String?, in store: ModelStore = .ofUser(),
        _ environment: [String: String] = ProcessInfo.processInfo.environment
    ) throws(SpeechError) {
        if let named = model, !named.isEmpty {
            // As the shell does with commands: a slash makes it a path. A folder that is there needs none.
            let isFolder = named.contains("/") || FileManager.default.fileExists(atPath: named + "/conf")
            installed = isFolder ? InstalledModel(path: named) : try store.installedModel(for: named, pass: .first)
            reason = nil
        } else if let locale {
            installed = try SpeechModel(locale: Locale(identifier: locale)).resolved(in: store)
            reason = nil
        } else {
            let standard = try store.standardModel(environment)
            installed = standard.model
            reason = standard.reason
        }
    }

    /// Says once, at the first use, what the built-in model is not, and how to get one that is.
    static func announceBuiltIn(_ status: Status) {
        let environment = ProcessInfo.processInfo.environment
        let state = BaseFolder.state.utter(environment)
        let name = "built-in-model-announced"
        // Who wants quiet hears it when they don't.
        if status.isQuiet || FileManager.default.fileExists(atPath: "\(state)/\(name)") { return }
        status.announce(
            """
            the built-in model knows 133 words (letters, digits, numbers, dates, a few commands) and can't take dictation; to get one that can:
              \(ModelAdvice(environment).command)
            It is used from then on; utter models list shows what else there is. (This is said once.)
            """)
        // Where the mark can't be set it is said again next time, which harms nobody.
        do {
            let folder = try OpenFolder(state, .own)
            _ = try folder.write([], to: name, .new)
        } catch {}
    }
}

extension ModelStore {
    /// The one where models are, with what the user has chosen among them.
    static func ofUser(_ environment: [String: String] = ProcessInfo.processInfo.environment) -> ModelStore {
        var store = ModelStore()
        // A configuration that can't be read is told elsewhere, and chooses nothing.
        store.chosen = (try? Settings.load(environment).chosenModels) ?? []
        return store
    }
}

extension SecondPassFiles {
    /// The standard ones, with what the user has chosen.
    static func ofUser() -> SecondPassFiles {
        var files = standard
        files.store = .ofUser()
        return files
    }
}
