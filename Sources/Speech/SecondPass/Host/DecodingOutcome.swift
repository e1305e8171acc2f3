import Glibc

/// The outcome of a request to decode a stretch of sound.
enum DecodingOutcome: Hashable, Sendable {
    /// The reason for which there is no text.
    enum Failure: Hashable, Sendable {
        /// The request was withdrawn, or its session has ended.
        case cancelled
        /// The model can't decode this sound.
        case refused(WorkerFailure.Kind)
        /// Every worker that tried has crashed, hung or sent an invalid answer.
        case stopped
        /// There is no worker, and none will be started.
        case unavailable(WorkerFailure)
    }

    case text(DecodedText)
    case failed(Failure)
}

extension WorkerProcess.End {
    /// Whether another attempt would fail in the same way: the program does not exist or may not be run.
    var isLasting: Bool {
        if case .notStarted(let errno) = self { [ENOENT, EACCES, ENOEXEC].contains(errno) } else { false }
    }

    /// The end in words for a sentence.
    var words: String {
        switch self {
        case .notStarted(let errno): "it can't be started: \(String(cString: strerror(errno)))"
        case .exited(let code): "status \(code)"
        case .killed(let signal): "signal \(signal), \(String(cString: strsignal(signal)).lowercased())"
        case .nonsense: "it sent an invalid answer"
        case .stopped: "it did not answer"
        }
    }
}
