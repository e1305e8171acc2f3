extension SpeechTranscriber {
    /// An option for the form of the text.
    public enum TranscriptionOption: Hashable, Sendable, CaseIterable {
        /// Something milder in the place of strong words: the engine writes what is said.
        case etiquetteReplacements
    }

    /// An option for the results that are reported.
    public enum ReportingOption: Hashable, Sendable, CaseIterable {
        /// Guesses at an utterance while it is being spoken, each in place of the previous one. Every guess is replaced
        /// by a final result over its range, which has no text if there were no words.
        case volatileResults
        /// A first guess a quarter of a second after speech begins, which is less certain, as it is made before the
        /// engine has heard what follows. Final results do not change. Needs `volatileResults`.
        case fastResults
        /// Alternatives for each utterance. The engine then gives no confidence for single words.
        case alternativeTranscriptions
        /// Stretches without words, as final results without text. Final results then cover the whole stream without
        /// gaps.
        case silences
    }

    /// An attribute of the text of a result.
    public enum ResultAttributeOption: Hashable, Sendable, CaseIterable {
        /// The time of each word in final results, and in volatile ones, which costs more than half as much work again.
        case audioTimeRange
        /// The engine's confidence in each word of final results.
        case transcriptionConfidence
    }

    /// A combination of options.
    public struct Preset: Hashable, Sendable {
        /// The options for the form of the text.
        public var transcriptionOptions: Set<TranscriptionOption>
        /// The options for the results that are reported.
        public var reportingOptions: Set<ReportingOption>
        /// The attributes of the text.
        public var attributeOptions: Set<ResultAttributeOption>

        /// Creates a combination of options.
        public init(
            transcriptionOptions: Set<TranscriptionOption> = [], reportingOptions: Set<ReportingOption>,
            attributeOptions: Set<ResultAttributeOption>
        ) {
            self.transcriptionOptions = transcriptionOptions
            self.reportingOptions = reportingOptions
            self.attributeOptions = attributeOptions
        }

        /// Final results only.
        public static let transcription = Preset(reportingOptions: [], attributeOptions: [])
        /// Final results with alternatives.
        public static let transcriptionWithAlternatives = Preset(
            reportingOptions: [.alternativeTranscriptions], attributeOptions: [])
        /// Final results with alternatives and the times of words.
        public static let timeIndexedTranscriptionWithAlternatives = Preset(
            reportingOptions: [.alternativeTranscriptions], attributeOptions: [.audioTimeRange])
        /// Volatile results at once, final results later.
        public static let progressiveTranscription = Preset(
            reportingOptions: [.volatileResults, .fastResults], attributeOptions: [])
        /// Volatile results at once, final results later, both with the times of words.
        public static let timeIndexedProgressiveTranscription = Preset(
            reportingOptions: [.volatileResults, .fastResults], attributeOptions: [.audioTimeRange])
    }
}
