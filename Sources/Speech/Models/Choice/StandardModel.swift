/// The model of the first pass that is used where nobody names one, and why.
public struct StandardModel: Hashable, Sendable {
    public enum Reason: Hashable, Sendable {
        /// The user has chosen it, and keeps that: see `ModelStore.chosen`.
        case chosen
        /// It is the best installed one for the user's locale.
        case locale
        /// It is the best of the installed ones, which are all for one language.
        case onlyLanguage
        /// No other is installed, or nothing says which.
        case builtIn
    }

    public let model: InstalledModel
    public let reason: Reason
}

/// A model that the user has chosen for a language.
public struct ChosenModel: Hashable, Sendable {
    public let pass: RecognitionPass
    /// The language's code, such as `ko`.
    public let language: String
    /// The installed model's name.
    public let name: String

    public init(pass: RecognitionPass, language: String, name: String) {
        (self.pass, self.language, self.name) = (pass, language, name)
    }
}
