import Speech

/// The transcriber of a command, with one pass or two.
enum ChosenTranscriber: Sendable {
    case speech(SpeechTranscriber)
    case dictation(DictationTranscriber)

    /// The transcriber as a module of an analyzer.
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

    /// Stops waiting for the second pass.
    func endSecondPass() async { if case .dictation(let transcriber) = self { await transcriber.endSecondPass() } }

    /// How many utterances have the text of each pass; nil when there is only one pass.
    var counts: DictationCounts? {
        get async {
            if case .dictation(let transcriber) = self { await transcriber.counts } else { nil }
        }
    }
}

extension DictationCounts {
    /// The counts as a sentence, for `--verbose`.
    var sentence: String {
        "\(second + first + none) utterances = \(second) by the second pass + \(first) by the first + \(none) without words"
    }
}
