extension SpeechTranscriber {
    /// Which results are reported.
    public enum ReportingOption: Hashable, Sendable, CaseIterable {
        /// Guesses at an utterance while it is being said, each in place of the one before. Every guess ends in a final
        /// result over its range, or is taken back by a final result without text.
        case volatileResults
        /// The first guess at an utterance a quarter of a second after someone begins to speak, and less sure: it is made before
        /// the engine has heard what follows. Final results stay as they are. Needs `volatileResults`.
        case fastResults
        /// Other readings of each utterance. The engine then gives no confidence for single words.
        case alternativeTranscriptions
        /// Stretches without words, as final results without text. Final results then lie under the whole stream, without
        /// a gap.
        case silences
    }

    /// What the text of a result carries along.
    public enum ResultAttributeOption: Hashable, Sendable, CaseIterable {
        /// The time of each word of final results, and of volatile ones at the price of more than half as much work again.
        case audioTimeRange
        /// How sure the engine is of each word of final results.
        case transcriptionConfidence
    }

    /// Options that go well together.
    public struct Preset: Hashable, Sendable {
        public var reportingOptions: Set<ReportingOption>
        public var attributeOptions: Set<ResultAttributeOption>

        public init(reportingOptions: Set<ReportingOption>, attributeOptions: Set<ResultAttributeOption>) {
            self.reportingOptions = reportingOptions
            self.attributeOptions = attributeOptions
        }

        /// Final results only.
        public static let transcription = Preset(reportingOptions: [], attributeOptions: [])
        /// Final results with other readings.
        public static let transcriptionWithAlternatives = Preset(
            reportingOptions: [.alternativeTranscriptions], attributeOptions: [])
        /// Final results with other readings and the times of words.
        public static let timeIndexedTranscriptionWithAlternatives = Preset(
            reportingOptions: [.alternativeTranscriptions], attributeOptions: [.audioTimeRange])
        /// Guesses at once, final results later.
        public static let progressiveTranscription = Preset(reportingOptions: [.volatileResults], attributeOptions: [])
        /// Guesses at once, final results later, both with the times of words.
        public static let timeIndexedProgressiveTranscription = Preset(
            reportingOptions: [.volatileResults], attributeOptions: [.audioTimeRange])
    }
}
