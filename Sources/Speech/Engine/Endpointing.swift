/// The rules for the end of an utterance.
public struct Endpointing: Hashable, Sendable {
    /// The pause that ends an utterance, in seconds. For libvosk that is one that sounds complete; one that sounds incomplete gets up to one
    /// second more. `nil` uses the usual value: with libvosk its model's own, usually half a second; with a live `DictationTranscriber` 2 s, or
    /// 1.3 s where it finalizes frequently. One for files has its own rules.
    public var trailingSilence: Double?

    /// The length after which an utterance ends at the next short pause, in seconds. This never splits a word.
    public var longUtterance: Double

    /// Creates rules.
    ///
    /// - Parameters:
    ///   - trailingSilence: the pause in seconds, limited to 0.1…10.
    ///   - longUtterance: the length in seconds, limited to 5…50.
    public init(trailingSilence: Double? = nil, longUtterance: Double = 20) {
        self.trailingSilence = trailingSilence.map { min(max($0, 0.1), 10) }
        self.longUtterance = min(max(longUtterance, 5), 50)
    }

    /// The shortest pause that can end an utterance, in seconds; at least this much is silent after the last word.
    var shortestPause: Double { min(Self.pauseInLongUtterance, trailingSilence ?? Self.pauseInLongUtterance) }

    /// The length at which an utterance ends even without a pause, in seconds.
    var longestUtterance: Double { longUtterance + 30 }

    private static let pauseInLongUtterance = 0.2

    /// Kaldi's endpoint rules, as options in `conf/model.conf`.
    var options: [String: String] {
        var options = [
            // By default rule 5 ends an utterance at 20 s even inside a word.
            "--endpoint.rule5.min-utterance-length": String(longUtterance),
            "--endpoint.rule5.min-trailing-silence": String(Self.pauseInLongUtterance),
        ]
        if let trailingSilence {
            options["--endpoint.rule2.min-trailing-silence"] = String(trailingSilence)
            // The same values as in libvosk's vosk_recognizer_set_endpointer_delays.
            options["--endpoint.rule3.min-trailing-silence"] = String(trailingSilence + 0.5)
            options["--endpoint.rule4.min-trailing-silence"] = String(trailingSilence + 1)
        }
        return options
    }
}
