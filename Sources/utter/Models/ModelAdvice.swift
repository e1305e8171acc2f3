import Foundation
import Speech

/// What somebody should install who wants to take dictation in their own language.
struct ModelAdvice {
    private let locales: [String]
    private let store: ModelStore

    /// - Parameters:
    ///   - locale: the language that is asked for; nil takes that of the user's locale.
    init(locale: String? = nil, _ environment: [String: String] = ProcessInfo.processInfo.environment, in store: ModelStore = ModelStore())
    {
        let user = SpokenLanguage.ofUser(environment).map(\.identifier)
        locales = [locale, user, Self.english].compactMap { $0 }
        self.store = store
    }

    /// What there is else: most models are for it.
    private static let english = "en-us"

    /// The command line that installs it.
    var command: String {
        // Where there is no list, `install` says what to do.
        locales.lazy.compactMap { store.command(toInstall: $0) }.first ?? "utter models install \(Self.english)"
    }

    /// The locale that it is for, or the name of the model where the locale has several.
    var reference: String { String(command.split(separator: " ").last ?? "") }

    /// For a status line: as long as the built-in model is used for want of another.
    var status: String { "133 words only: \(command)" }
}
