import Foundation
import Models

extension SpeechTranscriber {
    /// The text of a range of audio.
    public struct Result: SpeechModuleResult, Hashable {
        /// A word of the text.
        public struct Word: Hashable, Sendable {
            /// The word as it is written.
            public let text: String
            /// The time of the word.
            public let range: AudioTimeRange
            /// The confidence, 0…1; `nil` if the engine gives none, as for alternatives.
            public let confidence: Double?
        }

        /// The range of audio. Final results follow each other; the audio between them is silence.
        public let range: AudioTimeRange
        /// The time before which all results are final.
        public let resultsFinalizationTime: AudioTime
        /// The most likely text, ready to be appended to that of the final results before: it begins with a space where the
        /// language has spaces and there is text before it. Empty in a final result that withdraws a guess.
        public var text: AttributedString { alternatives[0] }
        /// The alternatives, most likely first; never empty.
        public let alternatives: [AttributedString]
        /// The probability of each alternative, 0…1; `nil` if the engine gives none. If several alternatives were
        /// requested, their sum is 1: the engine gives likelihoods, and these are their shares (softmax). Otherwise it
        /// is the mean of the words' confidences; for a Whisper model, the geometric mean of the probabilities of all
        /// its text that was decoded at once, which sentences that were decoded together share.
        public let alternativeConfidences: [Double?]
        /// The words of `text` with their times; empty in volatile results unless `audioTimeRange` was requested.
        public let words: [Word]
        /// The pass that recognized the text: the first for a `SpeechTranscriber`, the second for a `DictationTranscriber`.
        public let pass: RecognitionPass
        /// The code of the language, such as `en`: the one that was named, or that a `DictationTranscriber`'s model has detected. `nil`
        /// where neither is known, as in the results of a `SpeechTranscriber`.
        public let language: String?

        init(
            _ utterance: Utterance, sampleRate: Int, attributes: Set<ResultAttributeOption>, followsText: Bool = false
        ) {
            func time(_ position: Int64) -> AudioTime { AudioTime(sampleCount: position, sampleRate: sampleRate) }
            func times(_ range: Swift.Range<Int64>) -> AudioTimeRange {
                time(range.lowerBound)..<time(range.upperBound)
            }

            pass = utterance.pass
            language = utterance.language
            range = times(utterance.range)
            resultsFinalizationTime = utterance.isFinal ? range.upperBound : range.lowerBound
            words = utterance.alternatives[0].words.map {
                Word(text: $0.text, range: times($0.range), confidence: $0.confidence)
            }
            alternativeConfidences = utterance.alternatives.map(\.confidence)
            func attributed(_ alternative: Hypothesis.Alternative) -> AttributedString {
                let space = followsText && !alternative.text.isEmpty ? " " : ""
                guard !attributes.isEmpty, !alternative.words.isEmpty else {
                    return AttributedString(space + alternative.text)
                }
                var text = AttributedString()
                for (index, word) in alternative.words.enumerated() {
                    // The space before a word has its attributes, so that another result takes the place of both.
                    var part = AttributedString((index == 0 ? space : " ") + word.text)
                    if attributes.contains(.audioTimeRange) { part.audioTimeRange = times(word.range) }
                    if attributes.contains(.transcriptionConfidence) { part.transcriptionConfidence = word.confidence }
                    text += part
                }
                return text
            }
            alternatives = utterance.alternatives.map(attributed)
        }
    }
}

extension AttributedString {
    /// The characters of a result's text, without the space before them.
    package var spoken: String { String(characters.drop { $0 == " " }) }
}
