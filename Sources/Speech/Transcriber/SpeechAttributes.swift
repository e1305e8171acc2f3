import Foundation

extension AttributeScopes {
    /// What the text of a result tells about each of its words.
    public struct SpeechAttributes: AttributeScope {
        /// When the word was said.
        public let audioTimeRange: TimeRangeAttribute
        /// How sure the engine is of the word, 0…1.
        public let transcriptionConfidence: ConfidenceAttribute

        public enum TimeRangeAttribute: AttributedStringKey {
            public typealias Value = AudioTimeRange
            public static let name = "audioTimeRange"
        }

        public enum ConfidenceAttribute: AttributedStringKey {
            public typealias Value = Double
            public static let name = "transcriptionConfidence"
        }
    }

    /// The attributes of speech.
    public var speech: SpeechAttributes.Type { SpeechAttributes.self }
}

extension AttributeDynamicLookup {
    public subscript<Key: AttributedStringKey>(
        dynamicMember keyPath: KeyPath<AttributeScopes.SpeechAttributes, Key>
    ) -> Key {
        self[Key.self]
    }
}

extension AttributedString {
    /// The part of the text whose words were said in, or reach into, a stretch of audio; `nil` when there is none.
    public func rangeOfAudioTimeRangeAttributes(intersecting range: AudioTimeRange) -> Range<Index>? {
        let hits = runs.filter { $0.audioTimeRange.map { $0.overlaps(range) } ?? false }.map(\.range)
        guard let first = hits.first, let last = hits.last else { return nil }
        return first.lowerBound..<last.upperBound
    }
}
