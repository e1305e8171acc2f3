/// What an analyzer may know beforehand about what will be said.
public struct AnalysisContext: Sendable, Hashable {
    /// What a list of strings is for. There is one use so far.
    public struct ContextualStringsTag: RawRepresentable, Hashable, Sendable {
        public let rawValue: String
        public init(rawValue: String) { self.rawValue = rawValue }

        public static let general = ContextualStringsTag(rawValue: "general")
    }

    /// Phrases that will be said. Unlike Apple's, which lean towards them, libvosk listens for nothing else: what is said
    /// besides has no text. Only models with a graph made at run time take them. The second pass of a `DictationTranscriber` leans
    /// towards them, as Apple's does, if its model can; they are set before the first sound.
    public var contextualStrings: [ContextualStringsTag: [String]]

    public init(contextualStrings: [ContextualStringsTag: [String]] = [:]) {
        self.contextualStrings = contextualStrings
    }

    /// The general phrases, cleaned of surplus space and of empty ones.
    var phrases: [String] {
        (contextualStrings[.general] ?? [])
            .map { $0.split(whereSeparator: \.isWhitespace).joined(separator: " ") }
            .filter { !$0.isEmpty }
    }
}
