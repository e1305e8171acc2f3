import Synchronization

/// Information for an analyzer about what will be said. A change takes effect when it is set again.
public final class AnalysisContext: Sendable {
    /// The purpose of a list of strings. Only `general` exists so far.
    public struct ContextualStringsTag: RawRepresentable, Hashable, Sendable {
        /// The name of the tag.
        public let rawValue: String
        /// Creates a tag with the name `rawValue`.
        public init(rawValue: String) { self.rawValue = rawValue }
        /// Creates a tag with a name.
        public init(_ name: String) { self.init(rawValue: name) }

        /// Phrases of any kind.
        public static let general = ContextualStringsTag(rawValue: "general")
    }

    /// The phrases to prefer, by purpose. A `DictationTranscriber` prefers them if its model can, and takes them only before the
    /// first sound. libvosk, which can't prefer any, hears what it hears.
    public var contextualStrings: [ContextualStringsTag: [String]] {
        get { values.withLock { $0.contextualStrings } }
        set { values.withLock { $0.contextualStrings = newValue } }
    }
    /// The only phrases that are said; empty if anything may be said. libvosk then recognizes nothing else, and what else is said
    /// has no text; only models whose graph is built at run time can do that. A `DictationTranscriber` prefers them.
    public var vocabulary: [String] {
        get { values.withLock { $0.vocabulary } }
        set { values.withLock { $0.vocabulary = newValue } }
    }
    private let values: Mutex<(contextualStrings: [ContextualStringsTag: [String]], vocabulary: [String])>

    /// Creates a context with phrases to prefer, by purpose, and with the only ones.
    public init(contextualStrings: [ContextualStringsTag: [String]] = [:], vocabulary: [String] = []) {
        values = Mutex((contextualStrings, vocabulary))
    }

    /// A context with the same phrases, which does not change with this one.
    var copy: AnalysisContext { AnalysisContext(contextualStrings: contextualStrings, vocabulary: vocabulary) }
    /// The phrases for an engine that can prefer some, without superfluous spaces and empty phrases.
    var preferredPhrases: [String] { Self.phrases((contextualStrings[.general] ?? []) + vocabulary) }
    /// The phrases for an engine that hears nothing else, likewise.
    var onlyPhrases: [String] { Self.phrases(vocabulary) }

    private static func phrases(_ phrases: [String]) -> [String] {
        phrases.map { $0.split(whereSeparator: \.isWhitespace).joined(separator: " ") }.filter { !$0.isEmpty }
    }
}
