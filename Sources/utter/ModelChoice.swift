import Foundation
import Outbox
import Speech

/// Which model a command uses: the one asked for or set, or the built-in one.
struct ModelChoice {
    let model: SpeechModel
    /// Whether the user chose.
    let isExplicit: Bool

    /// - Parameters:
    ///   - model: a folder or a name.
    ///   - locale: a language, such as `en-US`.
    init(model: String?, locale: String?) {
        isExplicit = model != nil || locale != nil
        if let named = model, !named.isEmpty {
            // As the shell does with commands: a slash makes it a path. A folder that is there needs none.
            let isFolder = named.contains("/") || FileManager.default.fileExists(atPath: named + "/conf")
            self.model = isFolder ? SpeechModel(path: named) : SpeechModel(named: named)
        } else if let locale {
            self.model = SpeechModel(locale: Locale(identifier: locale))
        } else {
            self.model = .standard
        }
    }

    /// Says once, at the first use, what the built-in model is not, and how to get one that is.
    static func announceBuiltIn(_ status: Status) {
        let environment = ProcessInfo.processInfo.environment
        let state = BaseFolder.state.utter(environment)
        let name = "built-in-model-announced"
        // Who wants quiet hears it when they don't.
        if status.isQuiet || FileManager.default.fileExists(atPath: "\(state)/\(name)") { return }
        status.announce(announcement)
        // Where the mark can't be set it is said again next time, which harms nobody.
        do {
            let folder = try OpenFolder(state, .own)
            _ = try folder.write([], to: name, .new)
        } catch {}
    }

    static let announcement = """
        the built-in model knows 133 words (letters, digits, numbers, dates, a few commands) and can't take dictation; to get one that can:
          utter models install en-us
        then add --model vosk-model-small-en-us-0.15 or set UTTER_MODEL to it; utter models list shows what there is. (This is said once.)
        """
}
