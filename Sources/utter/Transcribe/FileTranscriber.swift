import Speech

/// What turns a channel of a file into text: with one pass, or with two.
enum FileTranscriber: Sendable {
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

    /// Whose text became final; nil where there is one pass.
    var counts: DictationCounts? {
        get async {
            if case .dictation(let transcriber) = self { await transcriber.counts } else { nil }
        }
    }
}
