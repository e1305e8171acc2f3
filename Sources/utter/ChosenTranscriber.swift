import Speech

/// What turns sound into text: with one pass, or with two.
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

    /// Waits for a second pass no longer.
    func endSecondPass() async { if case .dictation(let transcriber) = self { await transcriber.endSecondPass() } }

    /// Whose text became final; nil where there is one pass.
    var counts: DictationCounts? {
        get async {
            if case .dictation(let transcriber) = self { await transcriber.counts } else { nil }
        }
    }
}

extension DictationCounts {
    /// For the details that a user asks for.
    var sentence: String {
        "\(second + first + none) utterances = \(second) by the second pass + \(first) by the first + \(none) without words"
    }
}
