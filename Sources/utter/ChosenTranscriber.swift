import Speech

/// The transcriber of a command: libvosk's, or that of a model that decides in a process of its own.
enum ChosenTranscriber: Sendable {
    case speech(SpeechTranscriber)
    case dictation(DictationTranscriber)

    var module: any SpeechModule {
        switch self {
        case .speech(let transcriber): transcriber
        case .dictation(let transcriber): transcriber
        }
    }

    var results: SpeechTranscriber.Results {
        switch self {
        case .speech(let transcriber): transcriber.results
        case .dictation(let transcriber): transcriber.results
        }
    }

    var ledger: SampleLedger {
        get async {
            switch self {
            case .speech(let transcriber): await transcriber.ledger
            case .dictation(let transcriber): await transcriber.ledger
            }
        }
    }

    /// Makes everything final with the last guess of the deciding model.
    func settle() async { if case .dictation(let transcriber) = self { await transcriber.settle() } }

    var undecidedCount: Int {
        get async { if case .dictation(let transcriber) = self { await transcriber.undecidedCount } else { 0 } }
    }

    /// What has become of the utterances; nil when libvosk decides.
    var counts: DictationCounts? {
        get async {
            if case .dictation(let transcriber) = self { await transcriber.counts } else { nil }
        }
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
        if decided > 0 || silent == 0 || lost > 0 { return nil }
        return "something sounds like speech, but \(model.name) has found no words in it\(advice)"
    }
}
