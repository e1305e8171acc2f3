/// A loaded model, from which recognizers are made. The analyzer and its modules know engines only through this protocol,
/// so that a second engine is a second file.
protocol SpeechEngine: Sendable {
    /// The rate that the model was trained for, in Hz.
    var sampleRate: Int { get }

    /// A recognizer for one stream: one that was kept, or a new one. It has heard nothing yet.
    func makeRecognizer(_ configuration: RecognizerConfiguration) throws(SpeechError) -> any SpeechRecognizer

    /// Keeps a recognizer that has heard nothing for the next stream of its kind. A used one is not kept: what it has found of
    /// its graph would show in how it decides ties, and the same samples have to give the same text.
    func keep(_ recognizer: any SpeechRecognizer)

    /// The words of the phrases that the model has never heard of; empty when it knows them all.
    ///
    /// - Throws: `.vocabularyNotSupported` when the model's vocabulary is fixed.
    func unknownWords(in phrases: [String]) throws(SpeechError) -> [String]
}

/// What a recognizer is made for. Two recognizers with equal configurations are interchangeable.
struct RecognizerConfiguration: Hashable, Sendable {
    /// How many readings of each utterance to give; 0 gives one, with a confidence for each word.
    var maximumAlternatives = 0
    /// Times for the words of volatile results as well. It costs the engine more than half as much work again.
    var volatileWordTimes = false
    /// When not empty, only these phrases are listened for.
    var phrases: [String] = []
    /// Where utterances end, where the engine takes that for each recognizer.
    var endpointing = Endpointing()
}

/// The recognition of one stream, in one thread's hands at a time.
protocol SpeechRecognizer: AnyObject {
    /// Samples taken since the recognizer was made; the words' times count from its first.
    var samplesAccepted: Int64 { get }

    /// Decodes some more audio; `true` when an utterance has ended, and `endUtterance()` is due.
    func accept(_ samples: UnsafeBufferPointer<Int16>) throws(SpeechError) -> Bool

    /// What has been heard of the utterance so far.
    func volatileHypothesis() throws(SpeechError) -> Hypothesis

    /// What was said in the utterance that `accept` has just ended.
    func endUtterance() throws(SpeechError) -> Hypothesis

    /// Decodes everything that was taken, to the last sample, ends the utterance and starts afresh.
    func flush() throws(SpeechError) -> Hypothesis
}

/// What an engine makes of an utterance.
struct Hypothesis: Equatable, Sendable {
    struct Word: Equatable, Sendable {
        var text: String
        /// From the first sample of the word to before its last, in samples since the recognizer's first.
        var range: Range<Int64>
        /// 0…1; `nil` when the engine gives none.
        var confidence: Double?
    }

    struct Alternative: Equatable, Sendable {
        var text: String
        /// Empty when no times were asked for.
        var words: [Word]
        /// 0…1; `nil` when the engine gives none.
        var confidence: Double?
    }

    /// Best first, never empty.
    var alternatives: [Alternative]

    var best: Alternative { alternatives[0] }
    var isEmpty: Bool { alternatives.allSatisfy { $0.text.isEmpty } }

    init(alternatives: [Alternative]) { self.alternatives = alternatives }

    /// The best reading of utterances that followed on one another.
    init(joining parts: [Hypothesis]) {
        let best = parts.map(\.best).filter { !$0.text.isEmpty }
        if best.count == 1, let only = parts.first(where: { !$0.best.text.isEmpty }) {
            self = only
            return
        }
        let confidences = best.compactMap(\.confidence)
        alternatives = [
            Alternative(
                text: best.map(\.text).joined(separator: " "), words: best.flatMap(\.words), confidence: confidences.min())
        ]
    }

    static let empty = Hypothesis(alternatives: [Alternative(text: "", words: [], confidence: nil)])
}
