import Speech

/// The transcriber of a command: libvosk's, or that of a model that decides in a process of its own.
protocol ChosenTranscriber: SpeechModule where Results == SpeechTranscriber.Results {
    var ledger: SampleLedger { get async }
    /// The number of utterances that are not decided, which libvosk does not have.
    var undecidedCount: Int { get async }
    /// What has become of the utterances; nil when libvosk decides.
    var utteranceCounts: DictationCounts? { get async }
    /// Makes everything final with the last guess of the deciding model.
    func settle() async
}

extension DictationTranscriber: ChosenTranscriber {
    var utteranceCounts: DictationCounts? { get async { await counts } }
}

extension SpeechTranscriber: ChosenTranscriber {
    var undecidedCount: Int { 0 }
    var utteranceCounts: DictationCounts? { nil }
    func settle() {}
}

extension SampleLedger {
    /// Where every sample went, for `--verbose`.
    var sentence: String {
        "\(delivered) samples = \(transcribed) transcribed + \(silent) silent + \(pending) pending; \(missing) missing"
    }
}

extension DictationCounts {
    /// The counts as a sentence, for `--verbose`.
    var sentence: String {
        "\(decided) utterances with text, \(silent) stretches without words, \(lost) that could not be decoded"
    }

    /// A sentence about what sounds like speech and has no text; nil if that is little.
    func remark(on model: SecondPassModel) -> String? {
        let advice = decided > 0 ? "" : "; to check the model: utter models verify \(ShellWord.quoted(model.path))"
        // A cough is shorter.
        if let firstNonsense, nonsense >= 2 {
            return
                "\(Int(nonsense)) s sound like speech, but \(model.name) has given only nonsense for them, which is left out; "
                + "they begin at \(ProgressLine.clock(firstNonsense))\(advice)"
        }
        // A word or two in noise are no reason for doubt in the rest.
        if unsure >= 5, unsure * 2 > heard {
            return
                "\(model.name) is unsure of \(Int(unsure)) of \(Int(heard)) s of speech, as of a language that it does not know, "
                + "or of a voice far from the microphone"
        }
        if decided > 0 || silent == 0 || lost > 0 { return nil }
        return "something sounds like speech, but \(model.name) has found no words in it\(advice)"
    }
}
