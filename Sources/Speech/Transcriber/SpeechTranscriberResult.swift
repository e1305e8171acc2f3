import Foundation

extension SpeechTranscriber {
    /// What was said in a stretch of audio.
    public struct Result: SpeechModuleResult, Equatable {
        /// One word.
        public struct Word: Hashable, Sendable {
            public let text: String
            public let range: AudioTimeRange
            /// 0…1; `nil` where the engine gives none, as for alternatives.
            public let confidence: Double?
        }

        /// A part of what is not final.
        public struct Part: Hashable, Sendable {
            public let range: AudioTimeRange
            public let text: AttributedString
        }

        /// The stretch of audio. Final results follow on one another; between them lies what was found to be silence.
        public let range: AudioTimeRange
        public let resultsFinalizationTime: AudioTime
        /// The most likely text; empty in a final result that takes a guess back.
        public var text: AttributedString { alternatives[0] }
        /// The readings, most likely first; never empty.
        public let alternatives: [AttributedString]
        /// How likely each of the alternatives is, 0…1; `nil` where the engine gives nothing. Where several were asked for they
        /// are 1 in all: the engine gives bare likelihoods, and these are their shares (softmax). Otherwise it is the mean
        /// of the words' confidences.
        public let alternativeConfidences: [Double?]
        /// The words of `text` with their times; empty in volatile results unless `audioTimeRange` was asked for.
        public let words: [Word]
        /// Whose text it is: always the first pass's of a `SpeechTranscriber`.
        public let pass: RecognitionPass
        /// Of a volatile result: the utterances that have ended and wait for their second pass, in order, with the first pass's text. Each
        /// becomes final over the same range, with this text or a better one. Empty where there is one pass.
        public let waiting: [Part]
        /// Of a volatile result: what is being said, which comes after those that wait; nil when nothing is.
        public let guess: Part?

        init(_ utterance: Utterance, sampleRate: Int, attributes: Set<ResultAttributeOption>) {
            func time(_ position: Int64) -> AudioTime { AudioTime(sampleCount: position, sampleRate: sampleRate) }
            func times(_ range: Swift.Range<Int64>) -> AudioTimeRange { time(range.lowerBound)..<time(range.upperBound) }

            pass = utterance.pass
            range = times(utterance.range)
            resultsFinalizationTime = utterance.isFinal ? range.upperBound : range.lowerBound
            words = utterance.alternatives[0].words.map {
                Word(text: $0.text, range: times($0.range), confidence: $0.confidence)
            }
            alternativeConfidences = utterance.alternatives.map(\.confidence)
            func attributed(_ alternative: Hypothesis.Alternative) -> AttributedString {
                guard !attributes.isEmpty, !alternative.words.isEmpty else { return AttributedString(alternative.text) }
                var text = AttributedString()
                for (index, word) in alternative.words.enumerated() {
                    if index > 0 { text += AttributedString(" ") }
                    var part = AttributedString(word.text)
                    if attributes.contains(.audioTimeRange) { part.audioTimeRange = times(word.range) }
                    if attributes.contains(.transcriptionConfidence) { part.transcriptionConfidence = word.confidence }
                    text += part
                }
                return text
            }
            alternatives = utterance.alternatives.map(attributed)
            let parts = utterance.isFinal ? [] : utterance.parts.isEmpty ? [utterance] : utterance.parts
            func part(_ part: Utterance) -> Part { Part(range: times(part.range), text: attributed(part.alternatives[0])) }
            waiting = parts.filter { $0.isFinal && !$0.text.isEmpty }.map(part)
            guess = parts.last.flatMap { $0.isFinal ? nil : part($0) }
        }
    }
}
