import Foundation

extension AttributeScopes {
    /// The attributes of the words in the text of a result. The space before a word has them as well.
    public struct SpeechAttributes: AttributeScope {
        /// The time of the word.
        public let audioTimeRange: TimeRangeAttribute
        /// The engine's confidence in the word, 0…1.
        public let transcriptionConfidence: ConfidenceAttribute

        /// The attribute for the time of a word.
        public enum TimeRangeAttribute: AttributedStringKey {
            /// The type of the attribute: a range of times from the beginning of the audio.
            public typealias Value = AudioTimeRange
            /// The name of the attribute in encoded text.
            public static let name = "audioTimeRange"
        }

        /// The attribute for the engine's confidence in a word, 0…1.
        public enum ConfidenceAttribute: AttributedStringKey {
            /// The type of the attribute: a probability, 0…1.
            public typealias Value = Double
            /// The name of the attribute in encoded text.
            public static let name = "transcriptionConfidence"
        }
    }

    /// The attributes of recognized speech.
    public var speech: SpeechAttributes.Type { SpeechAttributes.self }
}

extension AttributeDynamicLookup {
    /// The attribute key at a key path of the speech attributes.
    public subscript<Key: AttributedStringKey>(
        dynamicMember keyPath: KeyPath<AttributeScopes.SpeechAttributes, Key>
    ) -> Key {
        self[Key.self]
    }
}

extension AttributedString {
    /// Returns the range of the text whose words were said in a range of audio, even if only partly, with the space before each of them;
    /// `nil` if there are none.
    public func rangeOfAudioTimeRangeAttributes(intersecting range: AudioTimeRange) -> Range<Index>? {
        let hits = runs.filter { $0.audioTimeRange.map { $0.overlaps(range) } ?? false }.map(\.range)
        guard let first = hits.first, let last = hits.last else { return nil }
        return first.lowerBound..<last.upperBound
    }
}
