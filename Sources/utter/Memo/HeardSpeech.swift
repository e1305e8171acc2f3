import Speech

/// What a memo takes in of a transcriber's results, with one pass or two: guesses, what waits for its second pass, and finals. Pure.
///
/// Results say again what is known, and may leave out a state in between. Of what comes out every utterance waits once and is final once,
/// in order.
struct HeardSpeech {
    /// Where the utterances begin that wait.
    private var starts: [AudioTime] = []
    /// Where the utterance begins that is guessed at.
    private var guessStart: AudioTime?

    mutating func take(_ result: SpeechTranscriber.Result) -> [MemoMachine.Event] {
        let start = result.range.lowerBound
        guard result.isFinal else {
            let isKnown = starts.last
            let new = result.waiting.filter { part in isKnown.map { $0 < part.range.lowerBound } ?? true }
            starts += new.map(\.range.lowerBound)
            guessStart = result.guess?.range.lowerBound
            return new.map { .waiting(String($0.text.characters)) } + [.volatile(result.guess.map { String($0.text.characters) } ?? "")]
        }
        let text = String(result.text.characters)
        if starts.first == start {
            starts.removeFirst()
        } else if text.isEmpty, !starts.isEmpty || guessStart.map({ start < $0 }) ?? false {
            // It was taken back when its end came, and what is guessed at is another.
            return []
        } else {
            guessStart = nil
        }
        return [.final(text)]
    }
}
