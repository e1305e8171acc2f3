/// Where an utterance ends.
public struct Endpointing: Hashable, Sendable {
    /// How long a pause ends an utterance that sounds complete, in seconds; one that sounds incomplete gets up to a
    /// second more. `nil` leaves it to the model, mostly half a second.
    public var trailingSilence: Double?

    /// The length from which on an utterance ends at the first short pause, in seconds. A word is never cut in two for it.
    public var longUtterance: Double

    /// - Parameters:
    ///   - trailingSilence: seconds, from 0.1 to 10; values outside are brought inside.
    ///   - longUtterance: seconds, from 5 to 50; values outside are brought inside.
    public init(trailingSilence: Double? = nil, longUtterance: Double = 20) {
        self.trailingSilence = trailingSilence.map { min(max($0, 0.1), 10) }
        self.longUtterance = min(max(longUtterance, 5), 50)
    }

    /// The shortest pause, in seconds, after which an utterance can end; at least this much after the last word is silent.
    var shortestPause: Double { min(Self.pauseInLongUtterance, trailingSilence ?? Self.pauseInLongUtterance) }

    /// The length, in seconds, at which an utterance ends even though no pause came.
    var longestUtterance: Double { longUtterance + 30 }

    private static let pauseInLongUtterance = 0.2

    /// Kaldi's endpoint rules as lines of `conf/model.conf`.
    var options: [String: String] {
        var options = [
            // By itself rule 5 ends an utterance at 20 s wherever it is, even inside a word.
            "--endpoint.rule5.min-utterance-length": String(longUtterance),
            "--endpoint.rule5.min-trailing-silence": String(Self.pauseInLongUtterance),
        ]
        if let trailingSilence {
            options["--endpoint.rule2.min-trailing-silence"] = String(trailingSilence)
            // As libvosk's own vosk_recognizer_set_endpointer_delays has it.
            options["--endpoint.rule3.min-trailing-silence"] = String(trailingSilence + 0.5)
            options["--endpoint.rule4.min-trailing-silence"] = String(trailingSilence + 1)
        }
        return options
    }
}
