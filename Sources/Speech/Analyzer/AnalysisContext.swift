/// Information for an analyzer about what will be said.
public struct AnalysisContext: Sendable, Hashable {
    /// The purpose of a list of strings. Only `general` exists so far.
    public struct ContextualStringsTag: RawRepresentable, Hashable, Sendable {
        /// The name of the tag.
        public let rawValue: String
        /// Creates a tag with the name `rawValue`.
        public init(rawValue: String) { self.rawValue = rawValue }

        /// Phrases of any kind.
        public static let general = ContextualStringsTag(rawValue: "general")
    }

    /// The phrases to expect, by purpose.
    ///
    /// Apple's framework prefers these phrases; libvosk recognizes nothing else, and anything else that is said has no
    /// text. Only models whose graph is built at run time accept phrases. The second pass of a `DictationTranscriber`
    /// prefers them, as Apple's framework does, if its model can, and accepts them only before the first sound.
    public var contextualStrings: [ContextualStringsTag: [String]]

    /// Creates a context with phrases by purpose.
    public init(contextualStrings: [ContextualStringsTag: [String]] = [:]) {
        self.contextualStrings = contextualStrings
    }

    /// The general phrases, without superfluous spaces and empty phrases.
    var phrases: [String] {
        (contextualStrings[.general] ?? [])
            .map { $0.split(whereSeparator: \.isWhitespace).joined(separator: " ") }
            .filter { !$0.isEmpty }
    }
}
