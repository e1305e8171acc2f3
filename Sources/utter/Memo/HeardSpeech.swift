import Speech

/// Turns a transcriber's results, of one pass or two, into a memo's events: guesses, utterances that wait for their second pass, and
/// finals. Pure.
///
/// Results repeat what is known, and may skip a state in between. Among the events, each utterance waits at most once and is final at
/// most once, in order.
struct HeardSpeech {
    /// The start of each utterance that waits, in order.
    private var starts: [AudioTime] = []
    /// The start of the utterance that is guessed at.
    private var guessStart: AudioTime?

    mutating func take(_ result: SpeechTranscriber.Result) -> [MemoMachine.Event] {
        let start = result.range.lowerBound
        guard result.isFinal else {
            let isKnown = starts.last
            let new = result.waiting.filter { part in isKnown.map { $0 < part.range.lowerBound } ?? true }
            starts += new.map(\.range.lowerBound)
            guessStart = result.guess?.range.lowerBound
            return new.map { .waiting(String($0.text.characters)) } + [
                .volatile(result.guess.map { String($0.text.characters) } ?? "")
            ]
        }
        let text = String(result.text.characters)
        if starts.first == start {
            starts.removeFirst()
        } else if text.isEmpty, !starts.isEmpty || guessStart.map({ start < $0 }) ?? false {
            // The utterance was withdrawn and does not wait. An event would withdraw another one: the first that waits, or a later guess.
            return []
        } else {
            guessStart = nil
        }
        return [.final(text)]
    }
}
