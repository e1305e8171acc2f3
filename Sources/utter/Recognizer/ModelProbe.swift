import Glibc
import Models
import Speech
import System

/// Tries a model in a process of its own, since a damaged one may crash or never return.
struct ModelProbe {
    /// The result of the trial.
    enum Outcome: Equatable {
        /// The model loads and decodes, in so many seconds, and has heard this text.
        case works(loading: Double, decoding: Double, text: String)
        /// The library refused the model, with a sentence that says why.
        case refused(String)
        /// The process crashed.
        ///
        /// - Parameters:
        ///   - signal: the signal that ended it.
        ///   - reason: the library's last message; nil when there is none.
        ///   - hasLoaded: whether the model had loaded.
        case crashed(signal: Int32, reason: String?, hasLoaded: Bool)
        /// The recognizer does not return.
        case stopped(hasLoaded: Bool)
        /// The process took longer than the time limit, in seconds.
        case late(seconds: Int, hasLoaded: Bool)
        /// There was not enough memory.
        ///
        /// - Parameter available: the memory that was available, in bytes; nil when that is not known.
        case needsMemory(available: Int?)
        /// The process could not be started, or was ended from outside.
        case failed(String)

        /// The time that a working model takes to load, such as ` in 0.4 s`; empty for another outcome.
        var time: String {
            guard case .works(let loading, _, _) = self else { return "" }
            return " in \(Decimals.fixed(loading, decimals: 1)) s"
        }
    }

    let model: InstalledModel
    /// The deciding model, where it is not an installed one; nil for `model`.
    var deciding: SecondPassModel?
    /// Whether the model is for English, so that it must hear the English words of the sentence.
    var knowsEnglish = false
    /// The silence that ends an utterance, in seconds; nil for the model's own.
    var endpointSilence: Double?
    /// The folder of the marks that `ModelTrial` leaves.
    var trials = ModelTrial.defaultFolder()

    /// The time limit for loading and hearing, in seconds: two minutes, and more for a large model on a slow disk, five at most. A
    /// recognizer of libvosk's that does not return is found sooner.
    var timeLimit: Int { min(300, 120 + model.diskSize / 10_000_000) }

    /// Starts the process and waits for its end.
    func run() async -> Outcome {
        let available = Memory.available
        if deciding != nil || model.pass == .second { return await runSecondPass(available: available) }
        let words = ModelProbeProcess.Arguments(endpointing: endpointSilence, path: model.path).words
        let program = BoundedProgram(
            "/proc/self/exe", words, environment: ["SWIFT_BACKTRACE": "enable=no"], timeLimit: .seconds(timeLimit))
        return Self.outcome(await program.run(), available: available, timeLimit: timeLimit)
    }

    /// Tries a model of the second pass in a worker of the second pass.
    private func runSecondPass(available: Int?) async -> Outcome {
        let (model, sound): (SecondPassModel, [Int16])
        do {
            model = try deciding ?? .installed(self.model.path)
            sound = try SpokenSentence.samples(sampleRate: SecondPassModel.sampleRate)
        } catch {
            return .refused(CommandError(error).message)
        }
        let timeLimit = timeLimit
        switch await model.probe(sound, language: knowsEnglish ? "en" : nil, timeLimit: .seconds(timeLimit)) {
        case .works(let loading, let decoding, let text):
            return .works(loading: loading / .seconds(1), decoding: decoding / .seconds(1), text: text)
        case .refused(let reason): return .refused(reason)
        case .crashed(SIGKILL, _): return .needsMemory(available: available)
        case .crashed(let signal, let hasLoaded): return .crashed(signal: signal, reason: nil, hasLoaded: hasLoaded)
        case .late(let hasLoaded): return .late(seconds: timeLimit, hasLoaded: hasLoaded)
        case .failed(let reason): return .failed(reason)
        }
    }

