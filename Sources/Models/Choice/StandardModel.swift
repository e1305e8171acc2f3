/// The model for the first pass that is used if none is named, and the reason.
public struct StandardModel: Hashable, Sendable {
    /// The reason for which a model is used.
    public enum Reason: Hashable, Sendable {
        /// The user has chosen the model, which is kept in `ModelStore.chosen`.
        case chosen
        /// The model is the best installed one for the user's locale.
        case locale
        /// The model is the best installed one, all are for one language, and nothing says that another is spoken.
        case onlyLanguage
        /// No installed model is for the user's locale, and this one is the best for English.
        case english
        /// No other model is installed, or nothing decides between them.
        case builtIn
    }

    /// The model that is used.
    public let model: InstalledModel
    /// The reason for which it is used.
    public let reason: Reason
}

/// A model that the user has chosen for a language.
public struct ChosenModel: Hashable, Sendable {
    /// The pass that the model is for.
    public let pass: RecognitionPass
    /// The code of the language, such as `ko`.
    public let language: String
    /// The name of the installed model.
    public let name: String

    /// Creates a choice of the model `name` for a language.
    public init(pass: RecognitionPass, language: String, name: String) {
        (self.pass, self.language, self.name) = (pass, language, name)
    }
}
