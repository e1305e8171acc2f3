import Foundation
import Models
import Speech

/// The model to install for dictation in the user's language.
struct ModelAdvice {
    private let locales: [String]
    private let store: ModelStore

    /// Finds the model for a language, or that of the user's locale, or else for English.
    init(
        locale: String? = nil, _ environment: [String: String] = ProcessInfo.processInfo.environment,
        in store: ModelStore = ModelStore()
    ) {
        let user = SpokenLanguage.ofUser(environment).map(\.identifier)
        locales = [locale, user, Self.english].compactMap { $0 }
        self.store = store
    }

    /// The locale when there is no model for the user's language.
    private static let english = "en-us"

    /// The command line that installs the model.
    var command: String {
        // Without a catalog, `install` says what to do.
        locales.lazy.compactMap { store.command(toInstall: $0) }.first ?? "utter models install \(Self.english)"
    }

    /// The remark in a status line while the built-in model is used for lack of another.
    var status: String { "133 words only: \(command)" }
}