    /// The outcome that the output and the end of a process mean.
    static func outcome(_ finished: BoundedProgram.Finished, available: Int?, timeLimit: Int) -> Outcome {
        let lines = String(decoding: finished.output, as: UTF8.self).split(separator: "\n").compactMap {
            ModelProbeProcess.Line($0)
        }
        let errors = String(decoding: finished.errors, as: UTF8.self).split(separator: "\n").map(String.init)
        var loading: Double?
        var text = ""
        for line in lines {
            switch line {
            case .loaded(let seconds): loading = seconds
            case .heard(let words): text = words
            default: break
            }
        }
        let hasLoaded = loading != nil
        let isMemory = errors.contains { $0.contains("bad_alloc") || $0.contains("Cannot allocate memory") }
        switch (finished.end, lines.last) {
        case (.exited(0), .decoded(let decoding)): return .works(loading: loading ?? 0, decoding: decoding, text: text)
        case (.exited, .stopped): return .stopped(hasLoaded: hasLoaded)
        case (.exited, .refused(let reason)):
            return isMemory || reason.contains("bad_alloc") ? .needsMemory(available: available) : .refused(reason)
        case (.killed(SIGKILL), _): return .needsMemory(available: available)
        case (.killed(let signal), _):
            return isMemory
                ? .needsMemory(available: available)
                : .crashed(signal: signal, reason: reason(errors), hasLoaded: hasLoaded)
        case (.stopped, _): return .late(seconds: timeLimit, hasLoaded: hasLoaded)
        case (.notStarted(let errno), _):
            return .failed("no process can be started to load it: \(String(cString: strerror(errno)))")
        case (.exited(let code), _): return .failed("the process that loads it ended with status \(code)")
        }
    }

    /// The error message among the lines, without its place in libvosk's source.
    private static func reason(_ errors: [String]) -> String? {
        let marks = ["ASSERTION_FAILED", "ERROR", "FATAL", "what():"]
        guard let line = marks.lazy.compactMap({ mark in errors.last { $0.contains(mark) } }).first else { return nil }
        if let end = line.range(
            of: ") ", range: (line.range(of: "(VoskAPI")?.upperBound ?? line.startIndex)..<line.endIndex)
        {
            return String(line[end.upperBound...]).trimming
        }
        return (line.range(of: ": ").map { String(line[$0.upperBound...]) } ?? line).trimming
    }

    /// A sentence about a model that does not work; nil when it works.
    func problem(_ outcome: Outcome) -> String? {
        func stage(_ hasLoaded: Bool) -> String { hasLoaded ? "while it decoded" : "while it loaded" }
        switch outcome {
        case .works(_, _, let text):
            return SpokenSentence.doubt(about: text, knowsEnglish: knowsEnglish).map {
                "the model \(model.path) loads, but \($0); it may be damaged: remove it and install it again"
            } ?? earlierProblem
        case .refused(let reason): return reason
        case .crashed(let signal, let reason, let hasLoaded):
            let name = String(cString: strsignal(signal)).lowercased()
            return
                "the model \(model.path) crashed the recognizer \(stage(hasLoaded)) (signal \(signal), \(name)\(reason.map { ": " + $0 } ?? ""))"
                + "; it may be damaged or made for another version"
        case .stopped(let hasLoaded):
            return
                "the recognizer did not return \(stage(hasLoaded)) the model \(model.path); it may be damaged or made for another version"
        case .late(let seconds, let hasLoaded):
            return
                "the recognizer did not finish in \(seconds) s \(stage(hasLoaded)) the model \(model.path); it may be damaged"
        case .needsMemory(let available):
            let memory = available.map { "the \($0 >> 20) MB there are" } ?? "there is"
            return
                "the model \(model.path) takes more memory than \(memory); it may be damaged, or too large for this machine"
        case .failed(let reason): return "the model \(model.path) could not be tried: \(reason)"
        }
    }
}

extension ModelProbe {
    /// A fault that a memo has found in a model that works here, for real speech uses more of a model than the built-in sound.
    private var earlierProblem: String? {
        switch (try? ModelTrial.verdict(on: model.path, in: trials, onlyLooks: true)) ?? nil {
        case .crashed:
            "the model \(model.path) loads, but crashed the recognizer in a memo; it may be damaged or made for another version"
        case .stopped:
            "the model \(model.path) loads, but the recognizer hung in a memo; it may be damaged or made for another version"
        case .diedLoading, nil: nil
        }
    }
}

extension String {
    fileprivate var trimming: String { split(whereSeparator: \.isWhitespace).joined(separator: " ") }
}
