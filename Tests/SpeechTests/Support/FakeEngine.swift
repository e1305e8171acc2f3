import Synchronization

@testable import Models
@testable import Speech

/// An engine with exact results. A word is a run of one sample value above 0, and its text is that number; 0 is silence. A run
/// that is shorter than a whole word has a question mark, which shows a word that was cut.
final class FakeEngine: SpeechEngine {
    struct Behaviour: Sendable {
        /// The length of a whole word, in samples.
        var wordLength = 4000
        /// How much trailing silence ends an utterance, in samples; nil when no pause does.
        var pause: Int? = 8000
        /// How many of the accepted samples the engine has not decoded before it is flushed.
        var lag = 3000
        var vocabulary: Set<String>?
        /// Called before each accept, with the number of earlier ones on all recognizers.
        var onAccept: @Sendable (_ number: Int) throws(SpeechError) -> Void = { _ throws(SpeechError) in }
        /// Changes a guess.
        var guess: @Sendable (_ hypothesis: Hypothesis, _ number: Int) -> Hypothesis = { hypothesis, _ in hypothesis }
        var onFlush: @Sendable () throws(SpeechError) -> Void = { () throws(SpeechError) in }
        /// Called before a recognizer is made, and throws if it can't be.
        var onMake: @Sendable (_ number: Int) throws(SpeechError) -> Void = { _ throws(SpeechError) in }
    }

    struct Counts: Equatable {
        var made = 0
        var alive = 0
        var kept = 0
        var accepts = 0
        var configurations: [RecognizerConfiguration] = []
    }

    let sampleRate: Int
    let behaviour: Behaviour
    private let state = Mutex(Counts())

    var counts: Counts { state.withLock { $0 } }

    init(_ behaviour: Behaviour = Behaviour(), sampleRate: Int = 16_000) {
        (self.behaviour, self.sampleRate) = (behaviour, sampleRate)
    }

    func makeRecognizer(_ configuration: RecognizerConfiguration) throws(SpeechError) -> any SpeechRecognizer {
        try behaviour.onMake(counts.made)
        count {
            $0.made += 1
            $0.alive += 1
            $0.configurations.append(configuration)
        }
        return FakeRecognizer(self)
    }

    func keep(_ recognizer: any SpeechRecognizer) { count { $0.kept += 1 } }

    func unknownWords(in phrases: [String]) throws(SpeechError) -> [String] {
        guard let vocabulary = behaviour.vocabulary else {
            throw SpeechError(.vocabularyNotSupported, "a fake without a vocabulary")
        }
        return phrases.flatMap { $0.split(separator: " ").map(String.init) }.filter { !vocabulary.contains($0) }
    }

    fileprivate func count(_ change: (inout Counts) -> Void) { state.withLock { change(&$0) } }

    /// The samples of words, each followed by `gap` samples of silence.
    static func speech(_ words: [Int16], wordLength: Int = 4000, gap: Int = 0) -> [Int16] {
        words.flatMap { Array(repeating: $0, count: wordLength) + Array(repeating: 0, count: gap) }
    }
}

private final class FakeRecognizer: SpeechRecognizer {
    private struct Run {
        var value: Int16
        var range: Range<Int>
    }

    private let engine: FakeEngine
    /// The samples since `start`, and perhaps some before, as runs of one value.
    private var runs: [Run] = []
    /// Where the current utterance begins.
    private var start = 0
    private var taken = 0
    private(set) var samplesAccepted: Int64 = 0

    init(_ engine: FakeEngine) { self.engine = engine }
    deinit { engine.count { $0.alive -= 1 } }

    func accept(_ samples: UnsafeBufferPointer<Int16>) throws(SpeechError) -> Bool {
        let number = engine.counts.accepts
        engine.count { $0.accepts += 1 }
        try engine.behaviour.onAccept(number)
        take(samples)
        samplesAccepted += Int64(samples.count)
        let end = decodedCount
        guard let pause = engine.behaviour.pause, end - start > pause else { return false }
        let words = runs.filter { $0.value != 0 && $0.range.overlaps(start..<end) }
        return words.last.map { $0.range.upperBound <= end - pause } ?? false
    }

    private func take(_ samples: UnsafeBufferPointer<Int16>) {
        var index = 0
        while index < samples.count {
            let value = samples[index]
            let first = index
            while index < samples.count && samples[index] == value { index += 1 }
            if let last = runs.last, last.value == value {
                runs[runs.count - 1].range = last.range.lowerBound..<taken + index
            } else {
                runs.append(Run(value: value, range: taken + first..<taken + index))
            }
        }
        taken += samples.count
    }

    func volatileHypothesis() throws(SpeechError) -> Hypothesis {
        engine.behaviour.guess(hypothesis(upTo: decodedCount), engine.counts.accepts)
    }

    func endUtterance() throws(SpeechError) -> Hypothesis {
        defer { begin(at: decodedCount) }
        return engine.behaviour.guess(hypothesis(upTo: decodedCount), -1)
    }

    func flush() throws(SpeechError) -> Hypothesis {
        try engine.behaviour.onFlush()
        defer { begin(at: taken) }
        return hypothesis(upTo: taken)
    }

    private func begin(at index: Int) {
        start = index
        runs.removeAll { $0.range.upperBound <= index }
    }

    private var decodedCount: Int { max(start, taken - engine.behaviour.lag) }

    private func hypothesis(upTo end: Int) -> Hypothesis {
        let words = runs.compactMap { run -> Hypothesis.Word? in
            let range = run.range.clamped(to: start..<max(start, end))
            guard run.value > 0, !range.isEmpty else { return nil }
            let isWhole = range.count % engine.behaviour.wordLength == 0
            return Hypothesis.Word(
                text: "\(run.value)" + (isWhole ? "" : "?"), range: Int64(range.lowerBound)..<Int64(range.upperBound),
                confidence: 1)
        }
        return Hypothesis(alternatives: [
            Hypothesis.Alternative(text: words.map(\.text).joined(separator: " "), words: words, confidence: 1)
        ])
    }
}
